"""What the page of the characters asks of the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from neodeskpet.characters.cards.character_card import Lorebook
from neodeskpet.characters.character_library import Character


class CharactersPort(Protocol):
    """Coroutines raise KnownError."""

    def characters(self) -> Sequence[Character]: ...

    def unreadable_files(self) -> Mapping[str, str]:
        """What is wrong with files that can't be read, by their names."""
        ...

    def current_character(self) -> str:
        """The id of the one that speaks in the open conversation, "" for the figure's persona."""
        ...

    def has_own_memory(self, character: str) -> bool:
        """Whether it has a memory of its own."""
        ...

    def default_character(self) -> str:
        """The id of the one that new conversations get, "" for the figure's persona."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever any of it may be another; returns what ends it."""
        ...

    async def figures(self) -> Sequence[tuple[str, str]]:
        """The figures to choose from: as the settings name them, and their titles."""
        ...

    async def import_card(self, file: Path) -> str:
        """Import a card; its id."""
        ...

    async def read_world(self, file: Path) -> Lorebook:
        """The world book of a file."""
        ...

    async def create(self) -> str:
        """A new one, to be written; its id."""
        ...

    async def update(self, character: str, changed: Character) -> None: ...

    async def remove(self, character: str) -> None: ...

    async def export(self, character: str, file: Path) -> None: ...

    async def set_own_memory(self, character: str, apart: bool) -> None: ...

    async def set_default_character(self, character: str) -> None: ...

    async def choose(self, character: str) -> None:
        """It speaks in the open conversation; "" gives it back to the figure."""
        ...

    async def start_conversation(self, character: str) -> None:
        """A new conversation with it, in front."""
        ...
