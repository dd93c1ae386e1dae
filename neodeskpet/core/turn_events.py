"""What the interface, the store and the voice may see of a turn.

Every event is about one assistant message. Text, thinking and arguments grow by `TextAppended`
and `ArgumentsAppended` (deltas only, so a listener's cost doesn't grow with the message);
`BlockChanged` carries a whole block when its state changes. `BlockEnded` says that it won't again,
except for a notice's `resolved`.
"""

from __future__ import annotations

from dataclasses import dataclass

from neodeskpet.core.blocks import Block, MessageState, Usage
from neodeskpet.core.wire import CueKind


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """`resumed` when the turn goes on with a message that was limited, cut or retried."""

    message_id: str
    resumed: bool = False


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
class CueReached:
    """The reply has come to a stage direction; it is no part of the text."""

    kind: CueKind
    name: str


@dataclass(frozen=True, slots=True)
class ModelChosen:
    """Another model answers than the message named so far."""

    label: str


@dataclass(frozen=True, slots=True)
class RetryAnnounced:
    """A small status in the message; it goes when the next thing is shown."""

    attempt: int
    delay: float
    code: str


@dataclass(frozen=True, slots=True)
class LookAnnounced:
    """`count` pictures are described to a model that can't see. A small status, as for a retry."""

    count: int


@dataclass(frozen=True, slots=True)
class PictureDescribed:
    """What is in the picture `digest`, wherever it is shown."""

    digest: str
    description: str


@dataclass(frozen=True, slots=True)
class LoadingAnnounced:
    """A small status too: the model is read into memory, or (`ready`) reads the conversation."""

    model: str
    ready: bool = False


@dataclass(frozen=True, slots=True)
class WaitAnnounced:
    """Another small status: the model has been waited for, for this many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class TurnEnded:
    state: MessageState
    at: float


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
    | LookAnnounced
    | PictureDescribed
    | LoadingAnnounced
    | WaitAnnounced
    | TurnEnded
)
