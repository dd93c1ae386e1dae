"""The next timer as a large ring with the time that is left, and buttons to pause, extend and stop
it.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.notebook.timers import Repeat, Timer
from neodeskpet.ui.formatting import format_countdown, format_due_time, format_repeat
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.entry_list import RingShape, paint_ring
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel, set_tooltip

_SIDE, _LEAST_SIDE, _WIDTH, _FONT = 148, 56, 9, 24
"""Size of the ring, its size in a low window, width of its line, and size of the text in it."""
_INSET, _LEAST_FONT = 3, 9
"""The least distance of the text from the line, and the least size of the text."""
PAUSE, EXTEND, STOP = "pause", "extend", "cancel"
SNOOZE_SECONDS = 300.0
"""The time that is added to a timer, whether it rings or not."""
_PADDING = 42
"""The width of the padding, border and gap of a button with icon and text."""
_ICONS = {PAUSE: "pause", EXTEND: "later", STOP: "stop"}


def timer_title(timer: Timer) -> str:
    return " ".join(timer.label.split()) or tr("Timer")


def timer_detail(timer: Timer, now: float) -> str:
    """Return when a timer rings: "rings at 16:34 · Every day", "paused"."""
    if timer.is_paused:
        return tr("paused")
    words = N_("rings since {time}") if timer.rings(now) else N_("rings at {time}")
    detail = tr(words, time=format_due_time(timer.due, now))
    if timer.repeat is Repeat.ONCE:
        return detail
    return f"{detail} · {format_repeat(timer.repeat)}"


def timer_ring(timer: Timer, now: float, side: int) -> RingShape:
    """Return the ring of a timer in a list."""
    text = format_countdown(timer.seconds_left(now), short=True)
    return RingShape(timer.share_left(now), text, side, paused=timer.is_paused)


class _Ring(QWidget):
    """The painted ring."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shape = RingShape(0.0, "", _SIDE)
        self._rings = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Maximum)

    def show_shape(self, shape: RingShape, *, rings: bool) -> None:
        if (shape, rings) != (self._shape, self._rings):
            self._shape, self._rings = shape, rings
            self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        side = scale_to_font(_SIDE, self._theme)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        side = scale_to_font(_LEAST_SIDE, self._theme)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = self._theme
        side = min(self.width(), self.height())
        square = QRect(0, 0, side, side)
        square.moveCenter(self.rect().center())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            width = max(3, round(_WIDTH * side / _SIDE))
            paint_ring(painter, square, self._shape, t, width, rings=self._rings)
            painter.setFont(self._fitting_font(side - 2 * (width + _INSET)))
            painter.setPen(QColor(t.asks if self._rings else t.text))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._shape.text)

    def _fitting_font(self, room: int) -> QFont:
        """Return the font of the text, smaller than the other texts where the ring is low."""
        size = max(self._theme.small_px, round(_FONT * min(self.width(), self.height()) / _SIDE))
        font = ui_font(self._theme, size, bold=True)
        wide = QFontMetrics(font).horizontalAdvance(self._shape.text)
        if wide <= room:
            return font
        return ui_font(self._theme, max(_LEAST_FONT, size * room // wide), bold=True)


class NextTimer(QWidget):
    """Hidden while there is no timer. `action_requested(action, timer id)`: PAUSE (which resumes a
    paused timer), EXTEND, STOP, or "done" for one that rings.
    """

    action_requested = Signal(str, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._timer: Timer | None = None
        self._signs: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._ring = _Ring(theme)
        self._ring.setObjectName("ring")
        self.title, self.detail = ElidedLabel(), PlainLabel()
        for label in (self.title, self.detail):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.title.setProperty("heading", True)
        self.detail.setProperty("muted", True)
        self.buttons = {action: QPushButton() for action in (PAUSE, EXTEND, STOP)}
        line = QHBoxLayout()
        line.addStretch(1)
        for action, button in self.buttons.items():
            button.clicked.connect(partial(self._press, action))
            line.addWidget(button)
        line.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 4, 0, 8)
        box.setSpacing(4)
        box.addWidget(self._ring, 0, Qt.AlignmentFlag.AlignHCenter)
        box.addWidget(self.title)
        box.addWidget(self.detail)
        box.addLayout(line)
        self.hide()
        self.set_theme(theme)

    def show_timer(self, timer: Timer | None, now: float) -> None:
        """Show this timer; None hides the ring."""
        self._timer = timer
        self.setVisible(timer is not None)
        if timer is None:
            return
        rings = timer.rings(now)
        left = format_countdown(timer.seconds_left(now))
        self._ring.show_shape(
            RingShape(timer.share_left(now), left, _SIDE, paused=timer.is_paused), rings=rings
        )
        title, detail = timer_title(timer), timer_detail(timer, now)
        # Only if it changed: this is called each second.
        if self.title.full_text() != title:
            self.title.set_text(title)
        if self.detail.text() != detail:
            self.detail.setText(detail)
        self._ring.setAccessibleName(title)
        self._ring.setAccessibleDescription(f"{left}, {detail}")
        stop = timer.repeat is not Repeat.ONCE
        self.buttons[PAUSE].setVisible(not stop or rings)
        self.buttons[EXTEND].setVisible(not stop or rings)
        words = tr("Pause")
        if rings:
            words = tr("Done")
        elif timer.is_paused:
            words = tr("Resume")
        self._names = {
            PAUSE: words,
            EXTEND: tr("+{minutes} min", minutes=str(round(SNOOZE_SECONDS / 60))),
            STOP: tr("Stop"),
        }
        self._name(PAUSE, "check" if rings else "play" if timer.is_paused else "pause")
        self._name(EXTEND, "later")
        self._name(STOP, "stop")
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._ring.set_theme(theme)
        for action, button in self.buttons.items():
            sign = self._signs.get(action, _ICONS[action])
            button.setIcon(icon(sign, QColor(theme.text), scale_to_font(14, theme)))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        # Without room for the texts, the buttons show only their icons.
        return QSize(1, super().minimumSizeHint().height())

    def _fit(self) -> None:
        """Show texts beside the icons of the buttons if there is room for all."""
        shown = {
            action: button
            for action, button in self.buttons.items()
            if action in self._names and not button.isHidden()
        }
        side = scale_to_font(14, self._theme)
        needed = sum(
            button.fontMetrics().horizontalAdvance(self._names[action]) + side + _PADDING
            for action, button in shown.items()
        )
        fits = needed <= self.width()
        for action, words in self._names.items():
            button, text = self.buttons[action], words if fits else ""
            if button.text() != text:
                button.setText(text)
            set_tooltip(button, "" if fits else words)

    def _name(self, action: str, sign: str) -> None:
        button = self.buttons[action]
        name = tr("Next timer: {action}", action=self._names[action])
        if button.accessibleName() != name:
            button.setAccessibleName(name)
        if self._signs.get(action) != sign:
            self._signs[action] = sign
            button.setIcon(icon(sign, QColor(self._theme.text), scale_to_font(14, self._theme)))

    def _press(self, action: str) -> None:
        if self._timer is not None:
            self.action_requested.emit(action, self._timer.id)
