"""All tools there are: a composite of sources, each of which may change while the app runs.

The app's own tools are one source; servers of tools and windows are others. A round works with one
`Snapshot`: the request names its tools, the turn knows them, and they are what can be run.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from neodeskpet.core.errors import UnknownTool
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.observers import Observers
from neodeskpet.tools.executor import Runnable, run_tool
from neodeskpet.tools.registry import Progress

_log = logging.getLogger(__name__)

_LONGEST = 128
"""Characters of a tool's own name; its wire name is shorter still."""


class ToolSource(Protocol):
    """Where tools come from."""

    @property
    def name(self) -> str:
        """Short: it tells two tools of one name apart."""
        ...

    def tools(self) -> Sequence[Runnable]:
        """Those it has now, on offer or not."""
        ...

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the tools are others; returns what ends it."""
        ...


class OwnTools:
    """The tools of the app. `enabled(name)` is asked each time; a tool that is off is neither
    offered nor run. Raises ValueError for two of one name: a bug.
    """

    name = "app"

    def __init__(
        self, tools: Iterable[Runnable], *, enabled: Callable[[str], bool] = lambda name: True
    ) -> None:
        self._tools: dict[str, Runnable] = {}
        for one in tools:
            name = one.spec.name
            if name in self._tools:
                raise ValueError(f"Two tools are named {name}")
            self._tools[name] = one
        self._enabled = enabled

    def tools(self) -> Sequence[Runnable]:
        return [one for name, one in self._tools.items() if self._enabled(name)]

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """They are always the same."""
        return lambda: None


class Toolbox:
    """A `conversation.ports.Toolbox` of several sources; the first one's names stand."""

    def __init__(self, *sources: ToolSource) -> None:
        self._sources: list[ToolSource] = []
        self._changed: Observers[[]] = Observers()
        for source in sources:
            self.add(source)

    def add(self, source: ToolSource) -> Callable[[], None]:
        """Offer the tools of `source` too, from the next round on; returns what takes them away."""
        self._sources.append(source)
        unobserve = source.observe(self._changed.tell)

        def remove() -> None:
            if source in self._sources:
                unobserve()
                self._sources.remove(source)
                self._changed.tell()

        self._changed.tell()
        return remove

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the tools are others; returns what ends it."""
        return self._changed.add(observer)

    def known(self) -> Sequence[ToolSpec]:
        """All tools there are, also those that can't be offered yet (the figure still loads)."""
        return [one.spec for source in self._sources for one in source.tools()]

    def specs(self) -> Sequence[ToolSpec]:
        """The tools on offer now, with the schemas of now."""
        return self.offer().specs

    def offer(self) -> Snapshot:
        """The tools on offer now. A source that fails has none: the others' remain."""
        offered: dict[str, tuple[ToolSpec, Runnable, ToolSource]] = {}
        for source in tuple(self._sources):
            try:
                found = [(one, one.spec) for one in source.tools() if one.offered()]
            except Exception:  # noqa: BLE001 - a foreign source may fail at anything
                _log.exception("The tools of %s can't be offered", source.name)
                continue
            for one, spec in found:
                name = _free_name(spec.name, source.name, offered)
                offered[name] = (replace(spec, name=name), one, source)
        return Snapshot(offered)


class Snapshot:
    """The tools of one round (a `conversation.ports.Offer`)."""

    def __init__(self, offered: Mapping[str, tuple[ToolSpec, Runnable, ToolSource]]) -> None:
        self._offered = offered
        self._names = ToolNames(offered)

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return [spec for spec, _, _ in self._offered.values()]

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        """Run one call. Raises ToolError: also for a tool that is there no more."""
        own = self._names.own(name)
        if own not in self._offered:
            raise self._names.unknown(own)
        spec, called, source = self._offered[own]
        if called not in source.tools() or not called.offered():
            raise UnknownTool("It was there a moment ago and is gone. Go on without it.", tool=own)
        return await run_tool(called, spec, arguments, progress)


def _free_name(name: str, source: str, taken: Mapping[str, object]) -> str:
    """`name` in letters that no dialect stumbles over; with its source, and at last a number,
    where another tool has it already.
    """
    plain = re.sub(r"[^\w.-]", "_", name)[:_LONGEST] or "_"
    for candidate in (plain, f"{re.sub(r'[^a-zA-Z0-9_-]', '_', source)}.{plain}"):
        if candidate not in taken:
            return candidate
    number = 2
    while f"{candidate}_{number}" in taken:
        number += 1
    return f"{candidate}_{number}"
