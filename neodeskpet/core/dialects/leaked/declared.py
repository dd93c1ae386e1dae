"""Families of calls as data: what surrounds calls, a call and its arguments, as templates.

A template is literal text with places: `{name}`, `{key}`, `{value}`, `{type}` (the argument's JSON
type), `{json}` (all arguments as one JSON object) and `{any}` (anything that says nothing). A place
reaches to the next literal text. A user can declare families in a file (`read_declarations`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import (
    Family,
    NoCallError,
    Nothing,
    Reading,
    Source,
    Thought,
    load,
)

_PLACE = re.compile(r"\{(name|key|value|type|json|any)\}")
_MOST = 4096
"""Characters of a name, a key or a type."""
_LEAST = 4
"""Characters that a family's opening has at least: a shorter one would stop all text."""


class BadDeclaration(ValueError):
    """A declaration that can't be used; the text says why, in English."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One family. `begin` and `end` may surround calls; a call is `call`, then any number of
    `argument`s or one `body` (with `{json}`), then `call_end`. What stands in `noise` may come
    between any two of these. `thinking` is the begin and the end of thinking. `hidden` marks say
    nothing. `escaped`: names and keys are written with entities (`&amp;`).
    """

    name: str
    call: str
    call_end: str = ""
    argument: str = ""
    body: str = ""
    begin: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    noise: tuple[str, ...] = ()
    thinking: tuple[str, str] | None = None
    hidden: tuple[str, ...] = ()
    escaped: bool = False


@dataclass(frozen=True, slots=True)
class _Template:
    """`parts` are literal texts and, between two of them, the names of places."""

    head: str
    places: tuple[tuple[str, str], ...]
    """A place, and the literal text that ends it."""


def _template(text: str) -> _Template:
    head, *rest = _PLACE.split(text)
    places = tuple(zip(rest[::2], rest[1::2], strict=True))
    if any(not (literal.strip() if place == "json" else literal) for place, literal in places):
        raise BadDeclaration(f"text is needed behind each place of {text!r}")
    return _Template(head, places)


def families_of(declaration: Declaration) -> tuple[Family, ...]:
    """The families that `declaration` makes. Raises BadDeclaration."""
    call = _template(declaration.call)
    if not any(place == "name" for place, _ in call.places):
        raise BadDeclaration("the call has no place for a {name}")
    arguments = _template(declaration.argument) if declaration.argument else None
    body = _template(declaration.body) if declaration.body else None
    inline = any(place == "json" for place, _ in call.places)
    if not (arguments or body or inline):
        raise BadDeclaration("there is no place for arguments")
    form = _Form(declaration, call, arguments, body)
    families = [Family(declaration.name, (*declaration.begin, call.head), form.read)]
    if declaration.thinking is not None:
        begin, end = declaration.thinking
        thought = _Thinking(begin, end)
        families.append(Family(f"{declaration.name} thinking", (begin,), thought.read))
    if declaration.hidden:
        marks = _Marks(declaration.hidden)
        families.append(Family(f"{declaration.name} marks", declaration.hidden, marks.read))
    short = [one for family in families for one in family.openings if len(one) < _LEAST]
    if short:
        raise BadDeclaration(f"{short[0]!r} is shorter than {_LEAST} characters")
    return tuple(families)


@dataclass(frozen=True, slots=True)
class _Thinking:
    begin: str
    end: str

    def read(self, source: Source) -> Reading[None]:
        yield from source.expect(self.begin)
        source.items.append(Thought((self.end,)))


@dataclass(frozen=True, slots=True)
class _Marks:
    marks: tuple[str, ...]

    def read(self, source: Source) -> Reading[None]:
        yield from source.expect(*self.marks)
        source.items.append(Nothing())


@dataclass(frozen=True, slots=True)
class _Form:
    declaration: Declaration
    call: _Template
    argument: _Template | None
    body: _Template | None

    def read(self, source: Source) -> Reading[None]:
        declared = self.declaration
        begun = ""
        if declared.begin:
            begun = yield from source.starts(*declared.begin)
            yield from self._space(source)
        yield from source.expect(self.call.head)
        while True:
            yield from self._call(source)
            here = source.at
            yield from self._space(source)
            if begun and declared.end and (yield from source.starts(*declared.end)):
                return
            if not (yield from source.starts(self.call.head)):
                source.at = here
                return

    def _call(self, source: Source) -> Reading[None]:
        """A call, from behind the head of its template."""
        declared = self.declaration
        found = yield from self._places(source, self.call)
        heard = found["name"].strip()
        source.begin(heard)
        if "json" in found:
            source.call(heard, arguments_of(load(found["json"])))
        else:
            yield from self._arguments(source, heard)
        if declared.call_end:
            yield from self._space(source)
            yield from source.expect(declared.call_end)

    def _arguments(self, source: Source, heard: str) -> Reading[None]:
        values: dict[str, object] = {}
        while True:
            yield from self._space(source)
            if self.body is not None and (yield from source.starts(self.body.head)):
                found = yield from self._places(source, self.body)
                source.call(heard, arguments_of(load(found["json"])))
                return
            if self.argument is None or not (yield from source.starts(self.argument.head)):
                break
            found = yield from self._places(source, self.argument)
            values[found.get("key", "").strip()] = _value(found)
        source.written(heard, values)

    def _places(self, source: Source, template: _Template) -> Reading[dict[str, str]]:
        """What stands in the places of a template, from behind its head."""
        found: dict[str, str] = {}
        for place, literal in template.places:
            if place == "json":
                yield from source.space()
                found[place] = yield from source.json_text()
                yield from source.space()
                yield from source.expect(literal.strip())
                continue
            text, _ = yield from source.until(literal)
            if place != "value" and len(text) > _MOST:
                raise NoCallError
            found[place] = unescape(text) if self.declaration.escaped and place != "value" else text
        return found

    def _space(self, source: Source) -> Reading[None]:
        """White space and noise."""
        yield from source.space()
        while self.declaration.noise and (yield from source.starts(*self.declaration.noise)):
            yield from source.space()


def _value(found: Mapping[str, str]) -> object:
    """A value, as JSON where its type says that it isn't a text."""
    text = found.get("value", "")
    kind = found.get("type", "string").strip("\"' ")
    if kind.startswith("str") or not kind:
        return text
    try:
        return load(text.strip())
    except NoCallError:
        return text


def read_declarations(value: Any) -> tuple[Family, ...]:
    """The families in a file's JSON: a list of declarations. Raises BadDeclaration."""
    if not isinstance(value, list):
        raise BadDeclaration("a list of declarations is needed")
    return tuple(family for one in value for family in families_of(_declaration(one)))


_TEXTS = ("name", "call", "call_end", "argument", "body")
_LISTS = ("begin", "end", "noise", "hidden")


def _declaration(value: Any) -> Declaration:
    if not isinstance(value, dict):
        raise BadDeclaration("a declaration is an object")
    fields: dict[str, Any] = {}
    for key, given in value.items():
        if key in _TEXTS and isinstance(given, str):
            fields[key] = given
        elif key in _LISTS and _is_texts(given):
            fields[key] = tuple(given)
        elif key == "thinking" and _is_texts(given) and len(given) == len(("begin", "end")):
            fields[key] = (given[0], given[1])
        elif key == "escaped" and isinstance(given, bool):
            fields[key] = given
        elif not key.startswith("_"):
            raise BadDeclaration(f"{key!r} is unknown, or has another type")
    if not fields.get("name") or not fields.get("call"):
        raise BadDeclaration("a declaration has a name and a call")
    return Declaration(**fields)


def _is_texts(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(isinstance(one, str) and one for one in value)
    )
