"""One run of the turn engine, from messages and tools to a final state and an outcome.

The caller supplies history, context and permissions. There are two callers: `Conversation` (a chat)
and `BackgroundPrompts`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from neodeskpet.conversation.ports import Approver, PictureStore, TurnListener
from neodeskpet.conversation.runner import ReplySource, TurnRunner
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.conversation.vision import ModelWithPictures
from neodeskpet.core.blocks import Block, Message, MessageState, Notice, ToolStatus, ToolUse, Usage
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.token_budget import request_tokens
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import TurnEvent, UsageChanged

TraceRequest = Callable[[ModelRequest, Sequence[ToolSpec]], ModelRequest]
"""Called with each request before it is sent; may record it."""


@dataclass(frozen=True, slots=True)
class CompletedCall:
    """A tool call of the run. `arguments` is None if they could not be parsed."""

    name: str
    arguments: Mapping[str, object] | None
    ok: bool


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The end of a run. `iterations` is the number of rounds; `text` is the text without tool
    calls; `error` is the reason if it failed.
    """

    state: MessageState
    iterations: int
    calls: tuple[CompletedCall, ...]
    text: str
    error: Notice | None = None
    usage: Usage | None = None

    @property
    def success(self) -> bool:
        return self.state is MessageState.DONE


class TurnRun:
    """Answers `history` in the message `reply`, which may already have content. Use it once.
    `listeners` are called for every event of the turn.
    """

    def __init__(
        self,
        setup: TurnSetup,
        history: Sequence[Message],
        reply: Message,
        *,
        approver: Approver,
        pictures: PictureStore,
        listeners: Sequence[TurnListener] = (),
        follow: TraceRequest | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._reply = reply
        self._turn = Turn(
            reply.id,
            limits=setup.limits,
            policy=setup.policy,
            blocks=reply.blocks,
            usage=reply.usage,
            model=reply.model,
            rounds=reply.rounds,
        )

        scale = _TokenCalibration(setup.on_token_usage, reply.usage)

        async def build(blocks: Sequence[Block], tools: Sequence[ToolSpec]) -> ModelRequest:
            built = await setup.request(history, reply, blocks, tools)
            request = replace(built, account=setup.account)
            scale.add_request(request)
            return follow(request, tools) if follow is not None else request

        self._runner = TurnRunner(
            self._turn,
            ReplySource(
                ModelWithPictures(setup.model, pictures),
                setup.dialect,
                build,
                setup.leaked_call_families,
            ),
            answer_timeout=setup.answer_timeout,
            toolbox=setup.toolbox_after([*history, reply]),
            approver=approver,
            listeners=[*listeners, scale],
            keep_pictures=pictures.store_pictures,
            now=now,
        )

    @property
    def running_message(self) -> Message:
        """Return the message in its present state."""
        return replace(self._reply, blocks=self._turn.blocks, rounds=self._turn.round + 1)

    def stop(self) -> None:
        """Stop the run; its text stays."""
        self._runner.stop()

    async def run(self, keep: int | None = None) -> RunOutcome:
        """Run the turn to its end. Blocks from `keep` on are dropped first."""
        state = await self._runner.run(keep)
        return outcome_of(state, self.running_message, self._turn.usage)


class _TokenCalibration:
    """Compares the estimated tokens of each request with those that its service reports."""

    def __init__(self, learn: Callable[[int, int], None] | None, usage: Usage | None) -> None:
        self._learn = learn
        self._seen = usage.input_tokens if usage is not None else 0
        self._estimated = 0

    def add_request(self, request: ModelRequest) -> None:
        if self._learn is not None:
            self._estimated = request_tokens(request.system, request.messages, request.tools)

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        if isinstance(event, UsageChanged) and self._learn is not None:
            self._learn(self._estimated, event.usage.input_tokens - self._seen)
            self._seen = event.usage.input_tokens


def outcome_of(state: MessageState, message: Message, usage: Usage | None = None) -> RunOutcome:
    """Return the outcome of a message whose run ended in `state`."""
    notices = [one for one in message.blocks if isinstance(one, Notice) and not one.resolved]
    return RunOutcome(
        state,
        message.rounds,
        tuple(
            CompletedCall(one.name, one.arguments, one.status is ToolStatus.SUCCESS)
            for one in message.blocks
            if isinstance(one, ToolUse) and not one.task
        ),
        message.text,
        notices[-1] if notices and state is not MessageState.DONE else None,
        usage,
    )
