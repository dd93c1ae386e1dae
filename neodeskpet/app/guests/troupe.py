"""All companions on the desktop: the first one, and guests beside it.

Each guest has a window, a persona and a conversation of its own. There is one chat, in which one
conversation is open; whoever speaks there is followed by its own figure, moved by the tools, and
looks up when the person types. Without a guest nothing of this is made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial, reduce
from pathlib import Path
from uuid import uuid4

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QMenu

from neodeskpet.app.figures import FigureAdapter
from neodeskpet.app.guests.faces import Faces
from neodeskpet.app.guests.figure import GuestFigure, Look
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.errors import KnownError, LibraryMissing
from neodeskpet.core.turn.turn_events import TurnEnded, TurnEvent, TurnStarted
from neodeskpet.engine import Engine
from neodeskpet.language import explain, tr
from neodeskpet.live2d.files.catalog import describe
from neodeskpet.live2d.library import bundled_body, has_core
from neodeskpet.personas.guests import MOST, Guest
from neodeskpet.ui.guests.port import Candidate
from neodeskpet.ui.pet.companion import Companion
from neodeskpet.ui.pet.window import PetWindow
from neodeskpet.ui.theme import Theme, dress
from neodeskpet.ui.work import Work

_LAST_SECONDS = 2.0


class Troupe(QObject):
    """A surface of the bridge. `look` is what all have in common, `tell` is told what couldn't be
    done.
    """

    chat_wanted = Signal()
    """The person wants the chat, in which the right conversation is being opened."""
    list_wanted = Signal()
    """They want to see who is there."""
    made = Signal(object)
    """A `GuestFigure` is there."""
    parted = Signal(str)
    """This figure goes."""
    began = Signal(object)
    """A guest got a conversation (ConversationInfo)."""

    def __init__(
        self,
        engine: Engine,
        pet: PetWindow,
        companion: Companion,
        figures: FigureAdapter,
        look: Callable[[], Look],
        tell: Callable[[KnownError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._pet = pet
        self._companion = companion
        self._models = figures
        self._look = look
        assert engine.cast.guests is not None
        self._guests = engine.cast.guests
        self._tell = tell
        self._work = Work("guests", failed=tell)
        self.faces = Faces(figures.picture, self)
        self.menu: QMenu | None = None
        self._covered = QRect()
        self.figures: dict[str, GuestFigure] = {}
        self._greetings: dict[str, str] = {}
        self._followed: dict[str, Companion] = {}  # by the message that is being written
        pet.ready.connect(self._come)
        pet.visibleChanged.connect(self._show)

    # Who speaks

    @property
    def speaking(self) -> str | None:
        """The figure of the guest whose conversation is open; None for the first companion's."""
        info = self._engine.chat.conversation
        return self._engine.cast.guest(info.id) if info is not None else None

    def _present(self) -> GuestFigure | None:
        speaking = self.speaking
        return self.figures.get(speaking) if speaking is not None else None

    def body(self) -> PetWindow:
        """That of whoever speaks in the open conversation; of one that has gone the first's."""
        found = self._present()
        return found.pet if found is not None else self._pet

    def listen(self) -> None:
        """The person types."""
        found = self._present()
        (found.companion if found is not None else self._companion).listen()

    def portrait(self, size: int) -> QPixmap:
        """Of whoever speaks in the open conversation. A guest that isn't drawn now has the face
        from its picture; null while there is none.
        """
        speaking, present = self.speaking, self._present()
        if speaking is None:
            return self._pet.portrait(size)
        drawn = present.pet.portrait(size) if present is not None else QPixmap()
        return self.faces.of(speaking) if drawn.isNull() else drawn

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        for message_id, event in batch:
            if isinstance(event, TurnStarted) and message_id not in self._followed:
                found = self._present()
                speaker = found.companion if found is not None else self._companion
                self._followed[message_id] = speaker
            self._followed.get(message_id, self._companion).apply([(message_id, event)])
            if isinstance(event, TurnEnded):
                self._followed.pop(message_id, None)

    def follow(self, message_id: str, figure: str | None) -> None:
        """What is written in this message is said by that guest; None: by the first companion."""
        found = self.figures.get(figure) if figure is not None else None
        self._followed[message_id] = found.companion if found is not None else self._companion

    # What the person does; a `GuestsPort`

    async def candidates(self) -> Sequence[Candidate]:
        chosen = str(self._engine.settings.value("companion", "model"))
        here = [one.figure for one in self._guests.here]
        tiles = [
            one for one in await self._models.tiles() if one.path != chosen or one.path in here
        ]
        faults = await asyncio.to_thread(lambda: [one.wrong or _fault(one.path) for one in tiles])
        return [
            Candidate(one.path, one.title, one.path in here, wrong)
            for one, wrong in zip(tiles, faults, strict=True)
        ]

    async def face(self, figure: str) -> QPixmap:
        return await self.faces.load(figure)

    @property
    def full(self) -> bool:
        """Whether nobody else may come."""
        return len(self._guests.here) >= MOST

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._guests.observe(observer)

    async def invite(self, figure: str) -> None:
        if self.full or self._guests.guest(figure) is not None:
            return
        self._greetings[figure] = self._hello(figure)
        await self._house(figure)
        self._come()

    async def open(self, figure: str) -> None:
        conversation = await self._house(figure)
        self.chat_wanted.emit()
        await self._engine.chat.open(conversation)

    async def part(self, figure: str) -> None:
        if figure in self.figures:
            self.figures[figure].say_goodbye()
        self.parted.emit(figure)
        await self._guests.go(figure)

    def bring_back(self) -> None:
        """The person wants to talk with the first companion: open what it talked about last."""
        if self.speaking is not None:
            self._work.replace("open", self.open_own)

    async def open_own(self) -> None:
        """Open the conversation that the first companion had last."""
        store, chat = self._engine.store, self._engine.chat
        known = await store.conversations()
        guests = self._guests
        own = [
            one
            for one in known
            if not one.archived and guests.of(one.id) is None and not guests.talk(one.id)
        ]
        newest = max(own, key=lambda info: info.updated, default=None)
        await chat.open((newest or await store.create_conversation()).id)

    async def _house(self, figure: str) -> str:
        """The conversation of a guest that is here from now on; a new one begins with its words."""
        store = self._engine.store
        kept = await self._guests.conversation_of(figure)
        if not kept:
            info = await store.create_conversation(self._guests.persona(figure).name)
            now, words = time.time(), (Text(0, 0, self._hello(figure)),)
            hello = Message(str(uuid4()), Role.ASSISTANT, words, MessageState.DONE, now, now)
            await store.add_message(info.id, hello)
            await self._guests.come(figure, info.id)
            self.began.emit(info)
            return info.id
        guest = self._guests.guest(figure)
        if guest is None or guest.conversation != kept:
            await self._guests.come(figure, kept)
        return kept

    def _hello(self, figure: str) -> str:
        persona = self._guests.persona(figure)
        return persona.said or tr("Hi, I'm {name}!", name=persona.name)

    # On the desktop

    def _come(self, _description: object = None) -> None:
        """Who is here stands there, once the first companion does."""
        if not (self._pet.isValid() and self._pet.isVisible()) or self._pet.loading:
            return
        for guest in self._guests.here:
            if guest.figure not in self.figures:
                self._make(guest)

    def _make(self, guest: Guest) -> None:
        path = _place(guest.figure)
        greeting = self._greetings.pop(guest.figure, "")
        made = GuestFigure(guest, path, self._pet, self._look(), greeting)
        self.figures[guest.figure] = made
        made.set_name(self._guests.persona(guest.figure).name)
        made.pet.chat_requested.connect(partial(self._open, guest.figure))
        made.companion.chat_requested.connect(partial(self._open, guest.figure))
        made.pet.menu_requested.connect(partial(self._pop_up, guest.figure))
        made.pet.failed.connect(partial(self._fail, guest.figure, invited=bool(greeting)))
        made.pet.stand.placed.connect(
            lambda _screen, feet: self._remember(guest.figure, feet=(feet.x(), feet.y()))
        )
        made.pet.scaled.connect(lambda scale: self._remember(guest.figure, scale=scale))
        made.gone.connect(partial(self._let_go, guest.figure))
        made.pet.ready.connect(lambda _description: self._find_place(made))
        self._put_beside(made)
        self.made.emit(made)
        made.set_visible(True)

    def _find_place(self, made: GuestFigure) -> None:
        """Its model is loaded: it has its size."""
        self._put_beside(made)
        made.placed = True
        self.set_covered(self._covered)

    def _put_beside(self, made: GuestFigure) -> None:
        standing = [one for one in self.figures.values() if one.placed and one is not made]
        others = [one.pet.stand.figure_rect() for one in standing]
        made.stand_beside(self._pet.stand.figure_rect(), others)

    def _open(self, figure: str) -> None:
        self._work.replace("open", partial(self.open, figure))

    def _fail(self, figure: str, error: object, *, invited: bool) -> None:
        if isinstance(error, KnownError):
            self._tell(error)
        found = self.figures.get(figure)
        if invited and found is not None and found.pet.appeared is None:
            self._work.start("withdraw", partial(self._withdraw, figure))

    async def _withdraw(self, figure: str) -> None:
        """It was invited and can't come."""
        await self._guests.go(figure)
        self.parted.emit(figure)
        self._let_go(figure)

    def _remember(
        self, figure: str, *, feet: tuple[int, int] | None = None, scale: float = 0.0
    ) -> None:
        self._work.start("keep", partial(self._guests.stand, figure, feet=feet, scale=scale))

    def _let_go(self, figure: str) -> None:
        found = self.figures.pop(figure, None)
        if found is not None:
            kept = self._followed.items()
            self._followed = {key: one for key, one in kept if one is not found.companion}
            found.close()
        self._come()  # it may have been asked in again meanwhile

    def _pop_up(self, figure: str, place: QPoint) -> None:
        menu = QMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dress(menu, self._look().theme)
        name = self._guests.persona(figure).name
        menu.setAccessibleName(tr("The companion's menu"))
        menu.addAction(tr("Open chat")).triggered.connect(lambda: self._open(figure))
        bye = menu.addAction(tr("Say goodbye to {name}", name=name).replace("&", "&&"))
        bye.triggered.connect(lambda: self._work.start("part", partial(self.part, figure)))
        menu.addSeparator()
        menu.addAction(tr("All companions…")).triggered.connect(self.list_wanted)
        self.menu = menu
        menu.popup(place)

    def _show(self, visible: bool) -> None:
        """They are hidden and shown together."""
        for one in self.figures.values():
            one.set_visible(visible)
        if visible:
            self._come()

    def settle(self) -> None:
        """Something in the settings, the theme or the desktop is otherwise."""
        for one in self.figures.values():
            one.set_look(self._look())

    def set_theme(self, _theme: Theme) -> None:
        self.settle()

    def retranslate(self) -> None:
        for figure, one in self.figures.items():
            one.set_name(self._guests.persona(figure).name)

    def set_covered(self, covered: QRect) -> None:
        """A window that wants to be seen lies here: they step aside, one not onto the other."""
        self._covered = QRect(covered)
        placed = [self._pet.stand.figure_rect()]
        for one in self.figures.values():
            stand = one.pet.stand
            one.pet.set_covered(covered)
            met = [rect for rect in placed if rect.intersects(stand.figure_rect())]
            if met and not covered.isEmpty():
                stand.set_covered(reduce(QRect.united, met, covered))
            placed.append(stand.figure_rect())

    def close_figures(self) -> None:
        """Before the first companion's window is closed."""
        for figure in list(self.figures):
            self.figures.pop(figure).close()

    async def close(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await self._work.settled()  # where they were put is being kept
        await self._work.close()
        await self.faces.close()
        self.close_figures()


def _place(figure: str) -> Path:
    return Path(figure).expanduser() if figure else bundled_body()


def _fault(figure: str) -> str:
    """Why this figure can't stand beside another, "" if nothing is known against it."""
    try:
        found = describe(_place(figure))
        if found.pictures is None and not has_core():
            raise LibraryMissing(file=found.file.name)
    except KnownError as error:
        return explain(error).strip()
    return ""
