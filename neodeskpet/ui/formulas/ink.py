"""Draws formulas in a size and a colour, at any resolution; those that were drawn are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPainterStateGuard,
    QPen,
    QPixmap,
)

from neodeskpet.ui.formulas.drawing import EM, FormulaDrawing, Stroke

_MAX_KEPT = 400
_MAX_PIXELS = 2_000_000  # pixels of one that is kept
_EDGE = 2  # px around it: letters reach out of their boxes

_outlines: dict[str, QPainterPath] = {}
_pictures: OrderedDict[tuple[int, int, int, int], tuple[FormulaDrawing, QPixmap]] = OrderedDict()


def paint_formula(
    painter: QPainter, spot: QPointF, drawing: FormulaDrawing, px: float, font: QFont
) -> None:
    """Draw it in the painter's colour, its letters `px` high, its baseline beginning at `spot`.
    `font` is for letters that formulas' fonts don't have.
    """
    color = painter.pen().color()
    scale = painter.device().devicePixelRatio()
    width, height = drawing_size(drawing, px)
    wide, high = width + 2 * _EDGE, height + 2 * _EDGE
    engine = painter.paintEngine()
    on_paper = engine is not None and engine.type() is QPaintEngine.Type.Pdf
    if on_paper or wide * high * scale * scale > _MAX_PIXELS:
        with QPainterStateGuard(painter):
            painter.translate(spot)
            _draw(painter, drawing, px, color, font)
        return
    key = (id(drawing), round(px * 64), int(color.rgba()), round(scale * 64))
    kept = _pictures.get(key)
    if kept is None:
        picture = QPixmap(round(wide * scale) + 1, round(high * scale) + 1)
        picture.setDevicePixelRatio(scale)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as inner:
            inner.translate(_EDGE, _EDGE + _ascent(drawing, px, scale))
            _draw(inner, drawing, px, color, font)
        kept = _pictures[key] = (drawing, picture)  # held, so that its id stays its own
        while len(_pictures) > _MAX_KEPT:
            _pictures.popitem(last=False)
    else:
        _pictures.move_to_end(key)
    # On whole pixels of the device, or it would be blurred.
    transform = painter.deviceTransform()
    placed = transform.map(spot - QPointF(_EDGE, _EDGE + _ascent(drawing, px, scale)))
    whole = QPointF(round(placed.x()), round(placed.y()))
    painter.drawPixmap(transform.inverted()[0].map(whole), kept[1])


def drawing_size(drawing: FormulaDrawing, px: float) -> tuple[float, float]:
    """Width and height in pixels."""
    unit = px / EM
    return drawing.width * unit, (drawing.ascent + drawing.descent) * unit


def _ascent(drawing: FormulaDrawing, px: float, scale: float) -> float:
    """From the baseline up to the top, in whole pixels of the device."""
    return round(drawing.ascent * px / EM * scale) / scale


def _draw(
    painter: QPainter, drawing: FormulaDrawing, px: float, color: QColor, font: QFont
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    unit = px / EM
    painter.scale(unit, unit)
    for stroke in drawing.strokes:
        ink = QColor.fromString(stroke.ink) if stroke.ink else color
        ink = ink if ink.isValid() else color
        with QPainterStateGuard(painter):
            painter.translate(stroke.x, stroke.y)
            if stroke.letter:
                _draw_letter(painter, stroke, ink, font)
            elif not stroke.glyph:
                _draw_bar(painter, stroke, ink)
            elif stroke.frame:
                pen = QPen(ink, stroke.frame)
                painter.scale(stroke.scale, stroke.scale)
                painter.strokePath(_outline(drawing.glyphs[stroke.glyph]), pen)
            else:
                painter.scale(stroke.scale, stroke.scale)
                painter.fillPath(_outline(drawing.glyphs[stroke.glyph]), ink)


def _draw_bar(painter: QPainter, stroke: Stroke, ink: QColor) -> None:
    rect = QRectF(0, 0, stroke.width, stroke.height)
    if not stroke.frame:
        painter.fillRect(rect, ink)
        return
    painter.setPen(QPen(ink, stroke.frame))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)


def _draw_letter(painter: QPainter, stroke: Stroke, ink: QColor, font: QFont) -> None:
    own = QFont(font)
    own.setPixelSize(round(EM))
    painter.scale(stroke.scale, stroke.scale)
    path = QPainterPath()
    path.addText(0, 0, own, stroke.letter)
    painter.fillPath(path, ink)


def _outline(d: str) -> QPainterPath:
    """The path that SVG writes so (absolute commands). Letters recur, so they are kept."""
    found = _outlines.get(d)
    if found is None:
        found = _outlines[d] = _parse_path(d)
        if len(_outlines) > 4 * _MAX_KEPT:
            del _outlines[next(iter(_outlines))]
    return found


def _parse_path(d: str) -> QPainterPath:
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    words = iter(d.replace(",", " ").split())
    for word in words:
        match word:
            case "M":
                path.moveTo(_point(words))
            case "L":
                path.lineTo(_point(words))
            case "Q":
                path.quadTo(_point(words), _point(words))
            case "C":
                path.cubicTo(_point(words), _point(words), _point(words))
            case _:
                path.closeSubpath()
    return path


def _point(words: Iterator[str]) -> QPointF:
    return QPointF(float(next(words)), float(next(words)))
