"""The types and limits that all readers share."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import Omission, Omitted, omitted_of

MOST_CHARACTERS = 400_000
"""Most characters that are read of a file."""
MOST_UNPACKED_BYTES = 200_000_000
"""Most bytes of an unpacked archive."""
_PARTS = 20_000
"""Most files in an archive."""
_OLE_FILE = b"\xd0\xcf\x11\xe0"
"""The first bytes of old Office files and of encrypted new ones."""


class ReaderRefusal(Exception):
    """The file can't be read. The first argument is a key of `REFUSAL_REASONS`."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a file: at most `longest` characters; with `marked`, headings and lists of web
    pages as Markdown; text files in `encoding` if given, else detected with `language` (an IETF
    tag) as a hint.
    """

    longest: int = MOST_CHARACTERS
    marked: bool = False
    language: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """The text read. `pages` is 0 if the file has none; pages are separated by form feeds.
    `omitted` counts the content left out; `encoding` is the encoding of a plain text.
    """

    text: str
    pages: int = 0
    pages_read: int = 0
    cut: bool = False
    omitted: tuple[Omitted, ...] = ()
    encoding: str = ""


def join_texts(
    texts: Iterable[str],
    options: ReadOptions,
    omitted: Counter[Omission] | None = None,
    between: str = "\n\n",
) -> ReadResult:
    """Join as many of the texts as fit. `omitted` may still grow while `texts` is read."""
    kept: list[str] = []
    size = 0
    for text in texts:
        if text:
            kept.append(text)
            size += len(text) + len(between)
        if size > options.longest + len(between):
            break
    whole = between.join(kept)
    return limit_text(whole, options, omitted)


def limit_text(
    text: str, options: ReadOptions, omitted: Counter[Omission] | None = None
) -> ReadResult:
    """Return `text` up to the limit."""
    cut = len(text) > options.longest
    counts = Counter(omitted or ())
    if cut:
        text = text[: options.longest]
        counts[Omission.AFTER_LIMIT] = len(text)
    return ReadResult(text, cut=cut, omitted=omitted_of(counts))


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive that is safe to unpack. Raises ReaderRefusal."""
    with path.open("rb") as file:
        if file.read(4) == _OLE_FILE:
            raise ReaderRefusal("encrypted")
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        if any(part.flag_bits & 1 for part in parts):
            raise ReaderRefusal("encrypted")
        if sum(part.file_size for part in parts) > MOST_UNPACKED_BYTES or len(parts) > _PARTS:
            raise ReaderRefusal("bomb")
        yield archive


def parse_xml(data: bytes) -> Any:
    """Parse XML and return the root element. Entities and other files are never loaded."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    return etree.fromstring(data, parser)


def local_name(element: Any) -> str:
    """Return the name of an element without its namespace; "" for other nodes."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str, otherwise: str = "") -> str:
    """Return the attribute with this name in any namespace."""
    value = element.get(name)
    if value is not None:
        return str(value)
    for key, found in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(found)
    return otherwise


def child_named(element: Any, *names: str) -> Any | None:
    """Return the first element at a path of child names."""
    for name in names:
        element = next((one for one in element if local_name(one) == name), None)
        if element is None:
            return None
    return element


def entries(element: Any, *names: str) -> list[Any]:
    """Return the children of the element at a path of names; none if it doesn't exist."""
    found = child_named(element, *names)
    return list(found) if found is not None else []
