"""The child process that paints pages: `python -m neodeskpet.ui.rendering.pdf_worker SECONDS FILE`,
or `… SECONDS "" JOB` for a printer (`ui/rendering/print_job.py`).

A frame (`children.serve_frames`) is JSON: a message as HTML of our own making, with its pictures
and the drawings of its formulas; or that it was the last. Its answer is empty, or says what is
wrong. The HTML is laid out by Qt, a message at a time, in pixels of a screen, and cut into pages
between its lines."""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMarginsF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageRanges,
    QPageSize,
    QPainter,
    QPainterStateGuard,
    QPdfWriter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
)
from PySide6.QtPrintSupport import QPrinter

from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.platform.child_process import serve_frames
from neodeskpet.ui.rendering.formula_cache import FormulaListener
from neodeskpet.ui.rendering.formula_document import FormulaDocument, place_formulas
from neodeskpet.ui.rendering.formula_drawing import FormulaDrawing
from neodeskpet.ui.rendering.print_job import load_job, output_file


def break_positions(document: QTextDocument) -> list[float]:
    """The heights at which no line is cut through, in order. Lines may stand beside one another (in
    a table), so these are the ends of what overlaps.
    """
    spans: list[tuple[float, float]] = []
    layout = document.documentLayout()
    block = document.begin()
    while block.isValid():
        top = layout.blockBoundingRect(block).top()
        lines = block.layout()
        for number in range(lines.lineCount()):
            line = lines.lineAt(number)
            spans.append((top + line.y(), top + line.y() + line.height()))
        block = block.next()
    return line_ends(spans)


def line_ends(spans: Sequence[tuple[float, float]]) -> list[float]:
    ends: list[float] = []
    for top, bottom in sorted(spans):
        if ends and top < ends[-1] - 0.5:
            ends[-1] = max(ends[-1], bottom)
        else:
            ends.append(bottom)
    return ends


def next_break(cuts: Sequence[float], top: float, room: float, total: float) -> float:
    """The last cut within `room` below `top`; the end if there is room, `top` if there is none."""
    if total - top <= room:
        return total
    place = bisect_right(cuts, top + room)
    return max(top, cuts[place - 1]) if place else top


_MEMORY = 2 << 30
_DPI = 96
_MARGIN = 18.0  # mm
_FOOT = 28.0  # px
_GAP = 14.0
_SHAPED = re.compile("[\u0300-\u036f\u0590-\u109f\u1780-\u18af\u200d\ufb1d-\ufdff\ufe70-\ufefc]")
"""Scripts whose letters depend on their neighbours."""
_KEPT = 64.0
"""So much of a message has to stand on a page, or it begins on the next."""
_HEADING_STEPS = {1: 2, 2: 1}
"""Steps of size of a heading, by its level."""
_MAX_PICTURE_SHARE = 0.9
"""Of a page, a picture."""

_TEXT, _MUTED, _LINE, _USER_BACKGROUND, _CODE = (
    "#1f2430",
    "#667085",
    "#c4cad6",
    "#eef3fb",
    "#f3f4f7",
)
_FAMILIES = (
    "Noto Sans",
    "Segoe UI",
    "Helvetica Neue",
    "Noto Sans CJK SC",
    "PingFang SC",
    "Microsoft YaHei UI",
    "DejaVu Sans",
    "Noto Color Emoji",
)
_STYLE = f"""
h1.title {{ margin: 0 0 6px 0; }}
h1 {{ margin: 10px 0 4px 0; }}
h2 {{ margin: 10px 0 4px 0; }}
h3, h4, h5, h6 {{ margin: 8px 0 4px 0; }}
p {{ margin: 0 0 6px 0; }}
li {{ margin: 0 0 2px 0; }}
.head {{ margin: 0 0 3px 0; }}
.time, .model, .small, .language {{ color: {_MUTED}; font-size: 11px; }}
.thinking p {{ color: {_MUTED}; }}
.notice {{ color: {_MUTED}; }}
.display {{ text-align: center; }}
pre, code {{ font-family: "Cascadia Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
  "Noto Sans Mono CJK SC"; font-size: 12px; }}
code {{ background-color: {_CODE}; }}
pre {{ white-space: pre-wrap; background-color: {_CODE}; margin: 0 0 6px 0; }}
blockquote {{ color: {_MUTED}; margin: 0 0 6px 16px; }}
th {{ background-color: {_CODE}; }}
a {{ color: #2f5fb3; text-decoration: none; }}
"""


def main(arguments: Sequence[str]) -> int:
    if sys.platform.startswith("linux"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QGuiApplication(["neodeskpet"])
    app.setFont(_font(14, ""))
    press = PdfRenderer(arguments[1]) if arguments[1] else PdfRenderer.for_printer(arguments[2])
    code = serve_frames(press.answer, float(arguments[0]), _MEMORY)
    del app
    return code


class _PreparedDrawings:
    """Drawings that are there already, for `place_formulas`."""

    def __init__(self, drawings: Mapping[Formula, FormulaDrawing | None]) -> None:
        self._drawings = drawings

    def get(self, formula: Formula, waiter: FormulaListener) -> FormulaDrawing | None:
        return self._drawings.get(formula)


class _PageDocument(FormulaDocument):
    """Knows the pictures that it was given, and loads no other."""

    def loadResource(self, _kind: int, _name: QUrl | str) -> None:
        return None


def _new_writer(path: str) -> QPdfWriter:
    writer = QPdfWriter(path)
    writer.setResolution(1200)
    writer.setCreator("NeoDeskPet")
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            QPageLayout.Orientation.Portrait,
            QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN),
            QPageLayout.Unit.Millimeter,
        )
    )
    return writer


def _titler(writer: QPdfWriter | QPrinter) -> Callable[[str], object]:
    return writer.setTitle if isinstance(writer, QPdfWriter) else writer.setDocName


class PdfRenderer:
    """Paints messages one after the other on the pages of a PDF, or of a printer."""

    def __init__(self, path: str, printer: QPrinter | None = None) -> None:
        self._path = Path(path) if path else None
        self._writer = printer or _new_writer(path)
        self._title_it: Callable[[str], object] = _titler(self._writer)
        self._wanted = QPageRanges() if printer is None else printer.pageRanges()
        self._fresh = True  # nothing was painted yet
        self._scale = self._writer.logicalDpiX() / _DPI
        self._width = self._writer.width() / self._scale
        self._height = self._writer.height() / self._scale - _FOOT
        self._painter: QPainter | None = None
        self._title = ""
        self._page = 1
        self._down = 0.0  # on the page, in pixels of a screen

    @classmethod
    def for_printer(cls, job: str) -> PdfRenderer:
        """On a printer, or the file in its place that was chosen in the dialog."""
        return cls(output_file(job), load_job(job))

    def answer(self, frame: bytes) -> bytes:
        told: dict[str, Any] = json.loads(frame)
        if "title" in told:
            self._title = told["title"]
            self._title_it(self._title)
        if self._painter is None:
            try:
                if self._path is not None:
                    self._path.write_bytes(b"")  # Qt would only say that it couldn't
            except OSError as error:
                return str(error).encode()
            self._painter = QPainter()
            if not self._painter.begin(self._writer):
                return b"The printer takes nothing."
            self._painter.scale(self._scale, self._scale)
            self._paint_foot(self._painter)
        if "end" not in told:
            self._paint(self._painter, self._document(told))
            return b""
        return b"" if self._painter.end() else b"The file can't be written."

    def _document(self, told: Mapping[str, Any]) -> QTextDocument:
        document = _PageDocument()
        document.setUseDesignMetrics(True)
        document.setDocumentMargin(0)
        document.setDefaultFont(_font(14, told["html"]))
        document.setDefaultStyleSheet(_STYLE)
        for digest, packed in told["pictures"].items():
            image = QImage.fromData(base64.b64decode(packed))
            document.addResource(
                QTextDocument.ResourceType.ImageResource.value,
                QUrl(f"picture:{digest}"),
                _scaled_to_fit(image, self._width, self._height * _MAX_PICTURE_SHARE),
            )
        document.setHtml(told["html"])
        _size_headings(document)
        for table in _tables(document):
            _style_table(table)
        formulas = [Formula(tex, source, shown) for tex, source, shown, _ in told["formulas"]]
        drawings = {
            formula: None if packed is None else FormulaDrawing.unpacked(packed)
            for formula, (*_, packed) in zip(formulas, told["formulas"], strict=True)
        }
        place_formulas(document, formulas, _PreparedDrawings(drawings), FormulaListener())
        document.setTextWidth(self._width)
        return document

    def _paint(self, painter: QPainter, document: QTextDocument) -> None:
        cuts = break_positions(document)
        total = document.size().height()
        if self._down and self._height - self._down < min(_KEPT, total):
            self._turn(painter)
        top = 0.0
        while top < total:
            bottom = next_break(cuts, top, self._height - self._down, total)
            if bottom <= top:  # not a line more on this page
                if self._down:
                    self._turn(painter)
                    continue
                bottom = min(total, top + self._height)
            if self._shows():
                with QPainterStateGuard(painter):
                    painter.translate(0, self._down - top)
                    document.drawContents(painter, QRectF(0, top, self._width, bottom - top))
            self._down += bottom - top
            top = bottom
            if top < total:
                self._turn(painter)
        self._down += _GAP

    def _shows(self) -> bool:
        """Whether this page is wanted."""
        return self._wanted.isEmpty() or self._wanted.contains(self._page)

    def _turn(self, painter: QPainter) -> None:
        """The next page."""
        self._page += 1
        if self._shows() and not self._fresh:
            self._writer.newPage()
        self._down = 0.0
        self._paint_foot(painter)

    def _paint_foot(self, painter: QPainter) -> None:
        if not self._shows():
            return
        self._fresh = False
        room = QRectF(0, self._height + 8, self._width, _FOOT - 8)
        with QPainterStateGuard(painter):
            painter.setFont(_font(11, self._title))
            painter.setPen(QColor(_MUTED))
            words = painter.fontMetrics().elidedText(
                self._title, Qt.TextElideMode.ElideRight, int(self._width * 0.85)
            )
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft, words)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight, str(self._page))


def _font(px: int, text: str) -> QFont:
    """For this text: letters of some scripts have to be joined to be read."""
    font = QFont([*_FAMILIES])
    font.setPixelSize(px)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if not _SHAPED.search(text):
        # Where letters are joined or exchanged, Qt doesn't say in the file which they are: they
        # could be neither found nor copied.
        font.setStyleStrategy(QFont.StyleStrategy.PreferNoShaping)
    return font


def _scaled_to_fit(image: QImage, width: float, height: float) -> QImage:
    """No larger than there is room; the resolution stays."""
    if image.isNull():
        return image
    scale = max(1.0, image.width() / width, image.height() / height)
    image.setDevicePixelRatio(scale)
    return image


def _size_headings(document: QTextDocument) -> None:
    """Qt makes them larger than it is told."""
    block = document.begin()
    while block.isValid():
        level = block.blockFormat().headingLevel()
        if level:
            cursor = QTextCursor(block)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            form = QTextCharFormat()
            form.setProperty(QTextFormat.Property.FontSizeAdjustment, _HEADING_STEPS.get(level, 0))
            cursor.mergeCharFormat(form)
        block = block.next()


def _tables(document: QTextDocument) -> Iterator[QTextTable]:
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            yield frame


def _style_table(table: QTextTable) -> None:
    form = table.format()
    form.setBorder(1)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBorderBrush(QColor(_LINE))
    form.setBorderCollapse(True)
    form.setCellPadding(4)
    form.setTopMargin(6)
    form.setBottomMargin(8)
    table.setFormat(form)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
