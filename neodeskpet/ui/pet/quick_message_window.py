"""The input line beside the companion for a single message, placed so that it covers neither the
face nor the bubble nor a window of the app. A label tells what Enter will do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainterPath, QRegion, QResizeEvent, QShowEvent, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout

from neodeskpet.core.i18n import N_
from neodeskpet.core.schedule.parsing.time_finder import find_time
from neodeskpet.core.schedule.parsing.time_parser import ParsedTime
from neodeskpet.core.schedule.rule import Once, next_run
from neodeskpet.core.schedule.vocabulary import LONGEST_DURATION
from neodeskpet.language import tr
from neodeskpet.llm.offline.rules.timer_rules import label_of
from neodeskpet.ui.chat.composer.attachment_strip import Attachment
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.pet.screen_geometry import bubble_position
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip
from neodeskpet.ui.widgets.tab_order import ReadingOrderWindow
from neodeskpet.ui.windows.window_geometry import bring_to_front

_GAP = 12
_MARGIN = 24


_LONGEST = 80
_MOST_LABEL_WORDS, _MOST_LABEL_CHARACTERS = 4, 24
_QUESTION = re.compile(
    r"[?？]|^(?:what|why|how|who|when|where|which|is|are|do|does|did|can|could|should|would|will)\b"
    r"|吗|什么|怎么|为什么|多少|哪|谁",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SpokenTimer:
    """`due` in Unix seconds; `label` is "" if only the time was given."""

    due: float
    label: str


def read_timer(sentence: str, now: float, zone: tzinfo) -> SpokenTimer | None:
    """Return the timer that a sentence asks for; None if it could mean anything else."""
    text = sentence.strip()
    if not text or len(text) > _LONGEST or "\n" in text or _QUESTION.search(text):
        return None
    found = find_time(text, now, zone, bare=True)
    reading = found.reading
    if found.unused or not isinstance(reading, ParsedTime) or not isinstance(reading.rule, Once):
        return None
    due = next_run(reading.rule, now, zone, reading.until)
    if due is None or not 0.0 < due - now <= LONGEST_DURATION.total_seconds():
        return None
    label = label_of(*found.rest)
    if len(label.split()) > _MOST_LABEL_WORDS or len(label) > _MOST_LABEL_CHARACTERS:
        return None
    return SpokenTimer(due, label)


def quick_message_position(
    size: QSize,
    figure: QRect,
    head: QRect,
    mouth: QPoint,
    bubble: QRect,
    screen: QRect,
    windows: Sequence[QRect] = (),
) -> QRect:
    """Return the position: always on the screen; over the body if there is no room beside it. If
    nothing is free, it covers the app's `windows` and the bubble rather than the face.
    """
    spots = [spot for spot in _free_positions(size, figure, screen) if not spot.intersects(head)]
    free = [spot for spot in spots if not spot.intersects(bubble)]
    clear = [spot for spot in free if not any(spot.intersects(one) for one in windows)]
    if clear or free or spots:
        return (clear or free or spots)[0]
    return bubble_position(size, figure, mouth, screen, head=head, covered=[bubble]).body


def position_when_hidden(size: QSize, screen: QRect) -> QRect:
    """Return the position while the companion is hidden: centred near the lower edge."""
    left = screen.left() + (screen.width() - size.width()) // 2
    return QRect(QPoint(left, screen.bottom() + 1 - _MARGIN - size.height()), size)


def _free_positions(size: QSize, figure: QRect, screen: QRect) -> Iterator[QRect]:
    """Yield the positions entirely on the screen, the best first: below the feet, above the head,
    beside the feet, over the body.
    """
    width, height = size.width(), size.height()
    feet = min(figure.bottom(), screen.bottom()) + 1
    middle = figure.center().x() - width // 2
    inside = max(screen.left(), min(middle, screen.right() + 1 - width))
    left = figure.left() - _GAP - width
    right = figure.right() + 1 + _GAP
    sides = [left, right]
    if figure.left() - screen.left() < screen.right() - figure.right():
        sides.reverse()
    corners = (
        QPoint(inside, figure.bottom() + 1 + _GAP),
        QPoint(inside, figure.top() - _GAP - height),
        *(QPoint(side, feet - height) for side in sides),
        QPoint(inside, feet - height),
    )
    for corner in corners:
        spot = QRect(corner, size)
        if screen.contains(spot):
            yield spot


TITLE = N_("Say something – NeoDeskPet")
_WIDTH, _HEIGHT = 320, 44
_LINES_MARGIN = 6
"""The space above and below a text of several lines."""
_CLOSES_MS = 30_000


class QuickMessageWindow(ReadingOrderWindow):
    """Signals: `submitted(text, attachments)` on Enter. `timer_requested(SpokenTimer)` on Enter
    while the label says that it sets a timer. `chat_requested` on Ctrl+Enter, after the message.
    `menu_requested` on the Down key in the empty line. `size_changed` when its preferred height
    changed or it was shown.

    Esc closes it and keeps the text. It also closes when another window is used, or after half a
    minute without text.

    `read_timer` reads a sentence as a timer; Tab switches between the timer and a message.
    """

    submitted = Signal(str, list)
    timer_requested = Signal(object)
    chat_requested = Signal()
    menu_requested = Signal()
    size_changed = Signal()

    def __init__(
        self,
        theme: Theme,
        read_timer: Callable[[str], SpokenTimer | None] = lambda _text: None,
        format_time: Callable[[float], str] = str,
    ) -> None:
        super().__init__(
            None,
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint,
        )
        self.setObjectName("sayLine")
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._theme = theme
        self._read_timer = read_timer
        self._format_time = format_time
        self._timer: SpokenTimer | None = None
        self._as_message = False
        self._opens_chat = False
        self._decided: SpokenTimer | None = None
        self._cut_out = False
        self.composer = Composer(theme, inside=True)
        self.pill = PlainLabel()
        self.pill.setObjectName("sayPill")
        self.pill.hide()
        self.composer.embed(self.pill)
        frame = QFrame()
        frame.setObjectName("sayFrame")
        self._inner = inner = QVBoxLayout(frame)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.composer)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(frame)
        self._box = box
        self._fit = QTimer(self, singleShot=True, interval=0)
        self._fit.timeout.connect(self.size_changed)
        self._closing = QTimer(self, singleShot=True, interval=_CLOSES_MS)
        self._closing.timeout.connect(self._close_unused)
        self.composer.field.escaped.connect(self.hide)
        self.composer.field.height_changed.connect(self._set_margins)
        self.composer.field.height_changed.connect(self._fit.start)
        self.composer.attachments.changed.connect(self._fit.start)
        self.composer.sending.connect(self._decide)
        self.composer.submitted.connect(self._submit)
        self.composer.draft_changed.connect(self._on_written)
        self.composer.field.installEventFilter(self)
        self.set_theme(theme)
        self.retranslate()

    def present(self) -> None:
        """Show the line with the focus in it."""
        self.size_changed.emit()
        bring_to_front(self)
        self.composer.field.setFocus()
        self._closing.start()

    def preferred_size(self, screen: QRect) -> QSize:
        """Return its size on this screen."""
        width = min(scale_to_font(_WIDTH, self._theme), screen.width())
        self._box.activate()
        height = max(self._box.sizeHint().height(), scale_to_font(_HEIGHT, self._theme))
        return QSize(width, min(height, screen.height()))

    def _set_margins(self) -> None:
        """Keep a text of several lines away from the round corners."""
        field = self.composer.field
        has_lines = field.minimumHeight() > 1.5 * field.fontMetrics().lineSpacing()
        above = scale_to_font(_LINES_MARGIN, self._theme) if has_lines else 0
        self._inner.setContentsMargins(0, above, 0, above)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.composer.set_theme(theme)
        radius = scale_to_font(_HEIGHT, theme) // 2
        edge = theme.ink if theme.name == "light" else theme.control_line
        apply_window_theme(
            self,
            theme,
            f"#sayLine {{ background: transparent; }}"
            f"#sayFrame {{ background: {theme.surface}; border: {theme.ink_width}px solid"
            f" {edge}; border-radius: {radius}px; }}"
            f"#sayFrame Composer {{ background: transparent; }}"
            f"#sayPill {{ background: {theme.hover}; color: {theme.text}; border-radius: 9px;"
            " padding: 2px 8px; }",
        )
        self.pill.setFont(ui_font(theme, theme.small_px))
        self._fit.start()

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.composer.retranslate()
        self.composer.field.setAccessibleName(tr("Say something"))
        self._show_pill()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if control:
                self._opens_chat = True
                self.composer.submit()
                self._opens_chat = False
            case Qt.Key.Key_Tab if self._timer is not None:
                self._as_message = not self._as_message
                self._show_pill()
            case Qt.Key.Key_Down if not self.composer.has_content():
                self.menu_requested.emit()
            case _:
                return False
        return True

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.WindowDeactivate:
            self._close_unused()
        elif event.type() is QEvent.Type.LayoutRequest:
            # Qt tells the window last, after the widgets in it.
            self._fit.start()
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()
        self._fit.start()

    def set_shape_mask(self, on: bool) -> None:
        """Set whether the window is clipped to the line, for desktops without compositing."""
        self._cut_out = on
        self._cut()

    def _cut(self) -> None:
        if not self._cut_out:
            self.clearMask()
            return
        radius = scale_to_font(_HEIGHT, self._theme) // 2
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()), radius, radius)
        self.setMask(QRegion(path.toFillPolygon().toPolygon()))

    def _close_unused(self) -> None:
        if not self.composer.has_content():
            self.hide()

    def _on_written(self, text: str) -> None:
        if self.isVisible():
            self._closing.start()
        before, self._timer = self._timer, self._read_timer(text)
        if before is None or self._timer is None:
            self._as_message = False
        self._show_pill()

    def _show_pill(self) -> None:
        """Show what Enter will do; screen readers read it with the field."""
        timer = self._timer
        if not self.composer.field.text().strip():
            words = ""
        elif timer is None or self._as_message:
            words = tr("Message")
        else:
            words = tr("Timer {time}", time=self._format_time(timer.due))
        self.pill.setText(words)
        self.pill.setVisible(bool(words))
        described = tr("Enter: {action}", action=words) if words else ""
        if timer is not None and words:
            described = f"{described}. {tr('Tab switches between timer and message.')}"
        self.composer.field.setAccessibleDescription(described)
        set_tooltip(self.pill, described)

    def _decide(self, _text: str) -> None:
        """Fix the action of the label when Enter is pressed."""
        self._decided = None if self._as_message or self._opens_chat else self._timer

    def _submit(self, text: str) -> None:
        attached: list[Attachment] = self.composer.attachments.take_all()
        timer, self._decided = self._decided, None
        self.hide()
        if timer is not None and not attached:
            self.timer_requested.emit(timer)
        else:
            self.submitted.emit(text, attached)
        if self._opens_chat:
            self.chat_requested.emit()
