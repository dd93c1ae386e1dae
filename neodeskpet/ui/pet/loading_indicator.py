"""Indicators: a turning mark while a model is loading, and a frame while something is dragged over
the figure.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from neodeskpet.ui.theme import Theme

_DOTS = 8


def paint_loading_indicator(
    painter: QPainter, middle: QPointF, radius: float, theme: Theme, now: float, *, alone: bool
) -> None:
    """Paint a ring of dots with a moving highlight. `alone`: without a figure it gets a
    background.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    if alone:
        ground = QColor(theme.surface)
        ground.setAlphaF(0.88)
        painter.setBrush(ground)
        painter.drawEllipse(middle, radius * 1.9, radius * 1.9)
    head = now * 1.2 % 1.0
    for number in range(_DOTS):
        angle = 2 * math.pi * number / _DOTS - math.pi / 2
        behind = (head - number / _DOTS) % 1.0
        dot = QColor(theme.accent)
        dot.setAlphaF(0.18 + 0.82 * (1.0 - behind) ** 2)
        painter.setBrush(dot)
        size = radius * (0.2 + 0.1 * (1.0 - behind))
        x = middle.x() + math.cos(angle) * radius
        y = middle.y() + math.sin(angle) * radius
        painter.drawEllipse(QRectF(x - size, y - size, 2 * size, 2 * size))


def paint_drop_target(painter: QPainter, size: QSize, theme: Theme) -> None:
    """Paint the frame of a drop target."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    frame = QRectF(0, 0, size.width(), size.height()).adjusted(4, 4, -4, -4)
    veil = QColor(theme.accent)
    veil.setAlphaF(0.14)
    painter.setBrush(veil)
    painter.setPen(QPen(QColor(theme.accent), 3, Qt.PenStyle.DashLine))
    painter.drawRoundedRect(frame, 16, 16)
