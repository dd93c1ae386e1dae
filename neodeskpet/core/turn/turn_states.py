"""The states of a turn, the transitions between them, and the final states of a message.

`docs/turn.md` is generated from this table.
"""

from __future__ import annotations

from enum import StrEnum

from neodeskpet.core.blocks import MessageState


class TurnState(StrEnum):
    READY = "ready"
    STREAMING = "streaming"
    TOOLS = "tools"
    WAITING = "waiting"
    DONE = "done"
    LIMITED = "limited"
    CANCELLED = "cancelled"
    FAILED = "failed"


class TurnTrigger(StrEnum):
    BEGUN = "begun"
    REPLY_ENDED = "reply ended"
    CALLS_LEFT = "calls left"
    APPROVAL_ASKED = "approval asked"
    APPROVALS_GIVEN = "approvals given"
    TOOLS_ENDED = "tools ended"
    LIMIT_REACHED = "limit reached"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE_STATES = (TurnState.READY, TurnState.STREAMING, TurnState.TOOLS, TurnState.WAITING)

TURN_TRANSITIONS: dict[tuple[TurnState, TurnTrigger], TurnState] = {
    (TurnState.READY, TurnTrigger.BEGUN): TurnState.STREAMING,
    (TurnState.STREAMING, TurnTrigger.REPLY_ENDED): TurnState.DONE,
    (TurnState.STREAMING, TurnTrigger.CALLS_LEFT): TurnState.TOOLS,
    (TurnState.STREAMING, TurnTrigger.LIMIT_REACHED): TurnState.LIMITED,
    (TurnState.TOOLS, TurnTrigger.APPROVAL_ASKED): TurnState.WAITING,
    (TurnState.TOOLS, TurnTrigger.TOOLS_ENDED): TurnState.STREAMING,
    (TurnState.TOOLS, TurnTrigger.REPLY_ENDED): TurnState.DONE,
    (TurnState.TOOLS, TurnTrigger.LIMIT_REACHED): TurnState.LIMITED,
    (TurnState.WAITING, TurnTrigger.APPROVALS_GIVEN): TurnState.TOOLS,
    # In any state a turn can fail and can be stopped, so no message is left running.
    **{(state, TurnTrigger.FAILED): TurnState.FAILED for state in LIVE_STATES},
    **{(state, TurnTrigger.CANCELLED): TurnState.CANCELLED for state in LIVE_STATES},
}

FINAL_MESSAGE_STATES = {
    TurnState.DONE: MessageState.DONE,
    TurnState.LIMITED: MessageState.LIMITED,
    TurnState.CANCELLED: MessageState.CANCELLED,
    TurnState.FAILED: MessageState.FAILED,
}
