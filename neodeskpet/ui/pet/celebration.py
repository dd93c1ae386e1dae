"""A celebration over the whole picture of the figure: a wash of light over all its parts, a bright
rim, foxfires that circle it, and confetti. It takes two seconds and is rare.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPainterStateGuard,
    QRadialGradient,
)

from neodeskpet.ui.theme import Theme

CELEBRATION_SECONDS = 2.0
LEAST_GAP_SECONDS = 3600.0
_FOXFIRES, _CONFETTI = 5, 26
_TURNS = 1.25
"""How often a foxfire goes round the figure."""
_GLOW, _CORE = "#5FE3DA", "#EFFFFD"
_COLOURS = ("#FFC94D", "#FF7FA8", "#5FE3DA", "#9B8CFF", "#8EE07A")
_SPREAD, _UNEVEN = 0.61803, 0.41421
"""Irrational steps spread the pieces evenly without randomness."""


def paint_celebration(
    painter: QPainter, size: QSize, figure: QRectF, passed: float, theme: Theme
) -> None:
    """Paint the celebration over the drawn figure, `passed` seconds after its start. `figure` is
    the figure's rectangle within the window of this size.
    """
    share = passed / CELEBRATION_SECONDS
    if not 0.0 <= share < 1.0:
        return
    fade = min(1.0, 6.0 * share, 4.0 * (1.0 - share))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    _paint_wash(painter, size, figure, share, fade)
    _paint_confetti(painter, figure, share, fade)
    _paint_foxfires(painter, figure, share, fade, theme)


def _paint_wash(painter: QPainter, size: QSize, figure: QRectF, share: float, fade: float) -> None:
    """Colour what is drawn of the figure: a band of light rises, and its rim is bright."""
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceAtop)
    band = QLinearGradient(0.0, figure.bottom(), 0.0, figure.top())
    at = min(0.98, max(0.02, 1.3 * share - 0.1))
    for stop, alpha in ((0.0, 0.16), (max(0.0, at - 0.18), 0.16), (at, 0.6)):
        band.setColorAt(stop, _faded(_GLOW, alpha * fade))
    for stop, alpha in ((min(1.0, at + 0.18), 0.05), (1.0, 0.05)):
        band.setColorAt(stop, _faded("#FFD98A", alpha * fade))
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), band)
    reach = 0.62 * max(figure.width(), figure.height())
    rim = QRadialGradient(figure.center(), reach)
    rim.setColorAt(0.0, _faded(_CORE, 0.0))
    rim.setColorAt(0.55, _faded(_CORE, 0.0))
    rim.setColorAt(1.0, _faded(_CORE, 0.75 * fade))
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), rim)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)


def _paint_confetti(painter: QPainter, figure: QRectF, share: float, fade: float) -> None:
    """Pieces of paper that are thrown up from behind the head, and fall."""
    side = 0.024 * figure.height()
    for number in range(_CONFETTI):
        way = (number * _SPREAD) % 1.0
        speed = 0.45 + 1.15 * ((number * _UNEVEN) % 1.0)
        x = figure.center().x() + (way - 0.5) * figure.width() * (0.35 + 1.5 * share)
        rises = speed * 1.7 * share - 2.0 * share * share
        y = figure.top() + figure.height() * (0.3 - 0.5 * rises)
        with QPainterStateGuard(painter):
            painter.translate(x, y)
            painter.rotate(360.0 * (way + 1.6 * share * speed))
            painter.setBrush(_faded(_COLOURS[number % len(_COLOURS)], fade))
            turned = side * (0.35 + 0.65 * abs(math.cos(9.0 * share + number)))
            painter.drawRoundedRect(QRectF(-side / 2, -turned / 2, side, turned), 1.5, 1.5)


def _paint_foxfires(
    painter: QPainter, figure: QRectF, share: float, fade: float, theme: Theme
) -> None:
    """Foxfires on a tilted circle around the body; the ones behind it are fainter."""
    radius = 0.075 * figure.height()
    for number in range(_FOXFIRES):
        angle = math.tau * (number / _FOXFIRES + _TURNS * share)
        behind = math.sin(angle) < 0.0
        middle = QPointF(
            figure.center().x() + math.cos(angle) * 0.5 * figure.width(),
            figure.top() + figure.height() * (0.66 + 0.1 * math.sin(angle) - 0.12 * share),
        )
        strength = fade * (0.45 if behind else 1.0)
        light = QRadialGradient(middle, radius)
        light.setColorAt(0.0, _faded(_CORE, strength))
        light.setColorAt(0.35, _faded(_GLOW, 0.9 * strength))
        # On a light desktop the outer glow needs more colour to be seen.
        light.setColorAt(0.7, _faded(_GLOW, (0.35 if theme.dark else 0.55) * strength))
        light.setColorAt(1.0, _faded(_GLOW, 0.0))
        painter.setBrush(light)
        painter.drawEllipse(middle, radius, radius * 1.25)
        painter.setBrush(_faded(_CORE, strength))
        painter.drawPath(_flame(middle, 0.34 * radius, 0.25 * math.sin(9.0 * share + number)))


def _flame(middle: QPointF, size: float, lean: float) -> QPainterPath:
    """Return a drop with its tip up, which leans to the right by a share of its size."""
    tip = middle + QPointF(lean * size, -2.1 * size)
    path = QPainterPath(tip)
    low = middle + QPointF(0.0, size)
    path.cubicTo(middle + QPointF(1.5 * size, -0.3 * size), middle + QPointF(size, size), low)
    path.cubicTo(middle + QPointF(-size, size), middle + QPointF(-1.5 * size, -0.3 * size), tip)
    return path


def _faded(colour: str, alpha: float) -> QColor:
    faded = QColor(colour)
    faded.setAlphaF(min(1.0, max(0.0, alpha)))
    return faded
