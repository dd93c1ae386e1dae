"""Declarations of families of leaked calls: the built-in ones and the user's
(`read_declarations`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any

from neodeskpet.core.dialects.leaked.template import BadDeclaration


class WithinLine(Enum):
    """Where in a line a form that begins with a word is accepted."""

    NEVER = "never"
    APART = "apart"
    """If no Latin letter, digit or underscore is before it."""
    AFTER_SENTENCE = "after sentence"


@dataclass(frozen=True, slots=True)
class Declaration:
    """One family. All fields except `name`, `marks` and the switches are templates (`template.py`);
    `docs/call-forms.md` explains them.
    """

    name: str
    call: tuple[str, ...] = ()
    call_end: str = ""
    argument: tuple[str, ...] = ()
    body: str = ""
    begin: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    noise: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    within_line: WithinLine = WithinLine.NEVER
    needs_begin: bool = False
    line_start: bool = False
    weak: bool = False
    fenced: bool = False
    escaped: bool = False


def start_tags(*words: str) -> tuple[str, ...]:
    """Return `<word>` for each word."""
    return tuple(f"<{word}>" for word in words)


def end_tags(*words: str) -> tuple[str, ...]:
    """Return `</word>` for each word."""
    return tuple(f"</{word}>" for word in words)


def json_behind(name: str, begin: tuple[str, ...], end: tuple[str, ...] = ()) -> Declaration:
    """Declare JSON with names of tools after one of `begin`."""
    return Declaration(name=name, begin=begin, needs_begin=True, call=("{calls}",), end=end)


def json_in_tags(name: str, *words: str) -> Declaration:
    """Declare JSON with names of tools between tags of these words."""
    return json_behind(name, start_tags(*words), end_tags(*words))


def read_declarations(value: Any) -> tuple[Declaration, ...]:
    """Return the declarations in the JSON of a file. Raises BadDeclaration."""
    if not isinstance(value, list):
        raise BadDeclaration("a list of declarations is needed")
    return tuple(map(_declaration, value))


_TEXT = frozenset({"name", "call_end", "body"})
_LISTS = frozenset({"call", "argument", "begin", "end", "noise", "hidden"})
"""Fields that are a text or a list of texts."""
_SWITCHES = frozenset({"needs_begin", "line_start", "weak", "escaped"})
_FIELDS = frozenset(one.name for one in fields(Declaration)) - {"fenced"}


def _declaration(value: Any) -> Declaration:
    if not isinstance(value, dict):
        raise BadDeclaration("a declaration must be an object")
    given: dict[str, Any] = {}
    for key, one in value.items():
        if key in _FIELDS:
            given[key] = _field(key, one)
        elif not key.startswith("_"):
            raise BadDeclaration(f"{key!r} is unknown")
    if not given.get("name"):
        raise BadDeclaration("a declaration needs a name")
    return Declaration(**given)


def _field(key: str, value: Any) -> object:
    if key in _TEXT and isinstance(value, str):
        return value
    if key in _LISTS and (isinstance(value, str) or _is_texts(value)):
        return (value,) if isinstance(value, str) else tuple(value)
    if key == "thinking" and _is_texts(value) and len(value) == len(("begin", "end")):
        return tuple(value)
    if key == "marks" and isinstance(value, dict) and all(map(_is_texts, value.values())):
        return {mark: tuple(texts) for mark, texts in value.items()}
    if key in _SWITCHES and isinstance(value, bool):
        return value
    if key == "within_line" and value in [one.value for one in WithinLine]:
        return WithinLine(value)
    raise BadDeclaration(f"{key!r} can't be {value!r}")


def _is_texts(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(isinstance(one, str) and one for one in value)
    )
