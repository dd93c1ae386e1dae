"""Steps of templates: each reads one part of a call from a `Source`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from html import unescape
from typing import Protocol

from neodeskpet.core.dialects.leaked import json_calls, python_calls, relaxed_objects
from neodeskpet.core.dialects.leaked.source import (
    CutError,
    NoCallError,
    Reading,
    Source,
    any_of,
)


class Place(Enum):
    NAME = "name"
    TOOL = "tool"
    KEY = "key"
    VALUE = "value"
    TYPE = "type"
    ANY = "any"
    JSON = "json"
    CALLS = "calls"
    PYTHON = "python"
    OBJECT = "object"
    INPUT = "input"
    WORD = "word"
    NUMBER = "number"
    SPACE = "space"


@dataclass(slots=True)
class Filled:
    """The values of the places in a call or in an argument. `complete`: `arguments` are all
    arguments. `called`: the calls are already recorded in the source.
    """

    name: str = ""
    key: str = ""
    value: str = ""
    type: str = ""
    arguments: Mapping[str, object] | None = None
    complete: bool = False
    called: bool = False

    def begin(self, source: Source) -> None:
        """Record that a call has begun: if the text ends now, the call was cut off. For an argument
        the name of its call was recorded before.
        """
        if self.name:
            source.begin(self.name)


class Step(Protocol):
    def read(self, source: Source, filled: Filled) -> Reading[None]: ...


@dataclass(frozen=True, slots=True)
class Text:
    """One of `texts`. `KEY` in them represents the key that was read before."""

    texts: tuple[str, ...]
    optional: bool = False

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        texts = _with_key(self.texts, filled)
        if not self.optional:
            yield from source.expect(*texts)
        elif not (yield from source.starts(*texts)) and source.ended:
            rest = source.text[source.at :]
            if any(text.startswith(rest) for text in texts):  # the text ends inside it
                source.at = len(source.text)


KEY = "\0"


def _with_key(texts: tuple[str, ...], filled: Filled) -> tuple[str, ...]:
    if not any(KEY in text for text in texts):
        return texts
    return tuple(text.replace(KEY, filled.key) for text in texts)


_MOST = 256
"""Highest number of characters of a name, a key, a type or an ignored text."""
STOPS = {
    Place.NAME: "\n<>{}[]",
    Place.KEY: "\n<>",
    Place.TYPE: "\n<>",
    Place.ANY: "\n<>",
}
"""Characters that a place can't contain, unless the text after it begins with them."""


@dataclass(frozen=True, slots=True)
class Word:
    """A short text on one line, up to one of `ends`, which is not read."""

    place: Place
    ends: tuple[str, ...]
    escaped: bool

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        ends = _with_key(self.ends, filled)
        text = yield from self._text(source, ends)
        if self.place is Place.NAME:
            source.begin(text)
        here = source.at
        if not (yield from source.starts(*ends)):
            rest = source.text[here:]
            raise CutError if any(end.startswith(rest) for end in ends) else NoCallError
        source.at = here
        if self.place is Place.NAME:
            filled.name = text
        elif self.place is Place.KEY:
            filled.key = text.strip("\"'")
            filled.begin(source)
        elif self.place is Place.TYPE:
            filled.type = text

    def _text(self, source: Source, ends: tuple[str, ...]) -> Reading[str]:
        """Read the text up to a possible beginning of an end."""
        begun = source.at
        stop = any_of((*ends, *STOPS[self.place]))
        while (match := stop.search(source.text, begun)) is None:
            if len(source.text) - begun > _MOST + max(map(len, ends)):
                raise NoCallError
            if source.ended and self.place is Place.NAME:
                source.begin(source.text[begun:])
            yield from source.more()
        source.at = match.start()
        if source.at - begun > _MOST or (self.place is Place.NAME and source.at == begun):
            raise NoCallError
        text = source.text[begun : source.at]
        return (unescape(text) if self.escaped else text).strip()


@dataclass(frozen=True, slots=True)
class Value:
    """The text up to one of `ends`, or of `others`, the beginnings of what may follow an argument
    without an end. The end is not read.
    """

    ends: tuple[str, ...]
    others: tuple[str, ...]

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        ends = _with_key(self.ends, filled)
        text, end = yield from source.until(*ends, *self.others)
        source.at -= len(end)
        filled.value = text if end in ends else text.removesuffix("\n")


@dataclass(frozen=True, slots=True)
class Tool:
    """The name of an offered tool."""

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        filled.name = yield from source.expect(*source.tools.heard)


@dataclass(frozen=True, slots=True)
class Json:
    """All arguments as a JSON object. Inside marks (`marked`), other JSON is also a call, but with
    unusable arguments.
    """

    marked: bool

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        if not self.marked and (yield from source.peek()) != "{":
            raise NoCallError
        filled.begin(source)
        filled.arguments = json_calls.arguments_of((yield from source.json()))
        filled.complete = True


@dataclass(frozen=True, slots=True)
class Calls:
    """JSON with names and arguments of tools, in any spelling."""

    weak: bool

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        yield from json_calls.weak_calls(source) if self.weak else json_calls.objects(source)
        filled.called = True


@dataclass(frozen=True, slots=True)
class Python:
    """A call in Python syntax, or a list of them."""

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        listed = (yield from source.peek()) == "["
        yield from python_calls.listed(source) if listed else python_calls.call(source)
        filled.called = True


@dataclass(frozen=True, slots=True)
class Object:
    """All arguments as an object without quotation marks around keys and texts."""

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        filled.begin(source)
        filled.arguments = yield from relaxed_objects.read(source)
        filled.complete = True


_INPUT = re.compile(r"[^\n]{0,4096}")


@dataclass(frozen=True, slots=True)
class Input:
    """All arguments as JSON, or on one line the only text that the tool accepts."""

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        filled.complete = True
        if (yield from source.peek()) == "{":
            filled.arguments = json_calls.arguments_of((yield from source.json()))
            return
        text = yield from source.matching(_INPUT)
        schema = source.tools.schema(source.tools.find(filled.name) or "")
        properties = schema.get("properties")
        if not isinstance(properties, dict) or len(properties) != 1:
            raise NoCallError
        filled.arguments = dict.fromkeys(properties, text.strip().strip("\"'`"))


@dataclass(frozen=True, slots=True)
class Space:
    """Optional white space."""

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        yield from source.space()


@dataclass(frozen=True, slots=True)
class Matching:
    """Text that matches a pattern, which also matches the empty text."""

    pattern: re.Pattern[str]

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        yield from source.matching(self.pattern)
