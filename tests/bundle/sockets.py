"""A program's use of sockets, as strace recorded it (Root.start)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from neodeskpet.app.local_models import DEFAULT_ADDRESSES

_PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
_PLACE = re.compile(r'sin_addr=inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
_NAMES = 53


def addresses(record: str) -> Iterator[tuple[str, int]]:
    """Return the network addresses in a record, with their ports, in order. A program's own sockets
    of this computer (the X server's, the bus's) have none.
    """
    for line in record.splitlines():
        place, port = _PLACE.search(line), _PORT.search(line)
        if place is not None:
            yield place[1] or place[2], int(port[1]) if port is not None else 0
        elif "AF_INET" in line:
            yield line, 0


def is_near(place: str, port: int) -> bool:
    """Return whether this is the computer itself, and not a name server."""
    inside = place.startswith("127.") or place in ("::1", "::ffff:127.0.0.1")
    return inside and port != _NAMES


def is_model_search(place: str, port: int) -> bool:
    """Return whether this is the first start's search for model servers on this computer."""
    ports = {urlsplit(address).port for address in DEFAULT_ADDRESSES.values()}
    return is_near(place, port) and port in ports


def asked(record: Path) -> list[tuple[str, int]]:
    """All addresses that the program used."""
    return list(addresses(record.read_text("utf-8", "replace")))


def unasked(record: Path) -> list[tuple[str, int]]:
    """Return the addresses of a program that was started and left without input, except for the
    search for model servers on this computer.
    """
    return [one for one in asked(record) if not is_model_search(*one)]


def far(record: Path) -> list[tuple[str, int]]:
    """The addresses beyond this computer that the program used."""
    return [one for one in asked(record) if not is_near(*one)]
