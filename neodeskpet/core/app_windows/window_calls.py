"""Calls in app windows: their format (`{"calls": [{"window_id", "action_id", "params"}]}`), and
their results for the model, for the tool card and in the result of a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from neodeskpet.core.blocks import Block, ToolUse
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.toolspec import Mode

ACT_TOOL = "window.act"
"""The tool with which a model acts in windows."""

MOST_WINDOW_CALLS = 20
"""Highest number of calls at once."""

_FORM = '{"calls": [{"window_id": "…", "action_id": "…", "params": {…}}]}'


@dataclass(frozen=True, slots=True)
class WindowCall:
    """`fault` is the reason why an entry can't be run."""

    window_id: str = ""
    action_id: str = ""
    params: Mapping[str, object] = field(default_factory=dict)
    fault: Reason | None = None

    @property
    def name(self) -> str:
        return f"{self.window_id or '?'}.{self.action_id or '?'}"


def read_calls(arguments: Mapping[str, object]) -> list[WindowCall]:
    """Return all entries, valid or not, in order. Raises InvalidArguments if there is none."""
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
    """Return the members by name, in lower case and without underscores; of duplicates the first
    counts.
    """
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


@dataclass(frozen=True, slots=True)
class WindowStep:
    """`message` is for the model, `summary` a line for users. `number` is the number of the step in
    the log. `data` is the result of the action, `params` are its arguments.
    """

    window_id: str
    action_id: str
    success: bool
    message: str
    summary: str = ""
    number: int = 0
    resolved_mode: Mode = Mode.SYNC
    task_id: str = ""
    data: object = field(default=None, compare=False)
    params: Mapping[str, object] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        return f"{self.window_id or '?'}.{self.action_id or '?'}"

    @property
    def line(self) -> str:
        """`[7] notes.add -> ok`"""
        return f"[{self.number}] {self.name} -> {'ok' if self.success else 'error'}"


def steps_text(steps: Iterable[WindowStep]) -> str:
    """Return a line for each step, with the message of its action."""
    lines = ((step.line, step.message.strip()) for step in steps)
    return "\n".join(f"{line}: {message}" if message else line for line, message in lines)


def steps_data(steps: Sequence[WindowStep]) -> list[dict[str, object]]:
    """Return the steps as plain JSON for the data of a result."""
    return [{**asdict(step), "task_id": step.task_id or None} for step in steps]


def call_title(call: ToolUse) -> list[str]:
    """Return the actions of a call (`notes.add`), with their status once it is known."""
    steps = call.data.get("steps") if isinstance(call.data, Mapping) else None
    if isinstance(steps, list):
        return [
            f"{'✓' if step.get('success') else '✗'} {step.get('window_id')}.{step.get('action_id')}"
            for step in steps
        ]
    try:
        return [one.name for one in read_calls(call.arguments or {})]
    except InvalidArguments:
        return []


def steps_in(blocks: Iterable[Block]) -> list[dict[str, object]]:
    """Return all steps of a message, each with `call_id` (`call_{turn}_{index}`), its `turn` (the
    round, from 1), its `index` in the round (from 0), and the `data` that its action returned.
    """
    found: list[dict[str, object]] = []
    counted: dict[int, int] = {}
    for block in blocks:
        if not isinstance(block, ToolUse) or block.name != ACT_TOOL:
            continue
        listed = block.data.get("steps") if isinstance(block.data, Mapping) else None
        for step in listed if isinstance(listed, list) else ():
            turn = block.round + 1
            index = counted.get(turn, 0)
            counted[turn] = index + 1
            place = {"call_id": f"call_{turn}_{index}", "turn": turn, "index": index}
            found.append({**step, **place})
    return found
