"""Tools as the provider's own feature: nothing is announced, nothing is reworded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neodeskpet.core.dialects.dialect import Dialect, ReplyReader
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import ModelMessage
from neodeskpet.core.wire import WireEvent


class PassThroughReader:
    """Gives every event as it comes."""

    def read(self, event: WireEvent) -> Iterable[WireEvent]:
        return (event,)

    def pause(self) -> Iterable[WireEvent]:
        return ()


class _Native:
    name = "native"
    native = True
    stops = ()

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        return ""

    def reader(self, tools: Sequence[ToolSpec] = ()) -> ReplyReader:
        return PassThroughReader()

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        return list(messages)


NATIVE: Dialect = _Native()
