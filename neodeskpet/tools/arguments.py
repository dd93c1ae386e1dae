"""Reads a call's arguments: coerces strings by the schema, validates, words every fault.

What `core.coercion` leaves as it is, and the tool doesn't take, is a fault with its path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from neodeskpet.core.coercion import coerce
from neodeskpet.core.errors import InvalidArguments

_Schema = Mapping[str, object]
_SHOWN = 80
"""Characters of a wrong value that are repeated."""


def read_arguments(
    model: type[BaseModel], schema: _Schema, arguments: Mapping[str, object]
) -> dict[str, object]:
    """The values `model` makes of `arguments`; those left out stay out (the function's defaults).

    Raises InvalidArguments that names path and reason of every fault.
    """
    required = cast("Sequence[str]", schema.get("required", ()))
    given = {key: v for key, v in arguments.items() if v is not None or key in required}
    coerced = cast("dict[str, object]", coerce(given, schema))
    try:
        text = json.dumps(coerced)
    except (TypeError, ValueError) as error:
        raise InvalidArguments(f"Not a JSON object: {error}") from None
    try:
        read = model.model_validate_json(text)
    except ValidationError as error:
        raise InvalidArguments(_word_faults(error, coerced, schema)) from None
    return {key: getattr(read, key) for key in type(read).model_fields if key in coerced}


# Wording


def _word_faults(error: ValidationError, given: Mapping[str, object], schema: _Schema) -> str:
    faults = error.errors(include_url=False, include_context=False)
    return "; ".join(_word_fault(fault, given, schema) for fault in faults)


def _word_fault(fault: ErrorDetails, given: Mapping[str, object], schema: _Schema) -> str:
    path = _path(fault, given)
    match fault["type"]:
        case "missing":
            return f"{path}: is required"
        case "extra_forbidden":
            known = ", ".join(cast("Mapping[str, object]", schema["properties"])) or "none"
            where = f"; the arguments are: {known}" if len(fault["loc"]) == 1 else ""
            return f"{path}: there is no such argument{where}"
        case "json_invalid":
            return f"not valid JSON: {fault['msg']}"
        case "not_offered":
            return f"{path}: {fault['msg']}"
        case _:
            reason = fault["msg"].removeprefix("Value error, ")
            reason = reason.replace("Input should be", "must be")
            reason = re.sub(r"\ba valid (?=[aeiou])", "an ", reason)
            reason = re.sub(r"\ba valid ", "a ", reason)
            return f"{path}: {reason}, got {_show(fault['input'])}"


def _path(fault: ErrorDetails, given: object) -> str:
    """`a.b[0]`; steps that name a branch of a union are left out."""
    out = ""
    here: Any = given
    for step in fault["loc"]:
        if isinstance(step, int):
            out += f"[{step}]"
            here = here[step] if isinstance(here, list) and step < len(here) else None
        elif isinstance(here, Mapping) and (step in here or fault["type"] == "missing"):
            out += f".{step}" if out else step
            here = here.get(step)
    return out or "arguments"


def _show(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
