"""The child process that lexes code: `python -m neodeskpet.ui.rendering.highlight_worker SECONDS`.

A lexer consists of regular expressions, and some texts keep one busy for minutes while no other
thread of its process runs. So it runs in a process that can be killed. A frame
(`child_process.serve_frames`) is JSON with `code` and `language`; the answer is packed `CodeSpans`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from neodeskpet.platform.child_process import serve_frames
from neodeskpet.ui.rendering.code_spans import CodeSpans, utf16_length

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
    """Answer until standard input ends; return the exit code."""
    return serve_frames(_answer, float(arguments[0]))


def _answer(frame: bytes) -> bytes:
    asked = json.loads(frame)
    return lex(asked["code"], asked["language"]).packed()


def lex(code: str, language: str) -> CodeSpans:
    """Return the coloured spans of `code`; none for an unknown language."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        return CodeSpans.of(_spans(lexer, code))
    except ClassNotFound:
        return CodeSpans()
    except Exception:  # noqa: BLE001 - a lexer may fail for some texts, which stay plain
        return CodeSpans()


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
