"""What a conversation needs from its siblings, as protocols. `engine.py` fits them together."""

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
    """`reason` is what the person said. `arguments` replaces the call's when the person edited
    them. `unanswered`: nobody said anything, and this is why that is a no.
    """

    allowed: bool
    reason: str = ""
    arguments: Mapping[str, object] | None = None
    no_answer: ToolError | None = None


async def no_preview() -> CallPreview:
    """The preview of a call whose tool tells nothing."""
    return CallPreview()


@dataclass(frozen=True, slots=True)
class ApprovalQuestion:
    """May the call in block `index` of a message run? `check` raises ToolError for arguments that
    the tool would refuse; `preview` gives what the call would do. `flow`: it is asked because of
    what was read, and why.
    """

    message_id: str
    index: int
    spec: ToolSpec
    arguments: Mapping[str, object]
    check: Callable[[Mapping[str, object]], None] = lambda arguments: None
    flow: FlowQuestion | None = None
    preview: Callable[[], Awaitable[CallPreview]] = no_preview


class Approver(Protocol):
    """Asks the person. No answer means no."""

    def ask(self, question: ApprovalQuestion) -> Awaitable[Decision]:
        """The question stands when this returns; awaiting the answer may take for ever."""
        ...


class TurnListener(Protocol):
    """Sees a turn's events in order. Must be quick: it runs on the turn's loop."""

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None: ...


class PictureStore(Protocol):
    """Where the pictures of messages are. Coroutines raise StoreError."""

    async def store_pictures(self, pictures: Sequence[Picture]) -> None:
        """Store pictures of a tool's result, before the message that shows them."""
        ...

    async def picture(self, digest: str) -> bytes | None:
        """A message's picture, encoded; None when it is gone."""
        ...


class TaskStore(Protocol):
    """Where background tasks outlive the app. Coroutines raise StoreError."""

    async def add_task(self, task: Task) -> Task:
        """Keep it under an id that it gets; it is ours until it ends or we die."""
        ...

    async def update_task(self, task: Task) -> object:
        """Put it in the place of the one of its id."""
        ...

    async def tasks(self, limit: int) -> list[Task]:
        """The last `limit` of those that have ended, the newest first."""
        ...

    async def mark_task_told(self, task_id: str) -> None:
        """The model has read of its end."""
        ...

    async def delete_tasks(self, task_ids: Sequence[str]) -> None: ...

    async def mark_tasks_lost(self, now: float) -> list[Task]:
        """Those that dead processes left running, which are lost from `now` on."""
        ...


class Store(PictureStore, Protocol):
    """Where conversations live. Coroutines raise StoreError. One writer, any number of readers."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def create_conversation(self, title: str = "") -> ConversationInfo: ...

    async def rename_conversation(
        self, conversation_id: str, title: str, *, instead_of: str | None = None
    ) -> bool:
        """Whether it was renamed: with `instead_of` only if that is what it is called."""
        ...

    async def delete_conversation(self, conversation_id: str) -> None: ...

    async def heads(self, conversation_id: str) -> list[MessageHead]:
        """The messages of a conversation that are shown, in order, without blocks."""
        ...

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        """These messages whole, in the order of `ids`; unknown ids are skipped."""
        ...

    async def path(self, conversation_id: str, after: str = "") -> ShownPath:
        """What is shown below the message `after`."""
        ...

    async def history(
        self, conversation_id: str, limit: int = 200, *, until: str = ""
    ) -> list[Message]:
        """The last `limit` messages that are shown, oldest first; with `until` those that lead to
        that message, and it itself, shown or not.
        """
        ...

    async def add_message(
        self, conversation_id: str, message: Message, pictures: Sequence[Picture] = ()
    ) -> None:
        """Put `message` at the end, with the `pictures` it shows."""
        ...

    # Each tells what is shown now below the last message that stays. They raise MessageNotFound.

    async def add_version(
        self,
        conversation_id: str,
        message: Message,
        pictures: Sequence[Picture] = (),
        *,
        beside: str,
    ) -> ShownPath:
        """Show `message` in the place of the message `beside`, which stays another version."""
        ...

    async def show_message(self, conversation_id: str, message_id: str) -> ShownPath:
        """Show this message, wherever it stands."""
        ...

    async def step_version(self, conversation_id: str, message_id: str, by: int) -> ShownPath:
        """Show the version so many after this one, or before it."""
        ...

    async def delete_message(
        self, conversation_id: str, message_id: str, *, below: bool
    ) -> tuple[ShownPath, Deletion]:
        """Delete a message, alone or with all `below` it; until the next it can be restored."""
        ...

    async def restore_messages(self, conversation_id: str, deletion: Deletion) -> ShownPath: ...

    async def copy_conversation(self, message_id: str, title: str) -> ConversationInfo:
        """A new conversation of what leads to this message, with it."""
        ...

    async def untold_tasks(self, conversation_id: str) -> list[Task]:
        """The background tasks of a conversation that ended and of which no message tells, the
        first that was begun first. `add_message` with their reports tells of them.
        """
        ...

    async def interrupt_running(self) -> list[str]:
        """Mark what was running when the app died as interrupted; the ids of those messages."""
        ...

    def journal(self, message_id: str) -> TurnListener:
        """A listener that writes one assistant message as it grows: at every edge at once, while
        text grows at most every 200 ms.
        """
        ...

    async def flush(self) -> None:
        """Return when everything seen so far is on disk."""
        ...

    async def aclose(self) -> None: ...


class Memory(Protocol):
    """What was said before, and what is known. Coroutines raise StoreError."""

    async def recall(self, question: MemoryQuery) -> list[RecalledItem]:
        """What answers `question`, best first, within its budget."""
        ...

    async def record_recalled(self, reply: str, recalled: Sequence[RecalledItem]) -> None:
        """Remember what the message `reply` was told."""
        ...


class Knowledge(Memory, Protocol):
    """The person's documents, as they are recalled."""

    @property
    def is_not_empty(self) -> bool:
        """Whether there is anything in it."""
        ...

    async def list_addresses(self) -> Sequence[str]:
        """The web addresses that the person added. Raises StoreError."""
        ...
