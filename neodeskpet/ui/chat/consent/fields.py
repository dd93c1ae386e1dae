"""The arguments of a call as the fields of a form, made from the tool's JSON Schema. No Qt.

What is shown is what runs: a field that isn't touched keeps its value as it was; a text in which
something would not be seen as it is stands there as JSON, with that written out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from neodeskpet.core.json_text import read_json
from neodeskpet.core.visible import hides, visible
from neodeskpet.core.wording import N_

_LINE = 72
_MOST_CHOICES = 100
_ABOUT = 300

ABSENT = object()


class Kind(StrEnum):
    """LINE and TEXT hold a string as it is, the others JSON; in CHOICE each value is JSON too."""

    LINE = "line"
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    CHOICE = "choice"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Field:
    """`text` is what the form begins with; `value` what it stands for, ABSENT if it isn't given.
    `choices` are texts that can be chosen, "" where nothing need be.
    """

    name: str
    kind: Kind
    text: str
    value: object
    required: bool = False
    about: str = ""
    choices: tuple[str, ...] = ()


class Unreadable(Exception):
    """`field` holds something that can't be read; `reason` is English, marked."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason


def fields_of(schema: Mapping[str, object], arguments: Mapping[str, object]) -> tuple[Field, ...]:
    """A field for each argument there is or may be: those of the schema first."""
    properties = _mapping(schema.get("properties"))
    needed = schema.get("required")
    required = needed if isinstance(needed, list | tuple) else ()
    names = [*properties, *(name for name in arguments if name not in properties)]
    return tuple(
        _field(name, _mapping(properties.get(name)), arguments.get(name, ABSENT), name in required)
        for name in names
    )


def read_fields(fields: Sequence[Field], texts: Sequence[str]) -> dict[str, object]:
    """The arguments that the form says now. Raises Unreadable."""
    read = {one.name: _read(one, text) for one, text in zip(fields, texts, strict=True)}
    return {name: value for name, value in read.items() if value is not ABSENT}


def _field(name: str, schema: Mapping[str, object], value: object, required: bool) -> Field:
    about = visible(" ".join(str(schema.get("description", "")).split()))[:_ABOUT]
    kind, choices = _kind(schema, value)
    if kind is Kind.CHOICE:
        choices = choices if required else ("", *choices)
        if value is not ABSENT and _json(value) not in choices:
            choices = (*choices, _json(value))
    return Field(name, kind, _text(kind, value), value, required, about, choices)


def _kind(schema: Mapping[str, object], value: object) -> tuple[Kind, tuple[str, ...]]:
    options = schema.get("enum")
    if isinstance(options, list) and 0 < len(options) <= _MOST_CHOICES:
        return Kind.CHOICE, tuple(_json(option) for option in options)
    given = value is not ABSENT
    match schema.get("type"):
        case "boolean" if not given or isinstance(value, bool):
            return Kind.CHOICE, ("true", "false")
        case "integer" if not given or (isinstance(value, int) and not isinstance(value, bool)):
            return Kind.INTEGER, ()
        case "number" if not given or _is_number(value):
            return Kind.NUMBER, ()
        case "string" if not given or isinstance(value, str):
            return _string_kind(cast("str", value) if given else ""), ()
        case _:
            return Kind.JSON, ()


def _string_kind(value: str) -> Kind:
    if hides(value):
        return Kind.JSON
    return Kind.LINE if len(value) <= _LINE and not set("\n\t") & set(value) else Kind.TEXT


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(kind: Kind, value: object) -> str:
    if value is ABSENT:
        return ""
    if kind in (Kind.LINE, Kind.TEXT):
        return str(value)
    return _json(value, indent=2 if kind is Kind.JSON else None)


def _json(value: object, indent: int | None = None) -> str:
    flat = visible(json.dumps(value, ensure_ascii=False))
    if indent is None or len(flat) <= _LINE:
        return flat
    return visible(json.dumps(value, ensure_ascii=False, indent=indent))


def _read(field: Field, text: str) -> object:
    if text == field.text:
        return field.value
    if not text.strip() and not field.required:
        return ABSENT
    match field.kind:
        case Kind.LINE | Kind.TEXT:
            return text
        case Kind.INTEGER | Kind.NUMBER:
            return _read_number(field, text.strip())
        case _:
            try:
                return read_json(text, strict=True)
            except ValueError:
                raise Unreadable(field.name, N_("This is not valid JSON.")) from None


def _read_number(field: Field, text: str) -> float:
    try:
        if field.kind is Kind.INTEGER:
            return int(text)
        number = float(text)
    except ValueError:
        whole = field.kind is Kind.INTEGER
        reason = N_("A whole number is needed.") if whole else N_("A number is needed.")
        raise Unreadable(field.name, reason) from None
    if not math.isfinite(number):
        raise Unreadable(field.name, N_("A number is needed."))
    return int(text) if text.lstrip("+-").isdecimal() else number


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
