"""OpenDocument files: texts (.odt), tables (.ods) and presentations (.odp).

Notes stand where they are referred to. Deleted text of tracked changes isn't read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neodeskpet.core.omissions import Omission
from neodeskpet.documents.content import (
    Found,
    Refusal,
    Wish,
    attribute,
    child_named,
    gathered,
    local,
    opened_archive,
    parse_xml,
)
from neodeskpet.documents.word import table_text

_SKIPPED = frozenset(
    {"tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls"}
    | {"calculation-settings", "event-listeners", "desc", "ruby-text", "note-citation"}
    | {"creator", "date", "date-string", "meta", "shapes-decl"}
)
"""Elements without text of the document."""
_REPEATED = 50
"""A cell or row that is repeated more often is a way to fill the sheet."""


def read_open_document(path: Path, wish: Wish) -> Found:
    with opened_archive(path) as archive:
        names = set(archive.namelist())
        if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read(
            "META-INF/manifest.xml"
        ):
            raise Refusal("encrypted")
        omitted: Counter[Omission] = Counter()
        content = parse_xml(archive.read("content.xml"))
        styles = parse_xml(archive.read("styles.xml")) if "styles.xml" in names else None
        omitted[Omission.EMBEDDED] = sum(
            name.startswith("Object ") and name.endswith("/content.xml") for name in names
        )
        return gathered(_texts(content, styles), wish, omitted)


def _texts(content: Any, styles: Any | None) -> Iterator[str]:
    body = child_named(content, "body")
    if body is not None:
        yield from _blocks(body)
    told: set[str] = set()
    for element in styles.iter() if styles is not None else ():
        if local(element) in ("header", "footer", "header-first", "footer-first") or local(
            element
        ) in ("header-left", "footer-left"):
            label = "Header" if local(element).startswith("header") else "Footer"
            text = "\n".join(filter(None, _blocks(element)))
            if text.strip() and text not in told:
                told.add(text)
                yield f"[{label}] {text}"


def _blocks(parent: Any) -> Iterator[str]:
    for one in parent:
        match local(one):
            case "h":
                level = attribute(one, "outline-level", "1")
                depth = min(int(level), 6) if level.isdigit() else 1
                yield from _paragraph(one, "#" * depth + " ")
            case "p":
                yield from _paragraph(one, "")
            case "list-item":
                yield from _entry(one)
            case "table":
                name = attribute(one, "name")
                if local(parent) == "spreadsheet":
                    yield f"## {name}"
                yield table_text(_rows(one))
                yield from _shapes(one)
            case "annotation":
                yield _comment(one)
            case "notes":
                told = "\n".join(filter(None, _blocks(one)))
                yield f"[Notes] {told}" if told.strip() else ""
            case name if name in _SKIPPED:
                continue
            case _:
                yield from _blocks(one)


def _entry(item: Any) -> Iterator[str]:
    texts = list(_blocks(item))
    if texts:
        yield f"- {texts[0]}" if not texts[0].startswith("- ") else texts[0]
        yield from texts[1:]


def _comment(annotation: Any) -> str:
    text = " ".join(filter(None, _blocks(annotation)))
    return f"[Comment] {text}" if text.strip() else ""


def _paragraph(paragraph: Any, mark: str) -> Iterator[str]:
    frames: list[Any] = []
    text = "".join(_inline(paragraph, frames))
    if text.strip():
        yield mark + text
    for frame in frames:
        yield from _blocks(frame)


def _inline(element: Any, frames: list[Any]) -> Iterator[str]:
    yield _spaced(element.text)
    for one in element:
        match local(one):
            case "s":
                count = attribute(one, "c", "1")
                yield " " * (min(int(count), 1000) if count.isdigit() else 1)
            case "tab":
                yield "\t"
            case "line-break":
                yield "\n"
            case "note":
                body = child_named(one, "note-body")
                told = " ".join(filter(None, _blocks(body))) if body is not None else ""
                yield f" [^ {told}]" if told else ""
            case "annotation":
                yield f" {_comment(one)}"
            case "frame" | "text-box" | "custom-shape" | "rect" | "ellipse" | "g" | "line":
                frames.append(one)
            case "ruby":
                base, above = child_named(one, "ruby-base"), child_named(one, "ruby-text")
                yield "".join(_inline(base, frames)) if base is not None else ""
                yield f"({''.join(_inline(above, frames))})" if above is not None else ""
            case name if name in _SKIPPED:
                pass
            case _:
                yield from _inline(one, frames)
        yield _spaced(one.tail)


def _spaced(text: str | None) -> str:
    """White space of the XML is one space; more of them are elements of their own."""
    if not text:
        return ""
    words = " ".join(text.split())
    if not words:
        return " "
    return (" " if text[0].isspace() else "") + words + (" " if text[-1].isspace() else "")


def _rows(parent: Any) -> Iterator[list[str]]:
    for row in parent:
        match local(row):
            case "table-row":
                cells = _cells(row)
                again = attribute(row, "number-rows-repeated", "1")
                times = int(again) if again.isdigit() else 1
                for _ in range(times if times <= _REPEATED and any(cells) else 1):
                    yield cells
            case "table-rows" | "table-header-rows" | "table-row-group":
                yield from _rows(row)


def _cells(row: Any) -> list[str]:
    cells: list[str] = []
    for cell in row:
        if local(cell) not in ("table-cell", "covered-table-cell"):
            continue
        text = " ".join(" ".join(filter(None, _blocks(cell))).split())
        again = attribute(cell, "number-columns-repeated", "1")
        times = int(again) if again.isdigit() else 1
        cells += [text] * (times if times <= _REPEATED else 1)
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _shapes(table: Any) -> Iterator[str]:
    """The text boxes that lie on a sheet."""
    for one in table:
        if local(one) == "shapes":
            yield from _blocks(one)
