"""Standard output and error of all commands, protected from control characters.

Text of models, tools, servers and file names may contain control characters that set the title,
clear the screen, fill the clipboard or reverse the text direction. They are shown instead: ASCII
ones by their pictures (␛), others, and characters that the terminal's encoding lacks, as
`\\uXXXX`. In JSON, which has no raw ASCII control characters, the value stays the same.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.platform.installation import data_dir

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

USAGE = 2
OUTPUT_CLOSED = 141
"""The exit code that shells give a program whose reader has closed the pipe (`| head`)."""
STOPPED = 130
"""The exit code after Ctrl+C."""

_ERRORS = "neodeskpet.escaped"


class OutputLost(Exception):
    """Standard output can't be written. `reader_closed`: the reader closed the pipe."""

    def __init__(self, error: OSError | ValueError) -> None:
        self.reader_closed = isinstance(error, BrokenPipeError)
        super().__init__(getattr(error, "strerror", None) or str(error))


class FolderUnusable(KnownError):
    code = "data_folder"
    what = N_("The data folder {path} can't be used: {reason}.")
    hint = N_("Choose a writable folder.")


def add_data_dir(parser: ArgumentParser) -> None:
    """Add the option for the data folder."""
    parser.add_argument(
        "--data-dir", metavar="DIR", default=None, help=tr("use another data folder")
    )


def data_folder(chosen: str | None) -> Path:
    """Return the data folder of `--data-dir`, or the usual one. Raises FolderUnusable."""
    try:
        return data_dir(chosen)
    except OSError as error:
        path = str(error.filename or chosen or "")
        raise FolderUnusable(path=path, reason=error.strerror or str(error)) from error


def open_standard_streams() -> None:
    """Redirect standard streams that the parent process closed to the null device. Otherwise the
    next opened files, such as a database, would get their numbers, and output would be written into
    them.
    """
    with contextlib.suppress(OSError):
        while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(handle, True)
        os.close(handle)
    nowhere = Path(os.devnull)
    if sys.stdin is None:
        sys.stdin = nowhere.open(encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = nowhere.open("w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = nowhere.open("w", encoding="utf-8")


def run_guarded(run: Callable[[], int]) -> int:
    """Run a command with escaped output and return its exit code. Errors that end any command are
    printed as a sentence.
    """
    with _install_escaping_stream("stderr", lossy=True), _install_escaping_stream("stdout"):
        try:
            code = run()
            sys.stdout.flush()
        except OutputLost as lost:
            if lost.reader_closed:
                return OUTPUT_CLOSED
            said = tr("The output can't be written: {reason}.", reason=str(lost))
            print(said, file=sys.stderr)
            return 1
        except FolderUnusable as error:
            print(format_error(error), file=sys.stderr)
            return USAGE
        except KeyboardInterrupt:
            return STOPPED
    return code


def parse_words(parser: ArgumentParser, argv: Sequence[str]) -> Namespace | int:
    """Return the parsed arguments of a command, or its exit code if argparse has printed the help
    or an error.
    """
    try:
        return parser.parse_args(argv)
    except SystemExit as ended:
        return int(ended.code or 0)


def run_coroutine(work: Coroutine[object, object, object]) -> int:
    """Run the work of a command, and print a KnownError. Return the exit code."""
    try:
        asyncio.run(work)
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return 1
    return 0


class ProgressLine:
    """Shows progress on a line of the terminal that is removed at the end; does nothing if standard
    error is no terminal.
    """

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_ended: object) -> None:
        self.clear()

    def show(self, done: int, total: int, name: str = "") -> None:
        self._write(f"{done}/{total} {' '.join(name.split())[:60]}")

    def clear(self) -> None:
        """Remove the line; other text follows."""
        self._write("")

    def _write(self, line: str) -> None:
        if isinstance(sys.stderr, _EscapingStream) and sys.stderr.isatty():
            sys.stderr.replace_line(line)


def escape_controls(text: str) -> str:
    """Return `text` with visible control characters; line ends and tabs stay."""
    return text.replace("\r\n", "\n").translate(_CONTROL_PICTURES)


def _escaped(codes: str) -> str:
    """Escape as in JSON: two escapes for characters beyond the basic plane."""
    units = codes.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def _escape_unencodable(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return _escaped(error.object[error.start : error.end]), error.end


codecs.register_error(_ERRORS, _escape_unencodable)

_BIDI_CONTROLS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_CONTROL_PICTURES = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    **{code: _escaped(chr(code)) for code in [*range(0x7F, 0xA0), *_BIDI_CONTROLS]},
}


class _EscapingStream(io.TextIOWrapper):
    """A stream that escapes its text. A `lossy` one drops text that can't be written, and raises
    nothing.
    """

    lossy = False

    def write(self, text: str, /) -> int:
        with self._losing():
            super().write(escape_controls(text))
        return len(text)

    def replace_line(self, line: str) -> None:
        """Overwrite the terminal's current line."""
        with self._losing():
            super().write(f"\r\x1b[K{escape_controls(line)}")
            super().flush()

    def flush(self) -> None:
        with self._losing():
            super().flush()

    @contextlib.contextmanager
    def _losing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            _discard_stream(self)
            if not self.lossy:
                raise OutputLost(error) from error


def _discard_stream(stream: io.TextIOWrapper) -> None:
    """Discard the buffered text of `stream`, so that Python doesn't report an error at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextlib.contextmanager
def _install_escaping_stream(name: str, *, lossy: bool = False) -> Iterator[None]:
    """Replace `sys.stdout` or `sys.stderr` by an `_EscapingStream`."""
    before = getattr(sys, name)
    if not isinstance(before, io.TextIOWrapper):
        yield  # there is none (no terminal), or it was replaced by other code
        return
    before.flush()
    stream = _EscapingStream(
        before.buffer,
        encoding=before.encoding,
        errors=_ERRORS,
        line_buffering=before.line_buffering,
        write_through=before.write_through,
    )
    stream.lossy = lossy
    setattr(sys, name, stream)
    try:
        yield
    finally:
        setattr(sys, name, before)
        with contextlib.suppress(OutputLost):
            stream.flush()
        with contextlib.suppress(OSError):
            stream.detach()


# Search results


@dataclass(frozen=True, slots=True)
class SearchResultLine:
    """A search result. The heading is printed before the `text`; the relevance (0 to 1) and the
    `fields` are those of the JSON object.
    """

    relevance: float
    heading: str
    text: str
    fields: Mapping[str, object]


def print_results(
    found: Iterable[SearchResultLine],
    *,
    as_json: bool,
    nothing: str,
    file: TextIO | None = None,
) -> None:
    """Print the results to `file`, by default the standard output; without any, print `nothing`
    unless `as_json`. People get their places: the order also depends on their age and their
    speakers, so their relevances would not descend.
    """
    count = 0
    for one in found:
        count += 1
        if as_json:
            record = {**one.fields, "relevance": one.relevance, "text": one.text}
            print(json.dumps(record, ensure_ascii=False), file=file)
            continue
        print(f"{count:3}.  {one.heading}", file=file)
        print("      " + " ".join(one.text.split()), file=file)
    if not count and not as_json:
        print(tr(nothing), file=file)
