"""PowerPoint files (.pptx): each slide is a page, with its notes and comments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import Omission
from neodeskpet.documents.docx import table_text
from neodeskpet.documents.office_package import Package, alternative, drawn_texts
from neodeskpet.documents.reader_types import (
    ReadOptions,
    ReadResult,
    attribute,
    child_named,
    entries,
    limit_text,
    local_name,
    open_archive,
)

_UNTITLED = frozenset({"sldImg", "sldNum", "dt", "hdr", "ftr"})
"""Placeholders of a notes page that repeat content of the slide."""


def read_slides(path: Path, options: ReadOptions) -> ReadResult:
    with open_archive(path) as archive:
        package = Package(archive)
        omitted: Counter[Omission] = Counter()
        texts: list[str] = []
        size = 0
        names = _slides(package)
        backgrounds: dict[str, str] = {}
        for name in names:
            texts.append("\n\n".join(filter(None, _slide(package, name, omitted, backgrounds))))
            size += len(texts[-1]) + 1
            if size > options.longest:
                break
        if backgrounds and len(texts) == len(names):
            shared = "\n\n".join(dict.fromkeys(filter(None, backgrounds.values())))
            texts[-1] += f"\n\n{shared}" if shared else ""
    if len(texts) < len(names):
        omitted[Omission.PAGES_AFTER_LIMIT] = len(names) - len(texts)
    found = limit_text("\f".join(texts), options, omitted)
    return ReadResult(
        found.text,
        len(names),
        len(texts),
        cut=found.cut or len(texts) < len(names),
        omitted=found.omitted,
    )


def _slides(package: Package) -> list[str]:
    """Return the slide parts in their order."""
    main = package.main("ppt/presentation.xml")
    named = {one.id: one.name for one in package.related(main)}
    # `id` without a namespace is a number; the relationship's name is the attribute with a
    # namespace.
    ids = (
        next((value for key, value in one.attrib.items() if key.endswith("}id")), "")
        for one in entries(package.xml(main), "sldIdLst")
    )
    return [named[one] for one in ids if one in named and named[one] in package]


def _slide(
    package: Package, name: str, omitted: Counter[Omission], backgrounds: dict[str, str]
) -> Iterator[str]:
    yield from _shapes(package.xml(name))
    for one in package.related(name):
        if one.name not in package:
            continue
        match one.kind:
            case "notesSlide":
                notes = "\n".join(filter(None, _shapes(package.xml(one.name), notes=True)))
                yield f"[Notes] {notes}" if notes.strip() else ""
            case "comments":
                yield from _comments(package.xml(one.name))
            case "diagramData" | "chart":
                yield "\n".join(drawn_texts(package.xml(one.name)))
            case "package" | "oleObject":
                omitted[Omission.EMBEDDED] += 1
            case "slideLayout" if one.name not in backgrounds:
                _remember(package, one.name, backgrounds)


def _remember(package: Package, layout: str, backgrounds: dict[str, str]) -> None:
    """Store the text that a layout and its master show on every slide, such as the name of a
    company.
    """
    masters = [one.name for one in package.related(layout) if one.kind == "slideMaster"]
    for name in (layout, *masters):
        if name in package and name not in backgrounds:
            texts = _shapes(package.xml(name), placeholders=False)
            backgrounds[name] = "\n".join(filter(None, texts))


def _comments(root: Any) -> Iterator[str]:
    for comment in root.iter():
        if local_name(comment) == "cm":
            text = " ".join(
                one.text or "" for one in comment.iter() if local_name(one) in ("text", "t")
            ).strip()
            yield f"[Comment] {text}" if text else ""


def _shapes(parent: Any, *, notes: bool = False, placeholders: bool = True) -> Iterator[str]:
    for one in parent:
        match local_name(one):
            case "txBody":
                yield _paragraphs(one)
            case "tbl":
                rows = (
                    [_paragraphs(cell) for cell in row if local_name(cell) == "tc"]
                    for row in one
                    if local_name(row) == "tr"
                )
                yield table_text([[" ".join(cell.split()) for cell in row] for row in rows])
            case "AlternateContent":
                yield from _shapes(alternative(one), notes=notes, placeholders=placeholders)
            case "sp":
                kind = _placeholder(one)
                if kind is None or (placeholders and not (notes and kind in _UNTITLED)):
                    yield from _shapes(one, notes=notes, placeholders=placeholders)
            case _:
                yield from _shapes(one, notes=notes, placeholders=placeholders)


def _placeholder(shape: Any) -> str | None:
    found = child_named(shape, "nvSpPr", "nvPr", "ph")
    return attribute(found, "type", "body") if found is not None else None


def _paragraphs(body: Any) -> str:
    lines = ["".join(_runs(one)) for one in body.iter() if local_name(one) == "p"]
    return "\n".join(line for line in lines if line.strip())


def _runs(paragraph: Any) -> Iterator[str]:
    for one in paragraph.iter():
        match local_name(one):
            case "t":
                yield one.text or ""
            case "br":
                yield "\n"
            case "tab" if local_name(one.getparent()) != "tabLst":
                yield "\t"
