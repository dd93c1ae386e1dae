"""The arguments of a call, read strictly: nothing is mended, nothing is guessed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from neodeskpet.core.errors import InvalidArguments


def parse_arguments(raw: str) -> Mapping[str, object]:
    """The arguments a model wrote, strictly: "" means `{}`, else a JSON object.

    Raises InvalidArguments with what the model has to mend.
    """
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidArguments(f"Not valid JSON: {error}. Received: {raw[:500]}") from None
    if not isinstance(value, dict):
        raise InvalidArguments(f"A JSON object is needed. Received: {raw[:500]}")
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
