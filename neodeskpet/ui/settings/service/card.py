"""One service in the list: its state, name and address, a switch, and its form when opened."""

from __future__ import annotations

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

from neodeskpet.core.wording import N_
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog import Endpoint
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.label import ElidedLabel, PlainLabel, set_tip
from neodeskpet.ui.settings.controls import Switch
from neodeskpet.ui.settings.ports import Verdict
from neodeskpet.ui.theme import Theme, ui_font

PROTOCOL_NAMES = {
    "openai": N_("OpenAI-compatible"),
    "anthropic": "Anthropic",
    "gemini": "Google Gemini",
    "openai-responses": "OpenAI Responses",
}
_STATES = {
    Verdict.GOOD: ("✓", N_("works")),
    Verdict.FAULT: ("!", N_("works in text mode")),
    Verdict.FAILED: ("✕", N_("doesn't work")),
    None: ("", N_("not tested")),
}


class CardHead(QAbstractButton):
    """Opens and closes the card; Alt+↑ and Alt+↓ move it (`moved(by)`)."""

    moved = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setCheckable(True)
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


class ServiceCard(QFrame):
    """`opened(bool)`, `switched(bool)` and `moved(int)` tell what the person does."""

    opened = Signal(bool)
    switched = Signal(bool)
    moved = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._state: Verdict | None = None
        self.head = CardHead(theme)
        self.switch = Switch(theme)
        self.head.clicked.connect(self.opened)
        self.head.moved.connect(self.moved)
        self.switch.clicked.connect(self.switched)
        top = QHBoxLayout()
        top.setContentsMargins(2, 2, 12, 2)
        top.addWidget(self.head, 1)
        top.addWidget(self.switch)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self.body.addLayout(top)
        self.form: QWidget | None = None
        self.set_theme(theme)

    def show_endpoint(self, endpoint: Endpoint, models: int, state: Verdict | None) -> None:
        """What the closed card says."""
        self._state = state
        protocol = tr(PROTOCOL_NAMES.get(endpoint.protocol, endpoint.protocol))
        glyph, word = _STATES[state]
        count = tr("one model") if models == 1 else tr("{count} models", count=str(models))
        state_word = tr(word) if endpoint.on else tr("off")
        self.head.title.set_text(endpoint.name)
        self.head.about.set_text(" · ".join((protocol, count, state_word, endpoint.base_url)))
        sign = glyph if endpoint.on else "–"
        self.head.sign.setText(sign)
        self.head.sign.setVisible(bool(sign))  # an empty circle would look like a choice
        set_tip(self.head.sign, state_word)
        name = ", ".join((endpoint.name, protocol, endpoint.base_url, count, state_word))
        self.head.setAccessibleName(name)
        set_tip(self.head, endpoint.base_url)
        self.head.setAccessibleDescription(tr("Opens its form. Alt and the arrow keys move it."))
        self.switch.setChecked(endpoint.on)
        self.switch.setAccessibleName(tr("Use {name}", name=endpoint.name))
        self._colour()

    def set_form(self, form: QWidget | None) -> None:
        """Show `form` under the head; None closes the card."""
        if self.form is not None:
            self.body.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
        self.form = form
        self.head.setChecked(form is not None)
        if form is not None:
            self.body.addWidget(form)
            self._order_tabs(form)

    def _order_tabs(self, form: QWidget) -> None:
        """The Tab key goes from the head through the form, not through the other cards first."""
        stops: list[QWidget] = []
        one = form.nextInFocusChain()
        while one is not None and form.isAncestorOf(one):
            if one.focusPolicy() & Qt.FocusPolicy.TabFocus:
                stops.append(one)
            one = one.nextInFocusChain()
        before: QWidget = self.switch
        for stop in stops:
            QWidget.setTabOrder(before, stop)
            before = stop

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(
            f"ServiceCard {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-radius: {theme.card_radius}px; }}"
        )
        self.head.set_theme(theme)
        self.switch.set_theme(theme)
        self._colour()

    def _colour(self) -> None:
        t = self._theme
        colours = {Verdict.GOOD: t.done, Verdict.FAULT: t.asks, Verdict.FAILED: t.failed}
        colour = t.muted if self._state is None else colours.get(self._state, t.muted)
        self.head.sign.setStyleSheet(f"color: {colour};")
