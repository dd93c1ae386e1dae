"""The arguments of a call, read strictly: nothing is repaired, nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.json_text import TooDeep, read_json


def parse_arguments(raw: str) -> Mapping[str, object]:
    """The arguments a model wrote, strictly: "" means `{}`, else a JSON object.

    Raises InvalidArguments with what the model has to repair.
    """
    if not raw.strip():
        return {}
    try:
        value = read_json(raw, strict=True)
    except TooDeep as error:
        reason = f"The arguments can't be read: {error}. Write them flatter."
        raise InvalidArguments(f"{reason} Received: {raw[:500]}") from None
    except ValueError as error:
        raise InvalidArguments(f"Not valid JSON: {error}. Received: {raw[:500]}") from None
    if not isinstance(value, dict):
        raise InvalidArguments(f"A JSON object is needed. Received: {raw[:500]}")
    return value
