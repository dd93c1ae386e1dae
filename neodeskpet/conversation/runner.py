"""Drives one turn: carries its commands out and posts what comes back.

There is one inbox. The interface, tools and network only post signals; one loop touches the turn.
Each job posts exactly one last signal, whatever happens, else a turn could hang. What the turn
can't take, or what can't be carried out, fails it: a message is never left running.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from neodeskpet.conversation.ports import (
    Approver,
    Decision,
    Listener,
    Question,
)
from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.blocks import Block, MessageState, ToolStatus
from neodeskpet.core.dialects import CueReader, Dialect, Reader
from neodeskpet.core.dialects.leaked import LeakReader, quotable
from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.core.dialects.leaked.source import Family
from neodeskpet.core.dialects.wrapper import WrapperReader
from neodeskpet.core.errors import (
    KnownError,
    MemoryMissed,
    QuestionUnshown,
    StreamBroken,
    ToolBroke,
    ToolCancelled,
    ToolDenied,
    ToolFault,
    ToolUnanswered,
    UnexpectedError,
)
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.picture import Picture
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Offer, Toolbox, ToolSpec
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    CallModel,
    CallPreviewed,
    Cancelled,
    Command,
    ContextRead,
    EndTurn,
    MemoryKnown,
    ModelFailed,
    RunTool,
    Signal,
    ToolFinished,
    ToolProgressed,
    ToolsOffered,
)
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import TurnEnded, TurnEvent
from neodeskpet.core.wire import (
    PictureMissed,
    PictureReceived,
    ResponseFinished,
    Stop,
    TextDelta,
    ThinkingDelta,
    WireEvent,
    pieces_of,
)
from neodeskpet.core.wording import N_
from neodeskpet.llm.fitting import fit_picture
from neodeskpet.observers import Observers
from neodeskpet.redaction import redact
from neodeskpet.tools.origin import Origin, acting_for

_log = logging.getLogger(__name__)

BuildRequest = Callable[[Sequence[Block], Sequence[ToolSpec]], Awaitable[ModelRequest]]
"""The request for the next round, given the blocks of the message so far and the tools on offer."""

KeepPictures = Callable[[Sequence[Picture]], Awaitable[None]]
"""Stores the pictures of a reply or of a tool's result. Raises StoreError."""

_Job = Callable[[], Coroutine[Any, Any, Signal]]

_BURST = 64
"""After that many signals, what follows from them, or deltas the loop is given to others,"""
_BURST_SECONDS = 0.005
"""and after that time: of many calls each signal costs more, and may be shown at once."""

_PAUSE_SECONDS = 0.1
"""How often is looked whether the model pauses; then no words are held back any longer."""

_ABORT_SECONDS = 0.15
"""How long the end of a turn waits for its aborted jobs; one that is stuck is left behind."""


class Runner:
    """Runs one `Turn` to its end. Use once. `leaks`: the forms of calls that are read where they
    leak into the text. A
    question that nobody answers for `patience` seconds is a no.
    """

    def __init__(
        self,
        turn: Turn,
        *,
        model: Model,
        dialect: Dialect,
        build_request: BuildRequest,
        toolbox: Toolbox,
        approver: Approver,
        listeners: Sequence[Listener],
        keep_pictures: KeepPictures | None = None,
        leaks: Sequence[Family] = FAMILIES,
        patience: float | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._turn = turn
        self._model = model
        self._dialect = dialect
        self._build_request = build_request
        self._toolbox = toolbox
        self._offer: Offer | None = None  # of the round that runs
        self._approver = approver
        self._leaks = leaks
        self._patience = patience
        self._listeners = Observers(*(listener.see for listener in listeners))
        self._keep_pictures = keep_pictures or _forget
        self._now = now
        self._inbox: asyncio.Queue[Signal] = asyncio.Queue()
        self._jobs: set[asyncio.Future[Any]] = set()
        self._stopped = False
        self._done, self._since = 0, time.perf_counter()  # since others had the loop
        self._reader: Reader | None = None  # of the reply that comes in
        self._taken = 0  # events of the model
        self._last_words: list[WireEvent] = []  # what was held back when Stop was pressed

    async def run(self, keep: int | None = None) -> MessageState:
        """Drive the turn; `keep` as in `Begun`. Cancelling this leaves the message as it is on
        disk (the app quits); the next start offers to continue.
        """
        state: MessageState | None = None
        self.post(Begun(keep))
        try:
            while state is None:
                waits = self._inbox.empty()
                signal = await self._inbox.get()
                if waits:
                    self._since = time.perf_counter()
                if self._stopped and isinstance(signal, WireEvent):
                    signal = Cancelled()  # it doesn't queue behind what a fast model has sent
                    self._last_words = []
                state = await self._take(self._hear(signal))
                await self._give_way()
        except asyncio.CancelledError:
            if self._inbox.empty():
                for event in self._let_go():
                    for output in self._receive(event):
                        self._try_out(output)
            raise
        finally:
            await self._abort_jobs()
        return state

    async def _take(self, outputs: Sequence[Command | TurnEvent]) -> MessageState | None:
        """The state of the message, if that ends the turn."""
        state: MessageState | None = None
        # A question is shown and then asked: an answer in between would be lost.
        asks = any(isinstance(output, AskApproval) for output in outputs)
        for output in outputs:
            if isinstance(output, EndTurn):
                state = output.state
            self._try_out(output)
            if not asks:
                await self._give_way()
        return state

    async def _give_way(self) -> None:
        """To others, when it is time: one signal alone may end hundreds of calls."""
        self._done += 1
        if self._done % _BURST == 0 or time.perf_counter() - self._since > _BURST_SECONDS:
            await asyncio.sleep(0)
            self._since = time.perf_counter()

    def stop(self) -> None:
        """The person pressed Stop."""
        self._stopped = True
        self.post(Cancelled())
        self._last_words += self._let_go()

    def post(self, signal: Signal) -> None:
        self._inbox.put_nowait(signal)

    def _hear(self, signal: Signal) -> list[Command | TurnEvent]:
        heard: list[Signal] = [signal]
        if isinstance(signal, Cancelled):
            heard = [*self._last_words, signal]
            self._last_words = []
        return [output for one in heard for output in self._receive(one)]

    def _receive(self, signal: Signal) -> list[Command | TurnEvent]:
        """What the turn makes of `signal`. A decoder that breaks the order of its events (or a bug
        of ours) fails the message, which would otherwise be left running for ever.
        """
        try:
            return self._turn.receive(signal, self._now())
        except Exception as error:  # noqa: BLE001 - see above; it is in the log
            _log.exception("The turn could not take %s", type(signal).__name__)
            return self._fail(error)

    def _fail(self, error: Exception) -> list[Command | TurnEvent]:
        """The end of the turn after a bug; whatever the turn itself still makes of it."""
        outputs: list[Command | TurnEvent] = []
        try:
            outputs = self._turn.receive(_model_failure(error), self._now())
        except Exception:  # noqa: BLE001 - a bug of the turn itself; it is in the log
            _log.exception("The turn could not even fail")
        if not any(isinstance(output, EndTurn) for output in outputs):
            end = MessageState.FAILED
            outputs += [EndTurn(end), TurnEnded(end, self._now())]
        return outputs

    def _try_out(self, output: Command | TurnEvent) -> None:
        try:
            self._carry_out(output)
        except Exception as error:  # noqa: BLE001 - a job that can't begin has no last signal
            _log.exception("%s could not be carried out", type(output).__name__)
            self.post(_model_failure(error))

    def _carry_out(self, output: Command | TurnEvent) -> None:
        match output:
            case CallModel(round=number):
                offer = self._offer = self._toolbox.offer()
                self.post(ToolsOffered(offer.specs))
                job = partial(self._call_model, offer.specs)
                self._start(f"model round {number}", job, _model_failure)
            case RunTool(index=index, name=name):
                job = partial(self._run_tool, self._offer, output)
                self._start(f"tool {name}", job, partial(tool_failure, index))
            case AskApproval(index=index, name=name):
                answer = self._ask(self._offer, output)
                job = partial(self._await_answer, index, answer)
                self._start(f"approval {name}", job, partial(_approval_failure, index))
            case EndTurn():
                pass
            case _:
                self._listeners.tell(self._turn.message_id, output)

    def _start(self, name: str, job: _Job, fail: Callable[[BaseException], Signal]) -> None:
        self._watch(spawn(self._complete(name, job, fail), name=name))

    def _watch(self, job: asyncio.Future[Any]) -> None:
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)

    async def _complete(
        self, name: str, job: _Job, fail: Callable[[BaseException], Signal]
    ) -> None:
        """Post the job's one last signal, whatever happens."""
        try:
            last = await job()
        except asyncio.CancelledError:
            if _is_aborted():
                raise  # the turn has ended, or the app quits
            last = fail(UnexpectedError(reason=N_("It was cancelled from within.")))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the one place; else the turn would hang
            if not isinstance(error, KnownError):
                _log.exception("Job %s failed unexpectedly", name)
            last = fail(error)
        self.post(last)

    async def _abort_jobs(self) -> None:
        jobs = list(self._jobs)
        for job in jobs:
            job.cancel()
        if jobs:
            await asyncio.wait(jobs, timeout=_ABORT_SECONDS)

    # The jobs: each returns its last signal.

    async def _call_model(self, tools: Sequence[ToolSpec]) -> Signal:
        request = await self._build_request(self._turn.blocks, tools)
        missed = [MemoryMissed(one.words) for one in request.remarks if one.of_memory]
        self.post(MemoryKnown(missed[0] if missed else None))
        self.post(ContextRead(request.reading))
        reader = self._reader = self._new_reader(request, tools)
        pauses = spawn(self._end_pauses(reader), name="pauses of the model")
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    for piece in pieces_of(event):
                        for read in reader.read(piece):
                            if isinstance(read, ResponseFinished):
                                return read
                            if isinstance(read, PictureReceived):
                                read = await self._keep_picture(read)
                            self.post(read)
                        self._taken += 1
                        if piece is not event or self._taken % _BURST == 0:
                            await asyncio.sleep(0)
            raise StreamBroken(reason=N_("The connection ended before the reply was complete."))
        except Exception:
            for read in self._let_go():
                self.post(read)
            raise
        finally:
            pauses.cancel()
            self._reader = None

    async def _keep_picture(self, made: PictureReceived) -> WireEvent:
        """Store a picture that the model made, within the limits of pictures, before the message
        names it. If that fails the message says so.
        """
        try:
            picture = await asyncio.to_thread(fit_picture, made.data)
            await self._keep_pictures((picture,))
        except KnownError as error:
            return PictureMissed(error)
        return PictureReceived(made.index, picture.data, picture.media_type)

    def _let_go(self) -> list[WireEvent]:
        """What was held back of the reply that comes in; what it may have called is not run."""
        reader, self._reader = self._reader, None
        if reader is None:
            return []
        rest = reader.read(ResponseFinished(Stop.OTHER))
        return [read for read in rest if isinstance(read, TextDelta | ThinkingDelta)]

    async def _end_pauses(self, reader: Reader) -> None:
        """Words that the reader holds back don't wait for a slow model, or one that hangs."""
        seen = self._taken
        while reader is self._reader:
            await asyncio.sleep(_PAUSE_SECONDS)
            silent, seen = seen == self._taken, self._taken
            if silent and reader is self._reader:
                for read in reader.pause():
                    self.post(read)

    def _new_reader(self, request: ModelRequest, tools: Sequence[ToolSpec]) -> Reader:
        reader = self._dialect.reader(tools)
        if self._leaks:
            reader = LeakReader(reader, tools, quotable(request.messages), self._leaks)
        return CueReader(WrapperReader(reader))

    async def _run_tool(self, offer: Offer | None, command: RunTool) -> Signal:
        assert offer is not None, "a call comes in a round, and a round begins with an offer"
        loop = asyncio.get_running_loop()
        index = command.index

        def report(fraction: float | None, text: str) -> None:
            loop.call_soon_threadsafe(self.post, ToolProgressed(index, fraction, text))

        with acting_for(Origin(command.labels, command.approved)):
            result = await offer.run(command.name, command.arguments, report)
        if result.images:
            await self._keep_pictures(result.images)
        status = ToolStatus.ERROR if result.failed else ToolStatus.SUCCESS
        return ToolFinished(index, status, result)

    def _ask(self, offer: Offer | None, command: AskApproval) -> asyncio.Future[Decision]:
        """Ask at once, not when a task comes round: the card can be answered as soon as it asks."""
        assert offer is not None, "a call comes in a round, and a round begins with an offer"
        answer: asyncio.Future[Decision]
        index, name, arguments = command.index, command.name, command.arguments
        try:
            spec = next(spec for spec in offer.specs if spec.name == name)
            check = partial(offer.check, name)
            question = Question(self._turn.message_id, index, spec, arguments, check, command.flow)
            answer = asyncio.ensure_future(  # noqa: TID251 - the job that awaits it hears of it
                self._approver.ask(question)
            )
        except Exception as error:  # noqa: BLE001 - as if it failed a moment later: it is a no
            answer = asyncio.get_running_loop().create_future()
            answer.set_exception(error)
        self._watch(answer)
        self._watch(spawn(self._preview(offer, index, name, arguments), name=f"preview {name}"))
        return answer

    async def _preview(
        self, offer: Offer, index: int, name: str, arguments: Mapping[str, object]
    ) -> None:
        shown = await offer.preview(name, arguments)
        if shown is not None:
            self.post(CallPreviewed(index, shown))

    async def _await_answer(self, index: int, answer: asyncio.Future[Decision]) -> Signal:
        try:
            async with asyncio.timeout(self._patience):
                said = await answer
        except TimeoutError:
            said = Decision(False, unanswered=ToolUnanswered(advice=_UNANSWERED_ADVICE))
        return ApprovalGiven(index, said.allowed, said.reason, said.arguments, said.unanswered)


_UNANSWERED_ADVICE = "The person may be away. Go on without it, and say what you wanted to do."


async def _forget(pictures: Sequence[Picture]) -> None:
    """Where nothing is stored."""


def _is_aborted() -> bool:
    """Whether somebody cancelled the present task: a tool may raise CancelledError by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _model_failure(error: BaseException) -> Signal:
    if isinstance(error, KnownError):
        return ModelFailed(error)
    return ModelFailed(UnexpectedError(_reason(error)))


def tool_failure(index: int, error: BaseException) -> ToolFinished:
    """The last signal of a call that raised `error`."""
    match error:
        case ToolDenied():
            return _failed(index, ToolStatus.DENIED, error)
        case ToolCancelled():
            return _failed(index, ToolStatus.CANCELLED, error)
        case KnownError():
            return _failed(index, ToolStatus.ERROR, error)
        case _:
            return _failed(index, ToolStatus.ERROR, ToolBroke(_reason(error)))


def _failed(index: int, status: ToolStatus, error: KnownError) -> ToolFinished:
    return ToolFinished(index, status, ToolResult(str(error)), ToolFault.of(error))


def _approval_failure(index: int, error: BaseException) -> Signal:
    return ApprovalGiven(index, False, unanswered=QuestionUnshown(_reason(error)))


def _reason(error: BaseException) -> str:
    """The error in words, even one that can't say what it is."""
    try:
        return redact(f"{type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - a foreign class may fail at anything
        return type(error).__name__
