"""The interface that the page of the characters needs from the app."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from neodeskpet.characters.cards.character_card import CharacterVoice, Lorebook
from neodeskpet.characters.character_library import Character


@dataclass(frozen=True, slots=True)
class OfferedVoices:
    """The voices of the engine that speaks: ids and names to show. `default` is the name of the
    voice in the settings, "" if it has none. With `others` the engine may know more names.
    """

    default: str = ""
    voices: Sequence[tuple[str, str]] = ()
    others: bool = False


class CharacterVoicesPort(Protocol):
    """The voices that a character may have."""

    def offered_voices(self) -> OfferedVoices: ...

    def find_voice(self, name: str) -> str:
        """Return the id of the offered voice that a character card calls `name`, or `name`."""
        ...

    async def play_character_sample(self, text: str, style: CharacterVoice) -> None:
        """Speak `text` as the character does; return when it was played. Raises KnownError."""
        ...


class CharactersPort(Protocol):
    """The characters. Coroutines raise KnownError."""

    def characters(self) -> Sequence[Character]: ...

    def unreadable_files(self) -> Mapping[str, str]:
        """Return the errors of files that can't be read, by file name."""
        ...

    def current_character(self) -> str:
        """Return the id of the character of the open conversation, "" for the figure's persona."""
        ...

    def has_own_memory(self, character: str) -> bool:
        """Return whether the character has a memory of its own."""
        ...

    def default_character(self) -> str:
        """Return the id of the character of new conversations, "" for the figure's persona."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when any of this may have changed. Return a function that ends this."""
        ...

    async def figures(self) -> Sequence[tuple[str, str]]:
        """Return the figures to choose from: their values in the settings, and their titles."""
        ...

    async def import_card(self, file: Path) -> str:
        """Import a card; return the id of the character."""
        ...

    async def read_world(self, file: Path) -> Lorebook:
        """Return the world book in a file."""
        ...

    async def create(self) -> str:
        """Create a character with default texts; return its id."""
        ...

    async def update(self, character: str, changed: Character) -> None: ...

    async def remove(self, character: str) -> None: ...

    async def export(self, character: str, file: Path) -> None: ...

    async def set_own_memory(self, character: str, apart: bool) -> None: ...

    async def set_default_character(self, character: str) -> None: ...

    async def choose(self, character: str) -> None:
        """Set the character of the open conversation; "" restores the figure's persona."""
        ...

    async def start_conversation(self, character: str) -> None:
        """Start a new conversation with the character, and show it."""
        ...
