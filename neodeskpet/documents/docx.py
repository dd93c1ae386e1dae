"""Word files (.docx).

All visible text is read: text boxes, content controls, inserted text of tracked changes, notes,
comments, headers, footers and paragraph numbers. Deleted text is not. Names of elements are
compared without their namespace, so files in the strict form are read too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import Omission
from neodeskpet.documents.office_package import Package, Related, alternative, drawn_texts
from neodeskpet.documents.reader_types import (
    ReadOptions,
    ReadResult,
    attribute,
    child_named,
    join_texts,
    local_name,
    open_archive,
)

_PLACE = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"))
_ROMAN_SMALL = ((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_CHINESE = "〇一二三四五六七八九"


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str


class Numbering:
    """Numbers the paragraphs of each list. `root` is the part with the numbering definitions, if
    any.
    """

    def __init__(self, root: Any | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = {}
        if root is None:
            return
        for one in root:
            if local_name(one) == "abstractNum":
                self._levels[attribute(one, "abstractNumId")] = dict(_levels(one))
            elif local_name(one) == "num":
                named = child_named(one, "abstractNumId")
                if named is not None:
                    self._lists[attribute(one, "numId")] = attribute(named, "val")

    def next_of(self, properties: Any | None) -> str:
        """Return the number or bullet of the next paragraph with these properties: "2.1", "-", ""
        for none.
        """
        found = child_named(properties, "numPr") if properties is not None else None
        number = child_named(found, "numId") if found is not None else None
        if number is None:
            return ""
        abstract = self._lists.get(attribute(number, "val"), "")
        level_at = child_named(found, "ilvl")
        place = int(attribute(level_at, "val", "0")) if level_at is not None else 0
        level = self._levels.get(abstract, {}).get(place)
        if level is None:
            return ""
        if level.form in ("bullet", "none"):
            return "-" if level.form == "bullet" else ""
        counts = self._counts.setdefault(abstract, {})
        counts[place] = counts.get(place, level.start - 1) + 1
        for deeper in [one for one in counts if one > place]:
            del counts[deeper]
        return _PLACE.sub(lambda match: self._written(abstract, int(match[1]) - 1), level.text)

    def _written(self, abstract: str, place: int) -> str:
        level = self._levels[abstract].get(place, _Level(1, "decimal", ""))
        return in_form(self._counts[abstract].get(place, level.start), level.form)


def _levels(abstract: Any) -> list[tuple[int, _Level]]:
    found = []
    for one in abstract:
        if local_name(one) == "lvl":
            values = {local_name(child): attribute(child, "val") for child in one}
            start = values.get("start", "1")
            level = _Level(
                int(start) if start.isdigit() else 1,
                values.get("numFmt", "decimal"),
                values.get("lvlText", ""),
            )
            found.append((int(attribute(one, "ilvl", "0")), level))
    return found


def in_form(number: int, form: str) -> str:
    match form:
        case "lowerLetter" | "upperLetter" if number > 0:
            letters = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letters.upper() if form == "upperLetter" else letters
        case "lowerRoman" | "upperRoman" if 0 < number < 4000:
            text = ""
            for value, letters in _ROMAN + _ROMAN_SMALL:
                text += letters * (number // value)
                number %= value
            return text.upper() if form == "upperRoman" else text
        case "chineseCounting" | "chineseCountingThousand" | "japaneseCounting" if 0 < number < 100:
            tens, ones = divmod(number, 10)
            before = "" if tens == 0 else "十" if tens == 1 else _CHINESE[tens] + "十"
            return before + (_CHINESE[ones] if ones else "")
        case "decimalZero":
            return f"{number:02d}"
        case _:
            return str(number)


_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_DELETED = frozenset({"del", "moveFrom"})
_PROPERTIES = frozenset(
    {"pPr", "rPr", "tblPr", "tblGrid", "trPr", "tcPr", "sdtPr", "sdtEndPr", "sectPr", "instrText"}
    | {"delText", "delInstrText", "rt", "fldData", "proofErr", "ctrlPr", "docPartPr"}
)
"""Elements without text of the document."""
_CHARACTERS = {
    "tab": "\t",
    "ptab": "\t",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "\N{NON-BREAKING HYPHEN}",
    "softHyphen": "\N{SOFT HYPHEN}",
}
_DEEPEST_STYLE = 20
"""Longest chain of styles that are based on each other."""
_NOTES = {"footnotes": "", "endnotes": "e"}
"""The parts with notes, and the prefix of their numbers."""


def read_word(path: Path, options: ReadOptions) -> ReadResult:
    with open_archive(path) as archive:
        omitted: Counter[Omission] = Counter()
        texts = _DocxReader(Package(archive), omitted).texts()
        return join_texts(texts, options, omitted)


@dataclass(frozen=True, slots=True)
class _Style:
    """A paragraph style. `based_on` is the style from which it inherits properties."""

    name: str
    properties: Any | None
    based_on: str


class _DocxReader:
    def __init__(self, package: Package, omitted: Counter[Omission]) -> None:
        self._package = package
        self._omitted = omitted
        self._main = package.main("word/document.xml")
        self._related = package.related(self._main)
        self._styles = dict(self._read_styles())
        self._numbering = Numbering(
            next((package.xml(one.name) for one in self._parts("numbering")), None)
        )

    def texts(self) -> Iterator[str]:
        """Yield the blocks of the file in order."""
        body = child_named(self._package.xml(self._main), "body")
        if body is not None:
            yield from self._blocks(body)
        for kind, mark in _NOTES.items():
            for part in self._parts(kind):
                for note in self._package.xml(part.name):
                    yield self._labelled(f"[^{mark}{attribute(note, 'id')}]:", note)
        for part in self._parts("comments"):
            for comment in self._package.xml(part.name):
                author = attribute(comment, "author")
                yield self._labelled(f"[Comment: {author}]" if author else "[Comment]", comment)
        yield from self._edges()
        for part in (*self._parts("chart"), *self._parts("diagramData")):
            yield "\n".join(drawn_texts(self._package.xml(part.name)))
        self._omitted[Omission.EMBEDDED] += sum(
            one.kind in ("package", "oleObject", "aFChunk") for one in self._related
        )

    def _edges(self) -> Iterator[str]:
        """Yield headers and footers, equal ones once."""
        seen: set[str] = set()
        for part in (*self._parts("header"), *self._parts("footer")):
            text = self._labelled(f"[{part.kind.capitalize()}]", self._package.xml(part.name))
            if text not in seen:
                seen.add(text)
                yield text

    def _parts(self, kind: str) -> list[Related]:
        return [one for one in self._related if one.kind == kind and one.name in self._package]

    def _read_styles(self) -> Iterator[tuple[str, _Style]]:
        for part in self._parts("styles"):
            for style in self._package.xml(part.name):
                name, based = child_named(style, "name"), child_named(style, "basedOn")
                if local_name(style) == "style" and name is not None:
                    yield (
                        attribute(style, "styleId"),
                        _Style(
                            attribute(name, "val"),
                            child_named(style, "pPr"),
                            attribute(based, "val") if based is not None else "",
                        ),
                    )

    def _labelled(self, label: str, element: Any) -> str:
        text = "\n".join(filter(None, self._blocks(element)))
        return f"{label} {text}" if text.strip() else ""

    def _blocks(self, parent: Any) -> Iterator[str]:
        for one in parent:
            match local_name(one):
                case "p":
                    yield from self._paragraph(one)
                case "tbl":
                    yield self._table(one)
                case "AlternateContent":
                    yield from self._blocks(alternative(one))
                case name if name in _PROPERTIES or name in _DELETED:
                    continue
                case "r" | "oMathPara" | "oMath":
                    yield "".join(self._inline(one, []))
                case _:
                    yield from self._blocks(one)

    def _paragraph(self, paragraph: Any) -> Iterator[str]:
        """Yield the paragraph, then the text boxes that are anchored to it."""
        boxes: list[Any] = []
        text = "".join(self._inline(paragraph, boxes))
        properties = child_named(paragraph, "pPr")
        number = self._numbering.next_of(self._numbered(properties))
        if text.strip():
            yield self._mark(properties, number) + text
        for box in boxes:
            yield from self._blocks(box)

    def _numbered(self, properties: Any | None) -> Any | None:
        """Return the properties with the paragraph's numbering: its own, or those of its style."""
        if properties is None or child_named(properties, "numPr") is not None:
            return properties
        named = child_named(properties, "pStyle")
        name = attribute(named, "val") if named is not None else ""
        for _ in range(_DEEPEST_STYLE):
            style = self._styles.get(name)
            if style is None:
                break
            if style.properties is not None and child_named(style.properties, "numPr") is not None:
                return style.properties
            name = style.based_on
        return None

    def _mark(self, properties: Any | None, number: str) -> str:
        """Return the prefix of a heading or a list entry."""
        style = child_named(properties, "pStyle") if properties is not None else None
        found = self._styles.get(attribute(style, "val")) if style is not None else None
        name = found.name if found is not None else ""
        heading = _HEADING.fullmatch(name)
        if heading:
            return "#" * int(heading[1]) + " " + (f"{number} " if number not in ("", "-") else "")
        if number:
            return f"{number} "
        return "- " if name.startswith("List") else ""

    def _inline(self, parent: Any, boxes: list[Any]) -> Iterator[str]:
        for one in parent:
            match local_name(one):
                case "t":
                    yield one.text or ""
                case "sym":
                    yield chr(int(attribute(one, "char", "20"), 16))
                case "footnoteReference" | "endnoteReference" as name:
                    mark = _NOTES[name.replace("Reference", "s")]
                    yield f"[^{mark}{attribute(one, 'id')}]"
                case "txbxContent":
                    boxes.append(one)
                case "AlternateContent":
                    yield from self._inline(alternative(one), boxes)
                case "ruby":
                    yield from self._ruby(one, boxes)
                case name if name in _CHARACTERS:
                    yield _CHARACTERS[name]
                case name if name in _PROPERTIES or name in _DELETED:
                    continue
                case _:
                    yield from self._inline(one, boxes)

    def _ruby(self, element: Any, boxes: list[Any]) -> Iterator[str]:
        """Yield a word followed by its reading in parentheses."""
        base, above = child_named(element, "rubyBase"), child_named(element, "rt")
        if base is not None:
            yield from self._inline(base, boxes)
        if above is not None:
            yield f"({''.join(self._inline(above, boxes))})"

    def _table(self, table: Any) -> str:
        rows = [
            [" ".join(" ".join(self._blocks(cell)).split()) for cell in _inside(row, "tc")]
            for row in _inside(table, "tr")
        ]
        return table_text(rows)


def _inside(parent: Any, name: str) -> Iterator[Any]:
    """Yield the rows of a table or the cells of a row, including those within content controls."""
    for one in parent:
        found = local_name(one)
        if found == name:
            yield one
        elif found not in _PROPERTIES and found not in _DELETED:
            yield from _inside(one, name)


def table_text(rows: Iterable[list[str]]) -> str:
    """Return a table as Markdown."""
    filled = [row for row in rows if any(row)]
    if not filled:
        return ""
    width = max(len(row) for row in filled)
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in filled]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)
