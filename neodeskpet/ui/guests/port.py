"""What the window of all companions asks; `app` fits it together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtGui import QPixmap


@dataclass(frozen=True, slots=True)
class CompanionCandidate:
    """A figure. `path` is what the settings would call it, "" for the bundled one; `here`: it is a
    guest on the desktop. `wrong` says why it can't come, "" if nothing is known against it.
    """

    path: str
    name: str
    is_present: bool = False
    problem: str = ""


class CompanionsPort(Protocol):
    """Coroutines raise KnownError. A figure is a candidate's path."""

    @property
    def is_full(self) -> bool:
        """Whether nobody else may come."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever somebody came or went; returns what ends it."""
        ...

    async def candidates(self) -> Sequence[CompanionCandidate]: ...

    async def face(self, figure: str) -> QPixmap:
        """Its face; null where it can't be drawn."""
        ...

    async def invite(self, figure: str) -> None:
        """It comes, says hello, and goes on in its own conversation."""
        ...

    async def open(self, figure: str) -> None:
        """Its conversation, in the chat."""
        ...

    async def dismiss(self, figure: str) -> None:
        """It says goodbye; its conversation stays."""
        ...


class CompanionDialoguePort(Protocol):
    """The first companion's talk with a guest. Coroutines raise KnownError."""

    @property
    def is_enabled(self) -> bool:
        """Whether they may talk with each other at all."""
        ...

    @property
    def is_running(self) -> bool: ...

    def status(self) -> str:
        """How the talk is going, or how the last one ended; "" before the first."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever that is otherwise; returns what ends it."""
        ...

    async def start(self, figure: str, topic: str) -> None:
        """About `topic`, "" for whatever comes to their minds."""
        ...

    def stop(self) -> None:
        """End it at once."""
        ...
