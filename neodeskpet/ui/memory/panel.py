"""What is known about the person: searched, written, corrected, pinned, forgotten, with sources.

Facts that contradict each other stand first: the person says which is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import explain, tr
from neodeskpet.ui.chat.items.wording import one_line, printable
from neodeskpet.ui.memory.card import CARD_SHEET, MemoryCard, about_words
from neodeskpet.ui.memory.deeds import Deeds
from neodeskpet.ui.memory.port import MemoryPort, Remembered
from neodeskpet.ui.notebook.entries import Entry, EntryList
from neodeskpet.ui.palette.commands import Command, bind
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.frame import Frame, muted
from neodeskpet.ui.windows.place import bring_forward
from neodeskpet.ui.windows.presence import Presence
from neodeskpet.ui.work import Work

TITLE = N_("What I know about you")
LEAST = (340, 400)
LONGEST = 300
_TYPING_MS = 150

COMMANDS = (Command("find", N_("Find"), keys=("Ctrl+F",), quiet=True),)


class MemoryWindow(QWidget):
    """`wanted(spot)`: the person wants to go to a source; `settings_wanted()`: to the switches."""

    wanted = Signal(object)
    settings_wanted = Signal()

    def __init__(self, theme: Theme, port: MemoryPort) -> None:
        super().__init__()
        self._theme = theme
        self._port = port
        self._facts: dict[str, Remembered] = {}
        self._work = Work("memory", failed=self._fail)
        self.switches = QPushButton()
        self.switches.setProperty("quiet", True)
        self._frame = Frame(self, "memory", TITLE, LEAST, [self.switches])
        self.search = SearchField(theme)
        self.field = QLineEdit()
        self.field.setMaxLength(LONGEST)
        self.add = QPushButton()
        self.list = EntryList(theme)
        self.empty = muted(centred=True)
        self.card: MemoryCard | None = None
        self.undo = UndoBar(theme)
        self.deeds = Deeds(port, self._work, self.undo, self)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._lay_out()
        Presence(self, read=self._refresh, gone=self.deeds.carry_out, back=self._back)
        self._connect()
        self.set_theme(theme)
        self.retranslate()
        self.resize(560, 600)

    def present(self) -> None:
        """Show the window in front."""
        bring_forward(self)
        self.search.setFocus()

    async def finish(self) -> None:
        """Before the window goes."""
        self._unobserve()
        self._typing.stop()
        self.deeds.carry_out()
        await self._work.settled()
        await self._work.close()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._frame.set_theme(theme, CARD_SHEET)
        for part in (self.search, self.list, self.undo):
            part.set_theme(theme)
        if self.card is not None:
            self.card.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.switches.setText(tr("Switches…"))
        self.search.set_words(tr("Search what I know"))
        self.field.setPlaceholderText(tr("Write down something about you"))
        self.field.setAccessibleName(tr("Write down something about you"))
        self.add.setText(tr("Add"))
        self.list.setAccessibleName(tr(TITLE))
        self.undo.retranslate()
        self._refresh()

    def _back(self) -> bool:
        if self.card is not None and self.card.writing:
            self.card.leave()
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
        frame.row(self.field, self.add, wide=self.field, spacing=8)
        frame.add(self.undo)

    def _connect(self) -> None:
        self.deeds.wanted.connect(self.wanted)
        self.deeds.changed.connect(self._refresh)
        self.switches.clicked.connect(self.settings_wanted)
        self.search.textChanged.connect(lambda _text: self._typing.start())
        self._typing.timeout.connect(self._refresh)
        self.add.clicked.connect(self._write)
        self.field.returnPressed.connect(self._write)
        self.list.chosen.connect(self._show_chosen)
        self.list.opened.connect(lambda _id: self._correct())
        self.list.dropped.connect(self._drop)
        self._unobserve = self._port.observe(self._refresh)
        bind(COMMANDS, self, {"find": self.search.setFocus})

    # What there is

    def _refresh(self) -> None:
        if self.isVisible():  # else it is read when it is shown
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        found = await self._port.facts(self.search.text())
        self._show([one for one in found if not self.deeds.hides(one)])

    def _show(self, facts: Sequence[Remembered]) -> None:
        self._facts = {one.id: one for one in facts}
        self.list.show_or_say([_entry(one) for one in facts], self.empty)
        self.empty.setText(
            tr("Nothing that I know has these words.")
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
            if one == self.card.one or (self.card.writing and one and one.id == self.card.one.id):
                return
            self._frame.box.removeWidget(self.card)
            self.card.hide()
            self.card.deleteLater()
            self.card = None
        if one is not None:
            self.card = MemoryCard(one, self._theme)
            self.deeds.serve(self.card)
            self._frame.box.insertWidget(self._at, self.card)

    # What the person does

    def _write(self) -> None:
        text = " ".join(self.field.text().split())
        if text:
            self._work.start_once("add", partial(self._add, text))

    async def _add(self, text: str) -> None:
        await self._port.add(text)
        self.field.clear()
        self.search.clear()
        await self._read()

    def _correct(self) -> None:
        if self.card is not None:
            self.card.write()

    def _drop(self, fact_id: str) -> None:
        one = self._facts.get(fact_id)
        if one is not None:
            self.deeds.forget(one)

    def _fail(self, error: KnownError) -> None:
        self.undo.tell(explain(error))


def _entry(one: Remembered) -> Entry:
    asked = one.rival is not None
    return Entry(
        one.id,
        one_line(printable(one.text)),
        tr("This contradicts something you said before.")
        if asked
        else about_words(one, kind=False),
        end=tr("Which is right?") if asked else "",
        sign="warning" if asked else "pinned" if one.pinned else "",
        whole=printable(one.text),
        loud=asked,
    )
