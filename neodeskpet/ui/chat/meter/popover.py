"""What the context meter tells when it is pressed: how full the context is, what of the
conversation the model didn't read and why, and what it has cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.spending.sums import CostSum
from neodeskpet.language import tr
from neodeskpet.ui.spending.words import format_sum
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.label import PlainLabel

_WIDTH = 380
_DISTANCE = 4


@dataclass(frozen=True, slots=True)
class ContextMeterContent:
    """What is shown: `context` in a sentence; of the last request what was `missing` in it and what
    was brought `in` (None where nothing is known of it any more); what the conversation came to;
    and a `budget`'s state, "" for none.
    """

    context: str
    omissions: Sequence[str] | None
    additions: Sequence[str]
    spent: CostSum
    budget: str = ""

    def lines(self) -> list[tuple[str, bool]]:
        """From top to bottom; a heading is True."""
        said = [(tr("Context"), True), (self.context, False)]
        if self.omissions is None:
            said.append(
                (tr("What was left out is known of answers that came since the app began."), False)
            )
        else:
            said.append((tr("Left out of the last request"), True))
            said += [(f"• {one}", False) for one in self.omissions] or [
                (tr("Nothing: the model read the whole conversation."), False)
            ]
        if self.additions:
            said.append((tr("Told beside the messages"), True))
            said += [(f"• {one}", False) for one in self.additions]
        said.append((tr("This conversation"), True))
        said.append((format_sum(self.spent) if self.spent.requests else tr("Nothing yet."), False))
        if self.budget:
            said.append((self.budget, False))
        return said


class ContextMeterPopover(QFrame):
    """Signals: `turn_report_requested()`: what happened in the last turn; `costs_requested()`: the
    month."""

    turn_report_requested = Signal()
    costs_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("meter")
        self._theme = theme
        self._lines: list[PlainLabel] = []
        self._inner = QVBoxLayout()
        self._inner.setSpacing(4)
        self.account, self.costs = QPushButton(), QPushButton()
        self.account.clicked.connect(self._ask_account)
        self.costs.clicked.connect(self._ask_costs)
        below = QVBoxLayout()  # one above the other: their words are long in large letters
        below.setSpacing(6)
        below.addWidget(self.account)
        below.addWidget(self.costs)
        box = QVBoxLayout(self)
        box.setContentsMargins(14, 12, 14, 12)
        box.setSpacing(10)
        box.addLayout(self._inner)
        box.addLayout(below)
        self.set_theme(theme)
        self.retranslate()

    def open_under(self, anchor: QWidget, told: ContextMeterContent, *, account: bool) -> None:
        """Show it below `anchor`; `account`: there is a last turn to be looked at."""
        for label in self._lines:
            self._inner.removeWidget(label)
            label.deleteLater()
        self._lines = [self._line(text, heading) for text, heading in told.lines()]
        self.setAccessibleName("\n".join(label.text() for label in self._lines))
        self.account.setEnabled(account)
        self.setFixedWidth(scale_to_font(_WIDTH, self._theme))
        self.adjustSize()
        corner = anchor.mapToGlobal(
            QPoint(anchor.width() - self.width(), anchor.height() + _DISTANCE)
        )
        screen = anchor.screen().availableGeometry()
        corner.setX(max(screen.left(), corner.x()))
        self.move(corner)
        self.show()
        self.costs.setFocus()

    def texts(self) -> list[str]:
        """What stands there, from top to bottom."""
        return [label.text() for label in self._lines]

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        apply_window_theme(
            self,
            theme,
            f"#meter {{ background: {theme.surface}; border: 1px solid {theme.control_line}; }}",
        )

    def retranslate(self) -> None:
        self.account.setText(tr("What happened in the last turn"))
        self.costs.setText(tr("Costs of the month"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _line(self, text: str, heading: bool) -> PlainLabel:
        label = PlainLabel(text)
        label.setWordWrap(True)
        label.setFont(ui_font(self._theme, self._theme.small_px + 1, bold=heading))
        if heading and self._inner.count():
            label.setContentsMargins(0, scale_to_font(6, self._theme), 0, 0)
        self._inner.addWidget(label)
        return label

    def _ask_account(self) -> None:
        self.close()
        self.turn_report_requested.emit()

    def _ask_costs(self) -> None:
        self.close()
        self.costs_requested.emit()
