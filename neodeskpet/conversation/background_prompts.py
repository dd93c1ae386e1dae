"""Background prompts: requests to a model outside any conversation (a due reminder, a title, a
summary). One runs at a time, and none while a chat runs. `AfterReply` starts one when a reply
has ended.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from neodeskpet.conversation.approvals import DenyAll
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded, TurnAdvanced
from neodeskpet.conversation.ports import PictureStore, TurnListener
from neodeskpet.conversation.turn_run import RunOutcome, TurnRun
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import ConversationInfo, Message, MessageState, Role, Text
from neodeskpet.core.data_labels import DataSource
from neodeskpet.core.errors import KnownError
from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import Progress, Toolbox, ToolOffer, ToolSpec
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended, TurnEnded, TurnEvent
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.redaction import redact

_log = logging.getLogger(__name__)

MAX_ROUNDS = 3
TIMEOUT = 180.0
_MAX_LISTED = 100
_REMINDER_TEXT = (
    "(The app tells you, not the user: this reminder is due now. It is no chat; nobody has just "
    "written to you. Tell the user what it is about, in a line or two and in the language of the "
    "reminder. Don't ask whether you should set a reminder: this is the one they set.)\n"
)
_ACTION_TEXT = (
    "(If it says that you are to do something, do it now, with the tools that you have, and tell "
    "the user the result.)\n"
)


@dataclass(frozen=True, slots=True)
class BackgroundPrompt:
    """`name` is its title in the list, `purpose` selects the model, `system` replaces the persona.
    `tools`: the names of the tools it may call. `rounds` limits the model calls, `timeout` the
    seconds, `max_length` the characters of the answer (0: no limit). `untrusted` are the untrusted
    sources of its text.
    """

    name: str
    text: str
    purpose: Literal["errand", "title", "summary"] = "errand"
    system: str = ""
    tools: frozenset[str] = frozenset()
    rounds: int = MAX_ROUNDS
    timeout: float = TIMEOUT
    max_length: int = 0
    instructions_note: str = ""
    """The subject of its text for the user; "" if the text isn't for the user."""
    untrusted: tuple[DataSource, ...] = ()


def reminder_prompt(
    words: str, tools: frozenset[str] = frozenset(), untrusted: tuple[DataSource, ...] = ()
) -> BackgroundPrompt:
    """Return a background prompt that tells the user that something is due."""
    wrapper = _REMINDER_TEXT + (_ACTION_TEXT if tools and not untrusted else "")
    return BackgroundPrompt(
        "reminder", wrapper + words, tools=tools, instructions_note=words, untrusted=untrusted
    )


@dataclass(frozen=True, slots=True)
class PromptRun:
    """An entry of the list. `started` is in unix seconds; `outcome` is None while it runs, or if it
    could not start or took too long (`failure` says why).
    """

    prompt: BackgroundPrompt
    started: float
    outcome: RunOutcome | None
    failure: str = ""
    id: str = ""
    stage: Literal["waiting", "running", "ended"] = "ended"
    ended: float = 0.0


class BackgroundPrompts:
    """`setups` makes the set-up of a run, None if there is no model; `quiet` returns when no chat
    runs.
    """

    def __init__(
        self,
        setups: Callable[[BackgroundPrompt], TurnSetup | None],
        quiet: Callable[[], Awaitable[None]],
        pictures: PictureStore,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._setups = setups
        self._quiet = quiet
        self._pictures = pictures
        self._now = now
        self._one = asyncio.Lock()
        self._runs: deque[PromptRun] = deque(maxlen=_MAX_LISTED)
        self._open: dict[str, PromptRun] = {}
        self._changed: Observers[[PromptRun]] = Observers()

    @property
    def runs(self) -> Sequence[PromptRun]:
        """Return the last finished runs, newest first."""
        return tuple(reversed(self._runs))

    @property
    def all_runs(self) -> Sequence[PromptRun]:
        """Return the waiting and running ones, then `runs`."""
        return (*self._open.values(), *self.runs)

    def subscribe(self, observer: Callable[[PromptRun], object]) -> Callable[[], None]:
        """Call `observer` with each run that waits, starts or ends. Returns a function that
        unsubscribes.
        """
        return self._changed.subscribe(observer)

    async def run(
        self, prompt: BackgroundPrompt, listeners: Sequence[TurnListener] = ()
    ) -> RunOutcome | None:
        """Run the prompt when its turn comes; `listeners` receive its events. Returns None if there
        is no model or it did not finish. Raises nothing; cancelling it stops the run.
        """
        run = PromptRun(prompt, self._now(), None, id=str(uuid.uuid4()), stage="waiting")
        self._note(run)
        try:
            async with self._one:
                await self._quiet()
                run = replace(run, started=self._now(), stage="running")
                self._note(run)
                run = await self._try(run, listeners)
        finally:
            del self._open[run.id]
            self._changed.notify(run)
        return run.outcome

    def _note(self, run: PromptRun) -> None:
        self._open[run.id] = run
        self._changed.notify(run)

    async def _try(self, run: PromptRun, listeners: Sequence[TurnListener]) -> PromptRun:
        """Run it and return its final entry. A prompt without a model is not listed."""
        prompt, outcome, fault = run.prompt, None, ""
        try:
            outcome = await self._drive(prompt, listeners)
            if outcome is None:
                return replace(run, stage="ended")
            fault = outcome.error.code if outcome.error else ""
        except TimeoutError:
            fault = "TimeoutError"
        except Exception as error:  # noqa: BLE001 - the failure is stored with the run
            if not isinstance(error, KnownError):
                _log.exception("The background prompt %s failed unexpectedly", prompt.name)
            fault = redact(f"{type(error).__name__}: {error}")
        run = replace(run, outcome=outcome, failure=fault, stage="ended", ended=self._now())
        self._keep(run)
        return run

    async def _drive(
        self, prompt: BackgroundPrompt, listeners: Sequence[TurnListener]
    ) -> RunOutcome | None:
        setup = self._setups(prompt)
        if setup is None:
            return None
        now = self._now()
        asked = Message(
            str(uuid.uuid4()),
            Role.USER,
            (Text(0, 0, prompt.text, untrusted=prompt.untrusted),),
            MessageState.DONE,
            created=now,
            ended=now,
        )
        reply = Message(
            str(uuid.uuid4()),
            Role.ASSISTANT,
            (),
            MessageState.RUNNING,
            now,
            model=setup.model.label,
        )
        measure = _LengthLimit(prompt.max_length)
        turn = TurnRun(
            replace(setup, toolbox=_AllowedToolbox(setup.toolbox, prompt.tools)),
            [asked],
            reply,
            approver=DenyAll(),
            pictures=self._pictures,
            listeners=[*listeners, measure],
            now=self._now,
        )
        measure.stop = turn.stop
        async with asyncio.timeout(prompt.timeout):
            return await turn.run()

    def _keep(self, run: PromptRun) -> None:
        if run.failure:
            _log.info("The background prompt %s failed: %s", run.prompt.name, run.failure)
        self._runs.append(run)


class _LengthLimit:
    """Stops a reply that is too long."""

    def __init__(self, longest: int) -> None:
        self.stop: Callable[[], None] = lambda: None
        self._left = longest

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        match event:
            case TextAppended(text=text) | BlockStarted(block=Text(text=text)) if self._left:
                self._left = max(0, self._left - len(text))
                if not self._left:
                    self.stop()
            case _:
                pass


@dataclass(frozen=True, slots=True)
class _AllowedToolbox:
    """The tools of a toolbox that a background prompt may use."""

    toolbox: Toolbox
    names: frozenset[str]

    def offer(self) -> ToolOffer:
        whole = self.toolbox.offer()
        specs = tuple(spec for spec in whole.specs if spec.name in self.names)
        return _AllowedOffer(whole, specs)


@dataclass(frozen=True, slots=True)
class _AllowedOffer:
    """Some tools of an offer; the turn knows no others."""

    offer: ToolOffer
    specs: Sequence[ToolSpec]

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        return await self.offer.run(name, arguments, progress)

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        self.offer.check(name, arguments)

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        return await self.offer.preview(name, arguments)


class AfterReply:
    """A `ChatListener` that starts `work` under this name after a reply ended normally. The work is
    cancelled when the user continues the chat. Its errors are only logged.
    """

    def __init__(
        self, chat: Chat, name: str, work: Callable[[ConversationInfo], Awaitable[None]]
    ) -> None:
        self._chat = chat
        self._name = name
        self._do = work
        self._task: asyncio.Task[None] | None = None
        chat.subscribe(self, MessageAdded, TurnEnded)

    @property
    def busy(self) -> bool:
        return self._task is not None and not self._task.done()

    def on_chat_event(self, event: ChatEvent) -> None:
        match event:
            case MessageAdded(message=message) if message.role is Role.USER:
                self.stop()
            case TurnAdvanced(event=TurnEnded(state=MessageState.DONE)):
                info = self._chat.conversation
                if info is not None:
                    self._task = spawn_task(self._try(info), name=self._name)
            case _:
                pass

    def stop(self) -> None:
        """Stop until the next reply."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _try(self, info: ConversationInfo) -> None:
        try:
            await self._do(info)
        except KnownError as error:
            _log.info("The work named %s was not done after an answer: %s", self._name, error)
