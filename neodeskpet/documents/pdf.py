"""PDF files, read with pdfium: the text of each page in reading order.

pdfium returns characters in the order of the file, which often runs across the columns of a page.
Columns of running text are therefore read one after the other.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from neodeskpet.core.attachments import Omission
from neodeskpet.documents.reader_types import ReaderRefusal, ReadOptions, ReadResult, limit_text

_PICTURE = 0.5
"""A page counts as scanned if a picture covers this share of it."""
_STAMP = 40
"""Most characters of a scanned page: it may have a page number or a stamp as text."""
_LOOKED_AT = 200
"""Characters of a page that are sampled for unmapped characters."""
_WORTH_NAMING = 0.005
"""Share of unmapped characters from which they are reported; below it they are single symbols of
TeX.
"""
_SMALLEST = 2.0
"""Smallest width and height of visible text, in points."""
_EMPTY = 2
"""Size of an empty text in bytes: the terminating zero."""
_GAP = 1.5
"""A gap in a line that is wider than this multiple of the text height may separate columns."""
_BINS = 240
_LEAST_LINES = 4
"""Fewest lines of a column."""
_FILLED = 0.5
"""Lines of running text fill at least this share of their column; cells of a table don't,"""
_LONG = 5
"""and they are at least this long, in multiples of the text height."""
_HYPHENS = {0x02: "-", 0xFFFE: "-"}
"""pdfium's codes for a hyphen at the end of a line."""


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A part of a line without a wide gap; `line` counts lines in the order of the file."""

    left: float
    right: float
    bottom: float
    top: float
    text: str
    line: int


def read_pdf(path: Path, options: ReadOptions) -> ReadResult:
    import pypdfium2
    from pypdfium2 import raw

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        encrypted = code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        raise ReaderRefusal("encrypted" if encrypted else "broken") from error
    with document:
        return _read(document, options)


def _read(document: Any, options: ReadOptions) -> ReadResult:
    omitted: Counter[Omission] = Counter()
    texts: list[str] = []
    size = 0
    count = len(document)
    for number in range(count):
        texts.append(_page(document, number, omitted))
        size += len(texts[-1]) + 1
        if size > options.longest + 1:
            break
    omitted[Omission.PAGES_AFTER_LIMIT] = count - len(texts)
    omitted[Omission.EMBEDDED] = document.count_attachments()
    if not any(texts):
        raise ReaderRefusal("empty")
    if omitted[Omission.UNMAPPED] < _WORTH_NAMING * size:
        del omitted[Omission.UNMAPPED]
    found = limit_text("\f".join(texts), options, +omitted)
    cut = found.cut or len(texts) < count
    return ReadResult(found.text, count, len(texts), cut=cut, omitted=found.omitted)


def _page(document: Any, number: int, omitted: Counter[Omission]) -> str:
    from pypdfium2 import PdfiumError, raw

    try:
        page = document[number]
        if raw.FPDFPage_GetAnnotCount(page) > 0:
            # Makes the texts of forms and annotations part of the page.
            raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
            page = document[number]
        letters = page.get_textpage()
        if _gutter(_runs(letters)) is None:
            text = _tidy(letters.get_text_range())
        else:
            text = ordered_text(_segments(letters))
        unmapped = _unmapped(letters) + _without_text(page, letters)
        scanned = len(text) < _STAMP and _is_picture(page)
        letters.close()
        page.close()
    except PdfiumError:
        omitted[Omission.BROKEN_PAGES] += 1
        return ""
    omitted[Omission.UNMAPPED] += unmapped
    omitted[Omission.PICTURE_PAGES] += scanned
    return text


def _tidy(text: str) -> str:
    for code, letter in _HYPHENS.items():
        text = text.replace(chr(code), letter)
    lines = (line.rstrip() for line in text.replace("\r\n", "\n").replace("\0", "").split("\n"))
    return "\n".join(lines).strip()


def _is_picture(page: Any) -> bool:
    from pypdfium2 import raw

    area = page.get_width() * page.get_height() * _PICTURE
    for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4):
        left, bottom, right, top = one.get_bounds()
        if (right - left) * (top - bottom) >= area:
            return True
    return False


def _unmapped(letters: Any) -> int:
    """Count the characters without a Unicode mapping. A sample is checked first, for speed."""
    from pypdfium2 import raw

    def count(places: range) -> int:
        return sum(raw.FPDFText_HasUnicodeMapError(letters, place) == 1 for place in places)

    every = range(letters.count_chars())
    return count(every) if count(every[:: max(1, len(every) // _LOOKED_AT)]) else 0


def _without_text(page: Any, letters: Any) -> int:
    """Count the drawn characters of a page that have no text, such as the emoji of some files. Text
    drawn on top of other text is ignored: some programs draw characters twice.
    """
    from pypdfium2 import raw

    count = 0
    for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=4):
        left, bottom, right, top = one.get_bounds()
        width, height = right - left, top - bottom
        if width < _SMALLEST or height < _SMALLEST:  # spaces
            continue
        middle = (left + right) / 2, (bottom + top) / 2
        near = raw.FPDFText_GetCharIndexAtPos(letters, *middle, width / 2, height / 2)
        if near < 0 and raw.FPDFTextObj_GetText(one, letters, None, 0) <= _EMPTY:
            count += max(1, _named(one))
    return count


def _named(piece: Any) -> int:
    """Return the length of a text object's `ActualText`, 0 if it has none."""
    from pypdfium2 import raw

    size = ctypes.c_ulong()
    for number in range(raw.FPDFPageObj_CountMarks(piece)):
        mark = raw.FPDFPageObj_GetMark(piece, number)
        name = b"ActualText"
        if raw.FPDFPageObjMark_GetParamStringValue(mark, name, None, 0, ctypes.byref(size)):
            text = (ctypes.c_ushort * (size.value // 2))()
            raw.FPDFPageObjMark_GetParamStringValue(
                mark, name, text, size.value, ctypes.byref(size)
            )
            return len(bytes(text)[:-_EMPTY].decode("utf-16-le", "replace"))
    return 0


def _runs(letters: Any) -> list[TextSegment]:
    """Return the rectangles of the page's text without the text itself, which is much faster in
    pdfium.
    """
    runs: list[TextSegment] = []
    for index in range(letters.count_rects()):
        left, bottom, right, top = letters.get_rect(index)
        before = runs[-1] if runs else None
        height = top - bottom
        if (
            before is not None
            and before.bottom < (top + bottom) / 2 < before.top
            and -height < left - before.right < _GAP * height
        ):
            runs[-1] = replace(before, right=max(right, before.right))
        else:
            runs.append(TextSegment(left, right, bottom, top, "", index))
    return runs


def _segments(letters: Any) -> list[TextSegment]:
    """Return the text segments of a page."""
    from pypdfium2 import raw

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    box = [ctypes.byref(one) for one in (left, right, bottom, top)]
    gathering = _Gathering()
    for index in range(letters.count_chars()):
        code = raw.FPDFText_GetUnicode(letters, index)
        if code in (0x0D, 0x0A):
            gathering.end_line()
            continue
        letter = _HYPHENS.get(code) or chr(code or 0x20)
        if letter.isspace():
            gathering.add_space()
            continue
        raw.FPDFText_GetCharBox(letters, index, *box)
        gathering.add(letter, left.value, right.value, bottom.value, top.value)
    gathering.end_line()
    return gathering.segments


class _Gathering:
    """Joins characters to segments."""

    def __init__(self) -> None:
        self.segments: list[TextSegment] = []
        self._line = 0
        self._text: list[str] = []
        self._box = (0.0, 0.0, 0.0, 0.0)

    def add(self, letter: str, left: float, right: float, bottom: float, top: float) -> None:
        old = self._box
        if any(not one.isspace() for one in self._text):
            height = max(old[3] - old[2], top - bottom)
            if left - old[1] > _GAP * height:
                self._end_segment()
        if right <= left:
            self._text.append(letter)
            return
        if any(not one.isspace() for one in self._text):
            left, right = min(left, old[0]), max(right, old[1])
            bottom, top = min(bottom, old[2]), max(top, old[3])
        self._box = (left, right, bottom, top)
        self._text.append(letter)

    def add_space(self) -> None:
        self._text.append(" ")

    def end_line(self) -> None:
        self._end_segment()
        self._line += 1

    def _end_segment(self) -> None:
        text = "".join(self._text).strip()
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if text:
            left, right, bottom, top = self._box
            self.segments.append(TextSegment(left, right, bottom, top, text, self._line))
        self._text = []


def ordered_text(segments: Sequence[TextSegment]) -> str:
    """Return the text column by column if there are columns, else in the order of the file."""
    return "\n".join(_lines(segments, depth=0))


def _lines(segments: Sequence[TextSegment], depth: int) -> list[str]:
    gutter = _gutter(segments) if depth < 3 else None
    if gutter is None:
        lines: dict[int, list[str]] = {}
        for one in segments:
            lines.setdefault(one.line, []).append(one.text)
        return [" ".join(texts) for texts in lines.values()]
    found: list[str] = []
    left: list[TextSegment] = []
    right: list[TextSegment] = []

    def end_band() -> None:
        found.extend(_lines(left, depth + 1) + _lines(right, depth + 1))
        left.clear()
        right.clear()

    for line in _rows(segments):
        if any(one.left < gutter < one.right for one in line):
            end_band()
            found.append(" ".join(one.text for one in line))
            continue
        left += [one for one in line if one.right <= gutter]
        right += [one for one in line if one.left >= gutter]
    end_band()
    return found


def _rows(segments: Sequence[TextSegment]) -> list[list[TextSegment]]:
    """Group segments at the same height, from top to bottom."""
    rows: list[list[TextSegment]] = []
    for one in sorted(segments, key=lambda s: (-s.top - s.bottom, s.left)):
        middle = (one.top + one.bottom) / 2
        if rows and rows[-1][0].bottom < middle < rows[-1][0].top:
            rows[-1].append(one)
        else:
            rows.append([one])
    return [sorted(row, key=lambda s: s.left) for row in rows]


def _gutter(segments: Sequence[TextSegment]) -> float | None:
    """Return the position of the gap between two columns of running text; None if there is none."""
    if len(segments) < 2 * _LEAST_LINES:
        return None
    begin, end = min(s.left for s in segments), max(s.right for s in segments)
    if end - begin <= 0:
        return None
    step = (end - begin) / _BINS
    covered = [0] * (_BINS + 1)
    for one in segments:
        for place in range(int((one.left - begin) / step), int((one.right - begin) / step) + 1):
            covered[min(place, _BINS)] += 1
    middle = range(_BINS // 6, _BINS - _BINS // 6)
    for place in sorted(middle, key=lambda at: (covered[at], abs(at - _BINS // 2)))[:12]:
        at = begin + (place + 0.5) * step
        if _are_columns(segments, at):
            return at
    return None


def _are_columns(segments: Sequence[TextSegment], gutter: float) -> bool:
    left = [one for one in segments if one.right <= gutter]
    right = [one for one in segments if one.left >= gutter]
    if len(left) < _LEAST_LINES or len(right) < _LEAST_LINES:
        return False
    if len(segments) - len(left) - len(right) > 0.5 * len(segments):
        return False
    top = min(max(one.top for one in left), max(one.top for one in right))
    bottom = max(min(one.bottom for one in left), min(one.bottom for one in right))
    if top - bottom < 3 * median(one.top - one.bottom for one in segments):
        return False
    return _is_prose(left) and _is_prose(right)


def _is_prose(column: Sequence[TextSegment]) -> bool:
    width = max(one.right for one in column) - min(one.left for one in column)
    usual = median(one.right - one.left for one in column)
    return usual >= max(_FILLED * width, _LONG * median(one.top - one.bottom for one in column))
