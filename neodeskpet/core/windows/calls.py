"""What a model wrote to act in windows, read: `{"calls": [{"window_id", "action_id", "params"}]}`,
or one such entry without `calls`. The case of keys doesn't matter. Ids and modes are ours: what a
model writes of them is skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.wording import N_, Reason

ACT_TOOL = "window.act"
"""The tool by which a model acts."""

MOST_WINDOW_CALLS = 20
"""Calls at once."""

_FORM = '{"calls": [{"window_id": "…", "action_id": "…", "params": {…}}]}'


@dataclass(frozen=True, slots=True)
class WindowCall:
    """`fault` is why an entry can't be run at all."""

    window_id: str = ""
    action_id: str = ""
    params: Mapping[str, object] = field(default_factory=dict)
    fault: Reason | None = None

    @property
    def name(self) -> str:
        return f"{self.window_id or '?'}.{self.action_id or '?'}"


def read_calls(arguments: Mapping[str, object]) -> list[WindowCall]:
    """Every entry, good or bad, in its order. Raises InvalidArguments where there is none."""
    keys = _keys(arguments)
    if "calls" not in keys:
        if not {"windowid", "actionid"} & keys.keys():
            raise _refused(Reason(N_("{path} is required."), {"path": "calls"}))
        return [_read(arguments, "")]
    entries = keys["calls"]
    if not isinstance(entries, list) or not entries:
        raise _refused(Reason(N_("calls must be a list of calls, with at least one.")))
    if len(entries) > MOST_WINDOW_CALLS:
        text = N_("At most {most} calls can be made at once, these are {count}.")
        raise _refused(Reason(text, {"most": str(MOST_WINDOW_CALLS), "count": str(len(entries))}))
    return [_read(entry, f"calls[{number}]") for number, entry in enumerate(entries)]


def _read(entry: object, path: str) -> WindowCall:
    if not isinstance(entry, Mapping):
        return WindowCall(fault=_must_be(path, "object"))
    keys = _keys(entry)
    window, action = keys.get("windowid"), keys.get("actionid")
    params = keys.get("params")
    params = {} if params is None else params
    fault = None
    if not (isinstance(window, str) and window.strip()):
        fault = _must_be(_inside(path, "window_id"), "string")
    elif not (isinstance(action, str) and action.strip()):
        fault = _must_be(_inside(path, "action_id"), "string")
    elif not isinstance(params, Mapping):
        fault = _must_be(_inside(path, "params"), "object")
    return WindowCall(
        window.strip() if isinstance(window, str) else "",
        action.strip() if isinstance(action, str) else "",
        params if isinstance(params, Mapping) else {},
        fault,
    )


def _keys(entry: Mapping[str, object]) -> dict[str, object]:
    """By their names in small letters without the underscore; the first of several counts."""
    keys: dict[str, object] = {}
    for key, value in entry.items():
        keys.setdefault(str(key).strip().casefold().replace("_", ""), value)
    return keys


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _must_be(path: str, kind: str) -> Reason:
    return Reason(N_("{path} must be {type}."), {"path": path, "type": kind})


def _refused(reason: Reason) -> InvalidArguments:
    return InvalidArguments(reasons=[reason], advice=f"Write {_FORM}")
