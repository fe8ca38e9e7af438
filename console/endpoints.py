"""Addresses of models in the settings: any host that serves one, none that hands out keys of the machine."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit, urlunsplit

# Besides the link-local addresses: where clouds answer the machine itself (AWS, Google, Azure, Alibaba, Oracle).
METADATA_HOSTS = {
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
}
METADATA_ADDRESSES = {
    ip_address(text) for text in ("fd00:ec2::254", "fd20:ce::254", "168.63.129.16", "100.100.100.200", "192.0.0.192")
}
CHAT, EMBEDDINGS = "/chat/completions", "/embeddings"  # what an OpenAI-compatible server answers at
NAT64 = ip_network("64:ff9b::/96")
Address = IPv4Address | IPv6Address


def hands_out_keys(host: str, *, look_up: bool = True) -> bool:
    """Whether `host` is, or by its name leads to, a link-local address or one at which a cloud answers its machines."""
    name = host.rstrip(".").lower()
    return name in METADATA_HOSTS or any(_forbidden(address) for address in _addresses(name, look_up))


def public_address(host: str) -> str | None:
    """An address of `host` on the open internet, to connect to as it stands; None where any of its addresses is inside.

    Loopback, private, shared, reserved and link-local addresses are inside. Connecting to the answer and not to the
    name leaves a name server no second chance.
    """
    found = _addresses(host.rstrip(".").lower(), True)
    if not found or any(_forbidden(one) or not _opens(one) for one in found):
        return None
    return str(found[0])


def _opens(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return inner.is_global
    return address.is_global and not address.is_multicast


def advice(variable: str, host: str) -> str:
    """What is said of such a host in the setting `variable`."""
    return (
        f"{variable} leads to {host}, where clouds hand out keys of the machine, so nothing is sent there. Name the "
        "host that serves the model; loopback and private hosts are fine."
    )


def completed(variable: str, url: str, path: str) -> str:
    """The address to post to: `url`, the value of the setting `variable`, with `/v1` and `path` where they are missing.

    Raises ValueError with advice unless `url` is plain http or https with a host.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
        usable = usable and (parts.port is None or parts.port > 0) and not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(
            f"{variable} must be an http:// or https:// address without user name or query, "
            f"e.g. http://127.0.0.1:8000/v1; a key belongs into {variable.removesuffix('_URL')}_API_KEY."
        )
    whole = (parts.path.rstrip("/") or "/v1").removesuffix(path) + path
    return urlunsplit((parts.scheme, parts.netloc, whole, "", ""))


def _addresses(name: str, look_up: bool) -> list[Address]:
    for read in (_plain, _as_c_reads_it):
        if (found := read(name)) is not None:
            return [found]
    if not look_up:
        return []
    try:
        answers = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []  # whoever connects will say that there is no such host
    return [ip_address(str(answer[4][0]).partition("%")[0]) for answer in answers]


def _plain(name: str) -> Address | None:
    try:
        return ip_address(name.partition("%")[0])
    except ValueError:
        return None


def _as_c_reads_it(name: str) -> Address | None:
    """169.254.169.254 is also 2852039166, 0xa9fea9fe and 169.254.43518."""
    try:
        return ip_address(socket.inet_aton(name))
    except (OSError, UnicodeError):
        return None


def _forbidden(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return _forbidden(inner)
    return address.is_link_local or address in METADATA_ADDRESSES
