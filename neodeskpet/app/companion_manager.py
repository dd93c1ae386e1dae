"""All companions on the desktop: the first one and further ones, each with its own window, persona
and conversation. One conversation is open in the chat and decides which companion speaks there.
Portraits are cut out of pictures of the whole figure.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from uuid import uuid4

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QMenu

from neodeskpet.app.companion_window import CompanionStyle, CompanionWindow
from neodeskpet.app.engine import Engine
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.characters.companion_store import MOST_COMPANIONS, CompanionState
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.errors import KnownError, LibraryMissing
from neodeskpet.core.turn.turn_events import TurnEnded, TurnEvent, TurnStarted
from neodeskpet.figure.behaviour.free_place import OwnWindow, PlaceKind
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.live2d.library import bundled_figure_path, has_cubism_core
from neodeskpet.language import format_error, tr
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.live2d_figure import find_face
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.widgets.labels import button_text
from neodeskpet.ui.windows.companions_window import CompanionCandidate


class CompanionFaces(QObject):
    """Portraits of figures. `draw` makes a picture of a whole figure by its path and raises
    KnownError. A figure that can't be drawn has a null portrait.
    """

    changed = Signal()
    """A portrait that `face_of` was asked for is ready."""

    def __init__(
        self, draw: Callable[[str], Awaitable[Path]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._draw = draw
        self._found: dict[str, QPixmap] = {}
        self._work = TaskRunner("faces", failed=lambda _error: None)

    def face_of(self, figure: str) -> QPixmap:
        """Return the portrait of this figure; null until it is ready, which `changed` signals."""
        found = self._found.get(figure)
        if found is None:
            self._work.start_once(figure, partial(self._fetch, figure))
        return found or QPixmap()

    async def load(self, figure: str) -> QPixmap:
        if figure not in self._found:
            try:
                file = await self._draw(figure)
            except KnownError:
                picture = QImage()
            else:
                picture = await asyncio.to_thread(QImage, str(file))
            face = picture if picture.isNull() else find_face(picture)
            self._found[figure] = QPixmap.fromImage(face)
        return self._found[figure]

    async def close(self) -> None:
        await self._work.aclose()

    async def _fetch(self, figure: str) -> None:
        await self.load(figure)
        self.changed.emit()


_CLOSE_TIMEOUT = 2.0


class CompanionManager(QObject):
    """A surface of the bridge. `look` is the style of all companions, `tell` reports failures."""

    chat_requested = Signal()
    """The user opens the chat; the conversation of the companion is being opened there."""
    list_requested = Signal()
    """The user opens the list of companions."""
    companion_added = Signal(object)
    """A `CompanionWindow` was created."""
    companion_removed = Signal(str)
    """The companion of this figure leaves."""
    conversation_started = Signal(object)
    """A further companion got a conversation (ConversationInfo)."""

    def __init__(
        self,
        engine: Engine,
        pet: PetWindow,
        companion: CompanionPresenter,
        figures: FigureAdapter,
        look: Callable[[], CompanionStyle],
        tell: Callable[[KnownError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._pet = pet
        self._companion = companion
        self._models = figures
        self._look = look
        assert engine.storage.characters.guests is not None
        self._companions = engine.storage.characters.guests
        self._tell = tell
        self._work = TaskRunner("guests", failed=tell)
        self.faces = CompanionFaces(figures.picture, self)
        self.menu: QMenu | None = None
        self._own_windows: Sequence[OwnWindow] = ()
        self.windows: dict[str, CompanionWindow] = {}
        self._greetings: dict[str, str] = {}
        self._followed: dict[str, CompanionPresenter] = {}  # by the message that is being written
        pet.ready.connect(self._create_missing_windows)
        pet.visibleChanged.connect(self._set_all_visible)

    # The companion that speaks

    @property
    def active_companion(self) -> str | None:
        """The figure of the further companion whose conversation is open; None for the first
        companion.
        """
        info = self._engine.chat.conversation
        return (
            self._engine.storage.characters.companion_figure(info.id) if info is not None else None
        )

    def _active_window(self) -> CompanionWindow | None:
        speaking = self.active_companion
        return self.windows.get(speaking) if speaking is not None else None

    def body(self) -> PetWindow:
        """The window of the companion that speaks in the open conversation; after it has left, the
        window of the first one.
        """
        found = self._active_window()
        return found.pet if found is not None else self._pet

    def on_user_typing(self) -> None:
        """React to the user's typing."""
        found = self._active_window()
        (found.companion if found is not None else self._companion).show_listening()

    def portrait(self, size: int) -> QPixmap:
        """Return the portrait of the companion that speaks in the open conversation. A further
        companion that is not drawn now has the face of its picture; null while there is none.
        """
        speaking, present = self.active_companion, self._active_window()
        if speaking is None:
            return self._pet.portrait(size)
        drawn = present.pet.portrait(size) if present is not None else QPixmap()
        return self.faces.face_of(speaking) if drawn.isNull() else drawn

    def conversation_face(self, conversation: str) -> QPixmap | None:
        """Return the face of the further companion that speaks in this conversation, alone or in a
        dialogue; None if only the first companion does.
        """
        figures = [self._companions.companion_of(conversation)]
        figures += [one.figure for one in self._companions.dialogue_of(conversation)]
        figure = next((one for one in figures if one is not None), None)
        return self.faces.face_of(figure) if figure is not None else None

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        for message_id, event in batch:
            if isinstance(event, TurnStarted) and message_id not in self._followed:
                found = self._active_window()
                speaker = found.companion if found is not None else self._companion
                self._followed[message_id] = speaker
            self._followed.get(message_id, self._companion).apply([(message_id, event)])
            if isinstance(event, TurnEnded):
                self._followed.pop(message_id, None)

    async def wait_for_bubble(self, figure: str | None) -> bool:
        """Wait until the bubble of this companion (None: the first one) is gone; return False at
        once if it isn't shown.
        """
        found = self.windows.get(figure) if figure is not None else None
        return await (found.companion if found is not None else self._companion).wait_for_bubble()

    def set_author(self, message_id: str, figure: str | None) -> None:
        """Set the companion that writes this message; None: the first companion."""
        found = self.windows.get(figure) if figure is not None else None
        self._followed[message_id] = found.companion if found is not None else self._companion

    # Actions of the user; a `CompanionsPort`

    async def candidates(self) -> Sequence[CompanionCandidate]:
        chosen = str(self._engine.settings.value("companion", "model"))
        here = [one.figure for one in self._companions.present]
        tiles = [
            one for one in await self._models.tiles() if one.path != chosen or one.path in here
        ]
        faults = await asyncio.to_thread(
            lambda: [one.problem or _invitation_fault(one.path) for one in tiles]
        )
        return [
            CompanionCandidate(one.path, one.title, one.path in here, wrong)
            for one, wrong in zip(tiles, faults, strict=True)
        ]

    async def face(self, figure: str) -> QPixmap:
        return await self.faces.load(figure)

    @property
    def is_full(self) -> bool:
        """Whether the limit of companions is reached."""
        return len(self._companions.present) >= MOST_COMPANIONS

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._companions.subscribe(observer)

    async def invite(self, figure: str) -> None:
        if self.is_full or self._companions.guest(figure) is not None:
            return
        self._greetings[figure] = self._greeting_of(figure)
        await self._open_conversation_of(figure)
        self._create_missing_windows()

    async def open(self, figure: str) -> None:
        conversation = await self._open_conversation_of(figure)
        self.chat_requested.emit()
        await self._engine.chat.open(conversation)

    async def dismiss(self, figure: str) -> None:
        if figure in self.windows:
            self.windows[figure].say_goodbye()
        self.companion_removed.emit(figure)
        await self._companions.remove(figure)

    def switch_to_first(self) -> None:
        """Open the last conversation of the first companion."""
        if self.active_companion is not None:
            self._work.replace("open", self.open_first_conversation)

    async def open_first_conversation(self) -> None:
        """Open the last conversation of the first companion."""
        store, chat = self._engine.storage.store, self._engine.chat
        known = await store.conversations()
        guests = self._companions
        own = [
            one
            for one in known
            if not one.archived
            and guests.companion_of(one.id) is None
            and not guests.dialogue_of(one.id)
        ]
        newest = max(own, key=lambda info: info.updated, default=None)
        await chat.open((newest or await store.create_conversation()).id)

    async def _open_conversation_of(self, figure: str) -> str:
        """Return the conversation of a further companion that was just added; a new conversation
        starts with its greeting.
        """
        store = self._engine.storage.store
        kept = await self._companions.conversation_of(figure)
        if not kept:
            info = await store.create_conversation(self._companions.persona(figure).name)
            now, words = time.time(), (Text(0, 0, self._greeting_of(figure)),)
            hello = Message(str(uuid4()), Role.ASSISTANT, words, MessageState.DONE, now, now)
            await store.add_message(info.id, hello)
            await self._companions.add(figure, info.id)
            self.conversation_started.emit(info)
            return info.id
        guest = self._companions.guest(figure)
        if guest is None or guest.conversation != kept:
            await self._companions.add(figure, kept)
        return kept

    def _greeting_of(self, figure: str) -> str:
        persona = self._companions.persona(figure)
        return persona.filled_greeting or tr("Hi, I'm {name}!", name=persona.name)

    # On the desktop

    def _create_missing_windows(self, _description: object = None) -> None:
        """Show the windows of all added companions once the first one is shown."""
        if not (self._pet.isValid() and self._pet.isVisible()) or self._pet.is_loading:
            return
        for guest in self._companions.present:
            if guest.figure not in self.windows:
                self._create_window(guest)

    def _create_window(self, guest: CompanionState) -> None:
        path = _position_key(guest.figure)
        greeting = self._greetings.pop(guest.figure, "")
        made = CompanionWindow(guest, path, self._pet, self._look(), greeting)
        self.windows[guest.figure] = made
        made.set_name(self._companions.persona(guest.figure).name)
        made.pet.chat_requested.connect(partial(self._open, guest.figure))
        made.companion.chat_requested.connect(partial(self._open, guest.figure))
        made.pet.menu_requested.connect(partial(self._show_menu, guest.figure))
        made.pet.failed.connect(partial(self._fail, guest.figure, invited=bool(greeting)))
        made.pet.placement.placed.connect(
            lambda _screen, feet: self._save_placement(guest.figure, feet=(feet.x(), feet.y()))
        )
        made.pet.scaled.connect(lambda scale: self._save_placement(guest.figure, scale=scale))
        made.closed.connect(partial(self._close_window, guest.figure))
        made.pet.ready.connect(lambda _description: self._on_model_loaded(made))
        self._place_beside(made)
        self.companion_added.emit(made)
        made.set_visible(True)

    def _on_model_loaded(self, made: CompanionWindow) -> None:
        """Place the companion: after its model is loaded, its size is known."""
        self._place_beside(made)
        made.placed = True
        self.set_own_windows(self._own_windows)

    def _place_beside(self, made: CompanionWindow) -> None:
        standing = [one for one in self.windows.values() if one.placed and one is not made]
        others = [one.pet.placement.figure_rect() for one in standing]
        made.stand_beside(self._pet.placement.figure_rect(), others)

    def _open(self, figure: str) -> None:
        self._work.replace("open", partial(self.open, figure))

    def _fail(self, figure: str, error: object, *, invited: bool) -> None:
        if isinstance(error, KnownError):
            self._tell(error)
        found = self.windows.get(figure)
        if invited and found is not None and found.pet.appeared_at is None:
            self._work.start("withdraw", partial(self._cancel_invitation, figure))

    async def _cancel_invitation(self, figure: str) -> None:
        """Remove a companion that could not be loaded."""
        await self._companions.remove(figure)
        self.companion_removed.emit(figure)
        self._close_window(figure)

    def _save_placement(
        self, figure: str, *, feet: tuple[int, int] | None = None, scale: float = 0.0
    ) -> None:
        self._work.start(
            "keep", partial(self._companions.set_position, figure, feet=feet, scale=scale)
        )

    def _close_window(self, figure: str) -> None:
        found = self.windows.pop(figure, None)
        if found is not None:
            kept = self._followed.items()
            self._followed = {key: one for key, one in kept if one is not found.companion}
            found.close()
        self._create_missing_windows()  # it may have been added again since

    def _show_menu(self, figure: str, place: QPoint) -> None:
        menu = QMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        apply_window_theme(menu, self._look().theme)
        name = self._companions.persona(figure).name
        menu.setAccessibleName(tr("The companion's menu"))
        menu.addAction(tr("Open chat")).triggered.connect(lambda: self._open(figure))
        bye = menu.addAction(button_text(tr("Say goodbye to {name}", name=name)))
        bye.triggered.connect(lambda: self._work.start("part", partial(self.dismiss, figure)))
        menu.addSeparator()
        menu.addAction(tr("All companions…")).triggered.connect(self.list_requested)
        self.menu = menu
        menu.popup(place)

    def _set_all_visible(self, visible: bool) -> None:
        """Hide or show all companions together."""
        for one in self.windows.values():
            one.set_visible(visible)
        if visible:
            self._create_missing_windows()

    def apply_settings(self) -> None:
        """Apply changed settings, theme or desktop."""
        for one in self.windows.values():
            one.set_style(self._look())

    def set_theme(self, _theme: Theme) -> None:
        self.apply_settings()

    def retranslate(self) -> None:
        for figure, one in self.windows.items():
            one.set_name(self._companions.persona(figure).name)

    def set_own_windows(self, windows: Sequence[OwnWindow]) -> None:
        """Set the app's windows, which the companions keep clear of, as they do of each other."""
        self._own_windows = windows
        moved = [self._pet.placement.place]
        for one in self.windows.values():
            others = [
                OwnWindow(place.area, firm=False)
                for place in moved
                if place.kind is not PlaceKind.HOME
            ]
            if one.place is not None:
                one.place.avoidance.set_windows([*windows, *others])
            moved.append(one.pet.placement.place)

    def close_windows(self) -> None:
        """Close the windows of the further companions; called before the first one's is closed."""
        for figure in list(self.windows):
            self.windows.pop(figure).close()

    async def close(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await self._work.wait_until_idle()  # their positions are being stored
        await self._work.aclose()
        await self.faces.close()
        self.close_windows()


def _position_key(figure: str) -> Path:
    return Path(figure).expanduser() if figure else bundled_figure_path()


def _invitation_fault(figure: str) -> str:
    """Return why this figure can't be shown beside another one; "" if no reason is known."""
    try:
        found = describe_model(_position_key(figure))
        if found.pictures is None and not has_cubism_core():
            raise LibraryMissing(file=found.file.name)
    except KnownError as error:
        return format_error(error).strip()
    return ""
