"""The window of the facts about the user: search, add, correct, pin and forget facts, with their
sources. Contradictory facts come first: the user chooses the right one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.ui.commands import Command, bind_shortcuts
from neodeskpet.ui.formatting import printable, single_line
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.memory_cards import CARD_STYLE, MemoryActions, MemoryCard, about_text
from neodeskpet.ui.windows.memory_port import MemoryItem, MemoryPort
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("What I know about you")
MIN_SIZE = (340, 400)
MAX_FACT_LENGTH = 300
_TYPING_MS = 150

COMMANDS = (Command("find", N_("Find"), keys=("Ctrl+F",), hidden_in_palette=True),)


class MemoryWindow(QWidget):
    """Signals: `source_requested(MemorySource)`; `settings_requested()` for the switches."""

    source_requested = Signal(object)
    settings_requested = Signal()

    def __init__(self, theme: Theme, port: MemoryPort) -> None:
        super().__init__()
        self._theme = theme
        self._port = port
        self._facts: dict[str, MemoryItem] = {}
        self._work = TaskRunner("memory", failed=self._fail)
        self.settings_button = QPushButton()
        self.settings_button.setProperty("quiet", True)
        self._frame = SideWindowLayout(self, "memory", TITLE, MIN_SIZE, [self.settings_button])
        self.search = SearchField(theme)
        self.fact_field = QLineEdit()
        self.fact_field.setMaxLength(MAX_FACT_LENGTH)
        self.add_button = QPushButton()
        self.list = EntryList(theme)
        self.empty = muted_label(centred=True)
        self.card: MemoryCard | None = None
        self.undo = UndoBar(theme)
        self.memory_actions = MemoryActions(port, self._work, self.undo, self)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._lay_out()
        RefreshOnShow(
            self, read=self._refresh, gone=self.memory_actions.apply_pending, back=self._back
        )
        self._connect()
        self.set_theme(theme)
        self.retranslate()
        self.resize(560, 600)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)
        self.search.setFocus()

    async def aclose(self) -> None:
        """Carry out a pending deletion, and stop the window's tasks and subscription."""
        self._unobserve()
        self._typing.stop()
        self.memory_actions.apply_pending()
        await self._work.wait_until_idle()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._frame.set_theme(theme, CARD_STYLE)
        for part in (self.search, self.list, self.undo):
            part.set_theme(theme)
        if self.card is not None:
            self.card.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.settings_button.setText(tr("Settings…"))
        self.search.set_placeholder(tr("Search what I know"))
        self.fact_field.setPlaceholderText(tr("Write down something about you"))
        self.fact_field.setAccessibleName(tr("Write down something about you"))
        self.add_button.setText(tr("Add"))
        self.list.setAccessibleName(tr(TITLE))
        self.undo.retranslate()
        self._refresh()

    def _back(self) -> bool:
        if self.card is not None and self.card.is_editing:
            self.card.stop_editing()
            return True
        searched = bool(self.search.text())
        self.search.clear()
        return searched

    def _lay_out(self) -> None:
        frame = self._frame
        frame.add(self.search)
        frame.add(self.list, 1)
        frame.add(self.empty, 1)
        self._at = frame.box.count()
        frame.row(self.fact_field, self.add_button, wide=self.fact_field, spacing=8)
        frame.add(self.undo)

    def _connect(self) -> None:
        self.memory_actions.source_requested.connect(self.source_requested)
        self.memory_actions.changed.connect(self._refresh)
        self.settings_button.clicked.connect(self.settings_requested)
        self.search.textChanged.connect(lambda _text: self._typing.start())
        self._typing.timeout.connect(self._refresh)
        self.add_button.clicked.connect(self._write)
        self.fact_field.returnPressed.connect(self._write)
        self.list.chosen.connect(self._show_chosen)
        self.list.opened.connect(lambda _id: self._correct())
        self.list.delete_requested.connect(self._drop)
        self._unobserve = self._port.subscribe(self._refresh)
        bind_shortcuts(COMMANDS, self, {"find": self.search.setFocus})

    # Content

    def _refresh(self) -> None:
        if self.isVisible():  # otherwise it is loaded when it is shown
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        found = await self._port.facts(self.search.text())
        self._show([one for one in found if not self.memory_actions.is_being_forgotten(one)])

    def _show(self, facts: Sequence[MemoryItem]) -> None:
        self._facts = {one.id: one for one in facts}
        self.list.show_entries_or_text([_entry(one) for one in facts], self.empty)
        self.empty.setText(
            tr("No fact contains these words.")
            if self.search.text().strip()
            else tr(
                "I know nothing about you yet. Tell me something in the chat (“My name is …”, “I’m "
                "allergic to …”), or write it down here. Only your own words become facts."
            )
        )
        self._show_chosen()

    def _show_chosen(self) -> None:
        one = self._facts.get(self.list.current_id())
        if self.card is not None:
            if one == self.card.item or (
                self.card.is_editing and one and one.id == self.card.item.id
            ):
                return
            self._frame.box.removeWidget(self.card)
            self.card.hide()
            self.card.deleteLater()
            self.card = None
        if one is not None:
            self.card = MemoryCard(one, self._theme)
            self.memory_actions.connect_card(self.card)
            self._frame.box.insertWidget(self._at, self.card)

    # Actions of the user

    def _write(self) -> None:
        text = " ".join(self.fact_field.text().split())
        if text:
            self._work.start_once("add", partial(self._add, text))

    async def _add(self, text: str) -> None:
        await self._port.add(text)
        self.fact_field.clear()
        self.search.clear()
        await self._read()

    def _correct(self) -> None:
        if self.card is not None:
            self.card.start_editing()

    def _drop(self, fact_id: str) -> None:
        one = self._facts.get(fact_id)
        if one is not None:
            self.memory_actions.forget(one)

    def _fail(self, error: KnownError) -> None:
        self.undo.show_text(format_error(error))


def _entry(one: MemoryItem) -> ListEntry:
    asked = one.contradicted is not None
    return ListEntry(
        one.id,
        single_line(printable(one.text)),
        tr("This contradicts something you said before.") if asked else about_text(one, kind=False),
        trailing=tr("Which is right?") if asked else "",
        icon="warning" if asked else "pinned" if one.pinned else "",
        tooltip=printable(one.text),
        needs_attention=asked,
    )
