"""Summaries: what a conversation has become too long to be sent with is told in short.

After an answer an errand writes it, from the summary before and what has to be left out since. It
is kept beside the conversation and goes with it. A fault is only logged: then the oldest messages
are left out without a word, as they are where nobody summarises.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, TurnMoved
from neodeskpet.conversation.errands.errand import Errand, Errands
from neodeskpet.conversation.sources import Summary, rest_after
from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.blocks import Message, MessageState, Role
from neodeskpet.core.context import estimate_tokens, message_tokens, prune
from neodeskpet.core.errors import KnownError
from neodeskpet.core.turn.turn_events import TurnEnded

_log = logging.getLogger(__name__)

LONGEST = 4_000
"""Characters of a summary."""
_HISTORY = 400
_FULL = 3 / 4
"""Of the context: when so much is said, what came first is summarised …"""
_LEFT = 1 / 2
"""… and so much of it stays as it was said."""
_READ = 24_000
_MESSAGE = 1_500
"""Characters of all messages, and of one, that the errand is shown."""
SYSTEM = (
    "You keep the memory of a long conversation between a person and a companion. Write what was "
    "said in at most 300 words, in the person's language: facts about the person, names, numbers, "
    "decisions, promises, open questions, what was done. No greeting, no comment, only the summary."
)


class SummaryStore(Protocol):
    """What is asked of the store. Coroutines raise StoreError."""

    async def history(self, conversation_id: str, limit: int = 200) -> list[Message]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class SummaryBook:
    """The summary of each conversation."""

    def __init__(self, store: SummaryStore) -> None:
        self._store = store

    async def of(self, conversation_id: str) -> Summary | None:
        """None where there is none. Raises StoreError."""
        try:
            kept = json.loads(await self._store.get_state(_key(conversation_id)) or "{}")
            return Summary(str(kept["until"]), str(kept["text"]))
        except (ValueError, TypeError, KeyError):
            return None

    async def keep(self, conversation_id: str, summary: Summary) -> None:
        """Raises StoreError."""
        kept = {"until": summary.until, "text": summary.text}
        value = json.dumps(kept, ensure_ascii=False)
        await self._store.set_state(_key(conversation_id), value)


def _key(conversation_id: str) -> str:
    return f"summary:{conversation_id}"


class Summaries:
    """A `ChatListener`. `context` tells how many tokens of a conversation are sent."""

    def __init__(
        self,
        chat: Chat,
        store: SummaryStore,
        book: SummaryBook,
        errands: Errands,
        context: Callable[[str], int],
    ) -> None:
        self._chat = chat
        self._store = store
        self._book = book
        self._errands = errands
        self._context = context
        self._task: asyncio.Task[None] | None = None
        chat.listen(self)

    def hear(self, event: ChatEvent) -> None:
        info = self._chat.conversation
        busy = self._task is not None and not self._task.done()
        match event:
            case TurnMoved(event=TurnEnded(state=MessageState.DONE)) if info and not busy:
                self._task = spawn(self._look(info.id), name="summary")
            case _:
                pass

    async def wait(self) -> None:
        """Return when nothing is summarised."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _look(self, conversation_id: str) -> None:
        try:
            await self._summarise(conversation_id)
        except KnownError as error:
            _log.info("A conversation isn't summarised: %s", error)

    async def _summarise(self, conversation_id: str) -> None:
        history = await self._store.history(conversation_id, _HISTORY)
        before = await self._book.of(conversation_id)
        rest = rest_after(history, before)
        if len(rest) == len(history):
            before = None  # it tells of another version
        context = self._context(conversation_id)
        used = sum(map(message_tokens, rest)) + estimate_tokens(before.text if before else "")
        if used <= context * _FULL:
            return
        kept = prune(rest, round(context * _LEFT), round(context * _LEFT))
        gone = rest[: len(rest) - len(kept)]
        if not gone:
            return
        outcome = await self._errands.run(summary_errand(before, gone))
        if outcome is not None and outcome.success and outcome.text.strip():
            summary = Summary(gone[-1].id, outcome.text.strip()[:LONGEST])
            await self._book.keep(conversation_id, summary)


def summary_errand(before: Summary | None, gone: Sequence[Message]) -> Errand:
    """What is asked of the model: `gone` is what is left out from now on."""
    told = f"<summary>{before.text}</summary>\n" if before is not None else ""
    lines = "\n".join(_line(message) for message in gone if message.text.strip())
    words = (
        f"{told}<conversation>\n{lines[-_READ:]}\n</conversation>\nWrite the summary of all that."
    )
    return Errand("summary", words, purpose="summary", system=SYSTEM, rounds=1)


def _line(message: Message) -> str:
    who = "person" if message.role is Role.USER else "companion"
    return f"{who}: {message.text[:_MESSAGE]}"
