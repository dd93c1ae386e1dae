"""Shows a memory as a card, and handles the user's actions: correct, pin, forget, undo."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout

from neodeskpet.language import tr
from neodeskpet.ui.formatting import format_day, printable, single_line
from neodeskpet.ui.task_runner import CoroutineFactory, TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.memory_port import MemoryItem, MemoryKind, MemoryPort, MemorySource

CARD_STYLE = 'MemoryCard QPushButton[quiet="true"] { padding: 2px 6px; margin-left: -7px; }'
"""Style of cards in a window: quiet buttons are aligned with the text."""
_MAX_SHOWN = 700
"""Maximum characters shown of a text; its source has the rest."""
_MAX_SOURCES = 3
_FIELD = 84


class MemoryCard(QFrame):
    """Signals: `source_requested(MemorySource)`, `corrected(text)`, `pin_requested(bool)`,
    `forget_requested()`, `decided(bool)`: this one is right, or the other; `keep_both_requested()`.
    """

    source_requested = Signal(object)
    corrected = Signal(str)
    pin_requested = Signal(bool)
    forget_requested = Signal()
    decided = Signal(bool)
    keep_both_requested = Signal()

    def __init__(self, one: MemoryItem, theme: Theme) -> None:
        super().__init__()
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.item = one
        self.about = PlainLabel()
        self.about.setProperty("muted", True)
        self.about.setWordWrap(True)
        self.text = PlainLabel()
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.field = QPlainTextEdit()
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(_FIELD)
        self.field.hide()
        self.conflict = PlainLabel()
        self.conflict.setWordWrap(True)
        self.newer_button, self.older_button, self.keep_both_button = (
            QPushButton(),
            QPushButton(),
            QPushButton(),
        )
        self.source_buttons = [QPushButton() for _ in one.sources[:_MAX_SOURCES]]
        self.correct, self.pin, self.forget = QPushButton(), QPushButton(), QPushButton()
        self.save, self.cancel = QPushButton(), QPushButton()
        self.save.setProperty("primary", True)
        for button in (*self.source_buttons, self.correct, self.pin, self.forget):
            button.setProperty("quiet", True)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.retranslate()

    def _lay_out(self) -> None:
        asks = _row(self.newer_button, self.older_button, self.keep_both_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(12, 10, 12, 8)
        box.setSpacing(6)
        box.addWidget(self.about)
        box.addWidget(self.text)
        box.addWidget(self.field)
        box.addWidget(self.conflict)
        box.addLayout(asks)
        box.addLayout(_row(self.save, self.cancel))
        for button in self.source_buttons:
            box.addLayout(_row(button))
        box.addLayout(_row(self.correct, self.pin, self.forget))
        asked = self.item.contradicted is not None
        for part in (self.conflict, self.newer_button, self.older_button, self.keep_both_button):
            part.setVisible(asked)
        for part in (self.save, self.cancel):
            part.hide()
        for part in (self.correct, self.pin):
            part.setVisible(self.item.kind is not MemoryKind.DOCUMENT)

    def _connect(self) -> None:
        for button, spot in zip(self.source_buttons, self.item.sources, strict=False):
            button.clicked.connect(lambda _=False, spot=spot: self.source_requested.emit(spot))
        self.correct.clicked.connect(self.start_editing)
        self.save.clicked.connect(self._keep)
        self.cancel.clicked.connect(self.stop_editing)
        self.pin.clicked.connect(lambda: self.pin_requested.emit(not self.item.pinned))
        self.forget.clicked.connect(self.forget_requested)
        self.newer_button.clicked.connect(lambda: self.decided.emit(True))
        self.older_button.clicked.connect(lambda: self.decided.emit(False))
        self.keep_both_button.clicked.connect(self.keep_both_requested)

    @property
    def is_editing(self) -> bool:
        return not self.field.isHidden()

    def start_editing(self) -> None:
        """Show the field for a correction."""
        self.field.setPlainText(self.item.text)
        self._turn(writing=True)
        self.field.setFocus()
        self.field.selectAll()

    def stop_editing(self) -> None:
        """Close the field without a change."""
        self._turn(writing=False)
        self.correct.setFocus()

    def _keep(self) -> None:
        text = self.field.toPlainText().strip()
        if text and text != self.item.text:
            self.corrected.emit(text)
        self.stop_editing()

    def _turn(self, *, writing: bool) -> None:
        self.text.setVisible(not writing)
        for part in (self.field, self.save, self.cancel):
            part.setVisible(writing)
        for button in (self.correct, self.pin, self.forget):
            button.setEnabled(not writing)

    def set_theme(self, theme: Theme) -> None:
        self.conflict.setStyleSheet(f"color: {theme.asks};")

    def retranslate(self) -> None:
        one = self.item
        text = printable(one.text)
        self.text.setText(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…")
        self.about.setText(about_text(one))
        for button, spot in zip(self.source_buttons, one.sources, strict=False):
            button.setText(source_text(spot))
        self.correct.setText(tr("Correct…"))
        self.pin.setText(tr("Unpin") if one.pinned else tr("Pin"))
        set_tooltip(
            self.pin, tr("Pinned memories are used first, and kept longer than the set time.")
        )
        self.forget.setText(tr("Forget"))
        set_tooltip(self.forget, forget_tooltip(one))
        self.save.setText(tr("Save"))
        self.cancel.setText(tr("Cancel"))
        self.field.setAccessibleName(tr("Correct text"))
        if one.contradicted is not None:
            other = single_line(printable(one.contradicted.text), 160)
            self.conflict.setText(tr("Before that you said: “{text}”. Which is right?", text=other))
        self.newer_button.setText(tr("The newer one"))
        self.older_button.setText(tr("The older one"))
        self.keep_both_button.setText(tr("Both"))


def about_text(one: MemoryItem, *, kind: bool = True) -> str:
    """Return who said it (if `kind`) and when, and what was done with it."""
    kinds = {
        MemoryKind.USER: tr("You said"),
        MemoryKind.COMPANION: tr("I said"),
        MemoryKind.TOOL: tr("From a tool: {name}", name=one.source),
        MemoryKind.DOCUMENT: tr("From your documents: {name}", name=one.source),
        MemoryKind.FACT: tr("A fact about you"),
    }
    words = [kinds[one.kind]] if kind else []
    if one.kind is not MemoryKind.DOCUMENT:
        words.append(format_day(one.time.timestamp(), time.time()))
    if one.pinned:
        words.append(tr("pinned"))
    if one.corrected:
        words.append(
            tr("written by you") if one.kind is MemoryKind.FACT else tr("corrected by you")
        )
    if one.is_unverified_remote:
        words.append(tr("from another computer"))
    return printable(" · ".join(words))


def source_text(spot: MemorySource) -> str:
    title = single_line(printable(spot.title), 40)
    if spot.document:
        return tr("Read it in “{title}” →", title=title)
    return tr("Go to “{title}” →", title=title) if title else tr("Go to the message →")


def forget_tooltip(one: MemoryItem) -> str:
    if one.kind is MemoryKind.FACT:
        return tr("Forgets this fact permanently. It doesn't become a fact again.")
    if one.kind is MemoryKind.DOCUMENT:
        return tr("Forgets this passage permanently. The file is not changed.")
    return tr("Forgets it permanently: the message is deleted from its conversation too.")


def _row(*buttons: QPushButton) -> QHBoxLayout:
    line = QHBoxLayout()
    line.setSpacing(6)
    for button in buttons:
        line.addWidget(button)
    line.addStretch(1)
    return line


UNDO_MS = 6_000


class MemoryActions(QObject):
    """Signals: `changed()`: reload the memories; `source_requested(MemorySource)`: the user wants
    to see the source.
    """

    changed = Signal()
    source_requested = Signal(object)

    def __init__(self, port: MemoryPort, work: TaskRunner, undo: UndoBar, parent: QObject) -> None:
        super().__init__(parent)
        self._port = port
        self._work = work
        self._undo = undo
        self._waits: MemoryItem | None = None
        self._timer = QTimer(self, singleShot=True, interval=UNDO_MS)
        self._timer.timeout.connect(self.apply_pending)

    def connect_card(self, card: MemoryCard) -> None:
        """Connect the actions of this card."""
        one, port = card.item, self._port
        card.source_requested.connect(self.source_requested)
        card.corrected.connect(lambda text: self._do(partial(port.correct, one, text)))
        card.pin_requested.connect(lambda on: self._do(partial(port.pin, one, on)))
        card.forget_requested.connect(lambda: self.forget(one))
        card.keep_both_requested.connect(lambda: self._do(partial(port.keep_both, one)))
        rival = one.contradicted
        if rival is not None:
            card.decided.connect(
                lambda newer: self._do(
                    partial(port.resolve_conflict, one, rival)
                    if newer
                    else partial(port.resolve_conflict, rival, one)
                )
            )

    def is_being_forgotten(self, one: MemoryItem) -> bool:
        """Whether it is about to be forgotten."""
        return self._waits is not None and self._waits.id == one.id

    def forget(self, one: MemoryItem) -> None:
        """Forget this after a delay in which it can be undone."""
        self.apply_pending()
        self._waits = one
        words = tr("Forgotten: “{text}”.", text=single_line(printable(one.text), 60))
        self._undo.show_undo(words, self._take_back)
        self._timer.start()
        self.changed.emit()

    def apply_pending(self) -> None:
        """Carry out the pending deletion now."""
        one, self._waits = self._waits, None
        self._timer.stop()
        if one is not None:
            self._undo.clear()
            self._work.start("forget", partial(self._forget, one))

    def _take_back(self) -> None:
        self._timer.stop()
        self._waits = None
        self.changed.emit()

    async def _forget(self, one: MemoryItem) -> None:
        messages = await self._port.forget(one)
        self.changed.emit()
        if messages and self._waits is None:
            self._undo.show_undo(
                tr("The fact is forgotten; your message is still in the conversation."),
                partial(self._forget_messages, messages),
                tr("Forget that too"),
            )

    def _forget_messages(self, messages: Sequence[str]) -> None:
        self._do(partial(self._port.forget_messages, messages))

    def _do(self, begin: CoroutineFactory) -> None:
        async def done() -> None:
            await begin()
            self.changed.emit()

        self._work.start("change", done)
