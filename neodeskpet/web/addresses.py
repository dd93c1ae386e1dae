"""Addresses of the web, as text. Pure: nothing is looked up here."""

from __future__ import annotations

import ipaddress
import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"})
_NOT_IN_IT = r"\s<>\"'`()\[\]{}，。；！？、（）【】《》“”‘’"
_ADDRESS = re.compile(rf"https?://[^{_NOT_IN_IT}]{{1,2000}}", re.IGNORECASE)
_END = ".,;:!?"


def is_web(address: str) -> bool:
    """Whether it is an address that can be fetched: http or https, with a host."""
    try:
        parts = urlsplit(address)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def is_public(ip: str) -> bool:
    """Whether an IP address belongs to a computer of the internet: not this one, not one of its
    network, none of the ways to name those in IPv6.
    """
    try:
        address = ipaddress.ip_address(ip.split("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            address = inner
    return address.is_global and not address.is_multicast


def picture_addresses(text: str) -> list[str]:
    """The addresses in `text` that name a picture by their ending, each once."""
    found = (match.rstrip(_END) for match in _ADDRESS.findall(text))
    return list(dict.fromkeys(one for one in found if is_web(one) and _names_picture(one)))


def file_name(address: str) -> str:
    """What a file from there is called, "" if the address doesn't say."""
    return PurePosixPath(unquote(urlsplit(address).path)).name


def _names_picture(address: str) -> bool:
    return PurePosixPath(urlsplit(address).path).suffix.lower() in PICTURES
