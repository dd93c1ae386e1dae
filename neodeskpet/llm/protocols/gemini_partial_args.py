"""Builds the arguments of a function call from `partialArgs`, each a value at a JSON path."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from neodeskpet.core.json_text import MOST_DEPTH
from neodeskpet.llm.protocols.protocol import compact_json

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_MOST_ITEMS = 100_000

Step = str | int


class PartialArgs:
    """Builds the arguments. A string continues at the same path until `willContinue` is false."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}
        self._open: tuple[Step, ...] | None = None
        self._pieces: list[str] = []
        self._texts: list[str] = []
        self._odd: list[object] = []

    @property
    def given(self) -> bool:
        """Return whether there are any arguments."""
        return bool(self._root or self._texts or self._odd or self._open)

    def add(self, args: object) -> None:
        """Take `args` of a call: an object, or its JSON text. None means no arguments."""
        if isinstance(args, dict):
            self._flush()
            self._root.update(args)
        elif isinstance(args, str):
            self._texts.append(args)
        elif args is not None:
            self._odd.append(args)

    def text(self) -> str:
        """Return the arguments as JSON text. A value that isn't an object is kept; it is refused
        when it is read.
        """
        root, texts = self.value(), "".join(self._texts)
        if not texts and not self._odd:
            return compact_json(root)
        return (compact_json(root) if root else "") + texts + "".join(map(compact_json, self._odd))

    def take(self, part: dict[str, Any]) -> None:
        """Take one entry of `partialArgs`; one without a readable path is skipped."""
        path = path_steps(part.get("jsonPath"))
        if not path or not isinstance(path[0], str):
            return
        if "stringValue" in part:
            self._take_string(path, str(part["stringValue"]), bool(part.get("willContinue")))
            return
        self._flush()
        for key in ("numberValue", "boolValue"):
            if key in part:
                _place(self._root, path, _number(part[key]))
                return
        if "nullValue" in part:
            _place(self._root, path, None)

    def value(self) -> dict[str, Any]:
        """Return the arguments so far."""
        self._flush()
        return self._root

    def _take_string(self, path: tuple[Step, ...], text: str, goes_on: bool) -> None:
        if path != self._open:
            self._flush()
            self._open = path
        self._pieces.append(text)
        if not goes_on:
            self._flush()

    def _flush(self) -> None:
        path, self._open = self._open, None
        if path is not None:
            _place(self._root, path, "".join(self._pieces))
            self._pieces.clear()


def path_steps(path: object) -> tuple[Step, ...]:
    """Parse a path: `$.a[0]['b c']` → ("a", 0, "b c"); () if it can't be read. A path with too many
    levels is cut after the first excess level, so that the arguments are refused.
    """
    if not isinstance(path, str):
        return ()
    text = path[1:] if path.startswith("$") else f".{path}"
    found: list[Step] = []
    place = 0
    while place < len(text) and len(found) <= MOST_DEPTH:
        match = _STEP.match(text, place)
        if match is None:
            return ()
        name, number, single, double = match.groups()
        if number is not None:
            found.append(int(number))
        else:
            found.append(name or re.sub(r"\\(.)", r"\1", single or double or ""))
        place = match.end()
    return tuple(found)


def _place(root: dict[str, Any], path: tuple[Step, ...], value: object) -> None:
    """Set `value` at `path`, and create the containers on the way. A path that contradicts existing
    values is skipped.
    """
    here: Any = root
    for step, following in pairwise(path):
        inner: Any = [] if isinstance(following, int) else {}
        if isinstance(step, str) and isinstance(here, dict):
            here = here.setdefault(step, inner)
        elif isinstance(step, int) and isinstance(here, list) and step < _MOST_ITEMS:
            _fill(here, step)
            if here[step] is None:
                here[step] = inner
            here = here[step]
        else:
            return
    last = path[-1]
    if isinstance(last, str) and isinstance(here, dict):
        here[last] = value
    elif isinstance(last, int) and isinstance(here, list) and last < _MOST_ITEMS:
        _fill(here, last)
        here[last] = value


def _fill(items: list[Any], index: int) -> None:
    items.extend([None] * (index + 1 - len(items)))


def _number(value: object) -> object:
    """Convert whole numbers to int: Gemini sends all numbers as doubles."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
