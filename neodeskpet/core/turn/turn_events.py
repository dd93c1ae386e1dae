"""The events of a turn for the interface, the store and the voice.

Every event is about one assistant message. Text, thinking and arguments grow by `TextAppended` and
`ArgumentsAppended` (deltas only, so a listener's cost doesn't grow with the message).
`BlockChanged` has a whole block when its state changes; after `BlockEnded` a block changes no more,
except for `resolved` of a notice. Other wire events (retries, descriptions, loading, cues) are
passed on unchanged and don't change the message.
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
    """`resumed`: the turn continues a message that was limited, cut or retried. `at` is in Unix
    seconds.
    """

    message_id: str
    resumed: bool = False
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class BlocksRemoved:
    """Blocks from `start` on were removed: a failed round is retried."""

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
    """The raw arguments of tool card `index` grow by `json`."""

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
    """Usage, summed over the rounds so far."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelChosen:
    """A different model answers than the one named so far."""

    label: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """`finish_reason` is the provider's own term at the end of the last response, "" if none."""

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
