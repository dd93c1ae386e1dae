"""How each kind of file is read. Runs in the process that reads, where harm can be done to nobody.

All readers raise Refusal, and whatever the libraries raise.
"""

from __future__ import annotations

import re
from pathlib import Path

from neodeskpet.core.omissions import Omission, Omitted
from neodeskpet.documents.books import read_epub, read_html
from neodeskpet.documents.content import ReaderRefusal, ReadOptions, ReadResult
from neodeskpet.documents.opendocument import read_open_document
from neodeskpet.documents.pdf import read_pdf
from neodeskpet.documents.rtf import read_rtf
from neodeskpet.documents.sheets import read_sheets
from neodeskpet.documents.slides import read_slides
from neodeskpet.documents.word import read_word
from neodeskpet.encodings import LAST_RESORT, decode_text

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def read_file(path: Path, wish: ReadOptions | None = None) -> ReadResult:
    """By what its name ends with; what has another ending is text or refused."""
    read = _READERS.get(path.suffix.lower(), _read_text)
    found = read(path, wish or ReadOptions())
    if not found.text.strip():
        raise ReaderRefusal("empty")
    return found


def _read_old_office(_path: Path, _wish: ReadOptions) -> ReadResult:
    raise ReaderRefusal("old_word")


def _read_protected_book(path: Path, _wish: ReadOptions) -> ReadResult:
    """Kindle's books."""
    raise ReaderRefusal("kindle")


def _read_text(path: Path, wish: ReadOptions) -> ReadResult:
    most = 4 * wish.longest
    with path.open("rb") as file:
        data = file.read(most + 1)
    whole = len(data) <= most
    text, encoding = decode_text(data if whole else _up_to_line(data), wish.language, wish.encoding)
    if encoding == LAST_RESORT or _CONTROL.search(text):
        raise ReaderRefusal("binary")
    text = text.replace("\r\n", "\n").strip("\n")
    cut = not whole or len(text) > wish.longest
    text = text[: wish.longest]
    omitted = (Omitted(Omission.AFTER_LIMIT, len(text)),) if cut else ()
    return ReadResult(text, cut=cut, omitted=omitted, encoding=encoding)


def _up_to_line(data: bytes) -> bytes:
    """Not through a letter of several bytes."""
    end = data.rfind(b"\n")
    return data[: end + 1] if end > 0 else data[: len(data) // 4 * 4]


_READERS = {
    ".pdf": read_pdf,
    ".docx": read_word,
    ".docm": read_word,
    ".dotx": read_word,
    ".pptx": read_slides,
    ".pptm": read_slides,
    ".ppsx": read_slides,
    ".xlsx": read_sheets,
    ".xlsm": read_sheets,
    ".odt": read_open_document,
    ".ott": read_open_document,
    ".ods": read_open_document,
    ".odp": read_open_document,
    ".rtf": read_rtf,
    ".doc": _read_old_office,
    ".xls": _read_old_office,
    ".ppt": _read_old_office,
    ".epub": read_epub,
    ".mobi": _read_protected_book,
    ".azw": _read_protected_book,
    ".azw3": _read_protected_book,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
}
