"""The server settings of the embedded cluster: one machine with two cores, one console, one worker."""

from __future__ import annotations

import shutil
from pathlib import Path

from console.postgres.places import PORT, Place

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - measured, not written
SMALL_SHARED_MEMORY_BYTES = 1_000_000_000

SETTINGS = {
    "listen_addresses": "''",
    "port": str(PORT),
    "unix_socket_permissions": "0777",  # the folder around it is private
    "max_connections": "100",
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "1GB",
    "autovacuum": "on",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",  # a request waits longer for two helpers to start than it reads by itself
    "plan_cache_mode": "force_custom_plan",  # generic plans choose badly between exact and HNSW search
    "random_page_cost": "1.1",
    "timezone": "'UTC'",
    "log_timezone": "'UTC'",
    "lc_messages": "'C'",
    # What people remember must not reach the log: neither statements nor failing rows nor the values in errors.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_checkpoints": "off",
    "log_line_prefix": "'%m [%p] '",
}


def settings_text(place: Place) -> str:
    """The text of `console.conf`. `ALTER SYSTEM` still wins over it."""
    settings = SETTINGS | {"unix_socket_directories": f"'{place.socket_dir}'"}
    if SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).total < SMALL_SHARED_MEMORY_BYTES:
        settings["dynamic_shared_memory_type"] = "mmap"  # containers give 64 MB there, too little to build an index
    return "".join(f"{name} = {value}\n" for name, value in settings.items())
