"""The tools of an MCP server as a source of the toolbox, and their names (`mcp.SERVER.TOOL`).

Tools of servers ask before they run. A server's own claims ("only reads") change nothing.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.mcp.session_interface import (
    Progress,
    PromptInfo,
    ResourceInfo,
    ServerListing,
    ToolInfo,
)
from neodeskpet.platform.observers import Observers
from neodeskpet.toolkit.executor import Runnable
from neodeskpet.toolkit.schema_tool import schema_tool

TOOL_NAME_PREFIX = "mcp"
_LONGEST_SERVER = 24
_LONGEST_TOOL = 80


def source_name(server: str) -> str:
    """Return the source name by which rules and grants are stored; it never equals the app's own
    source.
    """
    return f"{TOOL_NAME_PREFIX} {server}"


def server_part(name: str) -> str:
    """Return the server's part of its tools' names: letters, digits, _ and -."""
    return _shaped(name, r"[^A-Za-z0-9_-]+", _LONGEST_SERVER, "server")


def tool_name(server: str, tool: str) -> str:
    """Return the name of a tool; different servers or tools get different names."""
    own = _shaped(tool, r"[^A-Za-z0-9_.-]+", _LONGEST_TOOL, "tool")
    return f"{TOOL_NAME_PREFIX}.{server_part(server)}.{own}"


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """Return `wanted`, with _ added while the server itself has a tool with that name."""
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


_log = logging.getLogger(__name__)

_TOLD = 2000
"""Most characters of a server's description that are sent."""
_NAMED = 20
"""Resources and prompts that are listed in the description of the tool that reads them."""
_LIMIT = 3600.0
"""Seconds. The server's own time limit ends a call earlier, and is paused during questions."""

Arguments = dict[str, object]


class ServerCaller(Protocol):
    """Sends calls to the server. Raises ToolError."""

    async def call(self, tool: str, arguments: Arguments, progress: Progress) -> ToolResult: ...

    async def read(self, uri: str, progress: Progress) -> ToolResult: ...

    async def prompt(
        self, name: str, arguments: Mapping[str, str], progress: Progress
    ) -> ToolResult: ...


ToolCallWork = Callable[[Arguments, Progress], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class _MadeTool:
    info: object
    tool: Runnable


class ServerTools:
    """A `ToolSource` for a server. `ready` is called before each round."""

    def __init__(self, server: str, asker: ServerCaller, ready: Callable[[], bool]) -> None:
        self.name = source_name(server)
        self.label = server
        self._asker = asker
        self._ready = ready
        self._made: dict[str, _MadeTool] = {}
        self._changed: Observers[[]] = Observers()

    def tools(self) -> Sequence[Runnable]:
        return [made.tool for made in self._made.values()]

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._changed.subscribe(observer)

    def notify(self) -> None:
        """Notify that the tools became available or unavailable."""
        self._changed.notify()

    def update(self, listing: ServerListing) -> list[str]:
        """Replace the tools by those of `listing`. An unchanged tool stays the same object, so that
        a call that already asked the user can still run. Return descriptions of invalid tools.
        """
        faults: list[str] = []
        made: dict[str, _MadeTool] = {}
        for info, spec, work in self._specs_of(listing):
            known = self._made.get(spec.name)
            if known is not None and known.info == info:
                made[spec.name] = known
                continue
            try:
                made[spec.name] = _MadeTool(info, schema_tool(spec, work, offered=self._ready))
            except (ValueError, TypeError, RecursionError) as error:
                faults.append(f"{spec.name}: {error}"[:300])
        self._made = made
        self._changed.notify()
        return faults

    def _specs_of(self, listing: ServerListing) -> Iterator[tuple[object, ToolSpec, ToolCallWork]]:
        for info in listing.tools:
            spec = self._spec(info.name, _describe(info), info.schema)
            yield info, replace(spec, claims=info.claims), self._call(info.name)
        names = {info.name for info in listing.tools}
        if listing.resources:
            name = free_name("read_resource", names)
            spec = self._spec(name, _describe_resources(listing.resources), _URI, "uri")
            yield listing.resources, spec, self._read
        if listing.prompts:
            name = free_name("get_prompt", names)
            spec = self._spec(name, _describe_prompts(listing.prompts), _PROMPT, "name")
            yield listing.prompts, spec, self._prompt

    def _spec(
        self, name: str, description: str, schema: Mapping[str, object], main: str = ""
    ) -> ToolSpec:
        return ToolSpec(
            tool_name(self.label, name),
            description,
            schema,
            risk=Risk.WRITE,
            main_argument=main or _main_argument(schema),
            timeout=_LIMIT,
        )

    def _call(self, tool: str) -> ToolCallWork:
        return partial(_call, self._asker, tool)

    async def _read(self, arguments: Arguments, progress: Progress) -> ToolResult:
        return await self._asker.read(str(arguments["uri"]), progress)

    async def _prompt(self, arguments: Arguments, progress: Progress) -> ToolResult:
        given = arguments.get("arguments")
        values = given if isinstance(given, Mapping) else {}
        plain = {str(name): str(value) for name, value in values.items()}
        return await self._asker.prompt(str(arguments["name"]), plain, progress)


async def _call(
    asker: ServerCaller, tool: str, arguments: Arguments, progress: Progress
) -> ToolResult:
    return await asker.call(tool, arguments, progress)


_TEXT = {"type": "string"}
_URI = {"type": "object", "properties": {"uri": _TEXT}, "required": ["uri"]}
_PROMPT = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "arguments": {"type": "object", "additionalProperties": _TEXT},
    },
    "required": ["name"],
}


def _main_argument(schema: Mapping[str, object]) -> str:
    """Return the argument that a closed card shows: the first required one, else the first."""
    required, properties = schema.get("required"), schema.get("properties")
    names = required if isinstance(required, list) and required else list(_names(properties))
    return str(names[0]) if names else ""


def _names(properties: object) -> Iterator[str]:
    if isinstance(properties, Mapping):
        yield from map(str, properties)


def _describe(info: ToolInfo) -> str:
    return (info.description or info.title or info.name)[:_TOLD]


def _describe_resources(resources: Sequence[ResourceInfo]) -> str:
    lines = [f"{one.uri} ({one.name})" for one in resources[:_NAMED]]
    more = len(resources) - _NAMED
    lines += [f"and {more} more"] if more > 0 else []
    return f"Read a resource of this server by its address: {'; '.join(lines)}"[:_TOLD]


def _describe_prompts(prompts: Sequence[PromptInfo]) -> str:
    lines = [
        f"{one.name}({', '.join(one.arguments)}) {one.description}" for one in prompts[:_NAMED]
    ]
    return f"Get a text that this server has prepared: {'; '.join(lines)}"[:_TOLD]
