"""Reads calls written as JSON: `{"name": …, "arguments": {…}}` in many spellings, and calls in app
windows as in the dialect tool_call (`{"calls": [{"window_id": …, "action_id": …}]}`, or a single
one).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.dialects.leaked import python_calls
from neodeskpet.core.dialects.leaked.source import (
    CutError,
    NoCallError,
    Reading,
    Source,
    load,
)

_NAMES = ("name", "tool_name", "function_name", "recipient_name", "tool", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "input", "action_input", "tool_input")
_INSIDE = ("function", "function_call", "tool_call", "call")
_LISTS = ("tool_calls", "tool_uses", "function_calls", "calls")
_BESIDE = frozenset({"id", "type", "index", "tool_call_id", "call_id"})
_AROUND = frozenset({"role", "content", "refusal"})
_ACTS = frozenset({"windowid", "actionid"})
_KEYS = frozenset([*_NAMES, *_ARGUMENTS, *_INSIDE, *_LISTS, *_BESIDE, *_AROUND])


def objects(source: Source) -> Reading[None]:
    """Read one or several calls: a list, or consecutive objects."""
    yield from source.space()
    if (yield from source.peek()) == "[":
        yield from listed(source)
        return
    while True:
        yield from _object(source)
        here = source.at
        yield from source.closing(",", ";")
        yield from source.space()
        if source.text[source.at : source.at + 1] != "{":
            source.at = here
            return


def weak_calls(source: Source) -> Reading[None]:
    """Read one object or one list that only its content identifies as calls."""
    if (yield from source.peek()) == "[":
        yield from listed(source, weak=True)
        return
    yield from expect_call(source)
    take(source, (yield from source.json()), weak=True)


def listed(source: Source, *, weak: bool = False) -> Reading[None]:
    """Read `[{…}, {…}]`, each object when it is complete."""
    yield from source.expect("[")
    yield from source.space()
    while True:
        if weak:
            yield from expect_call(source)
        yield from _object(source, weak=weak)
        yield from source.space()
        if (yield from source.expect(",", "]")) == "]":
            return
        yield from source.space()


def _object(source: Source, *, weak: bool = False) -> Reading[None]:
    begun = source.at
    text = yield from source.json_text()
    try:
        take(source, load(text), weak=weak)
    except NoCallError:
        if weak:
            raise
        end = source.at
        if not (yield from _python_object(source, begun)):
            source.at = end
            if not source.spoil(begun, end):
                raise


def _python_object(source: Source, begun: int) -> Reading[bool]:
    """Read a call written as a Python dictionary (`{'name': …}`) at `begun`; return whether there
    is one.
    """
    if not source.text[begun + 1 : source.at].lstrip().startswith("'"):
        return False
    source.at = begun
    try:
        take(source, (yield from python_calls.value(source, 0)))
    except (NoCallError, CutError):
        return False
    return True


def expect_call(source: Source) -> Reading[None]:
    """Check by the first key, and the name after it, whether an object may be a call. Skips ignored
    text. Raises NoCallError.
    """
    here = source.at
    yield from source.expect("{")
    yield from source.space()
    if (yield from source.peek()) != '"':
        raise NoCallError
    key = load((yield from source.json_text()))
    if key not in _KEYS and _folded(key) not in {"calls", *_ACTS}:
        raise NoCallError
    yield from source.space()
    yield from source.expect(":")
    yield from source.space()
    if key in _NAMES and (yield from source.peek()) == '"':
        heard = load((yield from source.json_text()))
        if source.tools.find(str(heard)) is None:
            raise NoCallError
    source.at = here


def take(source: Source, value: object, *, weak: bool = False) -> None:
    """Record the calls in `value`. Raises NoCallError if there are none."""
    found = _calls(value, weak=weak) if isinstance(value, dict) else []
    if not found and not weak and isinstance(value, dict):
        found = _by_name(source, value)
    if not found or (weak and any(not _fits(source, name, given) for name, given in found)):
        raise NoCallError
    for name, arguments in found:
        source.call(name, arguments)


_Found = list[tuple[str, Mapping[str, object] | None]]


def _calls(value: Mapping[str, object], *, weak: bool) -> _Found:
    if _acts(value):
        return [(ACT_TOOL, value)]
    for key in _LISTS:
        inner = value.get(key)
        if isinstance(inner, list) and inner and all(isinstance(one, dict) for one in inner):
            found = [_calls(cast("Mapping[str, object]", one), weak=weak) for one in inner]
            return [call for calls in found for call in calls] if all(found) else []
    for key in _INSIDE:
        inner = value.get(key)
        if isinstance(inner, dict):
            return _calls(inner, weak=weak)
    return _one(value, weak=weak)


def _by_name(source: Source, value: Mapping[str, object]) -> _Found:
    """Return the arguments under the name of their tool, `{"f": {"a": 1}}`, as written by
    Apertus.
    """
    if not any(source.tools.find(name) for name in value):
        return []
    if not all(isinstance(given, dict | str) for given in value.values()):
        return []
    return [(name, arguments_of(given)) for name, given in value.items()]


def _acts(value: Mapping[str, object]) -> bool:
    """Return whether it is a call in a window, or a list of such calls under `calls`."""
    keys = {_folded(key): one for key, one in value.items()}
    listed = keys.get("calls")
    if isinstance(listed, list) and len(keys) == 1:
        return bool(listed) and all(isinstance(one, dict) and _acts(one) for one in listed)
    return keys.keys() >= _ACTS


def _folded(key: object) -> str:
    """Return the key in lower case and without underscores."""
    return str(key).strip().casefold().replace("_", "")


def _one(value: Mapping[str, object], *, weak: bool) -> _Found:
    named = [key for key in _NAMES if isinstance(value.get(key), str)]
    given = [key for key in _ARGUMENTS if key in value]
    if not named or len(given) != 1:
        return []
    if weak and value.keys() - {named[0], *given} - _BESIDE:
        return []
    name = cast("str", value[named[0]])
    return [(name, arguments_of(value[given[0]]))]


def arguments_of(value: object) -> Mapping[str, object] | None:
    """Return the arguments, also from JSON in a string; None if there are none."""
    if isinstance(value, str):
        try:
            value = load(value) if value.strip() else {}
        except NoCallError:
            return None
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


def _fits(source: Source, name: str, given: Mapping[str, object] | None) -> bool:
    """Return whether it is a call and not, for example, the description of a tool."""
    own = source.tools.find(name)
    if own is None or given is None:
        return False
    properties = cast("Mapping[str, object]", source.tools.schema(own).get("properties") or {})
    described = given.get("type") == "object" and isinstance(given.get("properties"), dict)
    return not described or "properties" in properties
