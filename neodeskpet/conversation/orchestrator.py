"""One run of the engine: messages and tools in, driven to a final state, and told as an outcome.

What went before, what the model is told and what it may do are the caller's: `Conversation` (a
chat) and `Errands` are the two that there are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from neodeskpet.conversation.ports import Approver, Listener, PictureStore
from neodeskpet.conversation.runner import Runner
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.conversation.vision import PicturedModel
from neodeskpet.core.blocks import Block, Message, MessageState, Notice, ToolStatus, ToolUse, Usage
from neodeskpet.core.context import request_tokens
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import TurnEvent, UsageChanged

Follow = Callable[[ModelRequest, Sequence[ToolSpec]], ModelRequest]
"""Sees each request that is sent, and may write down what becomes of it."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call of the run. `arguments` is None where they could not be read."""

    name: str
    arguments: Mapping[str, object] | None
    ok: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. `iterations` are the rounds of the message; `text` is what was said, without
    calls; `error` says why it isn't done.
    """

    state: MessageState
    iterations: int
    calls: tuple[Called, ...]
    text: str
    error: Notice | None = None
    usage: Usage | None = None

    @property
    def success(self) -> bool:
        return self.state is MessageState.DONE


class Orchestrator:
    """Answers `history` in the message `reply`, which may have begun. Use once. `listeners` see
    what happens as it does; `account` is the conversation for which models are asked, "" for none.
    """

    def __init__(
        self,
        setup: TurnSetup,
        history: Sequence[Message],
        reply: Message,
        *,
        approver: Approver,
        pictures: PictureStore,
        listeners: Sequence[Listener] = (),
        follow: Follow | None = None,
        account: str = "",
        now: Callable[[], float] = time.time,
    ) -> None:
        self._reply = reply
        self._turn = Turn(
            reply.id,
            limits=setup.limits,
            policy=setup.policy,
            parallel=setup.parallel,
            blocks=reply.blocks,
            usage=reply.usage,
            model=reply.model,
            rounds=reply.rounds,
        )

        scale = _Scale(setup.learn, reply.usage)

        async def build(blocks: Sequence[Block], tools: Sequence[ToolSpec]) -> ModelRequest:
            built = await setup.request(history, reply, blocks, tools)
            request = replace(built, account=account)
            scale.weigh(request)
            return follow(request, tools) if follow is not None else request

        self._runner = Runner(
            self._turn,
            model=PicturedModel(setup.model, pictures),
            dialect=setup.dialect,
            leaks=setup.leaks,
            patience=setup.patience,
            build_request=build,
            toolbox=setup.tools_after([*history, reply]),
            approver=approver,
            listeners=[*listeners, scale],
            keep_pictures=pictures.keep_pictures,
            now=now,
        )

    @property
    def live(self) -> Message:
        """The message as it is at this moment."""
        return replace(self._reply, blocks=self._turn.blocks, rounds=self._turn.round + 1)

    def stop(self) -> None:
        """End the run; what was said stays."""
        self._runner.stop()

    async def run(self, keep: int | None = None) -> Outcome:
        """Drive it to its end; blocks from `keep` on are dropped first."""
        state = await self._runner.run(keep)
        return outcome(state, self.live, self._turn.usage)


class _Scale:
    """Sets what each request was estimated at against what its service reports."""

    def __init__(self, learn: Callable[[int, int], None] | None, usage: Usage | None) -> None:
        self._learn = learn
        self._seen = usage.input_tokens if usage is not None else 0
        self._estimated = 0

    def weigh(self, request: ModelRequest) -> None:
        if self._learn is not None:
            self._estimated = request_tokens(request.system, request.messages, request.tools)

    def see(self, message_id: str, event: TurnEvent) -> None:
        if isinstance(event, UsageChanged) and self._learn is not None:
            self._learn(self._estimated, event.usage.input_tokens - self._seen)
            self._seen = event.usage.input_tokens


def outcome(state: MessageState, message: Message, usage: Usage | None = None) -> Outcome:
    """What a caller reads of a message whose run ended in `state`."""
    notices = [one for one in message.blocks if isinstance(one, Notice) and not one.resolved]
    return Outcome(
        state,
        message.rounds,
        tuple(
            Called(one.name, one.arguments, one.status is ToolStatus.SUCCESS)
            for one in message.blocks
            if isinstance(one, ToolUse) and not one.task
        ),
        message.text,
        notices[-1] if notices and state is not MessageState.DONE else None,
        usage,
    )
