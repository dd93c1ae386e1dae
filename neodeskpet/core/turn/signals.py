"""The input of a turn (signals, past tense) and its requests to the owner (commands,
imperative).
"""

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
    """The first signal after `CallModel`: the tools that this round's request offers and its calls
    may use. Before it the turn uses the tools it was created with.
    """

    specs: Sequence[ToolSpec]


@dataclass(frozen=True, slots=True)
class ContextRead:
    """The request of this round was built: the content that the model reads. It comes before the
    model's output.
    """

    reading: ContextReading


@dataclass(frozen=True, slots=True)
class ModelFailed:
    """The last signal of a model call that didn't end with `ResponseFinished`, or any other error
    that makes continuing impossible. It ends the turn in any state.
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
    """A preview of a call that waits for the user's approval."""

    index: int
    preview: CallPreview


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """The last signal of a tool job. Without SUCCESS `fault` is the reason, and the text of the
    result gives it to the model.
    """

    index: int
    status: ToolStatus
    result: ToolResult
    fault: ToolFault | None = None


@dataclass(frozen=True, slots=True)
class ApprovalGiven:
    """The last signal of an approval. `reason` is the user's comment. `arguments` replaces the
    arguments of the call if the user edited them. `unanswered`: there was no answer; the error says
    why that counts as a denial.
    """

    index: int
    allowed: bool
    reason: str = ""
    arguments: Mapping[str, object] | None = None
    unanswered: ToolError | None = None


@dataclass(frozen=True, slots=True)
class MemoryReported:
    """A request is about to be sent. `missed`: the memory that it lacks, None if it lacks
    nothing.
    """

    missed: RepliedWithoutMemory | None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The user pressed Stop, or the app quits."""


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
    """`labels` are those of the content that the model had read when it made the call. `approved`:
    the user allowed this call.
    """

    index: int
    name: str
    arguments: Mapping[str, object]
    labels: Labels = NO_LABELS
    approved: bool = False


@dataclass(frozen=True, slots=True)
class AskApproval:
    """`flow`: the call asks because of what was read."""

    index: int
    name: str
    arguments: Mapping[str, object]
    flow: FlowQuestion | None = None


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Running jobs must be aborted; their last signals are ignored."""

    state: MessageState


Command = CallModel | RunTool | AskApproval | EndTurn
