"""Fields of JSON that others wrote: what isn't what it should be counts as missing. Pure."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

from neodeskpet.core.json_text import read_json

_EARLIEST_TIME, _LATEST_TIME = 0.0, 4_102_444_800.0  # 2100
_FIRST_MILLISECONDS = 1e11
"""Seconds above that are none: somebody wrote milliseconds."""


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def object_of(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def objects_of(value: object) -> list[dict[str, Any]]:
    return [row for row in list_of(value) if isinstance(row, dict)]


def size_of(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 50 else 0


def time_of(value: object) -> float | None:
    """A moment in unix seconds: from a number, or from ISO 8601."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    if math.isfinite(seconds) and seconds > _FIRST_MILLISECONDS:
        seconds /= 1000
    return seconds if _EARLIEST_TIME < seconds < _LATEST_TIME else None


def to_json(value: object) -> str:
    """As JSON; "" for what can't be written so."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def json_value(value: object) -> object:
    """What a text says as JSON; the value itself where it is no JSON."""
    if not isinstance(value, str) or not value:
        return value
    try:
        return read_json(value)
    except (ValueError, RecursionError):
        return value
