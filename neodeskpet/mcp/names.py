"""Names of foreign tools: `mcp.SERVER.TOOL`.

The first word keeps a foreign tool from being taken for one of the app's own, to which the person
may have said "always". A server's part has no dot, so that no two servers can make one name; what
had to be changed gets a mark made from the whole name, not a number that depends on the order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

TOOL_NAME_PREFIX = "mcp"
_LONGEST_SERVER = 24
_LONGEST_TOOL = 80


def source_name(server: str) -> str:
    """What rules and grants are kept by: never the name of the app's own source."""
    return f"{TOOL_NAME_PREFIX} {server}"


def server_part(name: str) -> str:
    """The name of a server as its tools bear it: letters, digits, _ and -."""
    return _shaped(name, r"[^A-Za-z0-9_-]+", _LONGEST_SERVER, "server")


def tool_name(server: str, tool: str) -> str:
    """What `tool` of `server` is called here. Differs wherever one of them differs."""
    own = _shaped(tool, r"[^A-Za-z0-9_.-]+", _LONGEST_TOOL, "tool")
    return f"{TOOL_NAME_PREFIX}.{server_part(server)}.{own}"


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """`wanted`, or with a _ at its end where the server has a tool of that name itself."""
    known = set(taken)
    while wanted in known:
        wanted += "_"
    return wanted


def _shaped(name: str, illegal: str, longest: int, empty: str) -> str:
    plain = re.sub(illegal, "_", name).strip("_.")
    if plain == name and 0 < len(plain) <= longest:
        return plain
    mark = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:6]
    return f"{plain[: longest - 7] or empty}_{mark}"
