"""OpenDocument files: texts (.odt), tables (.ods) and presentations (.odp).

Notes are inserted where they are referenced. Deleted text of tracked changes isn't read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import Omission
from neodeskpet.documents.docx import table_text
from neodeskpet.documents.list_numbers import ListNumbers
from neodeskpet.documents.reader_types import (
    ReaderRefusal,
    ReadOptions,
    ReadResult,
    attribute,
    child_named,
    join_texts,
    local_name,
    open_archive,
    parse_xml,
)

_SKIPPED = frozenset(
    {"tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls"}
    | {"calculation-settings", "event-listeners", "desc", "ruby-text", "note-citation"}
    | {"creator", "date", "date-string", "meta", "shapes-decl"}
)
"""Elements without text of the document."""
_REPEATED = 50
"""Most repetitions of a cell or row that are read; more of them only fill the sheet."""


def read_open_document(path: Path, options: ReadOptions) -> ReadResult:
    with open_archive(path) as archive:
        names = set(archive.namelist())
        if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read(
            "META-INF/manifest.xml"
        ):
            raise ReaderRefusal("encrypted")
        omitted: Counter[Omission] = Counter()
        content = parse_xml(archive.read("content.xml"))
        styles = parse_xml(archive.read("styles.xml")) if "styles.xml" in names else None
        omitted[Omission.EMBEDDED] = sum(
            name.startswith("Object ") and name.endswith("/content.xml") for name in names
        )
        return join_texts(
            _Reading(ListNumbers(content, styles)).texts(content, styles), options, omitted
        )


class _Reading:
    """The state of reading; `numbers` numbers lists and headings."""

    def __init__(self, numbers: ListNumbers) -> None:
        self._numbers = numbers

    def texts(self, content: Any, styles: Any | None) -> Iterator[str]:
        body = child_named(content, "body")
        if body is not None:
            yield from self._blocks(body)
        seen: set[str] = set()
        for element in styles.iter() if styles is not None else ():
            if local_name(element) in (
                "header",
                "footer",
                "header-first",
                "footer-first",
            ) or local_name(element) in ("header-left", "footer-left"):
                label = "Header" if local_name(element).startswith("header") else "Footer"
                text = "\n".join(filter(None, self._blocks(element)))
                if text.strip() and text not in seen:
                    seen.add(text)
                    yield f"[{label}] {text}"

    def _blocks(self, parent: Any) -> Iterator[str]:
        for one in parent:
            match local_name(one):
                case "h":
                    yield from self._heading(one)
                case "p":
                    yield from self._paragraph(one, "")
                case "list":
                    with self._numbers.inside(one):
                        yield from self._blocks(one)
                case "list-item":
                    yield from self._entry(one)
                case "table":
                    yield from self._table(one, sheet=local_name(parent) == "spreadsheet")
                case "annotation":
                    yield self._comment(one)
                case "notes":
                    yield self._notes(one)
                case name if name in _SKIPPED:
                    continue
                case _:
                    yield from self._blocks(one)

    def _table(self, table: Any, *, sheet: bool) -> Iterator[str]:
        if sheet:
            yield f"## {attribute(table, 'name')}"
        yield table_text(self._rows(table))
        yield from self._shapes(table)

    def _heading(self, heading: Any) -> Iterator[str]:
        outline_level = attribute(heading, "outline-level", "1")
        level = int(outline_level) if outline_level.isdigit() else 1
        number = self._numbers.heading(level)
        yield from self._paragraph(heading, "#" * min(level, 6) + f" {number}")

    def _notes(self, notes: Any) -> str:
        notes_text = "\n".join(filter(None, self._blocks(notes)))
        return f"[Notes] {notes_text}" if notes_text.strip() else ""

    def _entry(self, item: Any) -> Iterator[str]:
        mark = self._numbers.entry(item)
        texts = list(self._blocks(item))
        if texts:
            nested = local_name(item[0]) == "list" if len(item) else False
            yield texts[0] if nested else f"{mark} {texts[0]}"
            yield from texts[1:]

    def _comment(self, annotation: Any) -> str:
        text = " ".join(filter(None, self._blocks(annotation)))
        return f"[Comment] {text}" if text.strip() else ""

    def _paragraph(self, paragraph: Any, mark: str) -> Iterator[str]:
        frames: list[Any] = []
        text = "".join(self._inline(paragraph, frames))
        if text.strip():
            yield mark + text
        for frame in frames:
            yield from self._blocks(frame)

    def _inline(self, element: Any, frames: list[Any]) -> Iterator[str]:
        yield _spaced(element.text)
        for one in element:
            match local_name(one):
                case "s":
                    count = attribute(one, "c", "1")
                    yield " " * (min(int(count), 1000) if count.isdigit() else 1)
                case "tab":
                    yield "\t"
                case "line-break":
                    yield "\n"
                case "note":
                    body = child_named(one, "note-body")
                    text = " ".join(filter(None, self._blocks(body))) if body is not None else ""
                    yield f" [^ {text}]" if text else ""
                case "annotation":
                    yield f" {self._comment(one)}"
                case "frame" | "text-box" | "custom-shape" | "rect" | "ellipse" | "g" | "line":
                    frames.append(one)
                case "ruby":
                    base, above = child_named(one, "ruby-base"), child_named(one, "ruby-text")
                    yield "".join(self._inline(base, frames)) if base is not None else ""
                    yield f"({''.join(self._inline(above, frames))})" if above is not None else ""
                case name if name in _SKIPPED:
                    pass
                case _:
                    yield from self._inline(one, frames)
            yield _spaced(one.tail)

    def _rows(self, parent: Any) -> Iterator[list[str]]:
        for row in parent:
            match local_name(row):
                case "table-row":
                    cells = self._cells(row)
                    again = attribute(row, "number-rows-repeated", "1")
                    times = int(again) if again.isdigit() else 1
                    for _ in range(times if times <= _REPEATED and any(cells) else 1):
                        yield cells
                case "table-rows" | "table-header-rows" | "table-row-group":
                    yield from self._rows(row)

    def _cells(self, row: Any) -> list[str]:
        cells: list[str] = []
        for cell in row:
            if local_name(cell) not in ("table-cell", "covered-table-cell"):
                continue
            text = " ".join(" ".join(filter(None, self._blocks(cell))).split())
            again = attribute(cell, "number-columns-repeated", "1")
            times = int(again) if again.isdigit() else 1
            cells += [text] * (times if times <= _REPEATED else 1)
        while cells and not cells[-1]:
            cells.pop()
        return cells

    def _shapes(self, table: Any) -> Iterator[str]:
        """Yield the text boxes on a sheet."""
        for one in table:
            if local_name(one) == "shapes":
                yield from self._blocks(one)


def _spaced(text: str | None) -> str:
    """Collapse white space to one space, as the format defines; further spaces are separate
    elements.
    """
    if not text:
        return ""
    words = " ".join(text.split())
    if not words:
        return " "
    return (" " if text[0].isspace() else "") + words + (" " if text[-1].isspace() else "")
