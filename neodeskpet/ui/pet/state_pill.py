"""The pill at the figure's feet: it shows what the companion is doing."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBitmap, QColor, QPainter, QPaintEvent, QPen

from neodeskpet.figure.figure_state import FOCUS_STEPS, LEVELS, FigureState, FigureStateKind
from neodeskpet.language import tr
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.pet.figure_signs import FigureSign
from neodeskpet.ui.theme import Theme

HEIGHT = 28
MAX_WIDTH = 180
_GAP = 8
_PADDING = 12
_ICON = 14
_ICON_GAP = 6
_DOT = 4
_DOT_STEP = 10
_THINKING_WIDTH = 56
_BAR_WIDTH, _BAR_STEP = 3, 5
_BAR_HEIGHTS = (6, 11, 16, 11, 6)
"""The heights of the bars at full loudness."""
_LEAST_BAR = 3
_RING_WIDTH = 3.0
_BARS_WIDTH = _BAR_STEP * len(_BAR_HEIGHTS) + 4
_ICONS = {
    FigureStateKind.LISTENING: "microphone",
    FigureStateKind.ASKING: "info",
    FigureStateKind.SPEAKING: "voice",
    FigureStateKind.QUIET: "quiet",
}
_CLICKABLE = (
    FigureStateKind.LISTENING,
    FigureStateKind.ASKING,
    FigureStateKind.SPEAKING,
    FigureStateKind.FOCUS,
    FigureStateKind.BREAK,
    FigureStateKind.QUIET,
)
_RINGS = (FigureStateKind.FOCUS, FigureStateKind.BREAK)


_LEAST_WIDTH = 2 * _PADDING + _ICON
"""The width of the pill with its icon alone."""
_LEAST_TEXT = 16
"""Pixels for the words below which they are left out."""


def pill_area(figure: QRect, size: QSize, screen: QRect, covered: Sequence[QRect] = ()) -> QRect:
    """Return the place of the pill: below the feet; beside or over them where there is no room
    below, or where it would be over one of the `covered` areas; always completely on the screen. It
    is narrower than `size` where such areas leave less room over the feet.
    """
    # The widest pill decides the place, so that the pill doesn't move with its words.
    widest = _places(figure, QSize(MAX_WIDTH, size.height()), screen)
    free = [not any(place.intersects(area) for area in covered) for place in widest]
    places = _places(figure, size, screen)
    if True in free:
        return places[free.index(True)]
    return _between(figure, places[-1], screen, covered) or places[0]


def _between(figure: QRect, over: QRect, screen: QRect, covered: Sequence[QRect]) -> QRect | None:
    """Return the place `over` the feet, narrowed and moved to be between the `covered` areas."""
    middle, left, right = figure.center().x(), screen.left(), screen.right()
    for area in covered:
        if area.top() > over.bottom() or area.bottom() < over.top():
            continue
        if area.right() < middle:
            left = max(left, area.right() + 1)
        else:
            right = min(right, area.left() - 1)
    if right < middle or right + 1 - left < _LEAST_WIDTH:
        return None
    width = min(over.width(), right + 1 - left)
    x = max(left, min(middle - width // 2, right + 1 - width))
    return QRect(x, over.top(), width, over.height())


def _places(figure: QRect, size: QSize, screen: QRect) -> list[QRect]:
    """Return the places for a pill of `size`, the best first."""
    middle, top = figure.center().x() - size.width() // 2, figure.bottom() + 1 - size.height()
    below = QPoint(middle, figure.bottom() + 1 + _GAP)
    right = QPoint(figure.right() + 1 + _GAP, top)
    left = QPoint(figure.left() - _GAP - size.width(), top)
    over = QPoint(middle, top - _GAP)
    corners = [left, over]
    if right.x() + MAX_WIDTH <= screen.right() + 1:
        corners.insert(0, right)
    if below.y() + size.height() <= screen.bottom() + 1:
        corners.insert(0, below)
    last_x = max(screen.left(), screen.right() + 1 - size.width())
    last_y = max(screen.top(), screen.bottom() + 1 - size.height())
    inside = [
        QPoint(max(screen.left(), min(one.x(), last_x)), max(screen.top(), min(one.y(), last_y)))
        for one in corners
    ]
    return [QRect(corner, size) for corner in inside]


class StatePill(FigureSign):
    """A small window with an icon and the words of the state."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, HEIGHT)
        self._state = FigureState(FigureStateKind.THINKING, "")
        self._room = MAX_WIDTH
        self._is_cut = False

    @property
    def kind(self) -> FigureStateKind:
        return self._state.kind

    def set_state(self, state: FigureState) -> None:
        """Show the state; the window gets as wide as its words need."""
        if state == self._state:
            return
        self._state = state
        self.set_words(_name(state), _tooltip(state))
        clickable = state.kind in _CLICKABLE
        shape = Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        self._resize()
        self.update()

    @property
    def full_size(self) -> QSize:
        """The size that its words need."""
        return QSize(self._width(), HEIGHT)

    def place(self, area: QRect) -> None:
        """Move it to the upper left corner of `area`, and make it no wider than `area`."""
        self._room = area.width()
        self._resize()
        self.move(area.topLeft())

    def _resize(self) -> None:
        self.setFixedSize(min(self._room, self._width()), HEIGHT)
        self.set_shape_mask(self._is_cut)

    def set_shape_mask(self, on: bool) -> None:
        """Set whether the window is cut to the pill, for desktops without a compositor."""
        self._is_cut = on
        if not on:
            self.clearMask()
            return
        mask = QBitmap(self.size())
        mask.clear()
        with QPainter(mask) as painter:
            painter.setBrush(Qt.GlobalColor.color1)
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), HEIGHT / 2, HEIGHT / 2)
        self.setMask(mask)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.ink), 2))
            painter.setBrush(QColor(theme.surface))
            body = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(body, body.height() / 2, body.height() / 2)
            if self._state.kind is FigureStateKind.THINKING:
                self._paint_dots(painter)
                return
            self._paint_icon(painter)
            left = _PADDING + _ICON + _ICON_GAP
            if self._state.kind is FigureStateKind.LISTENING:
                if left + _BARS_WIDTH > self.width():
                    return
                self._paint_level(painter, left)
                left += _BARS_WIDTH
            room = self.width() - left - _PADDING
            if room < _LEAST_TEXT:
                return
            text = self.fontMetrics().elidedText(
                self._state.text, Qt.TextElideMode.ElideRight, room
            )
            painter.setPen(QColor(theme.text))
            painter.drawText(QRect(left, 0, room, HEIGHT), Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_dots(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.muted))
        for step in (-1, 0, 1):
            centre = QPointF(self.width() / 2 + step * _DOT_STEP, HEIGHT / 2)
            painter.drawEllipse(centre, _DOT / 2, _DOT / 2)

    def _paint_level(self, painter: QPainter, left: int) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.accent))
        for number, full in enumerate(_BAR_HEIGHTS):
            high = max(_LEAST_BAR, full * self._state.level / LEVELS)
            box = QRectF(left + number * _BAR_STEP, (HEIGHT - high) / 2, _BAR_WIDTH, high)
            painter.drawRoundedRect(box, _BAR_WIDTH / 2, _BAR_WIDTH / 2)

    def _paint_icon(self, painter: QPainter) -> None:
        top = (HEIGHT - _ICON) / 2
        if self._state.kind in _RINGS:
            self._paint_ring(painter, QRectF(_PADDING, top, _ICON, _ICON))
            return
        name = _ICONS.get(self._state.kind)
        if name is None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.accent))
            painter.drawEllipse(QRectF(_PADDING + 2, top + 2, _ICON - 4, _ICON - 4))
            return
        colour = self._theme.text
        if self._state.kind is FigureStateKind.ASKING:
            colour = self._theme.asks
        picture = pixmap(name, QColor(colour), _ICON, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(_PADDING, top), picture)

    def _paint_ring(self, painter: QPainter, area: QRectF) -> None:
        """Paint what is left of the session as a part of a ring, from the top."""
        is_break = self._state.kind is FigureStateKind.BREAK
        colour = QColor(self._theme.muted if is_break else self._theme.accent)
        ring = area.adjusted(_RING_WIDTH / 2, _RING_WIDTH / 2, -_RING_WIDTH / 2, -_RING_WIDTH / 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._theme.line), _RING_WIDTH))
        painter.drawEllipse(ring)
        line = Qt.PenStyle.SolidLine
        painter.setPen(QPen(colour, _RING_WIDTH, line, Qt.PenCapStyle.RoundCap))
        painter.drawArc(ring, 90 * 16, -round(360 * 16 * self._state.level / FOCUS_STEPS))

    def _width(self) -> int:
        if self._state.kind is FigureStateKind.THINKING:
            return _THINKING_WIDTH
        words = self.fontMetrics().horizontalAdvance(self._state.text)
        if self._state.kind is FigureStateKind.LISTENING:
            words += _BARS_WIDTH
        return min(MAX_WIDTH, 2 * _PADDING + _ICON + _ICON_GAP + words + 1)


def _name(state: FigureState) -> str:
    if state.kind is FigureStateKind.LISTENING:
        return tr("Listening")  # a name that changes each second would be read each second
    if state.kind in _RINGS:
        return tr("Focus") if state.kind is FigureStateKind.FOCUS else tr("Break")
    return state.text


def _tooltip(state: FigureState) -> str:
    match state.kind:
        case FigureStateKind.LISTENING:
            return tr("The microphone is open. Click to close it.")
        case FigureStateKind.ASKING:
            return tr("{title} Click to go to the question.", title=state.text)
        case FigureStateKind.SPEAKING:
            return tr("Click to stop the voice.")
        case FigureStateKind.FOCUS | FigureStateKind.BREAK:
            return f"{state.summary}\n{tr('Click to open Today.')}"
        case FigureStateKind.QUIET:
            return tr("Click to end the quiet mode.")
        case FigureStateKind.TOOL | FigureStateKind.THINKING:
            return state.text
