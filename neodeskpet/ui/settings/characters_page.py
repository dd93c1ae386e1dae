"""The settings page of the characters: a card for each, and buttons that add and import
characters.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage, QPixmap, QShowEvent
from PySide6.QtWidgets import QFileDialog, QPushButton

from neodeskpet.characters.cards.card_files import SUFFIXES
from neodeskpet.characters.character_library import Character
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.settings.character_card import CharacterCard
from neodeskpet.ui.settings.characters_port import CharactersPort, CharacterVoicesPort
from neodeskpet.ui.settings.figure.delayed_save import DelayedSaver
from neodeskpet.ui.settings.folding_card import FoldingCardList
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import local_files
from neodeskpet.ui.widgets.labels import PlainLabel

SECTION = SectionInfo(
    "characters",
    N_("Character cards"),
    N_("Who speaks in a conversation, if not the figure itself. They are kept as character cards."),
    "persona",
    (),
)
_WORDS = (
    SECTION.title,
    N_("Characters"),
    N_("World book"),
    N_("Greeting"),
    N_("Memory"),
    "SillyTavern",
    "CharX",
    "persona",
    "character card",
    "lorebook",
    "角色",
    "角色卡",
    "世界书",
    "人设",
)
_SIDE = 96


class CharactersPage(SettingsPage):
    """The page. Character cards can also be dropped anywhere on it."""

    def __init__(
        self,
        port: SettingsPort,
        characters: CharactersPort,
        voices: CharacterVoicesPort,
        theme: Theme,
        folders: DialogFolders,
    ) -> None:
        self._characters = characters
        self._voices = voices
        self._folders = folders
        self._opened = ""
        self._narrow = False
        self._pictured: dict[str, Path | None] = {}
        self._dialog: QFileDialog | None = None
        self._work = TaskRunner("characters", failed=self._tell, changed=self._show_work)
        self._notes: DelayedSaver[Character] = DelayedSaver(characters.update, self._tell)
        super().__init__(SECTION, port, theme)
        self.setAcceptDrops(True)
        self._unobserve = characters.subscribe(self.refresh)

    def build(self) -> None:
        self._column = FoldingCardList(self._card)
        self.cards = self._column.cards
        self.bring = QPushButton()
        self.bring.setProperty("primary", True)
        self.make = QPushButton()
        self.row = SettingsRow(self.theme, self.bring, self.make, stack=search_text(_WORDS))
        self.add_row(self.row)
        self.broken = PlainLabel()
        self.add_notice(self.broken, "failed")
        self.below_frame.addLayout(self._column.box)
        self.empty = PlainLabel()
        self.add_notice(self.empty)
        self.bring.clicked.connect(self._ask_for_file)
        self.make.clicked.connect(lambda: self._work.start_once("make", self._make))

    def refresh(self) -> None:
        """Show the current characters."""
        found = {one.id: one for one in self._characters.characters()}
        here = self._characters.current_character()
        self._column.keep(found)
        for name, one in found.items():
            apart = self._characters.has_own_memory(name)
            usual = name == self._characters.default_character()
            self.cards[name].show_character(one, here=name == here, apart=apart, usual=usual)
        broken = self._characters.unreadable_files()
        self.broken.setText("\n".join(broken.values()))
        self.set_notice_visible(self.broken, bool(broken))
        self.set_notice_visible(self.empty, not found)
        if self.isVisible():
            self._work.start_once("portraits", self._draw)

    def open(self, name: str) -> None:
        """Open the card of this character and close the others; "" closes all."""
        found = {one.id: one for one in self._characters.characters()}
        self._opened = name
        for own, card in self.cards.items():
            if own == name and own in found:
                apart = self._characters.has_own_memory(own)
                usual = own == self._characters.default_character()
                here = own == self._characters.current_character()
                card.open(found[own], here=here, apart=apart, usual=usual)
                if card.body is not None:
                    card.body.set_narrow(self._narrow)
                    card.body.voice.set_offered(self._voices)
            elif card.body is not None:
                card.open(None)
        if name:
            self._work.replace("figures", self._offer_figures)

    def import_card(self, file: Path) -> None:
        """Import a character card."""
        self.row.set_error("")
        self._work.start("import", partial(self._bring, file))

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if section == "voice":
            for card in self.cards.values():
                if card.body is not None:
                    card.body.voice.set_offered(self._voices)

    def search(self, query: str) -> int:
        count = super().search(query)
        self._column.search(query, whole=bool(count))
        return count

    def set_narrow(self, narrow: bool) -> None:
        super().set_narrow(narrow)
        self._narrow = narrow
        for card in self.cards.values():
            if card.body is not None:
                card.body.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._column.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.row.set_texts(
            tr("Add a character"),
            tr("A card of SillyTavern and others (PNG, JSON, CharX); or drop it here."),
        )
        self.bring.setText(tr("Import…"))
        self.make.setText(tr("New character"))
        self.empty.setText(tr("There is none yet: the figure's own persona speaks everywhere."))
        self.open(self._opened)
        self.refresh()

    async def aclose(self) -> None:
        self._unobserve()
        self.open("")
        await self._notes.flush()
        await super().aclose()
        await self._work.aclose()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        for file in local_files(event.mimeData()):
            self.import_card(file)

    # Cards

    def _card(self, name: str) -> CharacterCard:
        card = CharacterCard(self.theme)
        port, work = self._characters, self._work
        card.opened.connect(lambda wanted: self.open(name if wanted else ""))
        card.edited.connect(lambda changed: self._notes.save_later(name, changed))
        card.own_memory_changed.connect(
            lambda own: work.start("memory", partial(port.set_own_memory, name, own))
        )
        card.default_changed.connect(
            lambda new: work.start(
                "default", partial(port.set_default_character, name if new else "")
            )
        )
        card.action_requested.connect(partial(self._do, name))
        return card

    def _do(self, name: str, what: str) -> None:
        port = self._characters
        if what == "export":
            self._ask_where(name)
            return
        if what == "book":
            self._ask_for_world(name)
            return
        if what == "sample":
            self._work.toggle("sample", partial(self._play_sample, name))
            return

        async def work() -> None:
            await self._notes.flush()
            match what:
                case "here":
                    await port.choose("" if port.current_character() == name else name)
                case "new":
                    await port.start_conversation(name)
                case _:
                    self.open("")
                    await port.remove(name)

        self._work.start(what, work)

    async def _make(self) -> None:
        self.open(await self._characters.create())

    async def _bring(self, file: Path) -> None:
        self.open(await self._characters.import_card(file))

    def import_lorebook(self, name: str, file: Path) -> None:
        """Add the entries of a world book to this character's."""
        self.row.set_error("")
        self._work.start("world book", partial(self._join_world, name, file))

    async def _join_world(self, name: str, file: Path) -> None:
        book = await self._characters.read_world(file)
        card = self.cards.get(name)
        if card is not None and card.body is not None:
            card.body.book.add_entries(book)

    async def _play_sample(self, name: str) -> None:
        body = self.cards[name].body
        if body is None:
            return
        body.voice_row.set_error("")
        try:
            await self._voices.play_character_sample(
                tr("Hello! This is how I sound."), body.voice_style
            )
        except KnownError as error:
            body.voice_row.set_error(format_error(error))

    def _show_work(self) -> None:
        playing = self._work.busy("sample")
        for card in self.cards.values():
            if card.body is not None:
                card.body.voice.show_playing(playing)

    async def _offer_figures(self) -> None:
        figures = await self._characters.figures()
        for card in self.cards.values():
            if card.body is not None:
                card.body.set_figures(figures)

    async def _draw(self) -> None:
        for one in self._characters.characters():
            if self._pictured.get(one.id, Path()) != one.picture:
                self._pictured[one.id] = one.picture
                image = await asyncio.to_thread(portrait_head, one.picture)
                if one.id in self.cards:
                    self.cards[one.id].set_picture(QPixmap.fromImage(image))

    # Files

    def _ask_for_file(self) -> None:
        dialog = QFileDialog(
            self, tr("Import a card"), str(self._folders.start_folder(FolderKind.FIGURES))
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        kinds = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        dialog.setNameFilter(f"{tr('Character cards')} ({kinds})")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._take)
        dialog.open()
        self._dialog = dialog

    def _ask_for_world(self, name: str) -> None:
        start = str(self._folders.start_folder(FolderKind.DOCUMENTS))
        dialog = QFileDialog(self, tr("Import a world book"), start)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        kinds = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        dialog.setNameFilter(f"{tr('World books')} ({kinds})")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.import_lorebook(name, Path(path)))
        dialog.open()
        self._dialog = dialog

    def _take(self, path: str) -> None:
        self._folders.remember(FolderKind.FIGURES, Path(path))
        self.import_card(Path(path))

    def _ask_where(self, name: str) -> None:
        title = next((one.card.name for one in self._characters.characters() if one.id == name), "")
        file = "".join(c if c.isalnum() or c in "-_ " else "_" for c in title) or "card"
        start = str(self._folders.start_folder(FolderKind.DOCUMENTS) / f"{file}.png")
        dialog = QFileDialog(self, tr("Export the card"), start)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([f"{suffix[1:].upper()} (*{suffix})" for suffix in SUFFIXES])
        dialog.setDefaultSuffix("png")
        dialog.filterSelected.connect(
            lambda chosen: dialog.setDefaultSuffix(chosen.rpartition("*.")[2].rstrip(")"))
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.export(name, Path(path)))
        dialog.open()
        self._dialog = dialog

    def export(self, name: str, file: Path) -> None:
        """Write the character card of this character to a file."""

        async def work() -> None:
            await self._notes.flush()
            await self._characters.export(name, file)

        self._work.start("export", work)

    def _tell(self, error: KnownError) -> None:
        self.row.set_error(format_error(error))


def portrait_head(file: Path | None) -> QImage:
    """Return a small square from the top of a portrait, where the head usually is; a null image if
    there is no file. A worker thread may call it.
    """
    image = QImage(str(file)) if file is not None else QImage()
    if image.isNull():
        return image
    side = min(image.width(), image.height())
    square = image.copy((image.width() - side) // 2, 0, side, side)
    smooth = Qt.TransformationMode.SmoothTransformation
    return square.scaled(_SIDE, _SIDE, Qt.AspectRatioMode.KeepAspectRatio, smooth)
