"""Background prompts that write the title of a conversation after its first reply, and the summary
of a conversation that is too long to be sent whole.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Sequence
from typing import Protocol

from neodeskpet.conversation.background_prompts import (
    AfterReply,
    BackgroundPrompt,
    BackgroundPrompts,
)
from neodeskpet.conversation.chat import Chat, title_from
from neodeskpet.conversation.chat_events import ChatEvent, TurnAdvanced
from neodeskpet.conversation.ports import Store
from neodeskpet.conversation.prompt import ConversationSummary, messages_after_summary
from neodeskpet.core.blocks import ConversationInfo, Message, MessageState, Role
from neodeskpet.core.errors import KnownError
from neodeskpet.core.token_budget import estimate_tokens, message_tokens, prune_messages
from neodeskpet.core.turn.turn_events import TurnEnded
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.observers import Observers

MAX_TITLE = 40
TITLE_TIMEOUT = 60.0
_MAX_READ_TITLE = 2_000  # characters of each side that the model is shown
_MAX_ANSWER = 400  # characters of its answer that are looked at
TITLE_SYSTEM = (
    "You name conversations. Answer with a title of two to six words (in Chinese at most twelve "
    "characters) in the language of the user's words: no quotes, no full stop, nothing else."
)
_TITLE_LABEL = re.compile(r"(?:title|标题|題目|题目)\s*[:：]\s*", re.IGNORECASE)
_EDGE_CHARS = " \t\"'`*#_.。:：“”‘’「」『』《》【】[]()（）"


class TitleWriter:
    """Starts background prompts that name conversations after their first reply."""

    def __init__(self, chat: Chat, store: Store, prompts: BackgroundPrompts) -> None:
        self._chat = chat
        self._store = store
        self._prompts = prompts
        self._after = AfterReply(chat, "title", self._name)

    def stop(self) -> None:
        """Stop until the next reply."""
        self._after.stop()

    async def _name(self, info: ConversationInfo) -> None:
        messages = await self._store.history(info.id, 3)
        if [message.role for message in messages] != [Role.USER, Role.ASSISTANT]:
            return  # it has been talked in for longer
        question, answer = (message.text for message in messages)
        if not question.strip() or info.title != title_from(question):
            return  # the user gave it a name
        outcome = await self._prompts.run(title_prompt(question, answer))
        ended = (MessageState.DONE, MessageState.CANCELLED)  # the latter where it said too much
        title = parse_title(outcome.text) if outcome and outcome.state in ended else ""
        if title:
            await self._chat.rename(info, title)


def title_prompt(question: str, answer: str) -> BackgroundPrompt:
    """Return the prompt for a title."""
    asked, answered = question[:_MAX_READ_TITLE], answer[:_MAX_READ_TITLE]
    talk = f"<user>{asked}</user>\n<companion>{answered}</companion>"
    words = f"{talk}\nWhich title fits this conversation?"
    return BackgroundPrompt(
        "title",
        words,
        purpose="title",
        system=TITLE_SYSTEM,
        rounds=1,
        timeout=TITLE_TIMEOUT,
        max_length=_MAX_ANSWER,
    )


def parse_title(said: str) -> str:
    """Return the title in a model's answer, on one line; "" if there is no valid one."""
    lines = (line.strip(_EDGE_CHARS) for line in said.splitlines())
    line = next((line for line in lines if line), "")
    line = " ".join(_TITLE_LABEL.sub("", line, count=1).strip(_EDGE_CHARS).split())
    return line if len(line) <= MAX_TITLE else ""


_log = logging.getLogger(__name__)

MAX_SUMMARY = 4_000
"""Characters of a summary."""
_MAX_HISTORY = 400
_FULL_SHARE = 3 / 4
"""The share of the context at which the oldest messages are summarised …"""
_TARGET_SHARE = 1 / 2
"""… and the share that stays unchanged."""
_MAX_READ_SUMMARY = 24_000
_MAX_MESSAGE = 1_500
"""Characters of all messages, and of one, that the errand is shown."""
SUMMARY_SYSTEM = (
    "You keep the memory of a long conversation between a user and a companion. Write what was "
    "said in at most 300 words, in the user's language: facts about the user, names, numbers, "
    "decisions, promises, open questions, what was done. No greeting, no comment, only the summary."
)


class SummaryStore(Protocol):
    """What is asked of the store. Coroutines raise StoreError."""

    async def history(
        self, conversation_id: str, limit: int = 200, *, until: str = ""
    ) -> list[Message]: ...

    async def get_summary(self, conversation_id: str) -> str | None: ...

    async def update_summary(
        self,
        conversation_id: str,
        value: str | None,
        *,
        instead: Callable[[str | None], bool],
        tells_of: Sequence[str],
    ) -> bool:
        """Store the summary, unless another than the expected one is stored, or one of its messages
        was deleted.
        """
        ...


class StoredSummaries:
    """The summary of each conversation. Coroutines raise StoreError."""

    def __init__(self, store: SummaryStore) -> None:
        self._store = store
        self._changed: Observers[[str]] = Observers()

    def subscribe(self, observer: Callable[[str], object]) -> Callable[[], None]:
        """Call `observer` with the id of each conversation whose summary changes. Returns a
        function that unsubscribes.
        """
        return self._changed.subscribe(observer)

    async def get(self, conversation_id: str) -> ConversationSummary | None:
        """Return the summary, None if there is none."""
        return _parse_summary(await self._store.get_summary(conversation_id))

    async def update(
        self,
        conversation_id: str,
        summary: ConversationSummary | None,
        *,
        before: ConversationSummary | None,
        tells_of: Sequence[str] = (),
    ) -> bool:
        """Replace the summary `before` by this one (None: none). Returns False and changes nothing
        if `before` isn't stored any more, or if one of the messages in `tells_of` was deleted
        meanwhile: deleted text must not return through a summary.
        """
        value = None
        if summary is not None:
            kept = {"until": summary.until, "text": summary.text}
            value = json.dumps(kept, ensure_ascii=False)
        done = await self._store.update_summary(
            conversation_id,
            value,
            instead=lambda kept: _parse_summary(kept) == before,
            tells_of=tells_of,
        )
        if done:
            self._changed.notify(conversation_id)
        return done


def _parse_summary(kept: str | None) -> ConversationSummary | None:
    try:
        found = json.loads(kept or "{}")
        return ConversationSummary(str(found["until"]), str(found["text"]))
    except (ValueError, TypeError, KeyError):
        return None


class SummaryWriter:
    """A `ChatListener`. `context` returns the token budget of a conversation; `summaries` stores
    the summaries.
    """

    def __init__(
        self,
        chat: Chat,
        store: SummaryStore,
        summaries: StoredSummaries,
        prompts: BackgroundPrompts,
        context: Callable[[str], int],
    ) -> None:
        self._chat = chat
        self._store = store
        self.summaries = summaries
        self._prompts = prompts
        self._context = context
        self._task: asyncio.Task[None] | None = None
        chat.subscribe(self, TurnEnded)

    def on_chat_event(self, event: ChatEvent) -> None:
        info = self._chat.conversation
        busy = self._task is not None and not self._task.done()
        match event:
            case TurnAdvanced(event=TurnEnded(state=MessageState.DONE)) if info and not busy:
                self._task = spawn_task(self._look(info.id), name="summary")
            case _:
                pass

    async def wait_idle(self) -> None:
        """Wait until no summary is being written."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _look(self, conversation_id: str) -> None:
        try:
            await self._summarise(conversation_id)
        except KnownError as error:
            _log.info("A conversation isn't summarised: %s", error)

    async def _summarise(self, conversation_id: str) -> None:
        history = await self._store.history(conversation_id, _MAX_HISTORY)
        kept_now = before = await self.summaries.get(conversation_id)
        rest = messages_after_summary(history, before)
        if len(rest) == len(history):
            before = None  # it tells of another version
        context = self._context(conversation_id)
        used = sum(map(message_tokens, rest)) + estimate_tokens(before.text if before else "")
        if used <= context * _FULL_SHARE:
            return
        kept = prune_messages(rest, round(context * _TARGET_SHARE), round(context * _TARGET_SHARE))
        gone = rest[: len(rest) - len(kept)]
        if not gone:
            return
        summary = await self._write(before, gone)
        if summary is not None:
            ids = [message.id for message in gone]
            await self.summaries.update(conversation_id, summary, before=kept_now, tells_of=ids)

    async def rewrite(self, conversation_id: str) -> ConversationSummary | None:
        """Regenerate the summary from the messages alone; None if that failed. Raises
        StoreError.
        """
        before = await self.summaries.get(conversation_id)
        if before is None:
            return None
        messages = await self._store.history(conversation_id, _MAX_HISTORY, until=before.until)
        summary = await self._write(None, messages) if messages else None
        ids = [message.id for message in messages]
        if summary is None or not await self.summaries.update(
            conversation_id, summary, before=before, tells_of=ids
        ):
            return None
        return summary

    async def _write(
        self, before: ConversationSummary | None, gone: Sequence[Message]
    ) -> ConversationSummary | None:
        outcome = await self._prompts.run(summary_prompt(before, gone))
        if outcome is None or not outcome.success or not outcome.text.strip():
            return None
        return ConversationSummary(gone[-1].id, outcome.text.strip()[:MAX_SUMMARY])


def summary_prompt(before: ConversationSummary | None, gone: Sequence[Message]) -> BackgroundPrompt:
    """Return the prompt: `gone` are the messages that are left out from now on."""
    earlier = f"<summary>{before.text}</summary>\n" if before is not None else ""
    lines = "\n".join(_message_line(message) for message in gone if message.text.strip())
    read = lines[-_MAX_READ_SUMMARY:]
    words = f"{earlier}<conversation>\n{read}\n</conversation>\nWrite the summary of all that."
    return BackgroundPrompt("summary", words, purpose="summary", system=SUMMARY_SYSTEM, rounds=1)


def _message_line(message: Message) -> str:
    who = "user" if message.role is Role.USER else "companion"
    return f"{who}: {message.text[:_MAX_MESSAGE]}"
