"""What came of calls in windows: for the model, for the card, and in a turn's result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from neodeskpet.core.blocks import Block, ToolUse
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.toolspec import Mode
from neodeskpet.core.windows.calls import ACT_TOOL, read_calls


@dataclass(frozen=True, slots=True)
class WindowStep:
    """`message` is what the model reads, `summary` a line for people. `number` is the step's in the
    log. `data` is what the action gave back, `params` what it was called with.
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
    """A line for each step, with what its action said."""
    told = ((step.line, step.message.strip()) for step in steps)
    return "\n".join(f"{line}: {message}" if message else line for line, message in told)


def steps_data(steps: Sequence[WindowStep]) -> list[dict[str, object]]:
    """As they stand in a result's data, which is plain JSON."""
    return [{**asdict(step), "task_id": step.task_id or None} for step in steps]


def call_title(call: ToolUse) -> list[str]:
    """What a call acts on, for a line: `notes.add`, and what came of it once that is known."""
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
    """All steps of a message, each with `call_id` (`call_{turn}_{index}`), its `turn` (the round,
    from 1) and its `index` in it (from 0), and with the `data` that its action gave back.
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
