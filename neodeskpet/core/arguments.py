"""The arguments of a call. They are read strictly; what was written wrongly is repaired only where
that loses and guesses nothing, and the repair is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from enum import StrEnum

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.json_text import (
    MOST_DEPTH,
    TooDeep,
    nests_deeper,
    read_json,
    repair_surrogates,
)
from neodeskpet.core.wording import N_, Reason


class Repair(StrEnum):
    """What was wrong with arguments that could be read all the same."""

    NONE = ""
    EMPTY_FIRST = "empty_first"
    """`{}` stood before the real ones."""
    REPEATED = "told_twice"
    """The same arguments stood there twice, one after the other."""
    FENCED = "fenced"
    """A code fence stood around them."""
    ENCODED_TWICE = "encoded_twice"
    """They were JSON text within JSON text."""
    RAW_NEWLINES = "raw_newlines"
    """Line breaks and tabs stood in strings as they are."""


MOST_ARGUMENT_CHARACTERS = 2_000_000
"""Characters of a call's arguments: a file of a million characters, each of them escaped. They are
read on the interface's thread, and more would hold it.
"""


def parse_arguments(raw: str) -> Mapping[str, object]:
    """The arguments a model wrote, strictly: "" means `{}`, else a JSON object.

    Raises InvalidArguments with what the model has to repair.
    """
    if not raw.strip():
        return {}
    try:
        value = read_json(raw, strict=True)
    except TooDeep:
        text = N_("They are nested more than {depth} levels deep.")
        fault = Reason(text, {"depth": str(MOST_DEPTH)})
        raise _refused(raw, fault, "Write them flatter.") from None
    except ValueError as error:
        fault = Reason(N_("Not valid JSON: {error}."), {"error": str(error)})
        raise _refused(raw, fault) from None
    if not isinstance(value, dict):
        raise _refused(raw, Reason(N_("A JSON object is needed.")))
    return value


def _refused(raw: str, reason: Reason, advice: str = "") -> InvalidArguments:
    advice = f"{advice} Received: {raw[:500]}".strip()
    return InvalidArguments(reasons=[reason], advice=advice)


def repair_arguments(raw: str) -> tuple[Mapping[str, object], Repair]:
    """The same, repaired if need be and if nothing is lost by it; of at most `MOST` characters.
    Raises InvalidArguments.
    """
    if len(raw) > MOST_ARGUMENT_CHARACTERS:
        fault = Reason(
            N_("They are longer than {count} characters."),
            {"count": f"{MOST_ARGUMENT_CHARACTERS:,}"},
        )
        raise _refused(raw, fault, "Write less at once, in several calls.")
    try:
        return parse_arguments(raw), Repair.NONE
    except InvalidArguments as error:
        for repair, attempt in _REPAIRS.items():
            repaired = attempt(raw)
            if repaired is not None:
                return repaired, repair
        raise error from None


_FENCE = re.compile(r"\s*```[ \t]*(?:json)?[ \t]*\r?\n(.*?)\r?\n?```\s*", re.DOTALL | re.IGNORECASE)
_EMPTY = re.compile(r"\s*\{\s*\}\s*(?=\{)")


def _parsed(raw: str) -> Mapping[str, object] | None:
    try:
        return parse_arguments(raw) if raw.strip() else None
    except InvalidArguments:
        return None


def _after_empty(raw: str) -> Mapping[str, object] | None:
    found = _EMPTY.match(raw)
    return _parsed(raw[found.end() :]) if found else None


def _without_repetition(raw: str) -> Mapping[str, object] | None:
    text = raw.strip()
    half, rest = divmod(len(text), 2)
    first, second = (text[:half], text[half + rest :])
    if first.rstrip() != second.lstrip() or text[half : half + rest].strip():
        return None
    return _parsed(first)


def _unfenced(raw: str) -> Mapping[str, object] | None:
    found = _FENCE.fullmatch(raw)
    return _parsed(found[1]) if found else None


def _decoded(raw: str) -> Mapping[str, object] | None:
    try:
        inner = read_json(raw, strict=True)
    except ValueError:
        return None
    return _parsed(inner) if isinstance(inner, str) else None


def _with_breaks(raw: str) -> Mapping[str, object] | None:
    if nests_deeper(raw):
        return None
    try:
        value = json.loads(raw, strict=False, parse_constant=_refuse)
    except ValueError:
        return None
    return repair_surrogates(value) if isinstance(value, dict) else None


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


_REPAIRS: dict[Repair, Callable[[str], Mapping[str, object] | None]] = {
    Repair.EMPTY_FIRST: _after_empty,
    Repair.REPEATED: _without_repetition,
    Repair.FENCED: _unfenced,
    Repair.ENCODED_TWICE: _decoded,
    Repair.RAW_NEWLINES: _with_breaks,
}
