"""Whether the end of a background task wakes the companion, or waits until it is spoken to.

It never interrupts: neither a turn nor what waits for one nor a message that is being written. And
it doesn't go on for ever: a woken reply may begin tasks whose ends wake again, so there is a limit
on replies in a row without a word of the person. A woken reply that failed or was stopped is the
last one, until they write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from neodeskpet.core.background.task import Task
from neodeskpet.core.blocks import Message, MessageState, Notice, Role, ToolStatus, ToolUse
from neodeskpet.core.errors import WakeLimitReached

MOST_WOKEN_REPLIES = 5
"""So many replies by themselves."""
_REPORTED_TOGETHER = (ToolStatus.INTERRUPTED, ToolStatus.CANCELLED)


class WakeDecision(Enum):
    """NOW; LATER: look again when something has changed; NEXT: with the person's next words; LIMIT:
    the same, and it is to be said why.
    """

    NOW = auto()
    LATER = auto()
    NEXT = auto()
    LIMIT = auto()


@dataclass(frozen=True, slots=True)
class WakeContext:
    """`wanted`: the person wants to be spoken to. `busy`: a turn runs, or something waits for its
    turn. `writing`: there is something in the composer.
    """

    wanted: bool
    busy: bool
    writing: bool


def decide_wake(
    moment: WakeContext, ended: Sequence[Task], history: Sequence[Message]
) -> WakeDecision:
    """What follows from the `ended` tasks that a conversation hasn't been told of; `history` are
    its last messages. What was lost with the app, and what the person cancelled, wakes nobody: it
    is told along.
    """
    if not moment.wanted or all(one.call.status in _REPORTED_TOGETHER for one in ended):
        return WakeDecision.NEXT
    alone = _without_person(history)
    woken = [message for message in alone if is_woken_reply(message)]
    if any(message.state is not MessageState.DONE for message in woken if not _runs(message)):
        return WakeDecision.NEXT
    if moment.busy or moment.writing:
        return WakeDecision.LATER
    if len(woken) < MOST_WOKEN_REPLIES:
        return WakeDecision.NOW
    return WakeDecision.NEXT if any(map(_says_limit, alone)) else WakeDecision.LIMIT


def is_woken_reply(message: Message) -> bool:
    """Whether it begins with the end of a task."""
    first = message.blocks[0] if message.blocks else None
    return isinstance(first, ToolUse) and bool(first.task)


def _without_person(history: Sequence[Message]) -> list[Message]:
    """The messages since the answer to the person's last words, which may tell ends along."""
    alone: list[Message] = []
    for message in history:
        if message.role is Role.USER:
            alone = [message]
        else:
            alone.append(message)
    return alone[2:] if alone and alone[0].role is Role.USER else alone


def _runs(message: Message) -> bool:
    return message.state is MessageState.RUNNING


def _says_limit(message: Message) -> bool:
    return any(
        isinstance(block, Notice) and block.code == WakeLimitReached.code
        for block in message.blocks
    )
