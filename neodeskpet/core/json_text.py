"""JSON of others, read without deep nesting; our own JSON, written in small pieces; and the line of
each value, so that an error in a file can name it. Brackets are counted in the text first,
because a deeply nested value can be read but not walked without a RecursionError.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

MOST_DEPTH = 64
"""Levels of objects and lists in one another; nothing that is meant needs more."""

MOST_BODY_DEPTH = 200
"""The same for a whole body, whose frame and schemas stand around what a model wrote."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a pair as it is escaped. (With the bare halves in one pattern the search has no beginning
to look for, and takes ten times as long.)
"""
_MARK = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_PART = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{,]', re.DOTALL)


class TooDeep(ValueError):
    """The text nests deeper than it may."""


def nests_deeper(text: str, depth: int = MOST_DEPTH) -> bool:
    """Whether the JSON in `text` has more than `depth` levels. Linear in its length."""
    if text.count("[") + text.count("{") <= depth:
        return False
    level = 0
    for mark in _MARK.finditer(text):
        first = mark[0][0]
        if first in "[{":
            level += 1
            if level > depth:
                return True
        elif first != '"':
            level -= 1
    return False


def has_more_values(text: str, most: int) -> bool:
    """Whether the JSON in `text` has more than `most` lists, objects and members of such, about.
    A value of millions of them takes a hundred times the memory of its text. Linear in its length.
    """
    if text.count(",") + text.count("[") + text.count("{") <= most:
        return False
    parts = (mark for mark in _PART.finditer(text) if mark[0][0] != '"')
    return next(islice(parts, most, None), None) is not None


def read_json(text: str, *, depth: int = MOST_DEPTH, strict: bool = False) -> object:
    """The value in `text`; `strict` refuses NaN and Infinity, which are no JSON.

    Raises ValueError with the reason, TooDeep when it nests deeper than `depth`.
    """
    if nests_deeper(text, depth):
        raise TooDeep(f"it is nested more than {depth} levels deep")
    value = json.loads(text, parse_constant=_refuse) if strict else json.loads(text)
    return (
        repair_surrogates(value)
        if _HALF.search(text) or not has_no_lone_surrogates(text)
        else value
    )


_NOISE = re.compile(r'("(?:\\.|[^"\\])*+")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_SEEN = re.compile(r"[^\r\n]")
_TRAILING = re.compile(r'("(?:\\.|[^"\\])*+")|,(?=\s*[}\]])', re.DOTALL)


def plain_json(text: str) -> str:
    """The text with spaces in place of comments and of commas at the end of lists and objects. All
    else keeps its line and its place.
    """
    return _TRAILING.sub(_without_comma, _NOISE.sub(_blanked, text))


def _blanked(found: re.Match[str]) -> str:
    return found[1] or _SEEN.sub(" ", found[0])


def _without_comma(found: re.Match[str]) -> str:
    """A comma needs a value before it."""
    text, at = found.string, found.start() - 1
    while at > 0 and text[at].isspace():
        at -= 1
    return found[1] or ("," if text[at] in "[{,:" else " ")


_SPACES = frozenset(" \t\n\r")


def read_members(text: str, *, depth: int = MOST_DEPTH) -> dict[str, Any]:
    """The object in `text`, read in small steps: its members, and those of a list the items, one
    by one, so that other threads come to their turn however long it is. Raises ValueError.
    """
    found: dict[str, Any] = {}
    at = _expect(text, 0, "{")
    while not text.startswith("}", at):
        name, at = _value(text, at, depth)
        if not isinstance(name, str):
            raise ValueError("it is no JSON object")
        at = _expect(text, at, ":")
        if text.startswith("[", at):
            found[name], at = _items(text, at, depth)
        else:
            found[name], at = _value(text, at, depth)
        at = _next(text, at, "}")
    if _skip(text, at + 1) < len(text):
        raise ValueError("there is more behind the object")
    return found


def _items(text: str, at: int, depth: int) -> tuple[list[object], int]:
    items: list[object] = []
    at = _expect(text, at, "[")
    while not text.startswith("]", at):
        item, at = _value(text, at, depth)
        items.append(item)
        at = _next(text, at, "]")
    return items, _skip(text, at + 1)


def _value(text: str, at: int, depth: int) -> tuple[object, int]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except RecursionError as error:
        raise TooDeep("it is nested too deep") from error
    part = text[at:end]
    if nests_deeper(part, depth):
        raise TooDeep(f"it is nested more than {depth} levels deep")
    return (
        repair_surrogates(value)
        if _HALF.search(part) or not has_no_lone_surrogates(part)
        else value
    ), _skip(text, end)


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] in _SPACES:
        at += 1
    return at


def _expect(text: str, at: int, mark: str) -> int:
    at = _skip(text, at)
    if not text.startswith(mark, at):
        raise ValueError(f"no {mark!r} at {at}")
    return _skip(text, at + 1)


def _next(text: str, at: int, end: str) -> int:
    """Behind the comma; at the `end`."""
    return at if text.startswith(end, at) else _expect(text, at, ",")


_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SPLIT = 5
"""Levels that are written apart: a body, its messages, one of them, its parts, one of those."""


def write_pieces(value: object, levels: int = _SPLIT) -> Iterator[str]:
    """The JSON of `value`, without blanks, in pieces that are joined by nothing. Python writes a
    value in one go and lets no other thread in meanwhile: what holds megabytes is written part by
    part, so that whoever asks for the pieces can pause in between. Raises TypeError.
    """
    if levels and isinstance(value, dict) and value:
        before = "{"
        for name, one in value.items():
            yield f"{before}{_WRITER.encode(name)}:"
            yield from write_pieces(one, levels - 1)
            before = ","
        yield "}"
    elif levels and isinstance(value, list | tuple) and value:
        before = "["
        for one in value:
            yield before
            yield from write_pieces(one, levels - 1)
            before = ","
        yield "]"
    else:
        yield _WRITER.encode(value)


def repair_surrogates(value: Any) -> Any:
    """A text, or what JSON is made of, without lone halves of surrogate pairs: they can't be
    stored, shown or sent. Halves that belong together are joined, others become U+FFFD.
    """
    if isinstance(value, str):
        return value if has_no_lone_surrogates(value) else _joined(value)
    if isinstance(value, dict):
        return {repair_surrogates(key): repair_surrogates(one) for key, one in value.items()}
    return [repair_surrogates(one) for one in value] if isinstance(value, list) else value


def has_no_lone_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


JsonPath = tuple[str | int, ...]
"""The way to a value: names of fields and numbers in lists."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


@dataclass(frozen=True, slots=True)
class JsonLayout:
    """`spans` are the first and last (exclusive) character of every value, of an object or a list
    only its first; `twice` are fields that stand twice in one object, which JSON readers accept.
    """

    spans: dict[JsonPath, tuple[int, int]] = field(default_factory=dict)
    twice: tuple[JsonPath, ...] = ()
    _ends: tuple[int, ...] = ()

    def line(self, path: JsonPath) -> int:
        """The line (from 1) of the value at `path`, or of the nearest one around it."""
        while path and path not in self.spans:
            path = path[:-1]
        start, _ = self.spans.get(path, (0, 0))
        return bisect_right(self._ends, start - 1) + 1 if start else 1


def json_layout(text: str) -> JsonLayout:
    """The layout of `text`, which must be valid JSON."""
    spans: dict[JsonPath, tuple[int, int]] = {}
    twice: list[JsonPath] = []
    way: list[str | int | None] = []  # one slot for each open object (None: a name is due) or list
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word == ":":
            continue
        if word == ",":
            last = way[-1]
            way[-1] = last + 1 if isinstance(last, int) else None
        elif word in "]}":
            way.pop()
        elif way and way[-1] is None:
            way[-1] = json.loads(word)
        else:
            path = tuple(step for step in way if step is not None)
            if path in spans:
                twice.append(path)
            spans[path] = token.span()
            if word in "[{":
                way.append(0 if word == "[" else None)
    ends = tuple(at for at, letter in enumerate(text) if letter == "\n")
    return JsonLayout(spans, tuple(twice), ends)


def path_text(path: JsonPath) -> str:
    """`models[0].endpoint`; "" for the whole."""
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return words.removeprefix(".")
