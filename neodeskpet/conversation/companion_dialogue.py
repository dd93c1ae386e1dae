"""A dialogue between companions, in a conversation of its own.

Each turn is run by the turn engine and stored as it grows; the dialogue pauses while the user gets
a reply. It has no tools and asks no questions.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from neodeskpet.conversation.approvals import DenyAll
from neodeskpet.conversation.chat_events import ChatEvent
from neodeskpet.conversation.conversation import Conversation
from neodeskpet.conversation.ports import Store
from neodeskpet.conversation.tracing import TurnTraces
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import ConversationInfo, Message, MessageState
from neodeskpet.core.companion_dialogue import (
    DialogueBudget,
    DialogueCourse,
    DialogueEnd,
    messages_for_speaker,
    speaker_block,
    spoken_text,
    turn_tokens,
)
from neodeskpet.core.errors import Action, KnownError, UnknownTool
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import Progress, ToolOffer, ToolSpec
from neodeskpet.platform.async_tasks import spawn_task


class DialogueNeedsModel(KnownError):
    """A dialogue about a topic needs a language model."""

    code = "talk_needs_model"
    what = N_("Companions can talk about a topic only with a language model.")
    hint = N_("Name a model service in the settings, or start the dialogue without a topic.")
    actions = (Action.OPEN_SETTINGS,)


_MAX_HISTORY = 400
"""The number of latest messages that a turn reads."""


@dataclass(frozen=True, slots=True)
class DialogueSpeakers:
    """The names of the speakers. `create_setup` makes the set-up of a turn for one of them (by
    number), a new one for each turn. `wait_until_read` returns when the user has read the text that
    a speaker said.
    """

    names: Sequence[str]
    create_setup: Callable[[int], TurnSetup]
    wait_until_read: Callable[[int, str], Coroutine[Any, Any, object]]


class CompanionDialogue:
    """A dialogue of `speakers` in the conversation `info`. `quiet` returns when no other reply is
    being written; `report` receives the number of the speaker and each event.
    """

    def __init__(
        self,
        info: ConversationInfo,
        speakers: DialogueSpeakers,
        budget: DialogueBudget,
        *,
        store: Store,
        quiet: Callable[[], Coroutine[Any, Any, object]],
        report: Callable[[int, ChatEvent], None],
        tracing: TurnTraces | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.info = info
        self.course = DialogueCourse(len(speakers.names), budget)
        self._names = speakers.names
        self._store = store
        self._quiet = quiet
        self._wait_until_read = speakers.wait_until_read
        self._speaking = False
        self._stopped = asyncio.Event()
        self._conversation = Conversation(
            info,
            store,
            lambda _conversation, _named: speakers.create_setup(self.course.speaker),
            approver=DenyAll(),
            report=lambda event: report(self.course.speaker, event),
            tracing=tracing,
            now=now,
        )

    @property
    def running_message(self) -> Message | None:
        """Return the message that a turn of the dialogue is writing, in its present state."""
        return self._conversation.running_message

    def stop(self) -> None:
        """Stop the dialogue at once; its text stays."""
        self.course.stop()
        self._stopped.set()
        if self._speaking:
            self._conversation.stop()

    async def run(self) -> DialogueEnd:
        """Run the dialogue until it ends. Raises StoreError; cancelling it leaves the turn on disk
        as it is.
        """
        while self.course.ended is None:
            await self._wait(self._quiet)
            if self.course.ended is None:
                await self._take_turn()
        return self.course.ended

    async def _wait(self, end: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Wait until `end` returns, or until the dialogue is stopped."""
        waits = [spawn_task(one(), name="talk waits") for one in (end, self._stopped.wait)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    async def _take_turn(self) -> None:
        number = self.course.speaker
        self._speaking = True
        try:
            await self._conversation.answer_unprompted((speaker_block(self._names[number]),))
        finally:
            self._speaking = False
        messages = await self._store.history(self.info.id, _MAX_HISTORY)
        reply = messages[-1]
        tokens = turn_tokens(messages_for_speaker(messages[:-1], self._names, number), reply)
        # For listeners that were added during this turn, before the next speaker starts.
        await self._conversation.apply_remote_changes([reply.id], [])
        text = spoken_text(reply)
        self.course.record_turn(text, tokens, whole=reply.state is MessageState.DONE)
        if self.course.ended is None:
            await self._wait(partial(self._wait_until_read, number, text))


class NoTools:
    """An empty toolbox and its empty offer."""

    specs: Sequence[ToolSpec] = ()

    def offer(self) -> ToolOffer:
        return self

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        raise UnknownTool(tool=name)

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        raise UnknownTool(tool=name)

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        return CallPreview()
