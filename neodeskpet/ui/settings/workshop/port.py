"""What the page of one's own tools asks of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from neodeskpet.tools.workshop.tool_file import ToolFileView


class UserToolsPort(Protocol):
    """Coroutines raise KnownError."""

    @property
    def folder(self) -> Path:
        """Where the files are."""
        ...

    def files(self) -> Sequence[ToolFileView]: ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever a file is another, or its state is; returns what ends it."""
        ...

    async def allow(self, name: str, digest: str) -> None:
        """The person has seen the content with this digest: it may run."""
        ...

    async def revoke(self, name: str) -> None: ...
