"""Messages and their blocks, which are the only stored form of a conversation, and the rows of
conversation lists. One assistant `Message` answers one input of the user. It has ordered blocks;
each block has the number of its round (0 for the first model call). A `ToolUse` has the call and
its result, so a call without a result can't be stored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import ClassVar, get_args

from neodeskpet.core.attachments import FileText, Omitted
from neodeskpet.core.data_labels import NO_LABELS, DataSource, FlowQuestion, Labels
from neodeskpet.core.errors import Action, ToolFault
from neodeskpet.core.i18n import Reason
from neodeskpet.core.tool_result import ApprovalText, ResultImage, Shown


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class MessageState(StrEnum):
    """RUNNING: a turn is writing it. INTERRUPTED: the app ended before it was complete."""

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
    """Tokens, summed over the rounds of a turn. `context_tokens` is the size of the conversation in
    the last round, including its answer. `cost` (in `currency`) is None if the price of any round
    is unknown.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    thinking_tokens: int = 0
    context_tokens: int = 0
    cost: float | None = None
    currency: str = ""

    def __add__(self, other: Usage) -> Usage:
        """Add the usage of the later rounds `other`."""
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
    """Markdown. `refusal`: the model refused to answer. `untrusted` are the untrusted sources that
    the model had read when it wrote this text; for an imported message, the import.
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
    """`opaque` is sent back to the provider that sent it. Times are Unix seconds; None while the
    block is open.
    """

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
    """A tool call and its result. Times are Unix seconds.

    `raw_arguments` is the text that the model wrote; `arguments` its parsed form, None while it
    streams or if it isn't a JSON object. `repaired` is the repair that the arguments needed
    (`core.call_arguments.Repair`). `output` is the result for the model on success, otherwise
    `error` is the reason; `fault` is the same reason for the user, translated when shown (None in
    messages of earlier versions). The other fields of the result are those of `ToolResult`.
    `progress` is 0..1 or None.

    `asked` and `answered` are the times of the permission question and of the answer. `edited`: the
    user changed the arguments before allowing the call. `question` is the text of the permission
    question. `flow` is set if the call asked because of what was read. `leaked`: the call was found
    in the text of the reply. `foreign`: the result is untrusted text, with its markers escaped
    (`core/untrusted.py`). `labels` are those of the result. `brief` is the result in a few words.
    With a `task` this is no call of the message: it reports at its beginning that the background
    task of this id has ended.
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
    """`digest` is the SHA-256 (hex) of the stored file. `description` is the text of a vision
    model, "" if there is none yet. `quoted`: it comes from an earlier message that is being replied
    to.
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
    """A file that the user attached. `text` is the text that the model reads. `size` is in bytes.
    `pages` is the number of pages (0: the file has none), of which the first `pages_read` are in
    `text`. `cut`: the file has more text. `omitted` lists parts of the file that can't be read.
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

    @classmethod
    def of(cls, read: FileText, index: int) -> Document:
        """Return the block of an attached file."""
        return cls(
            index,
            0,
            read.text,
            read.name,
            read.size,
            read.pages,
            read.pages_read,
            read.cut,
            omitted=read.omitted,
        )

    def file_text(self) -> FileText:
        """Return the file of an earlier message, to attach it again."""
        return FileText(
            self.name,
            self.text,
            self.size,
            self.pages,
            self.pages_read,
            self.cut,
            omitted=self.omitted,
        )


@dataclass(frozen=True, slots=True)
class Notice:
    """An error or a limit. `code` is a `KnownError.code`; its text is translated when shown.

    `detail` is foreign text. `resolved`: an action was taken, so no button is shown.
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
"""The kinds of blocks by name. A new kind needs its class here and its item in the chat view."""


@dataclass(frozen=True, slots=True)
class Message:
    """`id` is a UUID. Times are Unix seconds. `usage` is None if unreported. `paused`: seconds
    between the end of the reply and its continuation.
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
        """The whole text. Blocks of one round are joined as they are, rounds by an empty line."""
        said = [block for block in self.blocks if isinstance(block, Text)]
        rounds = ["".join(b.text for b in group) for _, group in groupby(said, lambda b: b.round)]
        return "\n\n".join(text.strip() for text in rounds if text.strip())

    @property
    def thinking(self) -> str:
        return "\n\n".join(b.text for b in self.blocks if isinstance(b, Thinking) and b.text)


LATEST_TIME = 253_402_300_799.0
"""The end of the year 9999 (Unix seconds): the upper limit of times and numbers in stored
entries.
"""


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A row of the conversation list. Times are Unix seconds. `folder` is the name of its folder,
    "" for none.
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
    """A message without its blocks, with enough to estimate its height in a long conversation.

    `chars` is the length of its visible text.
    """

    id: str
    role: str
    chars: int
    blocks: int = 1
    version: int = 1
    """The number of this version among the `versions` at the same place, from 1."""
    versions: int = 1


@dataclass(frozen=True, slots=True)
class MessageNode:
    """The place of a message in the tree of a conversation. `parent` is the id of the message
    before it, "" at the beginning. `chosen`: it is the one shown among the messages with the same
    parent.
    """

    id: str
    parent: str
    chosen: bool = True


@dataclass(frozen=True, slots=True)
class ShownPath:
    """The visible messages of a conversation after the message `after` ("": all of them), in order.
    `changed` are the messages that became visible or hidden.
    """

    after: str
    heads: Sequence[MessageHead]
    changed: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Deletion:
    """A deletion that can be undone: the deleted messages in order, and the messages that took
    their place (`moved`). `shown` is the visible one of `moved`, "" for none.
    """

    nodes: Sequence[MessageNode]
    moved: Sequence[str] = ()
    shown: str = ""
