"""The memories that a reply was given, with actions on them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.memory_cards import CARD_STYLE, MemoryActions, MemoryCard
from neodeskpet.ui.windows.memory_port import MemoryItem, MemoryPort
from neodeskpet.ui.windows.side_window import RefreshOnShow
from neodeskpet.ui.windows.window_geometry import CentredColumn, LeastSize, bring_to_front

TITLE = N_("Why did you say that?")
MIN_SIZE = (320, 320)


class ReplyReasonsWindow(QWidget):
    """`source_requested(MemorySource)`: the user wants to see a source."""

    source_requested = Signal(object)

    def __init__(self, theme: Theme, port: MemoryPort) -> None:
        super().__init__()
        self.setObjectName("why")
        LeastSize(self, MIN_SIZE)
        CentredColumn(self)
        self._theme = theme
        self._port = port
        self._message = ""
        self._items: list[MemoryItem] | None = None
        self._work = TaskRunner("why", failed=self._fail)
        self.heading = PlainLabel()
        self.heading.setProperty("heading", True)
        self.about = PlainLabel()
        self.about.setProperty("muted", True)
        self.about.setWordWrap(True)
        self.cards: list[MemoryCard] = []
        self.undo = UndoBar(theme)
        self.memory_actions = MemoryActions(port, self._work, self.undo, self)
        self.memory_actions.source_requested.connect(self.source_requested)
        self.memory_actions.changed.connect(self._read)
        self._lay_out()
        RefreshOnShow(self, gone=self.memory_actions.apply_pending, back=self._back)
        self.set_theme(theme)
        self.retranslate()
        self.resize(520, 560)

    def show_reasons(self, message_id: str) -> None:
        """Show the memories that this message was given, in front."""
        self._message = message_id
        self._items = None
        self._work.replace("show", self._open)

    def present(self) -> None:
        bring_to_front(self)

    async def aclose(self) -> None:
        """Carry out a pending deletion, and stop the window's tasks."""
        self.memory_actions.apply_pending()
        await self._work.wait_until_idle()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        apply_window_theme(
            self,
            theme,
            f"#why, #whyList, QScrollArea {{ background: {theme.window}; }}" + CARD_STYLE,
        )
        self.undo.set_theme(theme)
        for card in self.cards:
            card.set_theme(theme)

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.heading.setText(tr(TITLE))
        self.undo.retranslate()
        for card in self.cards:
            card.retranslate()
        self._explain()

    def _back(self) -> bool:
        written = next((card for card in self.cards if card.is_editing), None)
        if written is not None:
            written.stop_editing()
        return written is not None

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setObjectName("whyList")
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(0, 0, 8, 0)
        self._list.setSpacing(8)
        self._list.addStretch(1)
        self._area = QScrollArea()
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(inside)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(8)
        box.addWidget(self.heading)
        box.addWidget(self.about)
        box.addWidget(self._area, 1)
        box.addWidget(self.undo)

    async def _open(self) -> None:
        await self._load()
        self.present()

    def _read(self) -> None:
        self._work.replace("read", self._load)

    async def _load(self) -> None:
        self._items = await self._port.used_in_reply(self._message)
        self._show([one for one in self._items if not self.memory_actions.is_being_forgotten(one)])

    def _show(self, items: Sequence[MemoryItem]) -> None:
        """Update the cards; a correction being written is kept when another memory is forgotten
        meanwhile.
        """
        ids = {one.id for one in items}
        written = {card.item.id: card for card in self.cards if card.is_editing}
        for card in self.cards:
            self._list.removeWidget(card)
            if not (card.is_editing and card.item.id in ids):
                card.hide()
                card.deleteLater()
        self.cards = [written.get(one.id) or self._make_card(one) for one in items]
        for number, card in enumerate(self.cards):
            self._list.insertWidget(number, card)
        self._explain()

    def _make_card(self, one: MemoryItem) -> MemoryCard:
        card = MemoryCard(one, self._theme)
        self.memory_actions.connect_card(card)
        return card

    def _explain(self) -> None:
        if self._items is None:
            return
        if self.cards:
            self.about.setText(
                tr(
                    "Besides this conversation, the reply was given the following. It may or "
                    "may not have used it."
                )
            )
        else:
            self.about.setText(
                tr(
                    "The reply was given no memories: it is based on this conversation only. "
                    "(Memories forgotten since then aren't listed.)"
                )
            )

    def _fail(self, error: KnownError) -> None:
        self.undo.show_text(format_error(error))
        if not self.isVisible():
            self.present()
