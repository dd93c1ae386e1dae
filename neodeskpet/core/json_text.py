"""JSON that others wrote, read without ever nesting deep.

A value nested nearly as deep as the interpreter's limit can be read, and then whatever walks it
(writing, showing, storing it) ends in a RecursionError at a place that can't bear one. So the
brackets are counted in the text first, without recursion.
"""

from __future__ import annotations

import json
import re

DEPTH = 64
"""Levels of objects and lists in one another; nothing that is meant needs more."""

BODY_DEPTH = 200
"""The same for a whole body, whose frame and schemas stand around what a model wrote."""

_MARK = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


class TooDeep(ValueError):
    """The text nests deeper than it may."""


def nests_deeper(text: str, depth: int = DEPTH) -> bool:
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


def read_json(text: str, *, depth: int = DEPTH, strict: bool = False) -> object:
    """The value in `text`; `strict` refuses NaN and Infinity, which are no JSON.

    Raises ValueError with the reason, TooDeep when it nests deeper than `depth`.
    """
    if nests_deeper(text, depth):
        raise TooDeep(f"it is nested more than {depth} levels deep")
    return json.loads(text, parse_constant=_refuse) if strict else json.loads(text)


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
