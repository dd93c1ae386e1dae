"""A text file as a quotation in a message: what a person drops on the chat."""

from __future__ import annotations

import re
from pathlib import Path

from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.encodings import LAST_RESORT, decode_text

LONGEST = 32_000
"""Characters. More than that is no quotation any more."""
_TOO_MANY = 4 * LONGEST  # bytes
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class NotQuotable(KnownError):
    """`reason` says why, in words of ours."""

    code = "file"
    what = N_("“{name}” can't be taken.")
    hint = ""


def quote_file(path: Path) -> str:
    """The text of a file as a block of code under its name, in Markdown. Slow: for a thread.
    Raises NotQuotable.
    """
    try:
        if path.is_dir():
            raise _refused(path, N_("It is a folder: drop the files in it."))
        if not path.is_file():
            raise _refused(path, N_("It isn't there any more, or it is no file."))
        if path.stat().st_size > _TOO_MANY:
            raise _too_long(path)
        data = path.read_bytes()
    except OSError as error:
        raise NotQuotable(str(error), name=path.name) from None
    text, encoding = decode_text(data)
    if encoding == LAST_RESORT or _CONTROL.search(text):
        raise _refused(path, N_("Pictures and text files can be taken, and it is neither."))
    if len(text) > LONGEST:
        raise _too_long(path)
    return _quotation(path, text.replace("\r\n", "\n"))


def _quotation(path: Path, text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    kind = path.suffix[1:].lower()
    language = kind if kind.isascii() and kind.isalnum() else ""
    return f"{path.name}:\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _refused(path: Path, reason: str) -> NotQuotable:
    return NotQuotable(name=path.name, reason=reason)


def _too_long(path: Path) -> NotQuotable:
    reason = N_("It is longer than {limit} characters: paste the part that matters.")
    return NotQuotable(name=path.name, reason=reason, limit=f"{LONGEST:,}")
