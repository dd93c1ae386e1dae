"""Which character speaks in which conversation, and which memory it uses.

Without a chosen character the figure's own persona speaks; in the conversation of a further
companion, the companion's persona. A character remembers all conversations or only its own ones,
which other characters then can't recall. A memory belongs to the character of its conversation: so
the switch applies to earlier messages, too, and a deleted memory is deleted for all characters.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Protocol

from neodeskpet.characters.character_library import Character, CharacterLibrary
from neodeskpet.characters.companion_store import CompanionStore
from neodeskpet.characters.persona import Persona
from neodeskpet.characters.persona_files import PersonaStore
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.platform.observers import Observers

_log = logging.getLogger(__name__)
_KEY = "personas.chosen"


class StateStore(Protocol):
    """The functions of the store that are used."""

    async def characters(self) -> dict[str, str]: ...

    async def choose_character(self, conversation_id: str, character: str) -> None: ...

    async def characters_apart(self) -> frozenset[str]: ...

    async def set_character_apart(self, character: str, apart: bool) -> None: ...

    async def conversations(self) -> list[ConversationInfo]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class CharacterAssignments:
    """The assignments of characters. `guests` are the further companions. Call it on the loop's
    thread; `scope` may be called on any.
    """

    def __init__(
        self,
        store: StateStore,
        personas: PersonaStore,
        library: CharacterLibrary,
        guests: CompanionStore | None = None,
    ) -> None:
        self.personas = personas
        self.library = library
        self.guests = guests
        self._store = store
        self._chosen: dict[str, str] = {}
        self._apart: frozenset[str] = frozenset()
        self._default = ""
        self._changes = 0
        """The number of choices in this run. Data that was read before a choice is discarded."""
        self._observers: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever another character may speak; return the function that ends the
        subscription.
        """
        return self._observers.subscribe(observer)

    def notify(self) -> None:
        """Notify the observers that cards have changed."""
        self._observers.notify()

    async def restore(self) -> None:
        """Read the stored choices. Raises StoreError."""
        self._default = _read_default(await self._store.get_state(_KEY))
        await self.reload()

    async def reload(self) -> None:
        """Read the choices again, which another computer may have changed. Raises StoreError."""
        before = self._changes - 1
        while before != self._changes:
            before = self._changes
            chosen = await self._store.characters()
            apart = await self._store.characters_apart()
        if (chosen, apart) != (self._chosen, self._apart):
            self._chosen, self._apart = chosen, apart
            self._observers.notify()

    # Characters

    def character_of(self, conversation: str) -> Character | None:
        """Return the character that speaks there; None for the figure's own persona."""
        return self.library.get(self._chosen.get(conversation, ""))

    def name(self, conversation: str) -> str:
        """Return the name of the character that speaks there."""
        found = self.character_of(conversation)
        return found.card.char_name if found is not None else self.persona(conversation).name

    def companion_figure(self, conversation: str) -> str | None:
        """Return the figure of the further companion of this conversation; None for the first
        companion.
        """
        return self.guests.companion_of(conversation) if self.guests is not None else None

    def persona(self, conversation: str) -> Persona:
        """Return the persona of the figure that speaks there if no character does."""
        figure = self.companion_figure(conversation)
        if self.guests is None or figure is None:
            return self.personas.current
        return self.guests.persona(figure)

    async def choose(self, conversation: str, character: str) -> None:
        """Choose the character of a conversation from the next turn on; "" chooses the figure's
        persona. Raises StoreError if the choice can't be stored; it is then used until the app
        ends.
        """
        self._chosen[conversation] = character
        self._changes += 1
        self._observers.notify()
        await self._store.choose_character(conversation, character)

    @property
    def default(self) -> Character | None:
        """Return the character of new conversations; None for the figure's own persona."""
        return self.library.get(self._default)

    async def set_default(self, character: str) -> None:
        """Set the character of new conversations ("": the figure's own persona); existing ones
        don't change. Raises StoreError if the choice can't be stored; it is then used until the app
        ends.
        """
        self._default = character
        self._observers.notify()
        kept = json.dumps({"default": character}, ensure_ascii=False)
        await self._store.set_state(_KEY, kept if character else None)

    async def assign_new(self, conversation: str) -> Character | None:
        """Assign the default character to a new conversation, unless a character or the figure was
        chosen for it, and return it. Raises StoreError.
        """
        found = self.default
        if (
            found is None
            or conversation in self._chosen
            or self.companion_figure(conversation) is not None
        ):
            return None
        await self.choose(conversation, found.id)
        return found

    async def conversation_copied(self, source: str, copy: str) -> None:
        """Assign the character of `source` to its branch `copy`. Raises StoreError."""
        if self.guests is not None:
            await self.guests.conversation_copied(source, copy)
        if source in self._chosen:
            await self.choose(copy, self._chosen[source])

    # Memory

    def scope(self, conversation: str) -> str:
        """Return the memory that the messages of this conversation belong to, "" for the shared
        one. The memory of a deleted character stays separate.
        """
        chosen = self._chosen.get(conversation, "")
        return chosen if chosen in self._apart else ""

    @property
    def has_separate_memory(self) -> bool:
        """Whether there is a separate memory."""
        return bool(self._apart)

    def has_own_memory(self, character: str) -> bool:
        """Return whether a character has a memory of its own."""
        return character in self._apart

    async def set_own_memory(self, character: str, apart: bool) -> None:
        """Set whether a character has a memory of its own. Raises StoreError if that can't be
        stored; it is then used until the app ends.
        """
        self._apart = self._apart | {character} if apart else self._apart - {character}
        self._changes += 1
        self._observers.notify()
        await self._store.set_character_apart(character, apart)


def _read_default(text: str | None) -> str:
    try:
        return str(json.loads(text or "{}").get("default", ""))
    except (ValueError, AttributeError):
        _log.warning("The character of new conversations can't be read")
        return ""
