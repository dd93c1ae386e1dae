"""Reads foreign JSON with a limit of nesting, writes our own JSON in small pieces, and finds the
line of each value, so that an error can name it. Brackets are counted in the text first, because a
deeply nested value can be parsed but not traversed without a RecursionError.
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
"""Levels of nested objects and lists; no useful value needs more."""

MOST_BODY_DEPTH = 200
"""The same for a whole request body, which adds levels around the content."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""An escaped half of a surrogate pair. (With the unescaped halves in the same pattern the search
has no fixed prefix and takes ten times as long.)
"""
_MARK = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_PART = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{,]', re.DOTALL)


class TooDeep(ValueError):
    """The text is nested too deeply."""


def nests_deeper(text: str, depth: int = MOST_DEPTH) -> bool:
    """Return whether the JSON in `text` has more than `depth` levels, in linear time."""
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
    """Return whether the JSON in `text` has more than about `most` lists, objects and members, in
    linear time. A value with millions of them takes a hundred times the memory of its text.
    """
    if text.count(",") + text.count("[") + text.count("{") <= most:
        return False
    parts = (mark for mark in _PART.finditer(text) if mark[0][0] != '"')
    return next(islice(parts, most, None), None) is not None


def read_json(text: str, *, depth: int = MOST_DEPTH, strict: bool = False) -> object:
    """Return the value in `text`; `strict` refuses NaN and Infinity, which are not JSON.

    Raises ValueError with the reason, TooDeep if it is nested deeper than `depth`.
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
    """Return the text with comments and trailing commas replaced by spaces. All other characters
    keep their line and position.
    """
    return _TRAILING.sub(_without_comma, _NOISE.sub(_blanked, text))


def _blanked(found: re.Match[str]) -> str:
    return found[1] or _SEEN.sub(" ", found[0])


def _without_comma(found: re.Match[str]) -> str:
    """Remove a trailing comma only if a value is before it."""
    text, at = found.string, found.start() - 1
    while at > 0 and text[at].isspace():
        at -= 1
    return found[1] or ("," if text[at] in "[{,:" else " ")


_SPACES = frozenset(" \t\n\r")


def read_members(text: str, *, depth: int = MOST_DEPTH) -> dict[str, Any]:
    """Return the object in `text`. Members, and items of lists in them, are parsed one by one, so
    that other threads can run in between. Raises ValueError.
    """
    found: dict[str, Any] = {}
    at = _expect(text, 0, "{")
    while not text.startswith("}", at):
        name, at = _value(text, at, depth)
        if not isinstance(name, str):
            raise ValueError("it isn't a JSON object")
        at = _expect(text, at, ":")
        if text.startswith("[", at):
            found[name], at = _items(text, at, depth)
        else:
            found[name], at = _value(text, at, depth)
        at = _next(text, at, "}")
    if _skip(text, at + 1) < len(text):
        raise ValueError("there is text after the object")
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
    """Return the position after the comma, or of the `end`."""
    return at if text.startswith(end, at) else _expect(text, at, ",")


_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SPLIT = 5
"""Levels that are written separately: a body, its messages, one message, its parts, one part."""


def write_pieces(value: object, levels: int = _SPLIT) -> Iterator[str]:
    """Yield the JSON of `value`, without blanks, in pieces to be concatenated. Python serializes a
    value without releasing the GIL, so large values are written part by part and the caller can
    pause in between. Raises TypeError.
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
    """Return a text or JSON value without lone surrogates, which can't be stored, shown or sent.
    Matching halves are joined, others become U+FFFD.
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
"""The path to a value: names of members and indexes in lists."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


@dataclass(frozen=True, slots=True)
class JsonLayout:
    """`spans` maps each value to its first and last (exclusive) character, for objects and lists
    only the first. `twice` are duplicate member names, which JSON parsers accept.
    """

    spans: dict[JsonPath, tuple[int, int]] = field(default_factory=dict)
    twice: tuple[JsonPath, ...] = ()
    _ends: tuple[int, ...] = ()

    def line(self, path: JsonPath) -> int:
        """Return the line (from 1) of the value at `path`, or of the nearest value around it."""
        while path and path not in self.spans:
            path = path[:-1]
        start, _ = self.spans.get(path, (0, 0))
        return bisect_right(self._ends, start - 1) + 1 if start else 1


def json_layout(text: str) -> JsonLayout:
    """Return the layout of `text`, which must be valid JSON."""
    spans: dict[JsonPath, tuple[int, int]] = {}
    twice: list[JsonPath] = []
    way: list[str | int | None] = []  # an entry for each open object (None: before a name) or list
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
    """Return the path as text, such as `models[0].endpoint`; "" for the whole value."""
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return words.removeprefix(".")
