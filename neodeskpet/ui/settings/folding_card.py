"""A card that can be opened. Its header has a state, a title and a description."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, Literal, TypeVar

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.accessible import mark_as_fold
from neodeskpet.ui.widgets.controls import Switch
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel

Colour = Literal["done", "asks", "failed", "muted"]
"""A colour of the theme."""


C = TypeVar("C", bound="FoldingCard")


class FoldingCardHeader(QAbstractButton):
    """Opens and closes the card; Alt+↑ and Alt+↓ move it (`moved(by)`)."""

    moved = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setCheckable(True)
        mark_as_fold(self)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.sign = PlainLabel()
        self.title = ElidedLabel()
        self.about = ElidedLabel()
        self.about.setProperty("muted", True)
        self.arrow = PlainLabel()
        self.sign.setFixedWidth(16)
        self.sign.setAlignment(Qt.AlignmentFlag.AlignCenter)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.about)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 10, 8, 10)
        line.setSpacing(10)
        line.addWidget(self.sign)
        line.addLayout(words, 1)
        line.addWidget(self.arrow)
        for label in (self.sign, self.title, self.about, self.arrow):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.toggled.connect(lambda _: self._point())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.title.setFont(ui_font(theme, bold=True))
        self.about.setFont(ui_font(theme, theme.small_px))
        self._point()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.moved.emit(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = self._theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
            if self.hasFocus():
                painter.setPen(QColor(t.accent))
                painter.drawRoundedRect(area, t.control_radius, t.control_radius)
            elif self.underMouse():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(t.hover))
                painter.drawRoundedRect(area, t.control_radius, t.control_radius)

    def _point(self) -> None:
        name = "chevron-down" if self.isChecked() else "chevron-right"
        colour, ratio = QColor(self._theme.muted), self.devicePixelRatioF()
        self.arrow.setPixmap(pixmap(name, colour, 16, ratio))


class FoldingCard(QFrame):
    """`opened(bool)`: the user wants it open or closed. `switch` is shown beside the header."""

    opened = Signal(bool)

    def __init__(self, theme: Theme, switch: Switch | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._colour: Colour = "muted"
        self._switch = switch
        self._inside: QWidget | None = None
        self.head = FoldingCardHeader(theme)
        self.head.clicked.connect(self.opened)
        top = QHBoxLayout()
        top.setContentsMargins(2, 2, 2, 2)
        top.addWidget(self.head, 1)
        if switch is not None:
            top.setContentsMargins(2, 2, 12, 2)
            top.addWidget(switch)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self._box.addLayout(top)
        self.set_theme(theme)

    def set_state_icon(self, sign: str, colour: Colour) -> None:
        self._colour = colour
        self.head.sign.setText(sign)
        self._paint_sign()

    def set_content(self, inside: QWidget | None) -> None:
        """Show `inside` under the header; None closes the card."""
        if self._inside is not None:
            self._box.removeWidget(self._inside)
            self._inside.hide()
            self._inside.deleteLater()
        self._inside = inside
        self.head.setChecked(inside is not None)
        if inside is not None:
            self._box.addWidget(inside)
            self._order_tabs(inside)

    def set_theme(self, theme: Theme) -> None:
        """Set the theme of the card. Its owner sets the theme of the content."""
        self._theme = theme
        self.setStyleSheet(
            f"FoldingCard {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-radius: {theme.card_radius}px; }}"
        )
        self.head.set_theme(theme)
        if self._switch is not None:
            self._switch.set_theme(theme)
        self._paint_sign()

    def _paint_sign(self) -> None:
        self.head.sign.setStyleSheet(f"color: {getattr(self._theme, self._colour)};")

    def _order_tabs(self, inside: QWidget) -> None:
        """Put the content of the card after its header in the tab order, before the other cards."""
        stops: list[QWidget] = []
        one = inside.nextInFocusChain()
        while one is not None and inside.isAncestorOf(one):
            if one.focusPolicy() & Qt.FocusPolicy.TabFocus:
                stops.append(one)
            one = one.nextInFocusChain()
        before: QWidget = self._switch or self.head
        for stop in stops:
            QWidget.setTabOrder(before, stop)
            before = stop


class FoldingCardList(Generic[C]):
    """Cards by name, one below the other in `box`. `make(name)` creates a card."""

    def __init__(self, make: Callable[[str], C]) -> None:
        self._make = make
        self.cards: dict[str, C] = {}
        self.box = QVBoxLayout()
        self.box.setSpacing(8)

    def keep(self, names: Iterable[str]) -> None:
        """Create and delete cards so that there is one for each of `names`, in this order."""
        wanted = list(names)
        for name in self.cards.keys() - set(wanted):
            card = self.cards.pop(name)
            self.box.removeWidget(card)
            card.hide()
            card.deleteLater()
        for at, name in enumerate(wanted):
            if name not in self.cards:
                self.cards[name] = self._make(name)
            card = self.cards[name]
            if self.box.indexOf(card) != at:
                self.box.removeWidget(card)
                self.box.insertWidget(at, card)

    def search(self, query: str, *, whole: bool) -> None:
        """Show the cards whose names contain `query`; all of them if the `whole` page matches."""
        for name, card in self.cards.items():
            card.setVisible(whole or query.casefold() in name.casefold())

    def set_theme(self, theme: Theme) -> None:
        for card in self.cards.values():
            card.set_theme(theme)
