"""The computers that may be sent a key without encryption (http), as the setting names them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

_BETWEEN = re.compile(r"[\s,;，；、]+")


def parse_hosts(setting: str) -> tuple[str, ...]:
    """The hosts that the person's line names, in its order."""
    return tuple(dict.fromkeys(one.casefold() for one in _BETWEEN.split(setting) if one))


def add_host(setting: str, host: str) -> str:
    """The line with this host in it too."""
    return ", ".join(dict.fromkeys((*parse_hosts(setting), host.casefold())))


def hosts_from_old_switch(service: Mapping[str, object]) -> str:
    """The line for a file in which one switch (`plain_keys`) stood for all hosts: on, it was meant
    for the address beside it.
    """
    try:
        parts = urlsplit(str(service.get("base_url", "")))
        host = parts.hostname or ""
    except ValueError:
        return ""
    return host if service.get("plain_keys") is True and parts.scheme == "http" else ""
