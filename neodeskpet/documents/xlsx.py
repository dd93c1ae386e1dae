"""Excel files (.xlsx): each sheet is a table, and its values are written as Excel shows them. Text
boxes, comments and charts follow their sheet.

openpyxl isn't used: it drops text boxes, and doesn't tell a formula without a stored result from an
empty cell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import Omission
from neodeskpet.documents.office_package import Package, drawn_texts
from neodeskpet.documents.reader_types import (
    ReadOptions,
    ReadResult,
    attribute,
    child_named,
    entries,
    join_texts,
    local_name,
    open_archive,
)

_DAYS = (14, 15, 16, 17, *range(27, 32), 36, *range(50, 59))
_TIMES = (18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47)
_BUILT_IN = {
    9: "0%",
    10: "0.00%",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    **dict.fromkeys((37, 38), "#,##0"),
    **dict.fromkeys((39, 40), "#,##0.00"),
    48: "##0.0E+0",
    22: "yyyy-mm-dd h:mm",
    **dict.fromkeys(_DAYS, "yyyy-mm-dd"),
    **dict.fromkeys(_TIMES, "h:mm"),
}
"""The built-in number formats of ECMA-376 part 1, 18.8.30, whose codes aren't in the file."""
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_PART = re.compile(
    r"""\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]|"(?P<quoted>[^"]*)"|\\(?P<escaped>.)"""
    r"""|_.|\*.|(?P<digit>[0#?])|(?P<sign>[$€£¥])""",
    re.DOTALL,
)
_COLUMN = re.compile(r"[A-Z]+")
_WIDEST = 500
"""Most columns of a row that are written."""


@dataclass(frozen=True, slots=True)
class _Workbook:
    strings: list[str]
    formats: list[str]
    epoch: datetime


def read_sheets(path: Path, options: ReadOptions) -> ReadResult:
    with open_archive(path) as archive:
        omitted: Counter[Omission] = Counter()
        return join_texts(_texts(Package(archive), omitted), options, omitted)


def _texts(package: Package, omitted: Counter[Omission]) -> Iterator[str]:
    main = package.main("xl/workbook.xml")
    root = package.xml(main)
    related = package.related(main)
    workbook = _Workbook(
        [
            text
            for one in related
            if one.kind == "sharedStrings"
            for text in _strings(package, one.name)
        ],
        [form for one in related if one.kind == "styles" for form in _formats(package, one.name)],
        _epoch(root),
    )
    named = {one.id: one.name for one in related}
    for sheet in entries(root, "sheets"):
        ids = (value for key, value in sheet.attrib.items() if key.endswith("}id"))
        name = named.get(next(ids, ""), "")
        if name in package:
            yield f"## {attribute(sheet, 'name')}"
            rows = "\n".join(_rows(package.xml(name), workbook, omitted))
            yield rows
            yield from _beside(package, name, omitted)


def _epoch(root: Any) -> datetime:
    properties = child_named(root, "workbookPr")
    late = properties is not None and attribute(properties, "date1904") in ("1", "true")
    return datetime(1904, 1, 1) if late else datetime(1899, 12, 30)


def _strings(package: Package, name: str) -> Iterator[str]:
    for entry in package.xml(name):
        yield _rich(entry)


def _rich(entry: Any) -> str:
    """Return the text of a rich text, without the readings of Japanese words (`rPh`)."""
    pieces = []
    for one in entry:
        if local_name(one) == "t":
            pieces.append(one.text or "")
        elif local_name(one) == "r":
            pieces += [piece.text or "" for piece in one if local_name(piece) == "t"]
    return "".join(pieces)


def _formats(package: Package, name: str) -> Iterator[str]:
    """Yield the number format of each cell style."""
    root = package.xml(name)
    own = {
        attribute(one, "numFmtId"): attribute(one, "formatCode") for one in entries(root, "numFmts")
    }
    for one in entries(root, "cellXfs"):
        number = attribute(one, "numFmtId", "0")
        yield own.get(number) or _BUILT_IN.get(int(number), "")


def _rows(sheet: Any, workbook: _Workbook, omitted: Counter[Omission]) -> Iterator[str]:
    for edge in entries(sheet, "headerFooter"):
        text = re.sub(r"&(\"[^\"]*\"|K[0-9A-F]{6}|\d+|[A-Z])", " ", edge.text or "").strip()
        if text:
            yield text
    for row in entries(sheet, "sheetData"):
        cells: dict[int, str] = {}
        for cell in row:
            value = _value(cell, workbook)
            if value is None:
                omitted[Omission.FORMULAS] += 1
            elif value:
                cells[_column(cell, len(cells))] = " ".join(value.split("\n"))
        if cells:
            width = min(max(cells) + 1, _WIDEST)
            beyond = [text for place, text in cells.items() if place >= width]
            shown = [cells.get(place, "") for place in range(width)]
            yield "| " + " | ".join(shown + beyond) + " |"


def _column(cell: Any, otherwise: int) -> int:
    letters = _COLUMN.match(attribute(cell, "r"))
    if letters is None:
        return otherwise
    number = 0
    for letter in letters[0]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: Any, workbook: _Workbook) -> str | None:
    """Return the displayed value of a cell; None for a formula without a stored result."""
    inline = child_named(cell, "is")
    if inline is not None:
        return _rich(inline)
    value = child_named(cell, "v")
    text = (value.text or "") if value is not None else ""
    if not text:
        formula = child_named(cell, "f")
        empty = value is not None and attribute(cell, "t") == "str"
        return None if formula is not None and not empty else ""
    match attribute(cell, "t", "n"):
        case "s":
            return workbook.strings[int(text)] if int(text) < len(workbook.strings) else ""
        case "b":
            return "TRUE" if text == "1" else "FALSE"
        case "n":
            style = int(attribute(cell, "s", "0"))
            return _number(
                text, workbook.formats[style] if style < len(workbook.formats) else "", workbook
            )
        case _:
            return text


def _number(text: str, form: str, workbook: _Workbook) -> str:
    try:
        number = float(text)
    except ValueError:
        return text
    shape = _QUOTED.sub("", form.split(";")[0]).lower()
    if any(letter in shape for letter in "ymdhs") and "general" not in shape:
        return _moment(number, shape, workbook) or text
    if "?/?" in shape:
        return _fraction(number, shape)
    before, behind = _literals(form.split(";")[0])
    sign, number = ("-", -number) if number < 0 else ("", number)
    places = len(re.findall(r"[0#?]", shape.partition("e")[0].partition(".")[2]))
    if "%" in shape:
        return f"{sign}{before}{number * 100:.{places}f}%{behind}"
    if "0" in shape and "/" not in shape and ("e" not in shape or "e+" in shape):
        kind = f",.{places}f" if "," in shape else f".{places}{'E' if 'e' in shape else 'f'}"
        return f"{sign}{before}{number:{kind}}{behind}"
    return f"{sign}{number:.15g}" if abs(number) < 1e15 else text


def _fraction(number: float, shape: str) -> str:
    """Format as "2 3/4"."""
    digits = len(shape.partition("/")[2].strip())
    near = Fraction(number).limit_denominator(10 ** min(digits, 3) - 1)
    whole, rest = divmod(abs(near.numerator), near.denominator)
    parts = [str(whole)] if whole or not rest else []
    parts += [f"{rest}/{near.denominator}"] if rest else []
    return ("-" if number < 0 else "") + " ".join(parts)


def _literals(form: str) -> tuple[str, str]:
    """Return the text that a format writes before and after the number, such as a currency."""
    before, behind, seen = "", "", False
    for part in _PART.finditer(form):
        if part["digit"]:
            seen = True
            continue
        text = part["currency"] or part["quoted"] or part["escaped"] or part["sign"] or ""
        before, behind = (before, behind + text) if seen else (before + text, behind)
    return before, behind


def _moment(number: float, shape: str, workbook: _Workbook) -> str:
    try:
        at = workbook.epoch + timedelta(seconds=round(number * 86400))
    except OverflowError:
        return ""
    parts = []
    if "y" in shape or "d" in shape:
        parts.append(at.strftime("%Y-%m-%d"))
    if "h" in shape or "s" in shape:
        parts.append(at.strftime("%H:%M:%S" if "s" in shape else "%H:%M"))
    return " ".join(parts) or at.strftime("%Y-%m")


def _beside(package: Package, sheet: str, omitted: Counter[Omission]) -> Iterator[str]:
    """Yield the texts of comments, charts and text boxes of a sheet."""
    for one in package.related(sheet):
        if one.name not in package:
            continue
        match one.kind:
            case "comments":
                for comment in package.xml(one.name).iter():
                    if local_name(comment) == "text":
                        text = "".join(t.text or "" for t in comment.iter() if local_name(t) == "t")
                        yield f"[Comment] {text}" if text.strip() else ""
            case "drawing":
                yield "\n".join(drawn_texts(package.xml(one.name)))
                charts = (
                    c for c in package.related(one.name) if c.kind in ("chart", "diagramData")
                )
                for chart in charts:
                    if chart.name in package:
                        yield "\n".join(drawn_texts(package.xml(chart.name)))
            case "package" | "oleObject":
                omitted[Omission.EMBEDDED] += 1
