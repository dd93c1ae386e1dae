"""Further companions: which figures are on the desktop, and which conversations belong to them.

A further companion is an installed figure with a conversation of its own, in which its own persona
speaks. The conversation still belongs to it after it has left: its persona answers there, and the
conversation continues when it returns.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from neodeskpet.characters.persona import Persona
from neodeskpet.characters.persona_files import FigureName, PersonaStore
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.platform.observers import Observers
from neodeskpet.settings.config_files import FileStamp, stamp_of
from neodeskpet.storage.conversation_preview import GUESTS_KEY

MOST_COMPANIONS = 3
"""The largest number of further companions; with the first one there are four."""
_log = logging.getLogger(__name__)


class StateStore(Protocol):
    """The functions of the store that are used."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


@dataclass(frozen=True, slots=True)
class Speaker:
    """A speaker in a dialogue: `figure` is None for the first companion; `name` is its name in the
    dialogue.
    """

    figure: str | None
    name: str


@dataclass(frozen=True, slots=True)
class CompanionState:
    """A further companion. `figure` is its value in the settings, "" for the bundled one. `feet`:
    the point of the desktop where it stands, None if the user has not moved it. `scale` as in the
    settings, 0 for that of the first companion.
    """

    figure: str
    conversation: str
    feet: tuple[int, int] | None = None
    scale: float = 0.0


class CompanionStore:
    """The further companions. `named` returns a figure's name and card by its path. Call it on the
    loop's thread.
    """

    def __init__(
        self, store: StateStore, personas: PersonaStore, named: Callable[[str], FigureName]
    ) -> None:
        self._store = store
        self._personas = personas
        self._named = named
        self._here: list[CompanionState] = []
        self._owners: dict[str, str] = {}  # figures by conversation
        self._talks: dict[str, tuple[Speaker, ...]] = {}
        self._figures: dict[str, FigureName] = {}
        self._read: dict[str, tuple[FileStamp, Persona]] = {}
        self._observers: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever a companion arrives or leaves; return the function that ends the
        subscription.
        """
        return self._observers.subscribe(observer)

    async def restore(self) -> None:
        """Read which companions were there at the last end; deleted conversations are dropped.
        Raises StoreError.
        """
        kept = _parse(await self._store.get_state(GUESTS_KEY))
        known = {info.id for info in await self._store.conversations()} if kept else set()
        owners = kept.get("owners", {})
        self._owners = {talk: figure for talk, figure in owners.items() if talk in known}
        talks = kept.get("talks", {})
        self._talks = {talk: who for talk, who in talks.items() if talk in known}
        self._here = [one for one in kept.get("here", []) if one.conversation in known][
            :MOST_COMPANIONS
        ]

    @property
    def present(self) -> Sequence[CompanionState]:
        """The companions on the desktop, in the order of their arrival."""
        return tuple(self._here)

    def companion_of(self, conversation: str) -> str | None:
        """Return the figure that a conversation belongs to; None for the first companion."""
        return self._owners.get(conversation)

    def guest(self, figure: str) -> CompanionState | None:
        """Return the companion of this figure if it is on the desktop."""
        return next((one for one in self._here if one.figure == figure), None)

    def persona(self, figure: str) -> Persona:
        """Return the persona of a figure from its current card."""
        name = self._figures.get(figure)
        if name is None:
            name = self._figures[figure] = self._named(figure)
        stamp = stamp_of(self._personas.path(name))
        if stamp is None:
            return name.default()
        kept = self._read.get(figure)
        if kept is None or kept[0] != stamp:
            kept = self._read[figure] = (stamp, self._personas.persona_of(name))
        return kept[1]

    async def conversation_of(self, figure: str) -> str:
        """Return its last conversation, "" if there is none or it was deleted. Raises
        StoreError.
        """
        known = [
            one for one in await self._store.conversations() if self.companion_of(one.id) == figure
        ]
        return max(known, key=lambda info: info.updated).id if known else ""

    async def add(self, figure: str, conversation: str) -> CompanionState:
        """Add a companion, which speaks in this conversation. Raises StoreError if that can't be
        stored; it is then used until the app ends.
        """
        found = self.guest(figure)
        made = (
            replace(found, conversation=conversation)
            if found
            else CompanionState(figure, conversation)
        )
        self._here = [*(one for one in self._here if one.figure != figure), made]
        self._owners[conversation] = figure
        self._observers.notify()
        await self._keep()
        return made

    async def remove(self, figure: str) -> None:
        """Remove a companion; its conversation still belongs to it. Raises StoreError."""
        self._here = [one for one in self._here if one.figure != figure]
        self._observers.notify()
        await self._keep()

    async def set_position(
        self, figure: str, *, feet: tuple[int, int] | None = None, scale: float = 0.0
    ) -> None:
        """Store its place or size. Raises StoreError."""
        self._here = [
            replace(one, feet=feet or one.feet, scale=scale or one.scale)
            if one.figure == figure
            else one
            for one in self._here
        ]
        await self._keep()

    def dialogue_of(self, conversation: str) -> Sequence[Speaker]:
        """Return the speakers of a dialogue; () for an ordinary conversation."""
        return self._talks.get(conversation, ())

    def persona_of(self, speaker: Speaker) -> Persona:
        """Return the persona of a speaker."""
        figure = speaker.figure
        return self._personas.current if figure is None else self.persona(figure)

    async def start_dialogue(self, conversation: str, speakers: Sequence[Speaker]) -> None:
        """Store the speakers of a dialogue. Raises StoreError."""
        self._talks[conversation] = tuple(speakers)
        await self._keep()

    async def conversation_copied(self, source: str, copy: str) -> None:
        """Assign the owner of `source` to its branch `copy`. Raises StoreError."""
        if source in self._owners:
            self._owners[copy] = self._owners[source]
        if source in self._talks:
            self._talks[copy] = self._talks[source]
        if source in self._owners or source in self._talks:
            await self._keep()

    async def _keep(self) -> None:
        here = [[one.figure, one.conversation, one.feet, one.scale] for one in self._here]
        talks = {talk: [[one.figure, one.name] for one in who] for talk, who in self._talks.items()}
        kept = {"here": here, "owners": self._owners, "talks": talks}
        await self._store.set_state(GUESTS_KEY, json.dumps(kept, ensure_ascii=False))


def _parse(text: str | None) -> dict[str, Any]:
    try:
        kept = json.loads(text or "{}")
        owners = {str(talk): str(figure) for talk, figure in kept.get("owners", {}).items()}
        talks = {
            str(talk): tuple(Speaker(_known(figure), str(name)) for figure, name in who)
            for talk, who in kept.get("talks", {}).items()
        }
        here = [_guest(*one) for one in kept.get("here", [])]
        return {"owners": owners, "here": here, "talks": talks}
    except (ValueError, TypeError, AttributeError):
        _log.warning("The list of further companions can't be read")
        return {}


def _known(figure: object) -> str | None:
    return None if figure is None else str(figure)


def _guest(figure: str, conversation: str, feet: object, scale: float) -> CompanionState:
    place = None
    if isinstance(feet, list):
        across, down = feet
        place = (int(across), int(down))
    return CompanionState(str(figure), str(conversation), place, float(scale))
