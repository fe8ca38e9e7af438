"""How many requests a second a running console answers: `python bench/web.py http://127.0.0.1:8321 TOKEN`."""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

CLIENTS = 8
SECONDS = 5.0
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_mcp_identity", "arguments": {}}}
PATHS = ("/v1/memories", "/login", "/static/console.js", "/mcp")


def keep_asking(place: str, path: str, key: str, until: float) -> tuple[list[float], int]:
    """The seconds that each answer took, and how many failed; one connection is kept."""
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json", "Content-Type": "application/json"}
    client, took, failed = HTTPConnection(place, timeout=60), [], 0
    while (begun := time.monotonic()) < until:
        try:
            verb, body = ("POST", json.dumps(CALL)) if path == "/mcp" else ("GET", None)
            client.request(verb, path, body, headers)
            answer = client.getresponse()
            answer.read()
            failed += answer.status != 200
        except (OSError, HTTPException):
            failed += 1
            client.close()
        took.append(time.monotonic() - begun)
    client.close()
    return took, failed


def main(address: str, key: str) -> None:
    """Print one line for each path."""
    place = urlsplit(address).netloc
    for path in PATHS:
        until = time.monotonic() + SECONDS
        with ThreadPoolExecutor(CLIENTS) as pool:
            asking = [pool.submit(keep_asking, place, path, key, until) for _ in range(CLIENTS)]
            found = [one.result() for one in asking]
        took = sorted(second for seconds, _ in found for second in seconds)
        middle, late = took[len(took) // 2] * 1000, took[int(len(took) * 0.95)] * 1000
        failed = sum(failures for _, failures in found)
        print(f"{path:20} {len(took) / SECONDS:7.0f}/s  p50 {middle:6.1f} ms  p95 {late:6.1f} ms  failed {failed}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Say where the console is and a token of it: python bench/web.py http://127.0.0.1:8321 TOKEN")
    main(sys.argv[1], sys.argv[2])
