"""Files that people may write by hand: what stands in them, and whether they were changed."""

from __future__ import annotations

from pathlib import Path

from neodeskpet.language import tr

Stamp = tuple[int, int]


def read_handwritten(path: Path, most: int) -> str:
    """The text of a file of up to `most` bytes (UTF-8, with or without a mark at its start). Raises
    OSError, and ValueError with the reason in the person's language.
    """
    data = path.read_bytes()
    if len(data) > most:
        raise ValueError(tr("it is too large"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(tr("line {line}", line=str(line)) + ": UTF-8") from error


def stamp_of(path: Path) -> Stamp | None:
    """What is another after each change of the file; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
