"""Handles files that are dropped on the companion or opened with it: asks what to do with them, and
does it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Protocol, assert_never

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDropEvent, QWindow

from neodeskpet.characters.cards.card_files import SUFFIXES
from neodeskpet.characters.cards.reader import read_card_file
from neodeskpet.core.errors import KnownError, LibraryMissing
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.figure.files.unpacker import find_settings_in_child
from neodeskpet.figure.live2d.library import has_cubism_core
from neodeskpet.figure.sprites.pack_content import PICTURES
from neodeskpet.figure.sprites.sprite_packs import is_pack_file_name
from neodeskpet.language import tr
from neodeskpet.ui.chat.composer.attachment_controller import AttachmentController
from neodeskpet.ui.chat.composer.dropped_content import DroppedContent, read_content
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter, parse_answer
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.task_runner import TaskRunner

_OVER = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class DropTarget(QObject):
    """Signals: `hovered(on)` while acceptable content is over the window; `dropped(QMimeData)`,
    with data valid during the call.
    """

    hovered = Signal(bool)
    dropped = Signal(QMimeData)

    def __init__(self, window: QWindow) -> None:
        super().__init__(window)
        self._over = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DragLeave:
            self._hover(False)
            return True
        if event.type() not in _OVER or not isinstance(event, QDropEvent):
            return False
        data = event.mimeData()
        if not (data.hasUrls() or data.hasText() or data.hasImage()):
            event.ignore()
            return True
        event.setDropAction(Qt.DropAction.CopyAction)  # the dropped file stays where it is
        event.accept()
        falls = event.type() is QEvent.Type.Drop
        self._hover(not falls)
        if falls:
            self.dropped.emit(data)
        return True

    def _hover(self, over: bool) -> None:
        if over != self._over:
            self._over = over
            self.hovered.emit(over)


_HINT = "drop hint"
_TAKEN = "dropped"
_BUSY = "figure is checked"
_ENDINGS = frozenset({".zip", ".json", *SUFFIXES})
_LONGEST = 60
"""Characters of a name that are shown."""


class DropChoice(StrEnum):
    """The user's choice for dropped content."""

    USE_FIGURE = "wear"
    ADD_FIGURE = "keep"
    START_CONVERSATION = "talk"
    ADD_CHARACTER = "shelve"
    ASK_ABOUT = "ask"
    ATTACH = "add"
    CANCEL = "no"


class FigureStore(Protocol):
    """The store of figures. Coroutines raise KnownError."""

    async def add(self, source: Path) -> str:
        """Check and store a figure; return its path in the store."""
        ...

    async def choose(self, path: str) -> None:
        """Show this figure on the desktop."""
        ...


class CharacterStore(Protocol):
    """The store of characters. Coroutines raise KnownError."""

    async def import_card(self, file: Path) -> str:
        """Import the character card `file`; return the id of the character."""
        ...

    async def start_conversation(self, character: str) -> None:
        """Start a conversation with this character."""
        ...


@dataclass(frozen=True, slots=True)
class DropReceivers:
    """Receivers of dropped files: the chat for attachments, and the stores of figures and of
    characters.
    """

    attachments: AttachmentController
    figures: FigureStore
    characters: CharacterStore


class DroppedFilesController(QObject):
    """`show_chat()` brings the chat to the front; `failed` receives the reason why a figure can't
    be used. `core`: whether the Live2D library is available (None: detected).
    """

    def __init__(
        self,
        pet: PetWindow,
        companion: CompanionPresenter,
        receivers: DropReceivers,
        *,
        show_chat: Callable[[], None],
        failed: Callable[[KnownError], None],
        core: bool | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._companion = companion
        self._attacher = receivers.attachments
        self._figures = receivers.figures
        self._characters = receivers.characters
        self._show_chat = show_chat
        self._core = has_cubism_core() if core is None else core
        self._work = TaskRunner("drops", failed=failed)
        self._held = DroppedContent()
        target = DropTarget(pet)
        target.hovered.connect(self._hover)
        target.dropped.connect(self._take)
        companion.answered.connect(self._answer)

    async def aclose(self) -> None:
        """Stop running checks."""
        await self._work.aclose()

    def handle_files(self, files: Sequence[Path]) -> None:
        """Handle files as if they were dropped."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
        self._take(data)

    @Slot(bool)
    def _hover(self, over: bool) -> None:
        self._pet.set_drop_highlight(over)
        if over:
            self._companion.ask(
                _HINT, tr("Drop it on me, and I'll ask what to do with it."), rank=BubbleRank.NOTICE
            )
        else:
            self._companion.withdraw(_HINT)

    @Slot(QMimeData)
    def _take(self, data: QMimeData) -> None:
        found = read_content(data)
        if found.is_empty:
            self._companion.show_notice(tr("It contains nothing that I can use."))
            return
        self._held = found
        file = _single_file(found)
        if file is not None and (file.suffix.lower() in _ENDINGS or file.is_dir()):
            self._work.replace("look", partial(self._look, found, file))
        else:
            self._ask(found)

    async def _look(self, found: DroppedContent, file: Path) -> None:
        settings = await asyncio.to_thread(find_settings_in_child, file)
        name = "" if settings else await asyncio.to_thread(_character_name, file)
        if found is not self._held:
            return
        if name:
            self._ask_about_character(name)
            return
        if not settings:
            self._ask(found)
            return
        if not self._core and not any(map(is_pack_file_name, settings)):
            self._held = DroppedContent()
            self._companion.withdraw(_TAKEN)  # the question about an earlier drop
            raise LibraryMissing(file=_plain(file.name))
        asked = tr("I have the figure “{name}”. Shall I use it?", name=_plain(file.name))
        choices = (
            (DropChoice.USE_FIGURE, tr("Use this figure")),
            (DropChoice.ADD_FIGURE, tr("Keep it for later")),
            (DropChoice.CANCEL, tr("Never mind")),
        )
        self._companion.ask(_TAKEN, asked, choices, sign="plus", dismiss_choice=DropChoice.CANCEL)

    def _ask_about_character(self, name: str) -> None:
        asked = tr("I have the character “{name}”. Shall I add it?", name=_plain(name))
        choices = (
            (DropChoice.START_CONVERSATION, tr("Talk to it")),
            (DropChoice.ADD_CHARACTER, tr("Keep it for later")),
            (DropChoice.ASK_ABOUT, tr("Ask about it")),
            (DropChoice.CANCEL, tr("Never mind")),
        )
        self._companion.ask(_TAKEN, asked, choices, sign="plus", dismiss_choice=DropChoice.CANCEL)

    def _ask(self, found: DroppedContent) -> None:
        file = _single_file(found)
        figure = file is not None and file.suffix.lower() in PICTURES
        choices = (
            (DropChoice.ASK_ABOUT, tr("Ask about it")),
            (DropChoice.ATTACH, tr("Add to the message")),
            *([(DropChoice.USE_FIGURE, tr("Use this figure"))] if figure else []),
            (DropChoice.CANCEL, tr("Never mind")),
        )
        self._companion.ask(
            _TAKEN, _question(found), choices, sign="plus", dismiss_choice=DropChoice.CANCEL
        )

    @Slot(str, str)
    def _answer(self, key: str, choice: str) -> None:
        if key != _TAKEN or not choice:
            return
        held, self._held = self._held, DroppedContent()
        self._companion.withdraw(_TAKEN)
        match parse_answer(DropChoice, choice):
            case DropChoice.CANCEL | None:
                pass
            case DropChoice.USE_FIGURE | DropChoice.ADD_FIGURE as said:
                file = _single_file(held)
                assert file is not None, "a figure was asked about"
                wear = said is DropChoice.USE_FIGURE
                self._work.start_once("figure", partial(self._bring, file, wear=wear))
            case DropChoice.START_CONVERSATION | DropChoice.ADD_CHARACTER as said:
                file = _single_file(held)
                assert file is not None, "a character was asked about"
                talk = said is DropChoice.START_CONVERSATION
                self._work.start_once("character", partial(self._host, file, talk=talk))
            case DropChoice.ASK_ABOUT:
                self._show_chat()
                self._attacher.attach_content(held, tr("What do you think of this?"))
            case DropChoice.ATTACH:
                self._show_chat()
                self._attacher.attach_content(held)
            case unknown:
                assert_never(unknown)

    async def _bring(self, source: Path, *, wear: bool) -> None:
        self._companion.ask(
            _BUSY, tr("Checking {name}…", name=_plain(source.name)), rank=BubbleRank.NOTICE
        )
        try:
            path = await self._figures.add(source)
            if wear:
                await self._figures.choose(path)
        finally:
            self._companion.withdraw(_BUSY)
        if not wear:
            self._companion.show_notice(tr("It is saved: the settings show it under “Companion”."))

    async def _host(self, source: Path, *, talk: bool) -> None:
        character = await self._characters.import_card(source)
        if talk:
            await self._characters.start_conversation(character)
        else:
            self._companion.show_notice(tr("It is saved: the settings show it under “Characters”."))


def _single_file(found: DroppedContent) -> Path | None:
    """Return the file (or folder) if exactly one was dropped."""
    files = [*(offer.path for offer in found.pictures), *found.files]
    return files[0] if len(files) == 1 else None


def _character_name(file: Path) -> str:
    """Return the name of the character in a card; "" if it is no card. Blocking."""
    if file.suffix.lower() not in SUFFIXES:
        return ""
    try:
        return " ".join(read_card_file(file)[0].name.split())[:_LONGEST]
    except (KnownError, OSError):
        return ""


def _plain(name: str) -> str:
    return name.replace("`", "'")


def _question(found: DroppedContent) -> str:
    names = found.file_names
    if len(names) == 1:
        return tr("I have “{name}”. What shall I do with it?", name=_plain(names[0]))
    if names:
        return tr("I have {count} files. What shall I do with them?", count=str(len(names)))
    if found.pictures:
        return tr("I have the picture. What shall I do with it?")
    return tr("I have the text. What shall I do with it?")
