"""Companions beside the first: which figures are there, and whose conversation is whose.

A guest is an installed figure with a conversation of its own, in which its own persona speaks. The
conversation stays its own when it has gone: there it answers, and there it goes on when it comes
again.
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

MOST_COMPANIONS = 3
"""Guests at once; with the first companion there are four."""
_KEY = "guests"
_log = logging.getLogger(__name__)


class StateStore(Protocol):
    """What is asked of the store."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks in a talk: `figure` is None for the first companion; `name` what it is called
    there.
    """

    figure: str | None
    name: str


@dataclass(frozen=True, slots=True)
class CompanionState:
    """`figure` is what the settings would call it, "" for the bundled one. `feet`: the point of the
    desktop that it stands on, None where nobody has put it anywhere. `scale` as in the settings, 0
    for that of the first companion.
    """

    figure: str
    conversation: str
    feet: tuple[int, int] | None = None
    scale: float = 0.0


class CompanionStore:
    """`named` tells a figure's name and card by its path. Call from the loop's thread."""

    def __init__(
        self, store: StateStore, personas: PersonaStore, named: Callable[[str], FigureName]
    ) -> None:
        self._store = store
        self._personas = personas
        self._named = named
        self._here: list[CompanionState] = []
        self._owners: dict[str, str] = {}  # the figure, by conversation
        self._talks: dict[str, tuple[Speaker, ...]] = {}
        self._figures: dict[str, FigureName] = {}
        self._read: dict[str, tuple[FileStamp, Persona]] = {}
        self._observers: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever somebody came or went; returns what ends it."""
        return self._observers.subscribe(observer)

    async def restore(self) -> None:
        """Who was here at the last end; conversations that are gone are forgotten. Raises
        StoreError.
        """
        kept = _parse(await self._store.get_state(_KEY))
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
        """Those who are on the desktop, the first that came first."""
        return tuple(self._here)

    def companion_of(self, conversation: str) -> str | None:
        """The figure whose conversation it is; None for the first companion's."""
        return self._owners.get(conversation)

    def guest(self, figure: str) -> CompanionState | None:
        """It, if it is here."""
        return next((one for one in self._here if one.figure == figure), None)

    def persona(self, figure: str) -> Persona:
        """Who that figure is, as its card says now."""
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
        """Where it talked last, "" where it never did or that was deleted. Raises StoreError."""
        known = [
            one for one in await self._store.conversations() if self.companion_of(one.id) == figure
        ]
        return max(known, key=lambda info: info.updated).id if known else ""

    async def add(self, figure: str, conversation: str) -> CompanionState:
        """It is here from now on, and speaks in this conversation. Raises StoreError when that
        can't be kept; it counts until the app ends.
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
        """It has gone; its conversation stays its own. Raises StoreError."""
        self._here = [one for one in self._here if one.figure != figure]
        self._observers.notify()
        await self._keep()

    async def set_position(
        self, figure: str, *, feet: tuple[int, int] | None = None, scale: float = 0.0
    ) -> None:
        """Remember where it stands, or how large. Raises StoreError."""
        self._here = [
            replace(one, feet=feet or one.feet, scale=scale or one.scale)
            if one.figure == figure
            else one
            for one in self._here
        ]
        await self._keep()

    def dialogue_of(self, conversation: str) -> Sequence[Speaker]:
        """Who talks with each other in that conversation; nobody where it is an ordinary one."""
        return self._talks.get(conversation, ())

    def persona_of(self, speaker: Speaker) -> Persona:
        """Who that is."""
        figure = speaker.figure
        return self._personas.current if figure is None else self.persona(figure)

    async def start_dialogue(self, conversation: str, speakers: Sequence[Speaker]) -> None:
        """They talk with each other there. Raises StoreError."""
        self._talks[conversation] = tuple(speakers)
        await self._keep()

    async def conversation_copied(self, source: str, copy: str) -> None:
        """`copy` was branched off `source`: whose it is stays. Raises StoreError."""
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
        await self._store.set_state(_KEY, json.dumps(kept, ensure_ascii=False))


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
