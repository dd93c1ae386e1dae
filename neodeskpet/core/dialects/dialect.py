"""The interface of a dialect: it makes text mode and native mode the same to the turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import ModelMessage
from neodeskpet.core.wire import WireEvent


class ReplyReader(Protocol):
    """Reads one response. Holds back only what could still become a marker, and gives everything
    that is held before it passes `ResponseFinished` on.
    """

    def read(self, event: WireEvent) -> Iterable[WireEvent]: ...

    def pause(self) -> Iterable[WireEvent]:
        """Nothing has come for a moment. Gives what is held but reads like any text; marks, which
        nobody should see half of, are held on.
        """
        ...


class Dialect(Protocol):
    """`native`: the tools travel in the request; otherwise `announce` puts them into the prompt."""

    @property
    def name(self) -> str: ...

    @property
    def native(self) -> bool: ...

    @property
    def stops(self) -> tuple[str, ...]:
        """Where the model has nothing more to say of its own (it makes up our answer)."""
        ...

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        """Text for the system prompt; "" when there is nothing to say."""
        ...

    def reader(self, tools: Sequence[ToolSpec] = ()) -> ReplyReader:
        """A fresh reader for one response to a request that offers `tools`."""
        ...

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """The transcript in this dialect's words (text dialects turn calls and results to text)."""
        ...
