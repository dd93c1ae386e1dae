"""Checks web addresses as text. Pure: no name is resolved here."""

from __future__ import annotations

import ipaddress
import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"})
_NOT_IN_IT = r"\s<>\"'`()\[\]{}，。；！？、（）【】《》“”‘’"
_ADDRESS = re.compile(rf"https?://[^{_NOT_IN_IT}]{{1,2000}}", re.IGNORECASE)
_END = ".,;:!?"


_NOT_PUBLIC = [
    ipaddress.ip_network(one)
    for one in (
        # protocol assignments (Oracle Cloud's metadata is 192.0.0.192), 6to4 relays
        "192.0.0.0/24",
        "192.88.99.0/24",
        # the services of a machine in Azure, metadata of Alibaba Cloud
        "168.63.129.16/32",
        "100.100.100.200/32",
        # site-local, local NAT64, benchmarks, ORCHID, documentation, segment routing, discard
        "fec0::/10",
        "64:ff9b:1::/48",
        "2001:2::/48",
        "2001:10::/28",
        "2001:20::/28",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "100::/64",
        "2001::/32",
    )
]
"""Networks that some Python versions wrongly treat as public."""
_HOLD_IPV4 = [ipaddress.ip_network(one) for one in ("64:ff9b::/96", "::/96")]
"""Networks whose addresses contain an IPv4 address at the end."""


def is_web(address: str) -> bool:
    """Return whether the address can be fetched: http or https, with a host."""
    try:
        parts = urlsplit(address)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def is_public(ip: str) -> bool:
    """Return whether an IP address is public: not this computer, not its local network, and none of
    the IPv6 forms of those.
    """
    try:
        address = ipaddress.ip_address(ip.split("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and any(address in one for one in _HOLD_IPV4):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            address = inner
    if any(address in one for one in _NOT_PUBLIC if one.version == address.version):
        return False
    return address.is_global and not address.is_multicast


def picture_addresses(text: str) -> list[str]:
    """Return the addresses in `text` whose extension is that of a picture, without duplicates."""
    found = (match.rstrip(_END) for match in _ADDRESS.findall(text))
    return list(dict.fromkeys(one for one in found if is_web(one) and _names_picture(one)))


def file_name(address: str) -> str:
    """Return the file name in an address, "" if it has none."""
    return PurePosixPath(unquote(urlsplit(address).path)).name


def _names_picture(address: str) -> bool:
    return PurePosixPath(urlsplit(address).path).suffix.lower() in PICTURE_SUFFIXES
