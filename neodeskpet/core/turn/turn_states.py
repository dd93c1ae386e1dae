"""The states of a turn, what leads from one to another, and how a message ends.

`docs/turn.md` is drawn from this table.
"""

from __future__ import annotations

from enum import StrEnum

from neodeskpet.core.blocks import MessageState


class State(StrEnum):
    READY = "ready"
    STREAMING = "streaming"
    TOOLS = "tools"
    WAITING = "waiting"
    DONE = "done"
    LIMITED = "limited"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Trigger(StrEnum):
    BEGUN = "begun"
    REPLY_ENDED = "reply ended"
    CALLS_LEFT = "calls left"
    APPROVAL_ASKED = "approval asked"
    APPROVALS_GIVEN = "approvals given"
    TOOLS_ENDED = "tools ended"
    LIMIT_REACHED = "limit reached"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE = (State.READY, State.STREAMING, State.TOOLS, State.WAITING)

TRANSITIONS: dict[tuple[State, Trigger], State] = {
    (State.READY, Trigger.BEGUN): State.STREAMING,
    (State.STREAMING, Trigger.REPLY_ENDED): State.DONE,
    (State.STREAMING, Trigger.CALLS_LEFT): State.TOOLS,
    (State.STREAMING, Trigger.LIMIT_REACHED): State.LIMITED,
    (State.TOOLS, Trigger.APPROVAL_ASKED): State.WAITING,
    (State.TOOLS, Trigger.TOOLS_ENDED): State.STREAMING,
    (State.TOOLS, Trigger.REPLY_ENDED): State.DONE,
    (State.TOOLS, Trigger.LIMIT_REACHED): State.LIMITED,
    (State.WAITING, Trigger.APPROVALS_GIVEN): State.TOOLS,
    # Whatever a turn is at, it can fail and it can be stopped: no message is left running.
    **{(state, Trigger.FAILED): State.FAILED for state in LIVE},
    **{(state, Trigger.CANCELLED): State.CANCELLED for state in LIVE},
}

ENDS = {
    State.DONE: MessageState.DONE,
    State.LIMITED: MessageState.LIMITED,
    State.CANCELLED: MessageState.CANCELLED,
    State.FAILED: MessageState.FAILED,
}
