"""What a conversation needs from its siblings, as protocols. `engine.py` fits them together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from neodeskpet.core.blocks import Message
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import ConversationInfo, MessageHead
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.turn_events import TurnEvent

Progress = Callable[[float | None, str], None]
"""Called by a running tool: fraction 0..1 or None, and a short text. Thread-safe."""


class Offer(Protocol):
    """The tools of one round, as they were on offer when it began: what the request names is what
    the turn knows and what can be run. Names differ from one another.
    """

    @property
    def specs(self) -> Sequence[ToolSpec]: ...

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        """Raises ToolError, never anything else; cancelling it stops it."""
        ...


class Toolbox(Protocol):
    """All tools there are; which they are may change while the app runs."""

    def offer(self) -> Offer:
        """Those on offer now."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """`arguments` replaces the call's when the person edited them."""

    allowed: bool
    reason: str = ""
    arguments: Mapping[str, object] | None = None


class Approver(Protocol):
    """Asks the person. No answer means no."""

    def ask(
        self, message_id: str, index: int, name: str, arguments: Mapping[str, object]
    ) -> Awaitable[Decision]:
        """The question stands when this returns; awaiting the answer may take for ever."""
        ...


class Listener(Protocol):
    """Sees a turn's events in order. Must be quick: it runs on the turn's loop."""

    def see(self, message_id: str, event: TurnEvent) -> None: ...


class Store(Protocol):
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
        """All messages of a conversation in order, without blocks."""
        ...

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        """These messages whole, in the order of `ids`; unknown ids are passed over."""
        ...

    async def history(self, conversation_id: str, limit: int = 200) -> list[Message]:
        """The last `limit` messages, oldest first."""
        ...

    async def add_message(
        self, conversation_id: str, message: Message, pictures: Sequence[Picture] = ()
    ) -> None:
        """Put `message` at the end, with the `pictures` it shows."""
        ...

    async def keep_pictures(self, pictures: Sequence[Picture]) -> None:
        """Store pictures of a tool's result, before the message that shows them."""
        ...

    async def picture(self, digest: str) -> bytes | None:
        """A message's picture, encoded; None when it is gone."""
        ...

    async def replace_message(self, message_id: str) -> None:
        """Take a message out of the conversation (it was answered anew); its row is kept."""
        ...

    async def interrupt_running(self) -> list[str]:
        """Mark what was running when the app died as interrupted; the ids of those messages."""
        ...

    def journal(self, message_id: str) -> Listener:
        """A listener that writes one assistant message as it grows: at every edge at once, while
        text grows at most every 200 ms.
        """
        ...

    async def flush(self) -> None:
        """Return when everything seen so far is on disk."""
        ...

    async def close(self) -> None: ...
