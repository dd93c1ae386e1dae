"""Why an answer is what it is: what it was told of the past, and what can be done about that."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import explain, tr
from neodeskpet.ui.memory.card import CARD_SHEET, MemoryCard
from neodeskpet.ui.memory.deeds import Deeds
from neodeskpet.ui.memory.port import MemoryPort, Remembered
from neodeskpet.ui.theme import Theme, dress
from neodeskpet.ui.widgets.label import PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.place import bring_forward
from neodeskpet.ui.windows.presence import Presence
from neodeskpet.ui.work import Work

TITLE = N_("Why did you say that?")
LEAST = (320, 320)


class WhyWindow(QWidget):
    """`wanted(spot)`: the person wants to go to a source."""

    wanted = Signal(object)

    def __init__(self, theme: Theme, port: MemoryPort) -> None:
        super().__init__()
        self.setObjectName("why")
        self.setMinimumSize(*LEAST)
        self._theme = theme
        self._port = port
        self._message = ""
        self._told: list[Remembered] | None = None
        self._work = Work("why", failed=self._fail)
        self.heading = PlainLabel()
        self.heading.setProperty("heading", True)
        self.about = PlainLabel()
        self.about.setProperty("muted", True)
        self.about.setWordWrap(True)
        self.cards: list[MemoryCard] = []
        self.undo = UndoBar(theme)
        self.deeds = Deeds(port, self._work, self.undo, self)
        self.deeds.wanted.connect(self.wanted)
        self.deeds.changed.connect(self._read)
        self._lay_out()
        Presence(self, gone=self.deeds.carry_out, back=self._back)
        self.set_theme(theme)
        self.retranslate()
        self.resize(520, 560)

    def ask(self, message_id: str) -> None:
        """Show what this message was told, in front."""
        self._message = message_id
        self._told = None
        self._work.replace("show", self._open)

    def present(self) -> None:
        bring_forward(self)

    async def finish(self) -> None:
        """Before the window goes."""
        self.deeds.carry_out()
        await self._work.settled()
        await self._work.close()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        dress(
            self,
            theme,
            f"#why, #whyList, QScrollArea {{ background: {theme.window}; }}" + CARD_SHEET,
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
        written = next((card for card in self.cards if card.writing), None)
        if written is not None:
            written.leave()
        return written is not None

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setObjectName("whyList")
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(0, 0, 8, 0)
        self._list.setSpacing(8)
        self._list.addStretch(1)
        self._area = QScrollArea()
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
        self._told = await self._port.told(self._message)
        self._show([one for one in self._told if not self.deeds.hides(one)])

    def _show(self, told: Sequence[Remembered]) -> None:
        """Who is writing what is right goes on: another thing may be forgotten meanwhile."""
        ids = {one.id for one in told}
        written = {card.one.id: card for card in self.cards if card.writing}
        for card in self.cards:
            self._list.removeWidget(card)
            if not (card.writing and card.one.id in ids):
                card.hide()
                card.deleteLater()
        self.cards = [written.get(one.id) or self._make_card(one) for one in told]
        for number, card in enumerate(self.cards):
            self._list.insertWidget(number, card)
        self._explain()

    def _make_card(self, one: Remembered) -> MemoryCard:
        card = MemoryCard(one, self._theme)
        self.deeds.serve(card)
        return card

    def _explain(self) -> None:
        if self._told is None:
            return
        if self.cards:
            self.about.setText(
                tr(
                    "Besides this conversation the answer was told what follows. It may have used "
                    "it or not."
                )
            )
        else:
            self.about.setText(
                tr(
                    "The answer was told nothing of the past: it was written from this "
                    "conversation alone. (What was forgotten since isn't listed.)"
                )
            )

    def _fail(self, error: KnownError) -> None:
        self.undo.tell(explain(error))
        if not self.isVisible():
            self.present()
