"""Where things stand in a JSON text, so that a fault in a file can name its line."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field

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
