"""Formulas in a text document: painted in any size and colour, as text objects on the baseline of
their line.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPainterStateGuard,
    QPen,
    QPixmap,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from neodeskpet.core.markdown.formulas import Formula, formula_mark
from neodeskpet.ui.rendering.formula_cache import FormulaListener
from neodeskpet.ui.rendering.formula_drawing import EM, FormulaDrawing, Stroke

_MAX_KEPT = 400
_MAX_PIXELS = 2_000_000  # maximum pixels of a cached picture
_EDGE = 2  # px around it: glyphs extend beyond their boxes

_outlines: dict[str, QPainterPath] = {}
_pictures: OrderedDict[tuple[int, int, int, int], tuple[FormulaDrawing, QPixmap]] = OrderedDict()


def paint_formula(
    painter: QPainter, spot: QPointF, drawing: FormulaDrawing, px: float, font: QFont
) -> None:
    """Draw a formula in the painter's colour with font size `px`, its baseline starting at `spot`.
    `font` is for characters missing in the fonts of formulas.
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
        kept = _pictures[key] = (drawing, picture)  # held, so that its id() isn't reused
        while len(_pictures) > _MAX_KEPT:
            _pictures.popitem(last=False)
    else:
        _pictures.move_to_end(key)
    # Aligned to device pixels, or it would be blurred.
    transform = painter.deviceTransform()
    placed = transform.map(spot - QPointF(_EDGE, _EDGE + _ascent(drawing, px, scale)))
    whole = QPointF(round(placed.x()), round(placed.y()))
    painter.drawPixmap(transform.inverted()[0].map(whole), kept[1])


def drawing_size(drawing: FormulaDrawing, px: float) -> tuple[float, float]:
    """Return width and height in pixels."""
    unit = px / EM
    return drawing.width * unit, (drawing.ascent + drawing.descent) * unit


def _ascent(drawing: FormulaDrawing, px: float, scale: float) -> float:
    """Return the ascent in whole device pixels."""
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
    """Return the path of an SVG description (absolute commands). Glyphs recur, so paths
    are cached.
    """
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


OBJECT_CHAR = "\ufffc"
_TYPE = int(QTextFormat.ObjectTypes.UserObject) + 1
_NUMBER = int(QTextFormat.Property.UserProperty) + 1
_INLINE, _DISPLAY = 1.1, 1.2
"""Scale factors: letters of formulas look smaller than those of the interface."""
_SIDE = 1.0  # px
_MIDDLE = QTextCharFormat.VerticalAlignment.AlignMiddle
_BASELINE = QTextCharFormat.VerticalAlignment.AlignBaseline

# Qt may break a line on both sides of an object, so adjoining punctuation is drawn with it.
_BEFORE = re.compile(r"[(\[{（【「『《“‘]{1,3}$")
_AFTER = re.compile(r"^[)\]},.;:!?%）】」』》”’，。；：！？、…]{1,4}")


class DrawingSource(Protocol):
    """The source of drawings (`FormulaCache`)."""

    def get(self, formula: Formula, waiter: FormulaListener) -> FormulaDrawing | None: ...


@dataclass(frozen=True, slots=True)
class PlacedFormula:
    """A formula in a document, with the punctuation that must stay next to it."""

    formula: Formula
    drawing: FormulaDrawing
    before: str = ""
    after: str = ""
    is_display: bool = False

    @property
    def source(self) -> str:
        return self.before + self.formula.source + self.after


class FormulaDocument(QTextDocument):
    """A document whose objects are formulas, in reading order."""

    formulas: tuple[PlacedFormula, ...] = ()
    # Layout of each formula by its number and the available width: Qt queries it several times per
    # paint.
    layouts: dict[tuple[int, float], tuple[_FormulaLayout, QFont]]

    def set_formulas(self, placed: tuple[PlacedFormula, ...]) -> None:
        self.formulas = placed
        self.layouts = {}

    def text_between(self, start: int, end: int) -> str:
        """Return the text of a range, with formulas as their sources."""
        text = _text(self, start, end)
        if not self.formulas or OBJECT_CHAR not in text:
            return text
        sources = iter(self.formulas[_text(self, 0, start).count(OBJECT_CHAR) :])
        return re.sub(OBJECT_CHAR, lambda _: next(sources).source, text)


def _text(document: QTextDocument, start: int, end: int) -> str:
    cursor = QTextCursor(document)
    last = document.characterCount() - 1
    cursor.setPosition(min(start, last))
    cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


def place_formulas(
    document: FormulaDocument,
    formulas: Sequence[Formula],
    drawings: DrawingSource,
    waiter: FormulaListener,
) -> None:
    """Replace the marks by formulas; one that isn't drawn yet is shown as its source."""
    placed: list[PlacedFormula] = []
    place = 0
    for number, formula in enumerate(formulas):
        found = document.find(formula_mark(number), place)  # they are in this order
        if found.isNull():
            continue
        place = found.selectionStart()
        drawing = drawings.get(formula, waiter)
        if drawing is None:
            found.insertText(formula.source)
            continue
        form = QTextCharFormat(found.charFormat())
        before, behind = _take_punctuation(found)
        form.setObjectType(_TYPE)
        form.setProperty(_NUMBER, len(placed))
        one = PlacedFormula(formula, drawing, before, behind)
        sinks = _FormulaLayout(one, form.font(), 0.0).sinks
        form.setVerticalAlignment(_MIDDLE if sinks else _BASELINE)
        found.insertText(OBJECT_CHAR, form)
        placed.append(one)
    document.set_formulas(tuple(placed))
    if placed:
        document.documentLayout().registerHandler(_TYPE, _handler())


def _take_punctuation(found: QTextCursor) -> tuple[str, str]:
    """Remove the mark and adjoining punctuation; return the punctuation."""
    block, start = found.block(), found.selectionStart()
    end = found.selectionEnd()
    found.setPosition(block.position())
    found.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
    before = _BEFORE.search(found.selectedText())
    found.setPosition(end)
    found.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    behind = _AFTER.search(found.selectedText())
    found.setPosition(start - (len(before[0]) if before else 0))
    found.setPosition(end + (len(behind[0]) if behind else 0), QTextCursor.MoveMode.KeepAnchor)
    found.removeSelectedText()
    return before[0] if before else "", behind[0] if behind else ""


def write_display_formula(
    document: FormulaDocument, formula: Formula, drawing: FormulaDrawing
) -> None:
    """Write a document with a single formula."""
    form = QTextCharFormat()
    form.setObjectType(_TYPE)
    form.setProperty(_NUMBER, 0)
    QTextCursor(document).insertText(OBJECT_CHAR, form)
    document.set_formulas((PlacedFormula(formula, drawing, is_display=True),))
    document.documentLayout().registerHandler(_TYPE, _handler())


def formula_width(placed: PlacedFormula, font: QFont) -> float:
    """Return its width in a text of this font, without a limit."""
    return _FormulaLayout(placed, font, 0.0).width


class _FormulaLayout:
    """The layout of a formula in its line: on the baseline like a letter. Qt centres an object with
    a deeper descent around half the x-height, so such a formula requests as much space above as it
    needs below, or vice versa.
    """

    def __init__(self, placed: PlacedFormula, font: QFont, room: float) -> None:
        self.px = font.pixelSize() * (_DISPLAY if placed.formula.display else _INLINE)
        metrics = QFontMetricsF(font)
        self.before = metrics.horizontalAdvance(placed.before) + _SIDE
        behind = metrics.horizontalAdvance(placed.after) + _SIDE
        wide, _ = drawing_size(placed.drawing, self.px)
        around = self.before + behind
        if room and wide + around > room:
            # Shrink rather than cut off; display formulas scroll instead.
            self.px *= max(0.2, (room - around) / wide)
            wide, _ = drawing_size(placed.drawing, self.px)
        self.formula_width = wide
        self.width = wide + around
        half = QFontMetrics(font).xHeight() / 2
        ascent = placed.drawing.ascent * self.px / 1000 + 1
        descent = placed.drawing.descent * self.px / 1000 + 1
        self.sinks = not placed.is_display and descent > metrics.descent() + 1
        self.ascent = ascent
        if self.sinks:
            self.height = max(2 * ascent - half, 2 * descent + half)
        else:
            self.height = ascent + (descent if placed.is_display else metrics.descent())


class _FormulaTextObject(QPyTextObject):
    """Measures and paints the objects of all documents."""

    def intrinsicSize(self, document: QTextDocument, _at: int, format: QTextFormat) -> QSizeF:
        fit = _layout_of(document, format)
        return QSizeF(0, 0) if fit is None else QSizeF(fit[1].width, fit[1].height)

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        document: QTextDocument,
        at: int,
        format: QTextFormat,
    ) -> None:
        found = _layout_of(document, format)
        if found is None:
            return
        placed, fit, font = found
        down = fit.ascent
        if fit.sinks:
            # Qt draws it in the middle of the line; move it to the baseline.
            block = document.findBlock(at)
            line = block.layout().lineForTextPosition(at - block.position())
            down = (line.ascent() - line.descent() + rect.height()) / 2
        spot = QPointF(rect.left(), rect.top() + down)
        painter.setFont(font)
        if placed.before:
            painter.drawText(spot, placed.before)
        spot.setX(spot.x() + fit.before)
        paint_formula(painter, spot, placed.drawing, fit.px, font)
        if placed.after:
            painter.drawText(spot + QPointF(fit.formula_width, 0), placed.after)


def _layout_of(
    document: QTextDocument, format: QTextFormat
) -> tuple[PlacedFormula, _FormulaLayout, QFont] | None:
    number = format.property(_NUMBER)
    if not isinstance(document, FormulaDocument) or not isinstance(number, int):
        return None
    if number >= len(document.formulas):
        return None  # it is still being inserted
    room = max(0.0, document.textWidth())
    placed = document.formulas[number]
    if (number, room) not in document.layouts:
        font = format.toCharFormat().font()
        document.layouts[number, room] = _FormulaLayout(placed, font, room), font
    return placed, *document.layouts[number, room]


_made: list[QObject] = []


def _handler() -> QObject:
    """Return the shared handler; Qt doesn't take ownership."""
    if not _made:
        _made.append(_FormulaTextObject())
    return _made[0]
