"""The outline of a speech bubble, its lines with pills, its page number and the number of messages
that wait behind it.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from neodeskpet.core.speech_pages import PILL_SPACE, PillKind, SpeechPages, split_pills
from neodeskpet.language import tr
from neodeskpet.ui.pet.screen_geometry import BubblePosition, TailSide
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font

TAIL = 14
_TAIL_HALF = 11
_COUNT_HEIGHT, _COUNT_PADDING = 20, 6
_INTO_BUBBLE = 8
"""How far the count reaches into the bubble from its corner."""


def ink_pen(colour: str, width: int) -> QPen:
    pen = QPen(QColor(colour), width)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen


def page_mark(speech: SpeechPages) -> str:
    mark = f"{speech.page + 1} / {speech.pages}"
    return mark if speech.last_page else f"{mark} ›"


def bubble_path(body: QRectF, spot: BubblePosition, radius: float) -> QPainterPath:
    """Return the outline of a rounded box with a tail."""
    path = QPainterPath()
    path.addRoundedRect(body, radius, radius)
    if spot.side is TailSide.NONE:
        return path
    upright = spot.side in (TailSide.ABOVE, TailSide.BELOW)
    length = body.width() if upright else body.height()
    edge = radius + _TAIL_HALF
    at = min(max(float(spot.tail), edge), max(edge, length - edge))
    # The tip leans towards the mouth even if the foot can't follow it.
    lean = min(max(spot.tail - at, -_TAIL_HALF), _TAIL_HALF)
    foot_1, foot_2, tip = at - _TAIL_HALF, at + _TAIL_HALF, at + lean
    out = TAIL - 2.0
    far = spot.side in (TailSide.BELOW, TailSide.RIGHT)
    base = (body.height() if upright else body.width()) if far else 0.0
    outwards = 1.0 if far else -1.0
    # The foot is one pixel inside, so that the union has no visible seam.
    points = [
        body.topLeft() + (QPointF(along, across) if upright else QPointF(across, along))
        for along, across in (
            (foot_1, base - outwards),
            (tip, base + outwards * out),
            (foot_2, base - outwards),
        )
    ]
    tail = QPainterPath(points[0])
    for point in points[1:]:
        tail.lineTo(point)
    tail.closeSubpath()
    return path.united(tail)


def _pieces(metrics: QFontMetricsF, line: str) -> list[tuple[PillKind | None, str, float]]:
    """Return the parts of a line with their widths."""
    room = 2 * metrics.horizontalAdvance(PILL_SPACE)
    return [
        (kind, part, metrics.horizontalAdvance(part) + (room if kind is not None else 0.0))
        for kind, part in split_pills(line)
    ]


def line_width(metrics: QFontMetricsF, line: str) -> float:
    return sum(width for _kind, _part, width in _pieces(metrics, line))


def pill_areas(metrics: QFontMetricsF, line: str, row: QRectF) -> list[QRectF]:
    """Return the boxes of the pills of a line that is painted in `row`."""
    found = []
    left = row.left()
    for kind, _part, width in _pieces(metrics, line):
        if kind is not None:
            found.append(QRectF(left, row.top() + 1, width, row.height() - 2))
        left += width
    return found


def paint_line(painter: QPainter, theme: Theme, line: str, row: QRectF) -> None:
    """Paint a line with its pills, in the painter's font."""
    metrics = QFontMetricsF(painter.font())
    left = row.left()
    middle = Qt.AlignmentFlag.AlignVCenter
    for kind, part, width in _pieces(metrics, line):
        box = QRectF(left, row.top(), width, row.height())
        left += width
        if kind is None:
            painter.setPen(QColor(theme.text))
            # The words may be wider by a fraction of a pixel.
            painter.drawText(box.adjusted(0, 0, 2, 0), Qt.AlignmentFlag.AlignLeft | middle, part)
            continue
        shape = box.adjusted(0.5, 1.5, -0.5, -1.5)
        painter.setPen(QPen(QColor(theme.control_line), 1))
        painter.setBrush(QColor(theme.hover))
        painter.drawRoundedRect(shape, shape.height() / 2, shape.height() / 2)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | middle, part)


def count_text(waiting: int) -> str:
    """Return the number of waiting messages as it is shown, "" if none waits."""
    return f"+{waiting}" if waiting else ""


def count_name(waiting: int) -> str:
    """Return the same for screen readers."""
    return tr("{count} more", count=str(waiting)) if waiting else ""


def count_area(body: QRectF, theme: Theme, text: str) -> QRectF:
    """Return the place of the count: over the upper right corner of the bubble."""
    high = min(scale_to_font(_COUNT_HEIGHT, theme), TAIL + _INTO_BUBBLE)
    words = QFontMetricsF(ui_font(theme, theme.small_px)).horizontalAdvance(text)
    width = max(high, words + 2 * _COUNT_PADDING)
    corner = body.topRight()
    return QRectF(corner.x() + TAIL - 2 - width, corner.y() + _INTO_BUBBLE - high, width, high)


def paint_count(painter: QPainter, theme: Theme, area: QRectF, text: str) -> None:
    painter.setPen(ink_pen(theme.ink, theme.ink_width))
    painter.setBrush(QColor(theme.accent))
    painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), area.height() / 2, area.height() / 2)
    painter.setFont(ui_font(theme, theme.small_px))
    painter.setPen(QColor(theme.on_accent))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
