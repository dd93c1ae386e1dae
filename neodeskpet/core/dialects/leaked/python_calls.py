"""Reads calls written in Python syntax: `get_weather(city='Paris', days=3)`."""

from __future__ import annotations

import math
import re

from neodeskpet.core.dialects.leaked.source import Call, NoCallError, Reading, Source

DOTTED = re.compile(r"[\w.\-]{0,128}")
_WORD = re.compile(r"\w{0,128}")
_NUMBER = re.compile(r"[+\-\w.]{0,64}")
_PLAIN = {"'": re.compile(r"[^'\\\n]*"), '"': re.compile(r'[^"\\\n]*')}
_NAMED = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
_CODES = {"x": 2, "u": 4, "U": 8}
_DEEPEST = 32


def listed(source: Source) -> Reading[None]:
    """Read `[f(a=1), g()]`. A call that can't be read is skipped if another can be read."""
    end = yield from source.expect("[")
    while end != "]":
        yield from source.space()
        here = source.at
        try:
            yield from _call(source)
            yield from source.space()
            end = yield from source.expect(",", "]")
        except NoCallError:
            source.at = here
            end = yield from _pass_over(source)
    if not any(isinstance(item, Call) and item.arguments is not None for item in source.items):
        raise NoCallError


def _pass_over(source: Source) -> Reading[str]:
    """Skip a call that can't be read, up to the possible beginning of the next."""
    name = yield from source.matching(DOTTED)
    yield from source.expect("(")
    end = ""
    while not end:
        _, stop = yield from source.until(")", "\n")
        if stop == "\n":
            raise NoCallError
        yield from source.space()
        end = yield from source.starts(",", "]")
    source.call(name, None)
    return end


def call(source: Source) -> Reading[None]:
    """Read one call with named arguments, also inside `print(…)`. A value that JSON can't express
    (1e999) drops the call.
    """
    printed = yield from source.starts("print(")
    yield from source.starts("default_api.")
    yield from _call(source)
    if printed:
        yield from source.space()
        yield from source.expect(")")


def _call(source: Source) -> Reading[None]:
    name = yield from source.matching(DOTTED)
    name = name.removesuffix(".call")  # the built-in tools of Llama
    if not name or name[0].isdigit():
        raise NoCallError
    yield from source.expect("(")
    arguments: dict[str, object] = {}
    sound = True
    yield from source.space()
    while not (yield from source.starts(")")):
        key = yield from source.matching(_WORD)
        yield from source.space()
        if not key or not (yield from source.starts("=", ":")):
            raise NoCallError
        yield from source.space()
        source.begin(name)
        arguments[key] = yield from value(source, 0)
        sound = sound and _is_json(arguments[key])
        yield from source.space()
        if (yield from source.expect(",", ")")) == ")":
            break
        yield from source.space()
    if sound:
        source.call(name, arguments)


def _is_json(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    return all(map(_is_json, value)) if isinstance(value, list) else True


def value(source: Source, depth: int) -> Reading[object]:
    """Read a Python (or JSON) literal. Raises NoCallError."""
    if depth > _DEEPEST:
        raise NoCallError
    first = yield from source.peek()
    if first in "'\"":
        return (yield from _text(source))
    if first == "{":
        return (yield from _mapping(source, depth))
    if first in "[(":
        return (yield from _sequence(source, depth))
    word = yield from source.matching(_NUMBER)
    if word in _NAMED:
        return _NAMED[word]
    return _number(word)


def _number(word: str) -> int | float:
    if re.fullmatch(r"[+-]?[0-9]{1,30}", word):
        return int(word)
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", word):
        return float(word)
    raise NoCallError


def _sequence(source: Source, depth: int) -> Reading[list[object]]:
    close = "]" if (yield from source.expect("[", "(")) == "[" else ")"
    out: list[object] = []
    yield from source.space()
    while not (yield from source.starts(close)):
        out.append((yield from value(source, depth + 1)))
        yield from source.space()
        if (yield from source.expect(",", close)) == close:
            break
        yield from source.space()
    return out


def _mapping(source: Source, depth: int) -> Reading[dict[str, object]]:
    yield from source.expect("{")
    out: dict[str, object] = {}
    yield from source.space()
    while not (yield from source.starts("}")):
        key = yield from _text(source)
        yield from source.space()
        yield from source.expect(":")
        yield from source.space()
        out[key] = yield from value(source, depth + 1)
        yield from source.space()
        if (yield from source.expect(",", "}")) == "}":
            break
        yield from source.space()
    return out


def _text(source: Source) -> Reading[str]:
    quote = yield from source.expect("'''", '"""', "''", '""', "'", '"')
    if len(quote) == 2:
        return ""
    if len(quote) == 3:
        return (yield from source.until(quote))[0]
    pieces: list[str] = []
    while True:
        pieces.append((yield from source.matching(_PLAIN[quote])))
        ended = yield from source.peek()
        if ended == "\n":
            raise NoCallError
        source.at += 1
        if ended == quote:
            return "".join(pieces)
        pieces.append((yield from _escaped(source)))


def _escaped(source: Source) -> Reading[str]:
    """Read an escape sequence after its backslash."""
    letter = yield from source.peek()
    source.at += 1
    if letter not in _CODES:
        return _ESCAPES.get(letter, letter if letter in "'\"\\" else "\\" + letter)
    size = _CODES[letter]
    while len(source.text) - source.at < size:
        yield from source.more()
    digits = source.text[source.at : source.at + size]
    if not re.fullmatch(r"[0-9a-fA-F]+", digits) or int(digits, 16) > 0x10FFFF:
        return "\\" + letter
    source.at += size
    return chr(int(digits, 16))
