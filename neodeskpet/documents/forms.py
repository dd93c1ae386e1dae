"""How each kind of file is read. Runs in the process that reads, where harm can be done to nobody.

All raise Refusal, and whatever the libraries do.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from neodeskpet.encodings import LAST_RESORT, decode_text

LONGEST = 400_000
"""Characters that are read of a file."""
UNPACKED = 200_000_000
"""Bytes that an archive may hold."""
_MAIN = 0.5
"""Of a page's text: so much of it its main part has at least."""
_PACKED_WORD = b"\xd0\xcf\x11\xe0"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class Refusal(Exception):
    """The first argument says why, as in `reader`."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How much of a file is read, in characters; with `marked` the headings and lists of pages are
    written as Markdown has them.
    """

    longest: int = LONGEST
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """`pages` is 0 for what has none; a form feed stands between two pages."""

    text: str
    pages: int = 0
    pages_read: int = 0
    cut: bool = False


def read_file(path: Path, wish: Wish | None = None) -> Found:
    """By what its name ends with; what has another ending is text or refused."""
    read = _READERS.get(path.suffix.lower(), _read_text)
    found = read(path, wish or Wish())
    if not found.text.strip():
        raise Refusal("empty")
    return found


def _read_pdf(path: Path, wish: Wish) -> Found:
    from pypdf import PdfReader

    reader = PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        raise Refusal("encrypted")
    pages = len(reader.pages)
    texts: list[str] = []
    size = 0
    for page in reader.pages:
        texts.append(page.extract_text().strip())
        size += len(texts[-1])
        if size > wish.longest:
            break
    if not size:
        raise Refusal("empty")
    return Found("\f".join(texts)[: wish.longest], pages, len(texts), cut=len(texts) < pages)


def _read_word(path: Path, wish: Wish) -> Found:
    with path.open("rb") as file:
        if file.read(4) == _PACKED_WORD:  # an encrypted one is packed like an old one
            raise Refusal("encrypted")
    _look_into(path)
    from docx import Document
    from docx.table import Table

    document = Document(str(path))
    lines = (
        _table(one) if isinstance(one, Table) else _paragraph(one)
        for one in document.iter_inner_content()
    )
    return _gathered(lines, wish)


def _paragraph(paragraph: Any) -> str:
    style = (paragraph.style.name or "") if paragraph.style is not None else ""
    found = re.fullmatch(r"Heading (\d)", style)
    mark = "#" * int(found[1]) + " " if found else ""
    mark = "- " if style.startswith("List") else mark
    return f"{mark}{paragraph.text}" if paragraph.text.strip() else ""


def _table(table: Any) -> str:
    rows = [[" ".join(cell.text.split()) for cell in row.cells] for row in table.rows]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if lines:
        lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _gathered(texts: Iterable[str], wish: Wish) -> Found:
    """As much of them as is read."""
    kept: list[str] = []
    size = 0
    for text in texts:
        if size > wish.longest:
            return Found("\n\n".join(kept)[: wish.longest], cut=True)
        if text:
            kept.append(text)
            size += len(text)
    return Found("\n\n".join(kept)[: wish.longest], cut=size > wish.longest)


def _look_into(path: Path) -> None:
    """Whether an archive can be opened without harm."""
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    if any(part.flag_bits & 1 for part in parts):
        raise Refusal("encrypted")
    if sum(part.file_size for part in parts) > UNPACKED or len(parts) > 20_000:
        raise Refusal("bomb")


def _read_html(path: Path, wish: Wish) -> Found:
    text = _html_text(path.read_bytes(), wish)
    return Found(text[: wish.longest], cut=len(text) > wish.longest)


def _html_text(data: bytes, wish: Wish) -> str:
    from trafilatura import extract, html2txt

    page = decode_text(data)[0]
    plain = str(html2txt(page, clean=True) or "").strip()
    if not wish.marked:
        return plain
    marked = extract(page, output_format="markdown", favor_recall=True, include_comments=False)
    # It leaves out what it takes for a menu, which may be what the page is about.
    return str(marked).strip() if marked and len(marked) > len(plain) * _MAIN else plain


def _read_epub(path: Path, wish: Wish) -> Found:
    _look_into(path)
    with zipfile.ZipFile(path) as archive:
        return _gathered((_html_text(archive.read(n), wish) for n in _chapters(archive)), wish)


def _chapters(archive: zipfile.ZipFile) -> Iterator[str]:
    """The files of the text, in reading order."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)

    def parse(name: str) -> Any:
        return etree.fromstring(archive.read(name), parser)

    named = parse("META-INF/container.xml").xpath("//*[local-name()='rootfile']/@full-path")
    package = str(named[0])
    content = parse(package)
    files = {
        item.get("id"): item.get("href", "")
        for item in content.xpath("//*[local-name()='manifest']/*[local-name()='item']")
    }
    known = set(archive.namelist())
    for ref in content.xpath("//*[local-name()='spine']/*[local-name()='itemref']/@idref"):
        name = str(PurePosixPath(package).parent / unquote(files.get(ref, "")))
        if name in known:
            yield name


def _read_old_word(_path: Path, _wish: Wish) -> Found:
    raise Refusal("old_word")


def _read_text(path: Path, wish: Wish) -> Found:
    with path.open("rb") as file:
        data = file.read(4 * wish.longest + 1)
    whole = len(data) <= 4 * wish.longest
    text, encoding = decode_text(data if whole else _up_to_line(data))
    if encoding == LAST_RESORT or _CONTROL.search(text):
        raise Refusal("binary")
    text = text.replace("\r\n", "\n").strip("\n")
    return Found(text[: wish.longest], cut=not whole or len(text) > wish.longest)


def _up_to_line(data: bytes) -> bytes:
    """Not through a letter of several bytes."""
    end = data.rfind(b"\n")
    return data[: end + 1] if end > 0 else data[: len(data) // 4 * 4]


_READERS = {
    ".pdf": _read_pdf,
    ".docx": _read_word,
    ".doc": _read_old_word,
    ".epub": _read_epub,
    ".html": _read_html,
    ".htm": _read_html,
    ".xhtml": _read_html,
}
