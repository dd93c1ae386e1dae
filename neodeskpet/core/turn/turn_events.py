"""What the interface, the store and the voice may see of a turn.

Every event is about one assistant message. Text, thinking and arguments grow by `TextAppended`
and `ArgumentsAppended` (deltas only, so a listener's cost doesn't grow with the message);
`BlockChanged` carries a whole block when its state changes. `BlockEnded` says that it won't again,
except for a notice's `resolved`. What a response tells beside its parts (retries, looks, loading,
cues) is passed on as it came (`wire`): it changes nothing in the message.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from neodeskpet.core.blocks import Block, MessageState, Usage
from neodeskpet.core.wire import (
    CueReached,
    DescriptionAnnounced,
    LoadingAnnounced,
    PictureDescribed,
    RetryAnnounced,
    WaitAnnounced,
)


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """`resumed` when the turn goes on with a message that was limited, cut or retried. `at` in unix
    seconds.
    """

    message_id: str
    resumed: bool = False
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class BlocksRemoved:
    """Blocks from `start` on are gone: a failed round is tried again."""

    start: int


@dataclass(frozen=True, slots=True)
class RoundStarted:
    round: int


@dataclass(frozen=True, slots=True)
class BlockStarted:
    block: Block


@dataclass(frozen=True, slots=True)
class TextAppended:
    """Text or thinking block `index` grows by `text`."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ArgumentsAppended:
    """Tool card `index`: its raw arguments grow by `json`."""

    index: int
    json: str


@dataclass(frozen=True, slots=True)
class BlockChanged:
    block: Block


@dataclass(frozen=True, slots=True)
class BlockEnded:
    block: Block


@dataclass(frozen=True, slots=True)
class UsageChanged:
    """Summed over the rounds so far."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelChosen:
    """Another model answers than the message named so far."""

    label: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """`finish_reason` is the provider's own word at the end of the last response, "" if none."""

    state: MessageState
    at: float
    finish_reason: str = field(default="", compare=False)


TurnEvent = (
    TurnStarted
    | BlocksRemoved
    | RoundStarted
    | BlockStarted
    | TextAppended
    | ArgumentsAppended
    | BlockChanged
    | BlockEnded
    | UsageChanged
    | ModelChosen
    | CueReached
    | RetryAnnounced
    | DescriptionAnnounced
    | PictureDescribed
    | LoadingAnnounced
    | WaitAnnounced
    | TurnEnded
)
