"""A tool with a raw JSON Schema, as MCP servers and windows provide them.

The schema is untrusted: it is checked when the tool is made, references to other addresses are
never fetched, regular expressions run in linear time, and a validation that takes too many steps is
aborted. The model gets a simplified form. The library for schemas is imported with the first such
tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from neodeskpet.core.call_arguments import coerce_value
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.json_text import nests_deeper
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.platform.untrusted_regex import untrusted_matches
from neodeskpet.toolkit.argument_validation import (
    LIMITS,
    MUST_BE,
    REQUIRED,
    library_reason,
    plain_schema,
    shown_value,
)
from neodeskpet.toolkit.registry import Progress

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_FAULTS = 8
"""Most faults that are reported to a model at once."""
_SHOWN = 200
"""Most characters of one fault."""
_ALL = "arguments"
_STEPS = 10_000
_STEPS_PER_VALUE = 50
"""Most keywords that are checked for each value: with references, a small schema can take unlimited
time.
"""

Faults = Iterator["ValidationError"]
Keyword = Callable[[Any, Any, Any, Any], Faults]

ToolWork = Callable[[dict[str, object], Progress], object]
"""Called with the arguments in a thread of its own; a coroutine function runs on the loop."""


@dataclass(frozen=True, slots=True, eq=False)
class SchemaTool:
    """`spec.parameters` is sent to the model; `validator` uses the original schema."""

    spec: ToolSpec
    work: ToolWork
    validator: Validator
    offered: Callable[[], bool]

    def prepare(self, arguments: Mapping[str, object], progress: Progress) -> Callable[[], object]:
        """The call, ready to run. Raises InvalidArguments."""
        from referencing.exceptions import Unresolvable

        given = cast("dict[str, object]", coerce_value(dict(arguments), self.spec.parameters))
        _left.set([_STEPS + _STEPS_PER_VALUE * _count(given)])
        try:
            faults = list(islice(self.validator.iter_errors(given), _FAULTS))
        except (Unresolvable, RecursionError, _TooCostly) as error:
            text = N_("The tool's schema can't be used: {error}")
            raise InvalidArguments.at("", text, error=str(error)) from None
        if faults:
            raise InvalidArguments(reasons=_reasons(faults))
        return partial(self.work, given, progress)


def schema_tool(
    spec: ToolSpec, work: ToolWork, *, offered: Callable[[], bool] = lambda: True
) -> SchemaTool:
    """Make a tool whose `spec.parameters` are an untrusted schema. Raises ValueError if it isn't a
    valid schema or doesn't accept an object.
    """
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry

    schema = spec.parameters
    if nests_deeper(json.dumps(schema)):
        raise ValueError(f"{spec.name}: the schema is nested too deeply")
    if schema.get("type", "object") != "object":
        raise ValueError(f"{spec.name}: the arguments of a tool are an object")
    kind = cast("Any", validator_for(dict(schema), default=Draft202012Validator))
    try:
        kind.check_schema(schema, format_checker=None)  # it would compile patterns with `re`
    except SchemaError as error:
        raise ValueError(f"{spec.name}: {error.message[:_SHOWN]}") from None
    validator = _bounded(kind)(schema, registry=Registry())  # so that no reference is fetched
    return SchemaTool(_plain(spec), work, validator, offered)


class _TooCostly(Exception):
    """Checking the arguments takes too many steps."""

    def __str__(self) -> str:
        return "to check the arguments takes too long"


_left: ContextVar[list[int]] = ContextVar("steps that are left")


@cache
def _bounded(kind: Any) -> Any:
    """Return the validator class `kind` with a limit of checked keywords and RE2 for regular
    expressions.
    """
    from jsonschema.validators import extend

    # The library's own would run the expressions of `patternProperties` with `re`.
    own = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "unevaluatedProperties": _unchecked,
    }
    found = {name: one for name, one in kind.VALIDATORS.items() if name not in own}
    own = {name: one for name, one in own.items() if name in kind.VALIDATORS}
    return extend(kind, {name: _counted(one) for name, one in {**found, **own}.items()})


def _counted(keyword: Keyword) -> Keyword:
    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Faults:
        left = _left.get()
        left[0] -= 1
        if left[0] < 0:
            raise _TooCostly
        return keyword(validator, value, instance, schema)

    return check


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Faults:
    """Check `pattern`; an expression that RE2 doesn't support is ignored."""
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and untrusted_matches(pattern, instance) is False:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Faults:
    if not validator.is_type(instance, "object"):
        return
    for pattern, inner in patterns.items():
        for name, value in instance.items():
            if untrusted_matches(pattern, name):
                yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Faults:
    from jsonschema.exceptions import ValidationError

    if not validator.is_type(instance, "object"):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [
        name
        for name in instance
        if name not in known and all(untrusted_matches(one, name) is False for one in patterns)
    ]
    if validator.is_type(allowed, "object"):
        for name in extra:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and extra:
        named = ", ".join(map(repr, extra[:_FAULTS]))
        yield ValidationError(f"additional properties are not allowed: {named}")


def _unchecked(validator: Any, value: Any, instance: Any, schema: Any) -> Faults:
    return iter(())


def _count(value: object) -> int:
    """Count the values in a structure."""
    total, waiting = 0, [value]
    while waiting:
        total += 1
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return total


def _plain(spec: ToolSpec) -> ToolSpec:
    """Return `spec` as it is sent. A schema that can't be simplified (it contains itself) is
    described in words.
    """
    schema = {"type": "object", "properties": {}, **spec.parameters}
    try:
        return replace(spec, parameters=plain_schema(schema, closed=False))
    except (TypeError, KeyError):
        shown = json.dumps(spec.parameters, ensure_ascii=False)[:4000]
        text = f"{spec.description} Arguments (JSON Schema): {shown}"
        return replace(spec, description=text, parameters={"type": "object", "properties": {}})


def _reasons(faults: Iterable[ValidationError]) -> Iterator[Reason]:
    seen = set()
    for fault in faults:
        path = _path(fault.absolute_path)
        got = {"got": shown_value(fault.instance)}
        limit = fault.validator_value
        match fault.validator:
            case "type" if limit in MUST_BE:
                yield Reason(MUST_BE[str(limit)], got, path or _ALL)
            case "enum":
                yield Reason(
                    LIMITS["enum"], {"limit": shown_value(limit)[1:-1], **got}, path or _ALL
                )
            case str(keyword) if keyword in LIMITS:
                yield Reason(LIMITS[keyword], {"limit": str(limit), **got}, path or _ALL)
            case "required" if path not in seen:  # reported once for each missing name
                seen.add(path)
                missing = [name for name in limit if name not in fault.instance]
                yield from (Reason(REQUIRED, {}, _inside(path, name)) for name in missing)
            case "required":
                pass
            case _:
                words = fault.message
                words = words if len(words) <= _SHOWN else words[:_SHOWN] + "…"
                yield library_reason(words, path or _ALL)


def _path(steps: Iterable[str | int]) -> str:
    path = ""
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else _inside(path, step)
    return path


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
