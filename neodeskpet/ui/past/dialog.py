"""What an archive of ChatGPT or Claude holds: looked through, chosen from, and brought in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.conversation.past.intake import (
    Intake,
    PastStore,
    Preview,
    Taken,
    interrupted,
    last_taken,
)
from neodeskpet.conversation.past.reader import REASONS
from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import count_conversations, count_messages, explain, tr, tr_count
from neodeskpet.ui.past.choices import COUNT, DAY, TITLE, ChoiceList
from neodeskpet.ui.past.interrupted_bar import in_short, told_interrupted
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.label import PlainLabel, set_tip
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.work import Work

TakeBack = Callable[[Taken], Coroutine[Any, Any, None]]

_NAMED = 3
"""Of what was left out, so much is named; the tip names more."""
_IN_TIP = 40
_STEPS = 1000


class PastDialog(QDialog):
    """`taken(Taken)` tells what was brought in, also where it was stopped in between; `back(Taken)`
    takes it back. Closing it stops whatever it does.
    """

    taken = Signal(object)

    def __init__(
        self, theme: Theme, store: PastStore, path: Path, back: TakeBack, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._back = back
        self._last: Taken | None = None
        self._interrupted = False
        self.setObjectName("past")
        self.setMinimumSize(420, 380)
        self.resize(640, 560)
        self._path = path
        self._intake = Intake(store, path)
        self._work = Work("past", failed=self._fail, changed=self._show_state)
        self._looked = False
        self._failed = False
        self.heading = PlainLabel()
        self.heading.setProperty("heading", True)
        self.told = _muted()
        self.interrupted = PlainLabel()
        self.interrupted.setWordWrap(True)
        self.omitted = _muted()
        self.field = SearchField(theme)
        self.all, self.none = QPushButton(), QPushButton()
        self.choices = ChoiceList(self)
        self.list = QTreeView()
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.progress.setTextVisible(False)
        self.state = _muted()
        self.begin, self.stop, self.back = QPushButton(), QPushButton(), QPushButton()
        self._connect()
        self._lay_out()
        self.list.setStyleSheet(  # the boxes are drawn on this background
            f"QTreeView {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-radius: {theme.control_radius}px; padding: 4px; }}"
            f"QTreeView::item:disabled {{ color: {theme.muted}; }}"
            f"QHeaderView {{ background: {theme.surface}; }}"
            f"QHeaderView::section {{ background: {theme.surface}; color: {theme.muted};"
            f" border: none; border-bottom: 1px solid {theme.line}; padding: 4px 8px; }}"
        )
        self.retranslate()

    def look(self) -> None:
        """Begin to look through the archive."""
        self._work.start("look", self._look)

    async def finish(self) -> None:
        """Before the window goes: nothing runs any more."""
        await self._work.close()
        await self._intake.close()

    def retranslate(self) -> None:
        self.setWindowTitle(tr("Bring a past in"))
        self.heading.setText(tr("Bring a past in"))
        self.field.set_words(tr("Search in the titles"))
        self.all.setText(tr("All"))
        self.none.setText(tr("None"))
        self.list.setAccessibleName(tr("Conversations"))
        self._show_state()

    # Inside

    def _connect(self) -> None:
        self.list.setModel(self.choices)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        for column in (DAY, COUNT):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, 120)
        self.choices.chosen_changed.connect(self._show_state)
        self.field.textChanged.connect(self.choices.search)
        self.all.clicked.connect(lambda: self.choices.choose(True))
        self.none.clicked.connect(lambda: self.choices.choose(False))
        self.begin.clicked.connect(lambda: self._work.start_once("take", self._take))
        self.begin.setProperty("primary", True)
        self.stop.clicked.connect(self.reject)
        self.back.setProperty("quiet", True)
        self.back.clicked.connect(lambda: self._work.start_once("back", self._take_back))
        self.finished.connect(self._work.cancel)
        for button in (self.all, self.none, self.stop, self.back):
            button.setAutoDefault(False)

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.addWidget(self.field, 1)
        tools.addWidget(self.all)
        tools.addWidget(self.none)
        below = QHBoxLayout()
        below.addWidget(self.back)
        below.addWidget(self.state, 1)
        below.addWidget(self.stop)
        below.addWidget(self.begin)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(10)
        box.addWidget(self.heading)
        box.addWidget(self.told)
        box.addWidget(self.interrupted)
        box.addLayout(tools)
        box.addWidget(self.list, 1)
        box.addWidget(self.omitted)
        box.addWidget(self.progress)
        box.addLayout(below)

    async def _look(self) -> None:
        before = await interrupted(self._store)
        self._interrupted = bool(before)
        self._last = before[0] if before else await last_taken(self._store)
        self._show_state()
        preview = await self._intake.look(self._show_preview)
        self._looked = True
        self.choices.put(preview.choices)
        self._show_preview(preview)
        self._show_state()

    async def _take(self) -> None:
        wanted = [one.id for one in self.choices.chosen]
        try:
            await self._intake.take(wanted, self._show_taken)
        finally:
            if self._intake.taken.messages:
                self._last, self._interrupted = self._intake.taken, False
                self.taken.emit(self._intake.taken)
        self.accept()

    async def _take_back(self) -> None:
        """What came last, or before it was interrupted, and then look anew."""
        last, self._last = self._last, None
        if last is not None:
            await self._back(last)
        await self._intake.close()
        self._intake = Intake(self._store, self._path)
        self._looked = False
        self._show_state()
        await self._look()

    def _show_preview(self, preview: Preview) -> None:
        self.progress.setValue(round(preview.done * _STEPS))
        self.told.setText(_told(preview))
        lines = [
            tr("{name}: {text}", name=one.what, text=tr(REASONS.get(one.why, one.why)))
            for one in preview.omitted
        ]
        kinds = ", ".join(f"{kind} ({count})" for kind, count in preview.unknown.items())
        said = _omitted(lines)
        if kinds:
            said = " ".join((said, tr("Of unknown kinds only the text: {kinds}", kinds=kinds)))
        self.omitted.setText(said.strip())
        set_tip(self.omitted, "\n".join(lines[:_IN_TIP]))
        self.omitted.setVisible(bool(said))

    def _show_taken(self, taken: Taken) -> None:
        self.progress.setValue(round(taken.done * _STEPS))
        self.state.setText(
            tr_count(N_("{count} message so far"), N_("{count} messages so far"), taken.count)
        )

    def _show_state(self) -> None:
        busy = self._work.busy()
        chosen = len(self.choices.chosen)
        free = self._looked and not busy
        for part in (self.field, self.all, self.none, self.list):
            part.setEnabled(free)
        self.begin.setEnabled(free and chosen > 0)
        self.begin.setText(
            tr_count(
                N_("Bring in {count} conversation"), N_("Bring in {count} conversations"), chosen
            )
        )
        self.begin.setVisible(self._looked)
        self.back.setVisible(free and self._last is not None)
        self.back.setText(
            tr("Take it back") if self._interrupted else tr("Take back what came last")
        )
        going_on = self._work.busy("take")
        if self._interrupted and self._last is not None and not going_on:
            self.interrupted.setText(told_interrupted(self._last))
            self.interrupted.show()
        else:
            self.interrupted.hide()
        if self._last is not None:
            tip = tr_count(
                N_("{name}: {count} message"),
                N_("{name}: {count} messages"),
                self._last.count,
                name=self._last.name,
            )
            set_tip(self.back, tip)
        self.progress.setVisible(busy)
        self.stop.setText(tr("Stop") if busy else tr("Close"))
        if self._failed:
            return
        if busy and not self._looked:
            self.state.setText(tr("Looking through it…"))
        elif free:
            self.state.setText("" if chosen else tr("Nothing new is chosen."))

    def _fail(self, error: KnownError) -> None:
        self._failed = True
        self.state.setText(explain(error))


def _told(preview: Preview) -> str:
    said = tr(
        "{name}: {conversations}, {messages}; new: {new}",
        name=in_short(preview.name),
        conversations=count_conversations(len(preview.choices)),
        messages=count_messages(preview.messages),
        new=str(len(preview.new)),
    )
    if preview.span is None:
        return said
    first, last = (datetime.fromtimestamp(at).strftime("%Y-%m-%d") for at in preview.span)
    return f"{said}\n{first} – {last}"


def _omitted(lines: list[str]) -> str:
    if not lines:
        return ""
    named = "; ".join(lines[:_NAMED]) + (" …" if len(lines) > _NAMED else "")
    return tr("{count} left out: {named}", count=str(len(lines)), named=named)


def _muted() -> QLabel:
    label = PlainLabel()
    label.setProperty("muted", True)
    label.setWordWrap(True)
    return label
