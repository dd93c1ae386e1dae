"""The protocols of what a conversation needs from other rooms. `app/engine.py` supplies the
objects.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from neodeskpet.core.attachments import Picture
from neodeskpet.core.background_tasks import Task
from neodeskpet.core.blocks import ConversationInfo, Deletion, Message, MessageHead, ShownPath
from neodeskpet.core.data_labels import FlowQuestion
from neodeskpet.core.errors import ToolError
from neodeskpet.core.tool_result import CallPreview
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.memory.recall.recall_types import MemoryQuery, RecalledItem


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to a question. `reason` is the user's text. `arguments` replaces those of the call
    if the user edited them. `no_answer`: the question was refused without an answer; this is the
    reason.
    """

    allowed: bool
    reason: str = ""
    arguments: Mapping[str, object] | None = None
    no_answer: ToolError | None = None


async def no_preview() -> CallPreview:
    """Return the empty preview, for tools without one."""
    return CallPreview()


@dataclass(frozen=True, slots=True)
class ApprovalQuestion:
    """The question whether the call in block `index` of a message may run. `check` raises ToolError
    for arguments that the tool would refuse; `preview` returns what the call would do. `flow`: the
    question is asked because of untrusted text or private data, with the reason.
    """

    message_id: str
    index: int
    spec: ToolSpec
    arguments: Mapping[str, object]
    check: Callable[[Mapping[str, object]], None] = lambda arguments: None
    flow: FlowQuestion | None = None
    preview: Callable[[], Awaitable[CallPreview]] = no_preview


class Approver(Protocol):
    """Asks the user. An unanswered question counts as refused."""

    def ask(self, question: ApprovalQuestion) -> Awaitable[Decision]:
        """Open the question and return an awaitable of the answer, which may never come."""
        ...


class TurnListener(Protocol):
    """Receives the events of a turn in order. It must be quick, because it runs on the turn's event
    loop.
    """

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None: ...


class PictureStore(Protocol):
    """Stores the pictures of messages. Coroutines raise StoreError."""

    async def store_pictures(self, pictures: Sequence[Picture]) -> None:
        """Store pictures of a tool's result, before the message that shows them."""
        ...

    async def picture(self, digest: str) -> bytes | None:
        """Return a picture of a message, encoded; None if it was deleted."""
        ...


class TaskStore(Protocol):
    """Stores background tasks across restarts. Coroutines raise StoreError."""

    async def add_task(self, task: Task) -> Task:
        """Store the task under a new id. It belongs to this process until it or the
        process ends.
        """
        ...

    async def update_task(self, task: Task) -> object:
        """Replace the stored task with the same id."""
        ...

    async def tasks(self, limit: int) -> list[Task]:
        """Return the last `limit` ended tasks, newest first."""
        ...

    async def mark_task_reported(self, task_id: str) -> None:
        """Record that the model knows how the task ended."""
        ...

    async def delete_tasks(self, task_ids: Sequence[str]) -> None: ...

    async def mark_tasks_lost(self, now: float) -> list[Task]:
        """Mark tasks of ended processes as lost at `now` and return them."""
        ...


class Store(PictureStore, Protocol):
    """The store of conversations. Coroutines raise StoreError. One writer, any number of
    readers.
    """

    async def conversations(self) -> list[ConversationInfo]: ...

    async def create_conversation(self, title: str = "") -> ConversationInfo: ...

    async def rename_conversation(
        self, conversation_id: str, title: str, *, instead_of: str | None = None
    ) -> bool:
        """Rename a conversation; with `instead_of` only if that is its present title. Returns
        whether it was renamed.
        """
        ...

    async def delete_conversation(self, conversation_id: str) -> None: ...

    async def heads(self, conversation_id: str) -> list[MessageHead]:
        """Return the shown messages of a conversation in order, without blocks."""
        ...

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        """Return these messages with their blocks, in the order of `ids`; unknown ids are
        skipped.
        """
        ...

    async def path(self, conversation_id: str, after: str = "") -> ShownPath:
        """Return the messages shown below the message `after`."""
        ...

    async def history(
        self, conversation_id: str, limit: int = 200, *, until: str = ""
    ) -> list[Message]:
        """Return the last `limit` shown messages, oldest first; with `until` those that lead to and
        include that message, shown or not.
        """
        ...

    async def add_message(
        self, conversation_id: str, message: Message, pictures: Sequence[Picture] = ()
    ) -> None:
        """Append `message`, with its `pictures`."""
        ...

    # Each returns the messages shown below the last unchanged one. All raise MessageNotFound.

    async def add_version(
        self,
        conversation_id: str,
        message: Message,
        pictures: Sequence[Picture] = (),
        *,
        beside: str,
    ) -> ShownPath:
        """Add `message` as a version of the message `beside`, and show it."""
        ...

    async def show_message(self, conversation_id: str, message_id: str) -> ShownPath:
        """Show this message, in whichever version it is."""
        ...

    async def step_version(self, conversation_id: str, message_id: str, by: int) -> ShownPath:
        """Show the version `by` places after (or before) this one."""
        ...

    async def delete_message(
        self, conversation_id: str, message_id: str, *, below: bool
    ) -> tuple[ShownPath, Deletion]:
        """Delete a message, with all `below` it if requested. It can be restored until the next
        deletion.
        """
        ...

    async def restore_messages(self, conversation_id: str, deletion: Deletion) -> ShownPath: ...

    async def copy_conversation(self, message_id: str, title: str) -> ConversationInfo:
        """Create a conversation with copies of the messages up to and including this one."""
        ...

    async def unreported_tasks(self, conversation_id: str) -> list[Task]:
        """Return the ended but unreported background tasks of a conversation, first started first.
        `add_message` with their reports marks them as reported.
        """
        ...

    async def interrupt_running(self) -> list[str]:
        """Mark messages that were running at a crash as interrupted, and return their ids."""
        ...

    def journal(self, message_id: str) -> TurnListener:
        """Return a listener that stores one assistant message as it grows: block changes at once,
        growing text at most every 200 ms.
        """
        ...

    async def flush(self) -> None:
        """Wait until all events so far are on disk."""
        ...

    async def aclose(self) -> None: ...


class Memory(Protocol):
    """The memory of earlier messages and of facts. Coroutines raise StoreError."""

    async def recall(self, question: MemoryQuery) -> list[RecalledItem]:
        """Return what is relevant to `question`, best first, within its budget."""
        ...

    async def record_recalled(self, reply: str, recalled: Sequence[RecalledItem]) -> None:
        """Record what was recalled for the message `reply`."""
        ...


class Knowledge(Memory, Protocol):
    """The user's documents, for recall."""

    @property
    def is_not_empty(self) -> bool:
        """Return whether it has any content."""
        ...

    async def list_addresses(self) -> Sequence[str]:
        """Return the web addresses that the user added. Raises StoreError."""
        ...
