"""Who speaks in which conversation, and whose memory that is.

Where no character was chosen it is the figure's own persona, and in a guest's conversation the
guest's. A character remembers what all do, or
only what was said in its own conversations, which then no other one hears of. Whose an item of the
memory is follows from the conversation that it was said in: so the switch counts for what was said
before, too, and what is forgotten is forgotten for all.
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
    """What is asked of the store."""

    async def characters(self) -> dict[str, str]: ...

    async def choose_character(self, conversation_id: str, character: str) -> None: ...

    async def characters_apart(self) -> frozenset[str]: ...

    async def set_character_apart(self, character: str, apart: bool) -> None: ...

    async def conversations(self) -> list[ConversationInfo]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class CharacterAssignments:
    """`guests` are the companions beside the first. Call from the loop's thread; `scope` may be
    asked on any.
    """

    def __init__(
        self,
        store: StateStore,
        personas: PersonaStore,
        shelf: CharacterLibrary,
        guests: CompanionStore | None = None,
    ) -> None:
        self.personas = personas
        self.shelf = shelf
        self.guests = guests
        self._store = store
        self._chosen: dict[str, str] = {}
        self._apart: frozenset[str] = frozenset()
        self._default = ""
        self._changes = 0
        """Choices of this run. What was read before one of them is not used."""
        self._observers: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever somebody else may speak; returns what ends it."""
        return self._observers.subscribe(observer)

    def notify(self) -> None:
        """Cards are others than before."""
        self._observers.notify()

    async def restore(self) -> None:
        """Read what was chosen before this start. Raises StoreError."""
        self._default = _read_default(await self._store.get_state(_KEY))
        await self.reload()

    async def reload(self) -> None:
        """Another computer may have chosen. Raises StoreError."""
        before = self._changes - 1
        while before != self._changes:
            before = self._changes
            chosen = await self._store.characters()
            apart = await self._store.characters_apart()
        if (chosen, apart) != (self._chosen, self._apart):
            self._chosen, self._apart = chosen, apart
            self._observers.notify()

    # Who

    def character_of(self, conversation: str) -> Character | None:
        """The character that speaks there; None for the figure's own persona."""
        return self.shelf.get(self._chosen.get(conversation, ""))

    def name(self, conversation: str) -> str:
        """What whoever speaks there is called."""
        found = self.character_of(conversation)
        return found.card.char_name if found is not None else self.persona(conversation).name

    def companion_figure(self, conversation: str) -> str | None:
        """The figure of the guest whose conversation it is; None for the first companion's."""
        return self.guests.companion_of(conversation) if self.guests is not None else None

    def persona(self, conversation: str) -> Persona:
        """The persona of the figure that speaks there, where no character does."""
        figure = self.companion_figure(conversation)
        if self.guests is None or figure is None:
            return self.personas.current
        return self.guests.persona(figure)

    async def choose(self, conversation: str, character: str) -> None:
        """It speaks there from the next turn on; "" gives the conversation back to the figure.
        Raises StoreError when it can't be kept; it counts until the app ends.
        """
        self._chosen[conversation] = character
        self._changes += 1
        self._observers.notify()
        await self._store.choose_character(conversation, character)

    @property
    def default(self) -> Character | None:
        """The character that new conversations get; None for the figure's own persona."""
        return self.shelf.get(self._default)

    async def set_default(self, character: str) -> None:
        """New conversations get it ("": the figure's own persona); those that are there stay as
        they are. Raises StoreError when it can't be kept; it counts until the app ends.
        """
        self._default = character
        self._observers.notify()
        kept = json.dumps({"default": character}, ensure_ascii=False)
        await self._store.set_state(_KEY, kept if character else None)

    async def assign_new(self, conversation: str) -> Character | None:
        """A conversation has begun: unless somebody was chosen for it, also the figure, it gets the
        character that new ones get, which is returned. Raises StoreError.
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
        """`copy` was branched off `source`: who speaks there stays. Raises StoreError."""
        if self.guests is not None:
            await self.guests.conversation_copied(source, copy)
        if source in self._chosen:
            await self.choose(copy, self._chosen[source])

    # Whose memory

    def scope(self, conversation: str) -> str:
        """Whose memory what is said there belongs to, "" for the one that is shared. A character
        that is gone keeps its own to itself.
        """
        chosen = self._chosen.get(conversation, "")
        return chosen if chosen in self._apart else ""

    @property
    def has_separate_memory(self) -> bool:
        """Whether there is a memory that isn't shared."""
        return bool(self._apart)

    def has_own_memory(self, character: str) -> bool:
        """Whether it has a memory of its own."""
        return character in self._apart

    async def set_own_memory(self, character: str, apart: bool) -> None:
        """Raises StoreError when it can't be kept; it counts until the app ends."""
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
