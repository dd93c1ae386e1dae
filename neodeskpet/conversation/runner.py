"""Runs one turn: executes its commands and posts the results as signals.

There is one inbox. Interface, tools and network only post signals; one loop touches the turn. Each
job posts exactly one final signal, whatever happens, otherwise a turn could hang. A signal that the
turn can't process, or a command that can't be executed, fails the turn: a message is never left
running.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

from neodeskpet.conversation.ports import (
    ApprovalQuestion,
    Approver,
    Decision,
    TurnListener,
)
from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import Block, MessageState, ToolStatus
from neodeskpet.core.dialects import CueReader, Dialect, ReplyReader
from neodeskpet.core.dialects.leaked import LeakReader, quotable
from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.core.dialects.leaked.source import Family
from neodeskpet.core.dialects.reply_filters import UserMarkReader
from neodeskpet.core.errors import (
    ApprovalNotShown,
    ApprovalUnanswered,
    KnownError,
    RepliedWithoutMemory,
    StreamBroken,
    ToolCancelled,
    ToolCrashed,
    ToolError,
    ToolFault,
    UnexpectedError,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import Toolbox, ToolOffer, ToolSpec
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
    MemoryReported,
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
    DescriptionFailed,
    PictureReceived,
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    WireEvent,
    pieces_of,
)
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.redaction import redact
from neodeskpet.storage.image_resize import fit_picture
from neodeskpet.toolkit.executor import CallOrigin, acting_for

_log = logging.getLogger(__name__)

RequestBuilder = Callable[[Sequence[Block], Sequence[ToolSpec]], Awaitable[ModelRequest]]
"""Builds the request for the next round from the blocks of the message so far and the available
tools.
"""

StorePictures = Callable[[Sequence[Picture]], Awaitable[None]]
"""Stores the pictures of a reply or of a tool's result. Raises StoreError."""

_Job = Callable[[], Coroutine[Any, Any, Signal]]

_MAX_SIGNALS = 64
"""The loop yields to other tasks after this many signals, outputs or deltas,"""
_MAX_BUSY_SECONDS = 0.005
"""and after this time, because with many calls each signal costs more."""

_YIELD_SECONDS = 0.1
"""Seconds between checks whether the model pauses; held-back text is then released."""

_ABORT_TIMEOUT = 0.15
"""Seconds that the end of a turn waits for aborted jobs; a stuck job is abandoned."""


@dataclass(frozen=True, slots=True)
class ReplySource:
    """The source of the turn's replies and how they are read. `leaked_call_families`: the forms of
    tool calls that are recognised in the text.
    """

    model: Model
    dialect: Dialect
    build_request: RequestBuilder
    leaked_call_families: Sequence[Family] = FAMILIES


class TurnRunner:
    """Runs one `Turn` to its end. Use it once. A question without an answer for `answer_timeout`
    seconds counts as refused.
    """

    def __init__(
        self,
        turn: Turn,
        source: ReplySource,
        *,
        toolbox: Toolbox,
        approver: Approver,
        listeners: Sequence[TurnListener],
        keep_pictures: StorePictures | None = None,
        answer_timeout: float | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._turn = turn
        self._source = source
        self._toolbox = toolbox
        self._offer: ToolOffer | None = None  # of the round that runs
        self._approver = approver
        self._answer_timeout = answer_timeout
        self._listeners = Observers(*(listener.on_turn_event for listener in listeners))
        self._keep_pictures = keep_pictures or _discard_pictures
        self._now = now
        self._inbox: asyncio.Queue[Signal] = asyncio.Queue()
        self._jobs: set[asyncio.Future[Any]] = set()
        self._stopped = False
        self._done, self._since = 0, time.perf_counter()  # since others had the loop
        self._reader: ReplyReader | None = None  # of the reply that comes in
        self._taken = 0  # events of the model
        self._last_words: list[WireEvent] = []  # what was held back when Stop was pressed

    async def run(self, keep: int | None = None) -> MessageState:
        """Run the turn; `keep` as in `Begun`. Cancelling this leaves the message on disk as it is
        (the app quits); the next start offers to continue.
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
                state = await self._execute_outputs(self._receive_with_rest(signal))
                await self._yield_if_busy()
        except asyncio.CancelledError:
            if self._inbox.empty():
                for event in self._flush_reader():
                    for output in self._receive(event):
                        self._execute_safely(output)
            raise
        finally:
            await self._abort_jobs()
        return state

    async def _execute_outputs(self, outputs: Sequence[Command | TurnEvent]) -> MessageState | None:
        """Execute the outputs. Returns the state of the message if the turn has ended."""
        state: MessageState | None = None
        # A question is opened before it is shown, otherwise an early answer would be lost.
        asks = any(isinstance(output, AskApproval) for output in outputs)
        for output in outputs:
            if isinstance(output, EndTurn):
                state = output.state
            self._execute_safely(output)
            if not asks:
                await self._yield_if_busy()
        return state

    async def _yield_if_busy(self) -> None:
        """Yield to other tasks if it is time: a single signal may end hundreds of calls."""
        self._done += 1
        if self._done % _MAX_SIGNALS == 0 or time.perf_counter() - self._since > _MAX_BUSY_SECONDS:
            await asyncio.sleep(0)
            self._since = time.perf_counter()

    def stop(self) -> None:
        """Stop the turn: the user pressed Stop."""
        self._stopped = True
        self.post(Cancelled())
        self._last_words += self._flush_reader()

    def post(self, signal: Signal) -> None:
        self._inbox.put_nowait(signal)

    def _receive_with_rest(self, signal: Signal) -> list[Command | TurnEvent]:
        heard: list[Signal] = [signal]
        if isinstance(signal, Cancelled):
            heard = [*self._last_words, signal]
            self._last_words = []
        return [output for one in heard for output in self._receive(one)]

    def _receive(self, signal: Signal) -> list[Command | TurnEvent]:
        """Pass `signal` to the turn and return its outputs. A decoder that breaks the order of
        events (or another bug) fails the message, which would otherwise stay running for ever.
        """
        try:
            return self._turn.receive(signal, self._now())
        except Exception as error:  # noqa: BLE001 - see above; it is in the log
            _log.exception("The turn could not take %s", type(signal).__name__)
            return self._fail(error)

    def _fail(self, error: Exception) -> list[Command | TurnEvent]:
        """End the turn after a bug and return its outputs."""
        outputs: list[Command | TurnEvent] = []
        try:
            outputs = self._turn.receive(_model_failure(error), self._now())
        except Exception:  # noqa: BLE001 - a bug of the turn itself; it is in the log
            _log.exception("The turn could not even fail")
        if not any(isinstance(output, EndTurn) for output in outputs):
            end = MessageState.FAILED
            outputs += [EndTurn(end), TurnEnded(end, self._now())]
        return outputs

    def _execute_safely(self, output: Command | TurnEvent) -> None:
        try:
            self._execute(output)
        except Exception as error:  # noqa: BLE001 - a job that can't begin has no last signal
            _log.exception("%s could not be carried out", type(output).__name__)
            self.post(_model_failure(error))

    def _execute(self, output: Command | TurnEvent) -> None:
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
                self._listeners.notify(self._turn.message_id, output)

    def _start(self, name: str, job: _Job, fail: Callable[[BaseException], Signal]) -> None:
        self._track_job(spawn_task(self._complete(name, job, fail), name=name))

    def _track_job(self, job: asyncio.Future[Any]) -> None:
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)

    async def _complete(
        self, name: str, job: _Job, fail: Callable[[BaseException], Signal]
    ) -> None:
        """Post the final signal of a job, whatever happens."""
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
            await asyncio.wait(jobs, timeout=_ABORT_TIMEOUT)

    # The jobs: each returns its last signal.

    async def _call_model(self, tools: Sequence[ToolSpec]) -> Signal:
        request = await self._source.build_request(self._turn.blocks, tools)
        missed = [RepliedWithoutMemory(one.words) for one in request.remarks if one.of_memory]
        self.post(MemoryReported(missed[0] if missed else None))
        self.post(ContextRead(request.reading))
        reader = self._reader = self._new_reader(request, tools)
        pauses = spawn_task(self._release_held_text(reader), name="pauses of the model")
        try:
            async with aclosing(self._source.model.stream(request)) as events:
                async for event in events:
                    for piece in pieces_of(event):
                        for read in reader.read(piece):
                            if isinstance(read, ResponseFinished):
                                return read
                            if isinstance(read, PictureReceived):
                                read = await self._keep_picture(read)
                            self.post(read)
                        self._taken += 1
                        if piece is not event or self._taken % _MAX_SIGNALS == 0:
                            await asyncio.sleep(0)
            raise StreamBroken(reason=N_("The connection ended before the reply was complete."))
        except Exception:
            for read in self._flush_reader():
                self.post(read)
            raise
        finally:
            pauses.cancel()
            self._reader = None

    async def _keep_picture(self, made: PictureReceived) -> WireEvent:
        """Store a picture from the model, within the limits, before the message refers to it. A
        failure is reported in the message.
        """
        try:
            picture = await asyncio.to_thread(fit_picture, made.data)
            await self._keep_pictures((picture,))
        except KnownError as error:
            return DescriptionFailed(error)
        return PictureReceived(made.index, picture.data, picture.media_type)

    def _flush_reader(self) -> list[WireEvent]:
        """Return the held-back text of the present reply; tool calls in it are not run."""
        reader, self._reader = self._reader, None
        if reader is None:
            return []
        rest = reader.read(ResponseFinished(StopReason.OTHER))
        return [read for read in rest if isinstance(read, TextDelta | ThinkingDelta)]

    async def _release_held_text(self, reader: ReplyReader) -> None:
        """Release held-back text when the model is slow or hangs."""
        seen = self._taken
        while reader is self._reader:
            await asyncio.sleep(_YIELD_SECONDS)
            silent, seen = seen == self._taken, self._taken
            if silent and reader is self._reader:
                for read in reader.pause():
                    self.post(read)

    def _new_reader(self, request: ModelRequest, tools: Sequence[ToolSpec]) -> ReplyReader:
        reader = self._source.dialect.reader(tools)
        families = self._source.leaked_call_families
        if families:
            reader = LeakReader(reader, tools, quotable(request.messages), families)
        return CueReader(UserMarkReader(reader))

    async def _run_tool(self, offer: ToolOffer | None, command: RunTool) -> Signal:
        assert offer is not None, "a call comes in a round, and a round begins with an offer"
        loop = asyncio.get_running_loop()
        index = command.index

        def report(fraction: float | None, text: str) -> None:
            loop.call_soon_threadsafe(self.post, ToolProgressed(index, fraction, text))

        with acting_for(CallOrigin(command.labels, command.approved)):
            result = await offer.run(command.name, command.arguments, report)
        if result.images:
            await self._keep_pictures(result.images)
        status = ToolStatus.ERROR if result.failed else ToolStatus.SUCCESS
        return ToolFinished(index, status, result)

    def _ask(self, offer: ToolOffer | None, command: AskApproval) -> asyncio.Future[Decision]:
        """Open the question at once instead of on a task, so that the card can be answered as soon
        as it is shown.
        """
        assert offer is not None, "a call comes in a round, and a round begins with an offer"
        answer: asyncio.Future[Decision]
        index, name, arguments = command.index, command.name, command.arguments
        try:
            spec = next(spec for spec in offer.specs if spec.name == name)
            question = ApprovalQuestion(
                self._turn.message_id,
                index,
                spec,
                arguments,
                check=partial(offer.check, name),
                preview=partial(offer.preview, name, arguments),
                flow=command.flow,
            )
            answer = asyncio.ensure_future(  # noqa: TID251 - the job that awaits it hears of it
                self._approver.ask(question)
            )
        except Exception as error:  # noqa: BLE001 - as if it failed a moment later: it is a no
            answer = asyncio.get_running_loop().create_future()
            answer.set_exception(error)
        self._track_job(answer)
        self._track_job(
            spawn_task(self._preview(offer, index, name, arguments), name=f"preview {name}")
        )
        return answer

    async def _preview(
        self, offer: ToolOffer, index: int, name: str, arguments: Mapping[str, object]
    ) -> None:
        preview = await offer.preview(name, arguments)
        if preview != CallPreview():
            self.post(CallPreviewed(index, preview))

    async def _await_answer(self, index: int, answer: asyncio.Future[Decision]) -> Signal:
        try:
            async with asyncio.timeout(self._answer_timeout):
                said = await answer
        except TimeoutError:
            said = Decision(False, no_answer=ApprovalUnanswered(advice=_UNANSWERED_ADVICE))
        return ApprovalGiven(index, said.allowed, said.reason, said.arguments, said.no_answer)


_UNANSWERED_ADVICE = "The user may be away. Go on without it, and say what you wanted to do."


async def _discard_pictures(pictures: Sequence[Picture]) -> None:
    """Discard the pictures."""


def _is_aborted() -> bool:
    """Return whether the present task was cancelled: a tool may raise CancelledError by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _model_failure(error: BaseException) -> Signal:
    if isinstance(error, KnownError):
        return ModelFailed(error)
    return ModelFailed(UnexpectedError(_error_text(error)))


def tool_failure(index: int, error: BaseException) -> ToolFinished:
    """Return the final signal of a call that raised `error`."""
    match error:
        case ToolError(refusal=True):
            return _failed_signal(index, ToolStatus.DENIED, error)
        case ToolCancelled():
            return _failed_signal(index, ToolStatus.CANCELLED, error)
        case KnownError():
            return _failed_signal(index, ToolStatus.ERROR, error)
        case _:
            return _failed_signal(index, ToolStatus.ERROR, ToolCrashed(_error_text(error)))


def _failed_signal(index: int, status: ToolStatus, error: KnownError) -> ToolFinished:
    return ToolFinished(index, status, ToolResult(str(error)), ToolFault.of(error))


def _approval_failure(index: int, error: BaseException) -> Signal:
    return ApprovalGiven(index, False, unanswered=ApprovalNotShown(_error_text(error)))


def _error_text(error: BaseException) -> str:
    """Return the text of an error, even if its `str` fails."""
    try:
        return redact(f"{type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - a foreign class may fail at anything
        return type(error).__name__
