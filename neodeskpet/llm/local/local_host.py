"""Runs local models: one process per file, started at its first use and stopped when idle. Also
offers a model file as a `Model`. A process stays in `_runs` from its start until its end was
reported; all changes are made here, on one event loop.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from neodeskpet.core.errors import LlmError, StreamBroken, Unreachable
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.wire import LoadingAnnounced, WireEvent
from neodeskpet.llm.http_client import HttpModel
from neodeskpet.llm.local.llama_server import EXTRA
from neodeskpet.llm.local.local_errors import (
    CrashedTooOften,
    ExtraMissing,
    LoadFailed,
    LocalModelCrashed,
    LocalModelStopped,
    NoFreePort,
    OutOfMemory,
)
from neodeskpet.llm.local.model_file import (
    ModelFile,
    check_model_file,
    file_of,
    is_model_file,
    model_name,
)
from neodeskpet.llm.local.server_process import (
    ModelTuning,
    ServerEnded,
    ServerEvent,
    ServerFailed,
    ServerLaunch,
    ServerProcess,
    ServerReady,
    StartServer,
    start_process,
)
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.process_memory import process_memory

MOST_CRASHES = 3
"""After this many consecutive crashes only the user can start the process."""

IDLE_SECONDS = 600.0
LOADING_SECONDS = 600.0
"""Seconds after which a loading model counts as stuck."""

_log = logging.getLogger(__name__)


Check = Callable[[Path], Awaitable[ModelFile]]
"""Checks a file before it is loaded. Raises LlmError."""


async def check_on_thread(file: Path) -> ModelFile:
    """Run `check_model_file` on a thread."""
    return await asyncio.to_thread(check_model_file, file)


def extra_installed() -> bool:
    """Return whether the package for local models is installed."""
    return importlib.util.find_spec("xllamacpp") is not None


class ServerPhase(StrEnum):
    STOPPED = "stopped"
    LOADING = "loading"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The state of a model file. `error` is the reason why it doesn't run although it was
    started.
    """

    phase: ServerPhase = ServerPhase.STOPPED
    pid: int = 0
    error: LlmError | None = None


@dataclass(eq=False, slots=True)
class _Run:
    """One process and its users."""

    launch: ServerLaunch
    process: ServerProcess | None = None
    ready: ServerReady | None = None
    failure: LlmError | None = None
    wanted: bool = True
    users: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    reported: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.TimerHandle | None = None


class ModelLease:
    """The right to use a model. Its process stays alive while any lease exists."""

    def __init__(self, run: _Run, ready: ServerReady) -> None:
        self._run = run
        self.ready = ready

    def place(self, options: ModelOptions) -> ModelOptions:
        """Return `options` with the present address and key, and the reply limit of the server
        (some protocols require one).
        """
        longest = self._run.launch.tuning.reply
        most = min(options.max_tokens or longest, longest)
        return replace(options, base_url=self.ready.url, key=self.ready.key, max_tokens=most)

    async def failure(self, timeout: float = 1.0) -> LlmError | None:
        """Return why the process ended; None if it still runs. Waits `timeout` seconds, because a
        connection breaks shortly before the end of its process is reported.
        """
        try:
            async with asyncio.timeout(timeout):
                await self._run.ended.wait()
        except TimeoutError:
            return None
        return self._run.failure


class LocalHost:
    """The host, one per app. Relative paths start in `folder`. `tuning` is read at each start,
    `idle` (seconds) at each end of a use.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tuning: Callable[[], ModelTuning] = ModelTuning,
        idle: Callable[[], float] = lambda: IDLE_SECONDS,
        start: StartServer = start_process,
        check: Check = check_on_thread,
        installed: Callable[[], bool] = extra_installed,
    ) -> None:
        self.folder = folder
        self._tuning = tuning
        self._idle = idle
        self._start = start
        self._check = check
        self._installed = installed
        self._runs: dict[Path, _Run] = {}
        self._crashes: dict[Path, int] = {}
        self._errors: dict[Path, LlmError] = {}
        self._observers: Observers[[]] = Observers()
        self._closed = False

    # State

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever a state changes. Returns a function that unsubscribes."""
        return self._observers.subscribe(observer)

    def condition(self, base_url: str) -> ServerStatus:
        file = file_of(base_url, self.folder)
        run = self._runs.get(file)
        if run is None or run.process is None:
            return ServerStatus(error=self._errors.get(file))
        phase = ServerPhase.READY if run.ready else ServerPhase.LOADING
        return ServerStatus(phase, run.process.pid)

    async def memory(self, base_url: str) -> int | None:
        """Return the bytes of memory of the model's process, None if it doesn't run."""
        pid = self.condition(base_url).pid
        return await asyncio.to_thread(process_memory, pid) if pid else None

    # Use

    @asynccontextmanager
    async def lease(self, base_url: str) -> AsyncIterator[ModelLease]:
        """Lease the model of this address, loading it if necessary. Raises LlmError. If the caller
        is cancelled, loading continues; the model is then idle.
        """
        file = file_of(base_url, self.folder)
        run = await self._running(file)
        run.users += 1
        self._rest(run)
        try:
            ready = await self._loaded(run)
            yield ModelLease(run, ready)
            self._crashes.pop(file, None)
        finally:
            run.users -= 1
            self._rest(run)

    @asynccontextmanager
    async def place(self, options: ModelOptions) -> AsyncIterator[ModelOptions]:
        """Yield `options` as `ModelLease.place` returns them for a model file; others unchanged."""
        if not is_model_file(options.base_url):
            yield options
            return
        async with self.lease(options.base_url) as lease:
            yield lease.place(options)

    async def start(self, base_url: str) -> None:
        """Load the model now and reset its crash count. Raises LlmError."""
        self._crashes.pop(file_of(base_url, self.folder), None)
        async with self.lease(base_url):
            pass

    async def stop(self, base_url: str) -> None:
        """Stop the process even if it is in use. Returns when it has ended."""
        run = self._runs.get(file_of(base_url, self.folder))
        if run is not None:
            await self._end(run)

    async def aclose(self) -> None:
        """Stop all processes."""
        self._closed = True
        for run in list(self._runs.values()):
            await self._end(run)

    # Starting

    async def _running(self, file: Path) -> _Run:
        """Return the run of this file. Start one if there is none, or if the present one has other
        tuning and is unused.
        """
        name, tuning = model_name(file), self._tuning()
        run = self._runs.get(file)
        if run is not None and not run.users and run.launch.tuning != tuning:
            await self._end(run)
            run = None
        if run is not None and run.wanted:
            return run
        if self._crashes.get(file, 0) >= MOST_CRASHES:
            raise CrashedTooOften(file=name, count=str(MOST_CRASHES))
        await self._look_at(file)
        known = self._runs.get(file)
        if known is not None and not known.wanted:
            await known.ended.wait()
            known = self._runs.get(file)
        return known or self._begin(ServerLaunch(file, name, tuning))

    async def _look_at(self, file: Path) -> None:
        """Check whether the file can be run. Raises LlmError."""
        try:
            if not self._installed():
                raise ExtraMissing
            await self._check(file)
        except LlmError as error:
            self._keep(file, error)
            raise

    def _begin(self, launch: ServerLaunch) -> _Run:
        """Start the process, and stop all unused ones to free memory."""
        if self._closed:
            raise LocalModelStopped
        run = self._runs[launch.file] = _Run(launch)
        for other in self._runs.values():
            self._dismiss(other)
        try:
            run.process = self._start(launch, lambda news: self._hear(run, news))
        except OSError as error:
            self._fail(run, LoadFailed(str(error), file=launch.name))
        else:
            self._errors.pop(launch.file, None)
            self._observers.notify()
        return run

    async def _loaded(self, run: _Run) -> ServerReady:
        try:
            async with asyncio.timeout(LOADING_SECONDS):
                await run.reported.wait()
        except TimeoutError:
            self._fail(run, LoadFailed(file=run.launch.name))
            await self._end(run)
        if run.ready is None or run.failure is not None:
            raise run.failure or LocalModelStopped()
        return run.ready

    # Process events

    def _hear(self, run: _Run, news: ServerEvent) -> None:
        match news:
            case ServerReady():
                run.ready = news
                run.reported.set()
                self._rest(run)
            case ServerFailed(kind=kind, reason=reason):
                missing = kind == EXTRA
                run.failure = (
                    ExtraMissing(reason) if missing else LoadFailed(reason, file=run.launch.name)
                )
            case ServerEnded():
                self._bury(run, news)
        self._observers.notify()

    def _bury(self, run: _Run, end: ServerEnded) -> None:
        """Handle the end of a process: requested, reported by itself, or a crash."""
        if not run.wanted:
            self._fail(run, run.failure or LocalModelStopped())
        elif run.failure is not None:
            self._fail(run, _explained(run, end))
        else:
            _log.warning("The process of %s ended: code %s", run.launch.name, end.code)
            self._crashes[run.launch.file] = self._crashes.get(run.launch.file, 0) + 1
            self._fail(run, _crashed(run, end))

    def _fail(self, run: _Run, error: LlmError) -> None:
        run.failure, run.wanted = error, False
        if not isinstance(error, LocalModelStopped):
            self._keep(run.launch.file, error)
        if run.idle is not None:
            run.idle.cancel()
        if self._runs.get(run.launch.file) is run:
            del self._runs[run.launch.file]
        run.reported.set()
        run.ended.set()

    def _keep(self, file: Path, error: LlmError) -> None:
        self._errors[file] = error
        self._observers.notify()

    # Ending

    def _rest(self, run: _Run) -> None:
        """Start the idle timer when the model is unused, stop it when it is used."""
        if run.idle is not None:
            run.idle.cancel()
            run.idle = None
        if not run.users and run.wanted and run.process is not None:
            loop = asyncio.get_running_loop()
            run.idle = loop.call_later(self._idle(), self._dismiss, run)

    def _dismiss(self, run: _Run) -> None:
        if run.wanted and not run.users and run.process is not None:
            _log.info("%s is idle and ends", run.launch.name)
            run.wanted = False
            run.process.stop()

    async def _end(self, run: _Run) -> None:
        run.wanted = False
        if run.process is not None:
            run.process.stop()
            await run.ended.wait()


_KILLED = -int(getattr(signal, "SIGKILL", 9))


def _explained(run: _Run, end: ServerEnded) -> LlmError:
    """Return the error that the process reported, made more precise by the last output of the
    library.
    """
    said = run.failure
    if not isinstance(said, LoadFailed):
        return said or LoadFailed(file=run.launch.name)
    words = end.words.casefold()
    if "alloc" in words or "out of memory" in words:
        return OutOfMemory(_last(end), file=run.launch.name)
    if "bind" in words:
        return NoFreePort(_last(end), file=run.launch.name)
    return LoadFailed(_last(end) or said.detail, file=run.launch.name)


def _crashed(run: _Run, end: ServerEnded) -> LlmError:
    """Return the error for an end without a report: killed by the system for lack of memory, or a
    crash.
    """
    if end.code == _KILLED:
        return OutOfMemory(reason=N_("The system ended its process."), file=run.launch.name)
    return LocalModelCrashed(_last(end), file=run.launch.name)


def _last(end: ServerEnded) -> str:
    lines = [line for line in end.words.splitlines() if line]
    return lines[-1][:500] if lines else ""


AskModel = Callable[[ModelOptions], HttpModel]
"""Returns the model for the address and key in the options."""


class LocalServerModel:
    """`core.model.Model` for a local model. Errors caused by the end of its process say so."""

    def __init__(self, host: LocalHost, options: ModelOptions, ask: AskModel, label: str) -> None:
        self._host = host
        self._options = llama_options(options)
        self._ask = ask
        self._label = label
        self._made: tuple[str, HttpModel] | None = None

    @property
    def label(self) -> str:
        return self._label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        address = self._options.base_url
        if self._host.condition(address).phase is not ServerPhase.READY:
            yield LoadingAnnounced(self._label)
        async with self._host.lease(address) as lease:
            yield LoadingAnnounced(self._label, ready=True)
            try:
                async with aclosing(self._model(lease).stream(request)) as events:
                    async for event in events:
                        yield event
            except (StreamBroken, Unreachable) as error:
                raise await _reason(lease, error) from error

    def _model(self, lease: ModelLease) -> HttpModel:
        """Return the model, the same object while the process is the same, because it remembers
        parameters that the server refuses.
        """
        url = lease.ready.url
        if self._made is None or self._made[0] != url:
            self._made = (url, self._ask(lease.place(self._options)))
        return self._made[1]


def llama_options(options: ModelOptions) -> ModelOptions:
    """Return the options with the parameter of llama.cpp's server for thinking."""
    extra = dict(options.extra)
    if "enable_thinking" in extra:
        extra["chat_template_kwargs"] = {"enable_thinking": extra.pop("enable_thinking")}
        extra.pop("thinking_budget", None)
    return replace(options, extra=extra)


async def _reason(lease: ModelLease, error: LlmError) -> LlmError:
    return await lease.failure() or error
