"""Drawing functions for frames, buttons and icons. No state."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPainterStateGuard,
    QPen,
)

from neodeskpet.core.blocks import ToolStatus
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.rendering.line_breaking import break_lines

STATUS_ICON_SIZE = 14.0


def box_path(rect: QRectF, radius: float, *, top: bool, bottom: bool) -> QPainterPath:
    """Return a box whose upper and lower corners are only round where the box ends."""
    path = QPainterPath()
    t, b = (radius if top else 0.0), (radius if bottom else 0.0)
    left, right, up, down = rect.left(), rect.right(), rect.top(), rect.bottom()
    path.moveTo(left, down - b)
    path.lineTo(left, up + t)
    if t:
        path.arcTo(left, up, 2 * t, 2 * t, 180, -90)
    path.lineTo(right - t, up)
    if t:
        path.arcTo(right - 2 * t, up, 2 * t, 2 * t, 90, -90)
    path.lineTo(right, down - b)
    if b:
        path.arcTo(right - 2 * b, down - 2 * b, 2 * b, 2 * b, 0, -90)
    path.lineTo(left + b, down)
    if b:
        path.arcTo(left, down - 2 * b, 2 * b, 2 * b, 270, -90)
    path.closeSubpath()
    return path


def draw_frame(
    painter: QPainter,
    rect: QRectF,
    fill: QColor,
    line: QColor | None,
    radius: float,
    *,
    top: bool = True,
    bottom: bool = True,
) -> None:
    """Draw one slice of a box: the top and bottom edges only where the box begins and ends."""
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if line is None:
            painter.fillPath(box_path(rect, radius, top=top, bottom=bottom), fill)
            return
        painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
        # An inner edge is outside of the clip.
        inner = rect.adjusted(0.5, 0.5 if top else -9, -0.5, -0.5 if bottom else 9)
        path = box_path(inner, radius, top=top, bottom=bottom)
        painter.fillPath(path, fill)
        painter.strokePath(path, QPen(line, 1))


def draw_focus_ring(painter: QPainter, rect: QRectF, look: ItemStyle, radius: float) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color("accent"), look.theme.focus_width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), radius, radius)


def draw_text(
    painter: QPainter,
    rect: QRectF,
    words: str,
    font: QFont,
    color: QColor,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> None:
    """Draw one line of text, vertically centred."""
    painter.setFont(font)
    painter.setPen(color)
    flags = align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
    painter.drawText(rect, int(flags), words)


def draw_lines(
    painter: QPainter,
    rect: QRectF,
    lines: Sequence[str],
    font: QFont,
    color: QColor,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> None:
    """Draw lines of text, centred vertically as a block."""
    step = QFontMetricsF(font).lineSpacing()
    row = QRectF(rect.left(), rect.center().y() - step * len(lines) / 2, rect.width(), step)
    for line in lines:
        draw_text(painter, row, line.rstrip(), font, color, align)
        row.translate(0, step)


def draw_button(
    painter: QPainter,
    rect: QRectF,
    words: str,
    look: ItemStyle,
    *,
    primary: bool = False,
    hovered: bool = False,
    focused: bool = False,
) -> None:
    theme = look.theme
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if primary:
            fill = look.color("accent_hover" if hovered else "accent")
            painter.setPen(Qt.PenStyle.NoPen)
        else:
            fill = look.color("hover" if hovered else "surface")
            painter.setPen(QPen(look.color("control_line"), 1))
        painter.setBrush(QBrush(fill))
        painter.drawRoundedRect(
            rect.adjusted(0.5, 0.5, -0.5, -0.5), theme.control_radius, theme.control_radius
        )
        ink = look.color("on_accent" if primary else "text")
        lines = _button_lines(words, look, rect.width())
        draw_lines(painter, rect, lines, look.font, ink, Qt.AlignmentFlag.AlignHCenter)
    if focused:
        draw_focus_ring(painter, rect.adjusted(-3, -3, 3, 3), look, theme.control_radius + 2)


_BUTTON_MARGIN = 24
_MENU_MARGIN = 16
_MENU_SIGN = 16
"""Width of the sign after the label of a menu button."""


def button_width(words: str, look: ItemStyle) -> int:
    return math.ceil(look.metrics.horizontalAdvance(words)) + _BUTTON_MARGIN


def wrapped_button_height(words: str, look: ItemStyle, width: float) -> int:
    """Return the height of a button of this width whose label may need several lines."""
    lines = len(_button_lines(words, look, width))
    return math.ceil(lines * look.metrics.lineSpacing()) + 8


def _button_lines(words: str, look: ItemStyle, width: float) -> list[str]:
    if button_width(words, look) <= width:
        return [words]
    return break_lines(words, look.font, max(1.0, width - _BUTTON_MARGIN / 2))


def draw_menu_button(
    painter: QPainter,
    rect: QRectF,
    words: str,
    look: ItemStyle,
    *,
    hovered: bool = False,
    focused: bool = False,
) -> None:
    """Draw a button that opens a menu: a label with a chevron, or three dots without a label."""
    radius = look.theme.control_radius
    ink = look.color("text" if hovered or focused else "muted")
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QBrush(look.color("hover")))
            painter.drawRoundedRect(rect, radius, radius)
    if words:
        label = rect.adjusted(_MENU_MARGIN / 2, 0, -_MENU_SIGN, 0)
        draw_text(painter, label, words, look.font, ink)
        sign = QPointF(rect.right() - _MENU_MARGIN / 2 - 4, rect.center().y())
        draw_chevron(painter, sign, ink, opened=True)
    else:
        draw_more_icon(painter, rect.center(), ink)
    if focused:
        draw_focus_ring(painter, rect, look, radius)


def menu_button_width(words: str, look: ItemStyle) -> int:
    """Return the width of a menu button with this label; "" for three dots."""
    if not words:
        return _MENU_MARGIN + _MENU_SIGN
    return math.ceil(look.metrics.horizontalAdvance(words)) + _MENU_MARGIN + _MENU_SIGN


def draw_chevron(
    painter: QPainter, center: QPointF, color: QColor, *, opened: bool, back: bool = False
) -> None:
    """Draw a chevron: › closed, ⌄ open, ‹ `back`."""
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        x, y = center.x(), center.y()
        if opened:
            points = [QPointF(x - 3.5, y - 1.5), QPointF(x, y + 2), QPointF(x + 3.5, y - 1.5)]
        else:
            side = -1 if back else 1
            points = [
                QPointF(x + side * dx, y + dy) for dx, dy in ((-1.5, -3.5), (2, 0), (-1.5, 3.5))
            ]
        painter.drawPolyline(points)


_TOKENS = {
    ToolStatus.WRITING: "accent",
    ToolStatus.QUEUED: "muted",
    ToolStatus.ASKING: "asks",
    ToolStatus.RUNNING: "accent",
    ToolStatus.SUCCESS: "done",
    ToolStatus.ERROR: "failed",
    ToolStatus.CANCELLED: "muted",
    ToolStatus.DENIED: "muted",
    ToolStatus.INTERRUPTED: "asks",
}


def status_color(status: ToolStatus, look: ItemStyle) -> QColor:
    return look.color(_TOKENS[status])


def draw_status_icon(
    painter: QPainter, center: QPointF, status: ToolStatus, look: ItemStyle, pulse: float = 0.0
) -> None:
    """Draw the icon of a call's state; each has its own shape. `pulse` (0 to 1) enlarges the one
    for running.
    """
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = status_color(status, look)
        painter.translate(center)
        painter.setPen(QPen(color, 1.7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        _STATUS_ICONS[status](painter, color, look, pulse)


def _draw_writing(painter: QPainter, color: QColor, _look: ItemStyle, _pulse: float) -> None:
    painter.setPen(QPen(color, 1.6, Qt.PenStyle.CustomDashLine))
    pen = painter.pen()
    pen.setDashPattern([1.4, 1.5])
    painter.setPen(pen)
    painter.drawEllipse(QPointF(0, 0), 5.2, 5.2)


def _draw_queued(painter: QPainter, color: QColor, _look: ItemStyle, _pulse: float) -> None:
    painter.setPen(QPen(color, 1.4))
    painter.drawEllipse(QPointF(0, 0), 5.2, 5.2)
    painter.drawPolyline([QPointF(0, -3), QPointF(0, 0), QPointF(2.2, 1.4)])


def _draw_asking(painter: QPainter, color: QColor, look: ItemStyle, _pulse: float) -> None:
    rect = QRectF(-9, -10, 18, 20)
    draw_text(painter, rect, "?", look.bold, color, Qt.AlignmentFlag.AlignHCenter)


def _draw_running(painter: QPainter, color: QColor, _look: ItemStyle, pulse: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    halo = QColor(color)
    halo.setAlphaF(0.25 * (1 - pulse))
    painter.setBrush(halo)
    painter.drawEllipse(QPointF(0, 0), 5 + 3.5 * pulse, 5 + 3.5 * pulse)
    painter.setBrush(color)
    painter.drawEllipse(QPointF(0, 0), 4.6, 4.6)


def _draw_success(painter: QPainter, _color: QColor, _look: ItemStyle, _pulse: float) -> None:
    painter.drawPolyline([QPointF(-4.2, 0.6), QPointF(-1.2, 3.8), QPointF(4.4, -4.2)])


def _draw_error(painter: QPainter, _color: QColor, _look: ItemStyle, _pulse: float) -> None:
    painter.drawLine(QPointF(-3.8, -3.8), QPointF(3.8, 3.8))
    painter.drawLine(QPointF(3.8, -3.8), QPointF(-3.8, 3.8))


def _draw_cancelled(painter: QPainter, color: QColor, _look: ItemStyle, _pulse: float) -> None:
    painter.setPen(QPen(color, 1.5))
    painter.drawEllipse(QPointF(0, 0), 5.4, 5.4)
    painter.drawLine(QPointF(-3.6, 3.6), QPointF(3.6, -3.6))


def _draw_denied(painter: QPainter, color: QColor, look: ItemStyle, _pulse: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(QPointF(0, 0), 6, 6)
    painter.setBrush(look.color("surface"))
    painter.drawRoundedRect(QRectF(-3.6, -1.2, 7.2, 2.4), 0.8, 0.8)


def _draw_interrupted(painter: QPainter, color: QColor, _look: ItemStyle, _pulse: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(QRectF(-4.4, -5, 3, 10), 1, 1)
    painter.drawRoundedRect(QRectF(1.4, -5, 3, 10), 1, 1)


_STATUS_ICONS = {
    ToolStatus.WRITING: _draw_writing,
    ToolStatus.QUEUED: _draw_queued,
    ToolStatus.ASKING: _draw_asking,
    ToolStatus.RUNNING: _draw_running,
    ToolStatus.SUCCESS: _draw_success,
    ToolStatus.ERROR: _draw_error,
    ToolStatus.CANCELLED: _draw_cancelled,
    ToolStatus.DENIED: _draw_denied,
    ToolStatus.INTERRUPTED: _draw_interrupted,
}


def draw_warning_icon(painter: QPainter, center: QPointF, look: ItemStyle) -> None:
    """Draw the icon of a notice: a rounded triangle with an exclamation mark."""
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        color = look.color("asks")
        painter.setPen(QPen(color, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.pen().setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.drawPolygon([QPointF(0, -6.2), QPointF(6.8, 5.4), QPointF(-6.8, 5.4)])
        painter.drawLine(QPointF(0, -2), QPointF(0, 1.4))
        painter.drawPoint(QPointF(0, 3.6))


def draw_copy_icon(painter: QPainter, center: QPointF, color: QColor) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        painter.setPen(QPen(color, 1.3))
        painter.drawRoundedRect(QRectF(-2, -2, 7, 8), 1.6, 1.6)
        painter.drawPolyline(
            [
                QPointF(-2.4, 3),
                QPointF(-5, 3),
                QPointF(-5, -5.4),
                QPointF(2, -5.4),
                QPointF(2, -2.8),
            ]
        )


def draw_info_icon(painter: QPainter, center: QPointF, color: QColor) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        painter.setPen(QPen(color, 1.3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawEllipse(QPointF(0, 0), 5.6, 5.6)
        painter.drawLine(QPointF(0, -0.4), QPointF(0, 2.8))
        painter.drawPoint(QPointF(0, -2.8))


def draw_retry_icon(painter: QPainter, center: QPointF, color: QColor) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        painter.setPen(QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(QRectF(-5, -5, 10, 10), 60 * 16, 285 * 16)
        painter.drawPolyline([QPointF(2.2, -7.2), QPointF(2.6, -4.3), QPointF(5.4, -4.9)])


def draw_continue_icon(painter: QPainter, center: QPointF, color: QColor) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        painter.setPen(QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolygon([QPointF(-3.2, -5), QPointF(5, 0), QPointF(-3.2, 5)])


def draw_edit_icon(painter: QPainter, center: QPointF, color: QColor) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        painter.setPen(QPen(color, 1.3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolygon(
            [
                QPointF(-5, 5),
                QPointF(-4.2, 1.8),
                QPointF(3, -5.4),
                QPointF(5.4, -3),
                QPointF(-1.8, 4.2),
            ]
        )


def draw_more_icon(painter: QPainter, center: QPointF, color: QColor) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for x in (-5.0, 0.0, 5.0):
            painter.drawEllipse(center + QPointF(x, 0), 1.5, 1.5)


def draw_smile_icon(painter: QPainter, center: QPointF, color: QColor) -> None:
    """Draw a smiling face: the icon of gestures."""
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        painter.setPen(QPen(color, 1.3, c=Qt.PenCapStyle.RoundCap))
        painter.drawEllipse(QPointF(0, 0), 6, 6)
        painter.drawArc(QRectF(-3.2, -3.4, 6.4, 6.4), 205 * 16, 130 * 16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(QPointF(-2.2, -1.6), 0.9, 0.9)
        painter.drawEllipse(QPointF(2.2, -1.6), 0.9, 0.9)


def draw_check_icon(painter: QPainter, center: QPointF, color: QColor) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        painter.setPen(QPen(color, 1.7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline([QPointF(-4.2, 0.6), QPointF(-1.2, 3.8), QPointF(4.4, -4.2)])


def draw_picture_icon(painter: QPainter, center: QPointF, look: ItemStyle) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(center)
        painter.setPen(QPen(look.color("muted"), 1.4))
        painter.drawRoundedRect(QRectF(-7, -6, 14, 12), 2, 2)
        painter.drawPolyline([QPointF(-6, 4), QPointF(-2, -1), QPointF(1, 2), QPointF(6, -2)])


def draw_task_box(painter: QPainter, center: QPointF, look: ItemStyle, *, done: bool) -> None:
    """Draw the checkbox of a task list item."""
    side = min(18.0, round(look.theme.font_px * 0.85))
    box = QRectF(center.x() - side / 2, center.y() - side / 2, side, side)
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not done:
            painter.setPen(QPen(look.color("muted"), 1.3))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3)
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color("accent"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.setPen(QPen(look.color("surface"), 1.7, c=Qt.PenCapStyle.RoundCap))
        painter.translate(center)
        painter.scale(side / 14, side / 14)
        painter.drawPolyline([QPointF(-3.4, 0.4), QPointF(-1, 3), QPointF(3.4, -3)])


def draw_bullet(painter: QPainter, center: QPointF, look: ItemStyle, *, hollow: bool) -> None:
    """Draw the bullet of a list item: a dot, or a ring in a nested list."""
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color("muted"), 1.2) if hollow else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if hollow else QBrush(look.color("muted")))
        painter.drawEllipse(center, 2.4, 2.4)
