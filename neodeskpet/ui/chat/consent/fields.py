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
from neodeskpet.core.visible import has_hidden_chars, show_hidden_chars
from neodeskpet.core.wording import N_

_LINE_CHARS = 72
_MOST_CHOICES = 100
_DESCRIPTION_CHARS = 300

MISSING = object()


class FieldKind(StrEnum):
    """LINE and TEXT hold a string as it is, the others JSON; in CHOICE each value is JSON too."""

    LINE = "line"
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    CHOICE = "choice"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ArgumentField:
    """`text` is what the form begins with; `value` what it stands for, ABSENT if it isn't given.
    `choices` are texts that can be chosen, "" where nothing need be.
    """

    name: str
    kind: FieldKind
    text: str
    value: object
    required: bool = False
    description: str = ""
    choices: tuple[str, ...] = ()


class InvalidFieldText(Exception):
    """`field` holds something that can't be read; `reason` is English, marked."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason


def argument_fields(
    schema: Mapping[str, object], arguments: Mapping[str, object]
) -> tuple[ArgumentField, ...]:
    """A field for each argument there is or may be: those of the schema first."""
    properties = _mapping(schema.get("properties"))
    needed = schema.get("required")
    required = needed if isinstance(needed, list | tuple) else ()
    names = [*properties, *(name for name in arguments if name not in properties)]
    return tuple(
        _field(name, _mapping(properties.get(name)), arguments.get(name, MISSING), name in required)
        for name in names
    )


def parse_fields(fields: Sequence[ArgumentField], texts: Sequence[str]) -> dict[str, object]:
    """The arguments that the form says now. Raises Unreadable."""
    read = {one.name: _read(one, text) for one, text in zip(fields, texts, strict=True)}
    return {name: value for name, value in read.items() if value is not MISSING}


def _field(name: str, schema: Mapping[str, object], value: object, required: bool) -> ArgumentField:
    about = show_hidden_chars(" ".join(str(schema.get("description", "")).split()))[
        :_DESCRIPTION_CHARS
    ]
    kind, choices = _kind(schema, value)
    if kind is FieldKind.CHOICE:
        choices = choices if required else ("", *choices)
        if value is not MISSING and _json(value) not in choices:
            choices = (*choices, _json(value))
    return ArgumentField(name, kind, _text(kind, value), value, required, about, choices)


def _kind(schema: Mapping[str, object], value: object) -> tuple[FieldKind, tuple[str, ...]]:
    options = schema.get("enum")
    if isinstance(options, list) and 0 < len(options) <= _MOST_CHOICES:
        return FieldKind.CHOICE, tuple(_json(option) for option in options)
    given = value is not MISSING
    match schema.get("type"):
        case "boolean" if not given or isinstance(value, bool):
            return FieldKind.CHOICE, ("true", "false")
        case "integer" if not given or (isinstance(value, int) and not isinstance(value, bool)):
            return FieldKind.INTEGER, ()
        case "number" if not given or _is_number(value):
            return FieldKind.NUMBER, ()
        case "string" if not given or isinstance(value, str):
            return _string_kind(cast("str", value) if given else ""), ()
        case _:
            return FieldKind.JSON, ()


def _string_kind(value: str) -> FieldKind:
    if has_hidden_chars(value):
        return FieldKind.JSON
    return (
        FieldKind.LINE
        if len(value) <= _LINE_CHARS and not set("\n\t") & set(value)
        else FieldKind.TEXT
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(kind: FieldKind, value: object) -> str:
    if value is MISSING:
        return ""
    if kind in (FieldKind.LINE, FieldKind.TEXT):
        return str(value)
    return _json(value, indent=2 if kind is FieldKind.JSON else None)


def _json(value: object, indent: int | None = None) -> str:
    flat = show_hidden_chars(json.dumps(value, ensure_ascii=False))
    if indent is None or len(flat) <= _LINE_CHARS:
        return flat
    return show_hidden_chars(json.dumps(value, ensure_ascii=False, indent=indent))


def _read(field: ArgumentField, text: str) -> object:
    if text == field.text:
        return field.value
    if not text.strip() and not field.required:
        return MISSING
    match field.kind:
        case FieldKind.LINE | FieldKind.TEXT:
            return text
        case FieldKind.INTEGER | FieldKind.NUMBER:
            return _read_number(field, text.strip())
        case _:
            try:
                return read_json(text, strict=True)
            except ValueError:
                raise InvalidFieldText(field.name, N_("This is not valid JSON.")) from None


def _read_number(field: ArgumentField, text: str) -> float:
    try:
        if field.kind is FieldKind.INTEGER:
            return int(text)
        number = float(text)
    except ValueError:
        whole = field.kind is FieldKind.INTEGER
        reason = N_("A whole number is needed.") if whole else N_("A number is needed.")
        raise InvalidFieldText(field.name, reason) from None
    if not math.isfinite(number):
        raise InvalidFieldText(field.name, N_("A number is needed."))
    return int(text) if text.lstrip("+-").isdecimal() else number


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
