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
from neodeskpet.observers import Observers

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

    async def history(
        self, conversation_id: str, limit: int = 200, *, until: str = ""
    ) -> list[Message]: ...

    async def summary(self, conversation_id: str) -> str | None: ...

    async def put_summary(
        self,
        conversation_id: str,
        value: str | None,
        *,
        instead: Callable[[str | None], bool],
        tells_of: Sequence[str],
    ) -> bool:
        """Keep it unless another than was expected is kept, or one of the messages is deleted."""
        ...


class SummaryBook:
    """The summary of each conversation. Coroutines raise StoreError."""

    def __init__(self, store: SummaryStore) -> None:
        self._store = store
        self._changed: Observers[[str]] = Observers()

    def observe(self, hear: Callable[[str], object]) -> Callable[[], None]:
        """Have `hear` told of which conversation the summary is another; returns what ends it."""
        return self._changed.add(hear)

    async def of(self, conversation_id: str) -> Summary | None:
        """None where there is none."""
        return _read(await self._store.summary(conversation_id))

    async def put(
        self,
        conversation_id: str,
        summary: Summary | None,
        *,
        before: Summary | None,
        tells_of: Sequence[str] = (),
    ) -> bool:
        """Keep this one (None: none) in the place of `before`. False, and nothing is changed, where
        that isn't the one that is kept any more, or one of the messages it `tells_of` was deleted
        while it was written: what was forgotten doesn't come back by it.
        """
        value = None
        if summary is not None:
            kept = {"until": summary.until, "text": summary.text}
            value = json.dumps(kept, ensure_ascii=False)
        done = await self._store.put_summary(
            conversation_id, value, instead=lambda kept: _read(kept) == before, tells_of=tells_of
        )
        if done:
            self._changed.tell(conversation_id)
        return done


def _read(kept: str | None) -> Summary | None:
    try:
        found = json.loads(kept or "{}")
        return Summary(str(found["until"]), str(found["text"]))
    except (ValueError, TypeError, KeyError):
        return None


class Summaries:
    """A `ChatListener`. `context` tells how many tokens of a conversation are sent; `book` is what
    they are kept in.
    """

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
        self.book = book
        self._errands = errands
        self._context = context
        self._task: asyncio.Task[None] | None = None
        chat.listen(self, TurnEnded)

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
        kept_now = before = await self.book.of(conversation_id)
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
        summary = await self._write(before, gone)
        if summary is not None:
            ids = [message.id for message in gone]
            await self.book.put(conversation_id, summary, before=kept_now, tells_of=ids)

    async def write_anew(self, conversation_id: str) -> Summary | None:
        """Write the one that there is once more, from the messages alone; None where that came to
        nothing. Raises StoreError.
        """
        before = await self.book.of(conversation_id)
        if before is None:
            return None
        told = await self._store.history(conversation_id, _HISTORY, until=before.until)
        summary = await self._write(None, told) if told else None
        ids = [message.id for message in told]
        if summary is None or not await self.book.put(
            conversation_id, summary, before=before, tells_of=ids
        ):
            return None
        return summary

    async def _write(self, before: Summary | None, gone: Sequence[Message]) -> Summary | None:
        outcome = await self._errands.run(summary_errand(before, gone))
        if outcome is None or not outcome.success or not outcome.text.strip():
            return None
        return Summary(gone[-1].id, outcome.text.strip()[:LONGEST])


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
