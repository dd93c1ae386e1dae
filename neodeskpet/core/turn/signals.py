"""What a turn is told (signals, past tense) and what it asks for (commands, imperative)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.core.blocks import MessageState, ToolStatus
from neodeskpet.core.data_labels import NO_LABELS, FlowQuestion, Labels
from neodeskpet.core.errors import KnownError, RepliedWithoutMemory, ToolError, ToolFault
from neodeskpet.core.information_flow import ContextReading
from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import WireEvent


@dataclass(frozen=True, slots=True)
class Begun:
    """The first signal. Blocks from `keep` on are dropped first (retry of a failed round)."""

    keep: int | None = None


@dataclass(frozen=True, slots=True)
class ToolsOffered:
    """The first signal after `CallModel`: what this round's request offers, and what its calls may
    be of. Until then it is what the turn was made with.
    """

    specs: Sequence[ToolSpec]


@dataclass(frozen=True, slots=True)
class ContextRead:
    """The request of this round is made: what the model reads. It comes before what it writes."""

    reading: ContextReading


@dataclass(frozen=True, slots=True)
class ModelFailed:
    """The last signal of a model call that didn't end with `ResponseFinished`; or whatever else
    happened after which the turn can't go on. It ends the turn in any state.
    """

    error: KnownError


@dataclass(frozen=True, slots=True)
class ToolProgressed:
    """`fraction` is 0..1, None when unknown."""

    index: int
    fraction: float | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class CallPreviewed:
    """What a call that waits for the user's approval would do."""

    index: int
    preview: CallPreview


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """The last signal of a tool job. Without SUCCESS `fault` says why, and the result's text says
    it to the model.
    """

    index: int
    status: ToolStatus
    result: ToolResult
    fault: ToolFault | None = None


@dataclass(frozen=True, slots=True)
class ApprovalGiven:
    """The last signal of an approval. `reason` is what the person said. `arguments` replaces the
    call's when the person edited. `unanswered`: nobody said anything, and this is why that is a no.
    """

    index: int
    allowed: bool
    reason: str = ""
    arguments: Mapping[str, object] | None = None
    unanswered: ToolError | None = None


@dataclass(frozen=True, slots=True)
class MemoryReported:
    """A request is about to be sent. `missed`: what it lacks, None if it lacks nothing."""

    missed: RepliedWithoutMemory | None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The person pressed Stop (or the app quits)."""


Signal = (
    Begun
    | ToolsOffered
    | ContextRead
    | WireEvent
    | ModelFailed
    | ToolProgressed
    | CallPreviewed
    | ToolFinished
    | ApprovalGiven
    | MemoryReported
    | Cancelled
)


@dataclass(frozen=True, slots=True)
class CallModel:
    round: int


@dataclass(frozen=True, slots=True)
class RunTool:
    """`labels` are those of what the model read when it made the call; `approved`: the person
    allowed this very call.
    """

    index: int
    name: str
    arguments: Mapping[str, object]
    labels: Labels = NO_LABELS
    approved: bool = False


@dataclass(frozen=True, slots=True)
class AskApproval:
    """`flow`: it asks because of what was read."""

    index: int
    name: str
    arguments: Mapping[str, object]
    flow: FlowQuestion | None = None


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Jobs that still run are to be aborted; their last signals are ignored."""

    state: MessageState


Command = CallModel | RunTool | AskApproval | EndTurn
