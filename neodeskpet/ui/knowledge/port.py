"""What the windows of the knowledge base ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from neodeskpet.memory.knowledge.library import (
    DocumentText,
    IndexingProgress,
    KnowledgeHit,
    KnowledgeSource,
    KnownFile,
)


class KnowledgePort(Protocol):
    """Coroutines raise KnownError."""

    @property
    def progress(self) -> IndexingProgress: ...

    async def sources(self) -> list[KnowledgeSource]: ...

    async def unreadable_files(self, source: str) -> list[KnownFile]:
        """The files of a source that can't be read, with the reason."""
        ...

    async def incomplete_files(self, source: str) -> list[KnownFile]:
        """The files of a source of which something was left out."""
        ...

    async def encoding_of(self, source: str) -> str:
        """How the text of a file that was added by itself was decoded; "" for what is no text."""
        ...

    async def set_encoding(self, source: str, encoding: str) -> None:
        """Decode it in another way, "" to find it out."""
        ...

    async def search(self, text: str) -> list[KnowledgeHit]: ...

    async def document_text(self, file: str) -> DocumentText | None:
        """A document as it was read; None if it is there no more."""
        ...

    async def add_path(self, path: Path) -> str: ...

    async def add_page(self, address: str) -> str: ...

    async def remove(self, source: str) -> bool: ...

    async def refresh(self, source: KnowledgeSource) -> None:
        """Read it anew, whether it changed or not."""
        ...

    async def pause(self, paused: bool) -> None: ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` when sources, files or the progress are others; returns what ends it."""
        ...
