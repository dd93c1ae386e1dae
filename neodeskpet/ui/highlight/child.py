"""The child process that lexes code: `python -m neodeskpet.ui.highlight.child SECONDS`.

A lexer is a heap of regular expressions, and some texts keep one busy for minutes; meanwhile no
other thread of its process runs. So it works in here, where it can be killed.

First an empty frame says that it is ready. Then each frame on standard input, JSON with `code` and
`language`, is answered by one on standard output: packed `Spans`. A frame is its length (4 bytes,
big-endian) and its bytes. It ends with its standard input, which is when the parent ends, however
that came; and after SECONDS with one text, for then nothing in here could notice.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from neodeskpet.ui.highlight.spans import Spans, utf16_length

LENGTH = struct.Struct(">I")
_MEMORY = 1 << 30  # bytes

_CLASSES: dict[_TokenType, str] = {
    Token.Comment: "comment",
    Token.Literal.String: "string",
    Token.Literal.Number: "number",
    Token.Keyword.Constant: "number",
    Token.Keyword: "keyword",
    Token.Operator.Word: "keyword",
    Token.Name.Builtin: "builtin",
    Token.Name.Class: "name",
    Token.Name.Function: "name",
    Token.Name.Tag: "keyword",
    Token.Name.Attribute: "name",
    Token.Name.Decorator: "name",
    Token.Generic.Deleted: "number",
    Token.Generic.Inserted: "string",
    Token.Generic.Heading: "keyword",
}


def main(arguments: Sequence[str]) -> int:
    """Answer until standard input ends; the exit code."""
    seconds = float(arguments[0])
    _limit_memory()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a lexer prints goes to standard error
    _write(out, b"")
    while (frame := _read(sys.stdin.buffer)) is not None:
        asked = json.loads(frame)
        with_alarm = hasattr(signal, "setitimer")  # not on Windows
        if with_alarm:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        spans = lex(asked["code"], asked["language"])
        if with_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
        _write(out, spans.packed())
    return 0


def lex(code: str, language: str) -> Spans:
    """The coloured spans of `code`; none for an unknown language."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        return Spans.of(_spans(lexer, code))
    except ClassNotFound:
        return Spans()
    except Exception:  # noqa: BLE001 - some lexer stumbles over some text: it stays plain
        return Spans()


def _spans(lexer: Lexer, code: str) -> Iterator[tuple[int, int, str]]:
    position = 0
    for _, kind, text in lexer.get_tokens_unprocessed(code):
        length = utf16_length(text)
        name = _class_of(kind)
        if name and text.strip():
            yield position, length, name
        position += length


def _class_of(kind: _TokenType | None) -> str:
    while kind is not None and kind not in _CLASSES:
        kind = kind.parent
    return _CLASSES[kind] if kind is not None else ""


def _read(source: BinaryIO) -> bytes | None:
    head = source.read(LENGTH.size)
    return source.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else None


def _write(out: BinaryIO, frame: bytes) -> None:
    out.write(LENGTH.pack(len(frame)) + frame)
    out.flush()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
