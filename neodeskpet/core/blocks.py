"""Messages and their blocks, the single source of truth about a conversation, and the rows of lists
of conversations. One assistant `Message` answers one input of the user. It holds ordered blocks;
each block knows its round (0 for the first model call). A `ToolUse` holds the call and its
result, so a call without a result cannot be stored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import ClassVar, get_args

from neodeskpet.core.attachments import Omitted
from neodeskpet.core.data_labels import NO_LABELS, DataSource, FlowQuestion, Labels
from neodeskpet.core.errors import Action, ToolFault
from neodeskpet.core.i18n import Reason
from neodeskpet.core.tool_result import ApprovalText, ResultImage, Shown


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class MessageState(StrEnum):
    """RUNNING while a turn writes to it; INTERRUPTED when the app died in the middle."""

    RUNNING = "running"
    DONE = "done"
    LIMITED = "limited"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class ToolStatus(StrEnum):
    """WRITING (arguments stream in) → QUEUED → ASKING → RUNNING → one of the last five."""

    WRITING = "writing"
    QUEUED = "queued"
    ASKING = "asking"
    RUNNING = "running"
    SUCCESS = "success"
    ERROR = "error"
    CANCELLED = "cancelled"
    DENIED = "denied"
    INTERRUPTED = "interrupted"

    @property
    def ended(self) -> bool:
        return self in _ENDED


_ENDED = frozenset(
    {
        ToolStatus.SUCCESS,
        ToolStatus.ERROR,
        ToolStatus.CANCELLED,
        ToolStatus.DENIED,
        ToolStatus.INTERRUPTED,
    }
)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, summed over the rounds of a turn. `context_tokens` is how large the conversation was
    in the last round, its answer included. `cost` (in `currency`) is None where the price of any
    round isn't known.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    thinking_tokens: int = 0
    context_tokens: int = 0
    cost: float | None = None
    currency: str = ""

    def __add__(self, other: Usage) -> Usage:
        """`other` came after this."""
        cost = None
        if self.cost is not None and other.cost is not None and self.currency == other.currency:
            cost = self.cost + other.cost
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.thinking_tokens + other.thinking_tokens,
            other.context_tokens,
            cost,
            other.currency if cost is not None else "",
        )


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown. `refusal` marks the model's own words of refusal. `untrusted` are the untrusted
    sources that the model read when it wrote this; of an imported message, the import.
    """

    kind: ClassVar[str] = "text"
    grows: ClassVar[str] = "text"

    index: int
    round: int
    text: str
    refusal: bool = False
    untrusted: tuple[DataSource, ...] = ()


@dataclass(frozen=True, slots=True)
class Thinking:
    """`opaque` is echoed to the provider that sent it. Times are unix seconds; None while open."""

    kind: ClassVar[str] = "thinking"
    grows: ClassVar[str] = "text"

    index: int
    round: int
    text: str
    opaque: str = ""
    started: float | None = None
    ended: float | None = None


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call and its result. `raw_arguments` is what the model wrote; `arguments` its parsed form,
    None while it streams or if it isn't a JSON object. `output` is what the model is answered on
    success, `error` the reason otherwise, which `fault` keeps for the person (None in what an
    earlier version stored); the rest of the result is as in `ToolResult`. `repaired` names what was
    wrong with the arguments and could be put right (`core.call_arguments.Repair`). Times are unix
    seconds; `progress` is 0..1 or None.
    `asked` and `answered` tell when the person was asked for permission, and when they answered.
    `leaked`: the model wrote it into its text, where a gateway left it.
    `edited`: the person changed the arguments before they allowed it. `foreign`: what it gave back
    was written by others; it is defused (`core/untrusted.py`). With a `task` it is no call of this
    message: it tells at its beginning how the background task of that id ended. `labels` are those
    of what it gave back. `flow`: it asked because of what was read, and why. `question` is what the
    user is asked about the call; `brief` is its result in a few words.
    """

    kind: ClassVar[str] = "tool_use"
    grows: ClassVar[str] = "raw_arguments"

    index: int
    round: int
    call_id: str
    name: str
    raw_arguments: str = ""
    arguments: Mapping[str, object] | None = None
    status: ToolStatus = ToolStatus.WRITING
    output: str = ""
    error: str = ""
    fault: ToolFault | None = None
    started: float | None = None
    ended: float | None = None
    progress: float | None = None
    progress_text: str = ""
    opaque: str = ""
    leaked: bool = False
    repaired: str = ""
    asked: float | None = None
    answered: float | None = None
    edited: bool = False
    foreign: bool = False
    data: object = None
    shown: Shown | None = None
    images: tuple[ResultImage, ...] = ()
    continue_: bool = True
    task: str = ""
    labels: Labels = NO_LABELS
    flow: FlowQuestion | None = None
    question: ApprovalText | None = None
    brief: Reason | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """`digest` names the stored file (sha256 hex); `description` is what a vision model saw, ""
    as long as nobody was asked. `quoted`: it is from an earlier message that is replied to.
    """

    kind: ClassVar[str] = "image"
    grows: ClassVar[str] = ""

    index: int
    round: int
    digest: str
    media_type: str
    name: str = ""
    description: str = ""
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A file that the person attached: `text` is what the model reads of it. `size` is in bytes. Of
    its `pages` (0: it has none) the first `pages_read` stand here; `cut`: it has more text;
    `omitted` tells what of the file couldn't be read.
    """

    kind: ClassVar[str] = "document"
    grows: ClassVar[str] = "text"

    index: int
    round: int
    text: str
    name: str = ""
    size: int = 0
    pages: int = 0
    pages_read: int = 0
    cut: bool = False
    omitted: tuple[Omitted, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """An error or a limit. `code` is a `KnownError.code`, whose wording is translated when shown.

    `detail` is foreign text. Once an action was taken `resolved` is true and no button is shown.
    """

    kind: ClassVar[str] = "notice"
    grows: ClassVar[str] = ""

    index: int
    round: int
    code: str
    params: Mapping[str, str] = field(default_factory=dict)
    detail: str = ""
    actions: tuple[Action, ...] = ()
    resolved: bool = False


Block = Text | Thinking | ToolUse | Image | Notice | Document
BLOCK_KINDS: Mapping[str, type[Block]] = {kind.kind: kind for kind in get_args(Block)}
"""A further kind of block is its class here, and its item in the view."""


@dataclass(frozen=True, slots=True)
class Message:
    """`id` is unique everywhere (a UUID). Times are unix seconds. `usage` is None if unreported.
    `paused`: so many seconds it lay still, ended, before the person let it go on.
    """

    id: str
    role: Role
    blocks: tuple[Block, ...]
    state: MessageState
    created: float
    ended: float | None = None
    usage: Usage | None = None
    rounds: int = 0
    model: str = ""
    paused: float = 0.0

    @property
    def text(self) -> str:
        """All that was said: as it was written within a round, a blank line between rounds."""
        said = [block for block in self.blocks if isinstance(block, Text)]
        rounds = ["".join(b.text for b in group) for _, group in groupby(said, lambda b: b.round)]
        return "\n\n".join(text.strip() for text in rounds if text.strip())

    @property
    def thinking(self) -> str:
        return "\n\n".join(b.text for b in self.blocks if isinstance(b, Thinking) and b.text)


LATEST_TIME = 253_402_300_799.0
"""The end of the year 9999 (unix seconds): no time or number of a stored entry is higher."""


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A row of the conversation list. Times are unix seconds. `folder` is the name of the folder it
    stands in, "" for none.
    """

    id: str
    title: str
    created: float
    updated: float
    pinned: bool = False
    archived: bool = False
    folder: str = ""


@dataclass(frozen=True, slots=True)
class MessageHead:
    """A message's place in a long conversation, without its blocks: enough to estimate a height.

    `chars` is the length of its shown text.
    """

    id: str
    role: str
    chars: int
    blocks: int = 1
    version: int = 1
    """Which of the `versions` that stand in its place it is, from 1 on."""
    versions: int = 1


@dataclass(frozen=True, slots=True)
class MessageNode:
    """A message's place in the tree of a conversation: the id it follows, "" at the beginning.
    `chosen`: of all that follow the same message it is the one that is shown when that one is.
    """

    id: str
    parent: str
    chosen: bool = True


@dataclass(frozen=True, slots=True)
class ShownPath:
    """What of a conversation is shown below the message `after` ("": all of it), in order.
    `changed` were shown before and aren't now, or the other way round.
    """

    after: str
    heads: Sequence[MessageHead]
    changed: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Deletion:
    """What was taken out, the first one first, and what has moved up into its place: enough to
    put it back. `shown` is the one of `moved` that was shown, "" for none.
    """

    nodes: Sequence[MessageNode]
    moved: Sequence[str] = ()
    shown: str = ""
