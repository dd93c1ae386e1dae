"""The child process that reads files, with a reader for each type of file: `python -m
neodeskpet.documents.reader_child SECONDS`. A frame is `{"path", "language", "encoding"}`; its
answer is the text, or why the file is refused.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from neodeskpet.core.attachments import Omission, Omitted
from neodeskpet.core.json_text import repair_surrogates
from neodeskpet.documents.docx import read_word
from neodeskpet.documents.html_and_epub import read_epub, read_html
from neodeskpet.documents.opendocument import read_open_document
from neodeskpet.documents.pdf import read_pdf
from neodeskpet.documents.pptx import read_slides
from neodeskpet.documents.reader_types import ReaderRefusal, ReadOptions, ReadResult
from neodeskpet.documents.rtf import read_rtf
from neodeskpet.documents.xlsx import read_sheets
from neodeskpet.platform.child_process import serve_frames
from neodeskpet.platform.text_encoding import LAST_RESORT, decode_text

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def read_file(path: Path, options: ReadOptions | None = None) -> ReadResult:
    """Read a file by its extension; a file with an unknown extension is read as text or refused."""
    read = _READERS.get(path.suffix.lower(), _read_text)
    found = read(path, options or ReadOptions())
    if not found.text.strip():
        raise ReaderRefusal("empty")
    return found


def _read_old_office(_path: Path, _options: ReadOptions) -> ReadResult:
    raise ReaderRefusal("old_word")


def _read_protected_book(path: Path, _options: ReadOptions) -> ReadResult:
    """Refuse a Kindle book."""
    raise ReaderRefusal("kindle")


def _read_text(path: Path, options: ReadOptions) -> ReadResult:
    most = 4 * options.longest
    with path.open("rb") as file:
        data = file.read(most + 1)
    whole = len(data) <= most
    text, encoding = decode_text(
        data if whole else _up_to_line(data), options.language, options.encoding
    )
    if encoding == LAST_RESORT or _CONTROL.search(text):
        raise ReaderRefusal("binary")
    text = text.replace("\r\n", "\n").strip("\n")
    cut = not whole or len(text) > options.longest
    text = text[: options.longest]
    omitted = (Omitted(Omission.AFTER_LIMIT, len(text)),) if cut else ()
    return ReadResult(text, cut=cut, omitted=omitted, encoding=encoding)


def _up_to_line(data: bytes) -> bytes:
    """Cut at the last line end, so that no multi-byte character is split."""
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


def main(arguments: Sequence[str]) -> int:
    """Answer frames until standard input ends; return the exit code."""
    logging.disable()
    return serve_frames(answer_frame, float(arguments[0]))


def answer_frame(frame: bytes) -> bytes:
    try:
        asked = json.loads(frame)
        options = ReadOptions(language=asked["language"], encoding=asked["encoding"])
        reply = asdict(read_file(Path(asked["path"]), options))
    except ReaderRefusal as refusal:
        reply = {"refused": refusal.args[0]}
    except MemoryError:
        reply = {"refused": "slow"}
    except Exception as error:  # noqa: BLE001 - any error of a library refuses the file
        reply = {"refused": "broken", "detail": f"{type(error).__name__}: {error}"[:200]}
    return json.dumps(repair_surrogates(reply)).encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
