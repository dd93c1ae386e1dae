"""All tools: a composite of sources, each of which may change while the app runs.

A round uses one `ToolSnapshot`: its tools are named in the request, known to the turn, and the only
ones that can be run.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from neodeskpet.core.errors import LIST_HIDDEN_ADVICE, ListHidden, ToolError, UnknownTool
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import MOST_TEXT, CallPreview, ToolResult, foreign_question
from neodeskpet.core.toolspec import APP_SOURCE, ToolNames, ToolOffer, ToolSpec
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.core.untrusted import escape_markers, sanitize_description, sanitize_schema
from neodeskpet.platform.observers import Observers
from neodeskpet.toolkit.executor import Runnable, run_tool
from neodeskpet.toolkit.large_results import KEPT_CHARACTERS, LargeResults, shortened_result
from neodeskpet.toolkit.registry import Progress, Tool

Arguments = Mapping[str, object]


async def _no_preview(_arguments: Arguments) -> CallPreview:
    return CallPreview()


@dataclass(frozen=True, slots=True)
class ExtraTool:
    """A further tool with the functions of a `ToolOffer` for it."""

    spec: ToolSpec
    run: Callable[[Arguments, Progress], Awaitable[ToolResult]]
    check: Callable[[Arguments], object]
    preview: Callable[[Arguments], Awaitable[CallPreview]] = _no_preview


class OfferWithExtraTool:
    """A `ToolOffer`: `first`, and the tools of `offer` that are in `specs`. (The other tools of
    `offer` can still be called.)
    """

    def __init__(self, first: ExtraTool, offer: ToolOffer, specs: Iterable[ToolSpec]) -> None:
        self._first = first
        self._offer = offer
        self._specs = [first.spec, *specs]

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return self._specs

    async def run(self, name: str, arguments: Arguments, progress: Progress) -> ToolResult:
        if name == self._first.spec.name:
            return await self._first.run(arguments, progress)
        return await self._offer.run(name, arguments, progress)

    def check(self, name: str, arguments: Arguments) -> None:
        if name == self._first.spec.name:
            self._first.check(arguments)
        else:
            self._offer.check(name, arguments)

    async def preview(self, name: str, arguments: Arguments) -> CallPreview:
        if name == self._first.spec.name:
            return await self._first.preview(arguments)
        return await self._offer.preview(name, arguments)


_log = logging.getLogger(__name__)

_MOST = MOST_TEXT + 5_000
"""Most characters of an untrusted result after hidden characters were made visible."""
_LONGEST = 128
"""Most characters of a tool's own name; its name in requests is even shorter."""


class ToolSource(Protocol):
    """A provider of tools."""

    @property
    def name(self) -> str:
        """A short name, the same in each run: it distinguishes tools with equal names, and the
        user's rules are stored by it.
        """
        ...

    @property
    def label(self) -> str:
        """The name that is shown to the user."""
        ...

    def tools(self) -> Sequence[Runnable]:
        """Return its current tools, offered or not."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` on the loop's thread when the tools change; returns a function that
        unsubscribes it.
        """
        ...


class AppTools:
    """The app's own tools. Raises ValueError for two tools with the same name: a bug."""

    name = APP_SOURCE
    label = "NeoDeskPet"

    def __init__(self, tools: Iterable[Runnable]) -> None:
        self._tools: dict[str, Runnable] = {}
        for one in tools:
            name = one.spec.name
            if name in self._tools:
                raise ValueError(f"Two tools are named {name}")
            self._tools[name] = one

    def tools(self) -> Sequence[Runnable]:
        return list(self._tools.values())

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Do nothing: the tools never change."""
        return lambda: None


@dataclass(frozen=True, slots=True)
class SourceTools:
    """A source with its current tools, offered or not; `specs` is None if listing fails."""

    name: str
    label: str
    specs: Sequence[ToolSpec] | None


class Toolbox:
    """A `core.toolspec.Toolbox` of several sources; for equal names, the first source keeps the
    name. `enabled` is called each time: a disabled tool is neither offered nor run. A call of a
    disabled tool that `hidden` returns True for raises ListHidden.
    """

    def __init__(
        self,
        *sources: ToolSource,
        enabled: Callable[[ToolSpec], bool] = lambda spec: True,
        hidden: Callable[[ToolSpec], bool] = lambda spec: False,
        outputs: LargeResults | None = None,
    ) -> None:
        self._outputs = outputs
        self._sources: list[ToolSource] = []
        self._enabled = enabled
        self._hidden = hidden
        self._changed: Observers[[]] = Observers()
        self._names = _SpecCache()
        for source in sources:
            self.add(source)

    def add(self, source: ToolSource) -> Callable[[], None]:
        """Offer the tools of `source` from the next round on; returns a function that removes them.
        Raises ValueError for a second source with the same name, because rules are stored by it.
        """
        if any(one.name == source.name for one in self._sources):
            raise ValueError(f"Two sources of tools are named {source.name}")
        self._sources.append(source)
        unobserve = source.subscribe(self._changed.notify)

        def remove() -> None:
            if source in self._sources:
                unobserve()
                self._sources.remove(source)
                self._names.forget(source.name)
                self._changed.notify()

        self._changed.notify()
        return remove

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when the tools change; returns a function that unsubscribes it."""
        return self._changed.subscribe(observer)

    def all_specs(self) -> Sequence[ToolSpec]:
        """Return all tools, including those that can't be offered yet (the figure is still
        loading).
        """
        return [spec for source in self.sources() for spec in source.specs or ()]

    def sources(self) -> Sequence[SourceTools]:
        """Return all tools by source, with the names that they have there."""
        return [SourceTools(one.name, one.label, self._specs_of(one)) for one in self._sources]

    def specs(self) -> Sequence[ToolSpec]:
        """Return the offered tools with their current schemas."""
        return self.offer().specs

    def spec(self, name: str) -> ToolSpec | None:
        """Return the offered tool with this name."""
        return next((spec for spec in self.specs() if spec.name == name), None)

    def offer(self) -> ToolSnapshot:
        """Return a snapshot of the offered tools. The tools of a source that fails are left out."""
        offered: dict[str, tuple[ToolSpec, Runnable, ToolSource]] = {}
        hidden: set[str] = set()
        name = self._names.of
        for source in tuple(self._sources):
            try:
                found = [(one, name(one, source)) for one in source.tools() if one.offered()]
            except Exception:  # noqa: BLE001 - an external source may raise anything
                _log.exception("The tools of %s can't be offered", source.name)
                continue
            for one, spec in found:
                if self._enabled(spec):
                    free = _free_name(spec.name, source.name, offered)
                    spec = spec if free == spec.name else replace(spec, name=free)
                    offered[free] = (spec, one, source)
                elif self._hidden(spec):
                    hidden.add(spec.name)
        return ToolSnapshot(offered, self._enabled, self._outputs, self._hidden, hidden)

    def _specs_of(self, source: ToolSource) -> Sequence[ToolSpec] | None:
        try:
            return [self._names.of(one, source) for one in source.tools()]
        except Exception:  # noqa: BLE001 - an external source may raise anything
            _log.exception("The tools of %s can't be listed", source.name)
            return None


class _SpecCache:
    """Caches specs as the toolbox offers them. Texts of external sources are sanitized once for
    each spec: for a thousand that takes a tenth of a second, and there is a round every few
    seconds.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], tuple[ToolSpec, ToolSpec]] = {}

    def of(self, one: Runnable, source: ToolSource) -> ToolSpec:
        spec = one.spec
        named = replace(spec, source=source.name, own_name=spec.name)
        if not named.foreign:
            return named
        raw, made = self._made.get((source.name, spec.name), (None, None))
        if made is None or raw is not spec:
            made = _sanitized(named, source)
            self._made[source.name, spec.name] = spec, made
        return made

    def forget(self, source: str) -> None:
        """Remove the specs of a removed source."""
        self._made = {key: made for key, made in self._made.items() if key[0] != source}


class ToolSnapshot:
    """The tools of one round (a `ToolOffer`). `hides` returns whether a tool belongs to a list that
    the user hides, `hidden` are the names of such tools.
    """

    def __init__(
        self,
        offered: Mapping[str, tuple[ToolSpec, Runnable, ToolSource]],
        enabled: Callable[[ToolSpec], bool],
        outputs: LargeResults | None = None,
        hides: Callable[[ToolSpec], bool] = lambda spec: False,
        hidden: Collection[str] = (),
    ) -> None:
        self._offered = offered
        self._enabled = enabled
        self._outputs = outputs
        self._hides = hides
        self._names = ToolNames(offered)
        self._hidden_names = ToolNames(hidden)
        self._hidden = hidden

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return [spec for spec, _, _ in self._offered.values()]

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        """Run one call. Raises ToolError, also for a tool that no longer exists."""
        spec, called = self._called(name)
        spec = replace(spec, timeout=spec.time_limit(arguments))
        most = MOST_TEXT if self._outputs is None else KEPT_CHARACTERS
        result = await run_tool(called, spec, arguments, progress, most)
        text = await self._part(result.text)
        if spec.brings_foreign:
            text = (await asyncio.to_thread(escape_markers, text))[:_MOST]
        return result if text is result.text else replace(result, text=text)

    async def _part(self, text: str) -> str:
        """Return the part of a text that is sent to a model; a large text is stored completely."""
        if self._outputs is None or len(text) <= MOST_TEXT:
            return text
        try:
            return shortened_result(text, await asyncio.to_thread(self._outputs.add, text))
        except OSError:
            _log.exception("A large result can't be stored")
            return f"{text[:MOST_TEXT]}\n[{len(text) - MOST_TEXT} more characters were cut.]"

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        """Check a call without running it. Raises ToolError if `run` would fail before it
        starts.
        """
        _, called = self._called(name)
        called.prepare(arguments, lambda fraction, text: None)

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        """Return a preview of a call, if its tool provides one."""
        try:
            spec, called = self._called(name)
            if isinstance(called, Tool):
                return await called.preview_call(arguments)
            source = self._offered[spec.name][2]
            own_name = show_hidden_chars(spec.own_name or spec.name)
            label = show_hidden_chars(source.label)
            return CallPreview(foreign_question(own_name, label, arguments))
        except ToolError:
            pass  # the call itself will report it
        except Exception:  # noqa: BLE001 - a preview is optional: the question is shown without it
            _log.exception("The preview of %s failed", name)
        return CallPreview()

    def _called(self, name: str) -> tuple[ToolSpec, Runnable]:
        own = self._names.own_name(name)
        if own not in self._offered:
            hidden = self._hidden_names.own_name(name)
            if hidden in self._hidden:
                raise ListHidden(advice=LIST_HIDDEN_ADVICE, name=hidden)
            raise self._names.unknown(own)
        spec, called, source = self._offered[own]
        if self._hides(spec):
            raise ListHidden(advice=LIST_HIDDEN_ADVICE, name=own)
        if called not in source.tools() or not (called.offered() and self._enabled(spec)):
            gone = Reason(N_("This tool is no longer available."))
            raise UnknownTool(reasons=[gone], advice="Go on without it.", tool=own)
        return spec, called


def _sanitized(spec: ToolSpec, source: ToolSource) -> ToolSpec:
    """Return a spec of an external source with sanitized texts."""
    return replace(
        spec,
        description=f"(From {escape_markers(source.name)}:) "
        f"{sanitize_description(spec.description)}",
        parameters=sanitize_schema(spec.parameters),
    )


def _free_name(name: str, source: str, taken: Mapping[str, object]) -> str:
    """Return `name` with characters that every dialect accepts; with its source, and finally a
    number, if the name is taken.
    """
    plain = re.sub(r"[^\w.-]", "_", name)[:_LONGEST] or "_"
    for candidate in (plain, f"{re.sub(r'[^a-zA-Z0-9_-]', '_', source)}.{plain}"):
        if candidate not in taken:
            return candidate
    number = 2
    while f"{candidate}_{number}" in taken:
        number += 1
    return f"{candidate}_{number}"
