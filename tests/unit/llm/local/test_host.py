"""When a model's process starts and ends, on virtual time and with scripted processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from neodeskpet.core.errors import LlmError
from neodeskpet.llm.local.local_errors import (
    BadModelFile,
    CrashedTooOften,
    ExtraMissing,
    LoadFailed,
    LocalModelCrashed,
    LocalModelStopped,
    NoFreePort,
    OutOfMemory,
)
from neodeskpet.llm.local.local_host import IDLE_SECONDS, LOADING_SECONDS, LocalHost, ServerPhase
from neodeskpet.llm.local.model_file import ModelFile
from neodeskpet.llm.local.server_process import (
    ModelTuning,
    ServerEnded,
    ServerEvent,
    ServerFailed,
    ServerLaunch,
    ServerReady,
)
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.platform.async_tasks import spawn_task
from tests.support.virtualtime import run_virtually

A, B = "local:/a.gguf", "local:/b.gguf"


@dataclass
class FakeProcess:
    launch: ServerLaunch
    tell: Callable[[ServerEvent], None]
    pid: int
    stopped: bool = False

    def stop(self) -> None:
        if not self.stopped:
            self.stopped = True
            asyncio.get_running_loop().call_later(0.1, self.tell, ServerEnded(-9))


@dataclass
class Bench:
    """A host whose processes are ready after a second, unless `ended_silently`."""

    tuning: ModelTuning = field(default_factory=ModelTuning)
    idle: float = IDLE_SECONDS
    installed: bool = True
    ended_silently: bool = False
    broken: bool = False
    begun: list[FakeProcess] = field(default_factory=list)
    changes: int = 0

    def __post_init__(self) -> None:
        self.host = LocalHost(
            Path("/models"),
            tuning=lambda: self.tuning,
            idle=lambda: self.idle,
            start=self.start,
            check=self.check,
            installed=lambda: self.installed,
        )
        self.host.subscribe(self.count)

    def count(self) -> None:
        self.changes += 1

    async def check(self, file: Path) -> ModelFile:
        if self.broken:
            raise BadModelFile(file=file.name)
        return ModelFile(file, 1, "tiny")

    def start(self, launch: ServerLaunch, tell: Callable[[ServerEvent], None]) -> FakeProcess:
        process = FakeProcess(launch, tell, 100 + len(self.begun))
        self.begun.append(process)
        if not self.ended_silently:
            ready = ServerReady(f"http://127.0.0.1:{process.pid}", f"key{process.pid}")
            asyncio.get_running_loop().call_later(1.0, tell, ready)
        return process

    async def use(self, address: str = A, seconds: float = 0.0) -> str:
        async with self.host.lease(address) as lease:
            await asyncio.sleep(seconds)
            return lease.ready.url

    def phase(self, address: str = A) -> ServerPhase:
        return self.host.condition(address).phase


def play(scene: Callable[[Bench], Awaitable[None]], **bench: object) -> Bench:
    made: list[Bench] = []

    async def whole() -> None:
        made.append(Bench(**bench))  # type: ignore[arg-type]
        await scene(made[0])
        await made[0].host.aclose()
        assert all(one.stopped for one in made[0].begun if one.pid not in DEAD)

    DEAD.clear()
    run_virtually(whole())
    return made[0]


DEAD: set[int] = set()
"""Processes that ended by themselves in a scene."""


def die(process: FakeProcess, code: int = -11, words: str = "") -> None:
    DEAD.add(process.pid)
    process.tell(ServerEnded(code, words))


async def failure(job: Awaitable[object]) -> LlmError:
    with pytest.raises(LlmError) as caught:
        await job
    return caught.value


def test_it_starts_at_the_first_use_and_stays_for_the_next() -> None:
    async def scene(bench: Bench) -> None:
        assert bench.phase() is ServerPhase.STOPPED
        assert await bench.use() == await bench.use()
        assert bench.phase() is ServerPhase.READY

    assert len(play(scene).begun) == 1


def test_two_at_once_share_the_start() -> None:
    async def scene(bench: Bench) -> None:
        urls = await asyncio.gather(bench.use(), bench.use())
        assert len(set(urls)) == 1

    assert len(play(scene).begun) == 1


def test_after_the_idle_time_it_ends_and_the_next_use_starts_it_again() -> None:
    async def scene(bench: Bench) -> None:
        await bench.use()
        await asyncio.sleep(599)
        assert bench.phase() is ServerPhase.READY
        await asyncio.sleep(2)
        assert bench.phase() is ServerPhase.STOPPED
        assert bench.host.condition(A).error is None
        await bench.use()

    assert len(play(scene).begun) == 2


def test_a_long_use_is_never_idle() -> None:
    async def scene(bench: Bench) -> None:
        await bench.use(seconds=2000)
        assert bench.phase() is ServerPhase.READY

    play(scene)


def test_a_use_during_its_end_gets_a_new_process() -> None:
    async def scene(bench: Bench) -> None:
        first = await bench.use()
        await asyncio.sleep(IDLE_SECONDS + 0.05)  # it is asked to end, and hasn't ended yet
        assert await bench.use() != first

    play(scene)


def test_another_model_replaces_it_but_not_while_it_is_used() -> None:
    async def scene(bench: Bench) -> None:
        await bench.use(A)
        await bench.use(B)
        assert bench.begun[0].stopped
        await asyncio.gather(bench.use(B, 50), bench.use(A))
        assert not bench.begun[1].stopped

    play(scene)


def test_other_settings_restart_it() -> None:
    async def scene(bench: Bench) -> None:
        await bench.use()
        bench.tuning = ModelTuning(context=4096)
        await bench.use()
        assert [one.launch.tuning.context for one in bench.begun] == [8192, 4096]

    play(scene)


def test_a_caller_that_gives_up_while_it_loads_leaves_it_loading() -> None:
    async def scene(bench: Bench) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await bench.use()
        assert bench.phase() is ServerPhase.LOADING
        await asyncio.sleep(1)
        assert bench.phase() is ServerPhase.READY
        await asyncio.sleep(IDLE_SECONDS)
        assert bench.phase() is ServerPhase.STOPPED

    assert len(play(scene).begun) == 1


def test_a_crash_is_reported_and_the_next_use_restarts_it() -> None:
    async def scene(bench: Bench) -> None:
        async with bench.host.lease(A) as lease:
            die(bench.begun[0])
            assert isinstance(await lease.failure(), LocalModelCrashed)
        assert isinstance(bench.host.condition(A).error, LocalModelCrashed)
        await bench.use()
        assert bench.host.condition(A).error is None

    assert len(play(scene).begun) == 2


def test_after_three_crashes_in_a_row_only_the_user_starts_it() -> None:
    async def scene(bench: Bench) -> None:
        bench.ended_silently = True
        for number in range(3):
            waiting = spawn_task(bench.use(), name="use")
            await asyncio.sleep(1)
            die(bench.begun[number])
            assert isinstance(await failure(waiting), LocalModelCrashed)
        assert isinstance(await failure(bench.use()), CrashedTooOften)
        bench.ended_silently = False
        await bench.host.start(A)
        assert bench.phase() is ServerPhase.READY

    assert len(play(scene).begun) == 4


def test_a_successful_use_resets_the_crashes() -> None:
    async def scene(bench: Bench) -> None:
        for number in range(5):
            await bench.use()
            die(bench.begun[number])

    assert len(play(scene).begun) == 5


@pytest.mark.parametrize(
    ("said", "words", "kind"),
    [
        ("load", "E load: wrong shape of tensor", LoadFailed),
        ("load", "E ggml: failed to allocate 9 GB", OutOfMemory),
        ("load", "E srv: couldn't bind HTTP server socket", NoFreePort),
        ("extra", "", ExtraMissing),
    ],
)
def test_the_reason_of_the_process_for_its_failure(said: str, words: str, kind: type) -> None:
    async def scene(bench: Bench) -> None:
        waiting = spawn_task(bench.use(), name="use")
        await asyncio.sleep(0.1)
        bench.begun[0].tell(ServerFailed(said, "Failed to init server"))
        die(bench.begun[0], 1, words)
        error = await failure(waiting)
        assert type(error) is kind
        assert bench.host.condition(A).error is error

    play(scene)


def test_killed_by_the_system_means_too_little_memory() -> None:
    async def scene(bench: Bench) -> None:
        waiting = spawn_task(bench.use(), name="use")
        await asyncio.sleep(0.1)
        die(bench.begun[0], -9)
        assert isinstance(await failure(waiting), OutOfMemory)

    play(scene)


def test_a_process_that_never_gets_ready_is_ended() -> None:
    async def scene(bench: Bench) -> None:
        assert isinstance(await failure(bench.use()), LoadFailed)
        assert asyncio.get_running_loop().time() == pytest.approx(LOADING_SECONDS, abs=1)

    assert play(scene, ended_silently=True).begun[0].stopped


def test_a_program_that_can_not_be_started() -> None:
    def start(launch: ServerLaunch, tell: Callable[[ServerEvent], None]) -> FakeProcess:
        raise OSError("no memory to fork")

    async def scene(bench: Bench) -> None:
        bench.host = LocalHost(Path("/m"), start=start, check=bench.check, installed=lambda: True)
        error = await failure(bench.use())
        assert (type(error), error.detail) == (LoadFailed, "no memory to fork")

    play(scene)


def test_nothing_starts_for_a_bad_file_or_without_the_extra() -> None:
    async def scene(bench: Bench) -> None:
        assert isinstance(await failure(bench.use()), BadModelFile)
        bench.installed = False
        assert isinstance(await failure(bench.use()), ExtraMissing)
        assert isinstance(bench.host.condition(A).error, ExtraMissing)

    assert play(scene, broken=True).begun == []


def test_stopping_it_notifies_all_waiting_callers() -> None:
    async def scene(bench: Bench) -> None:
        waiting = spawn_task(bench.use(), name="use")
        await asyncio.sleep(0.5)
        await bench.host.stop(A)
        assert isinstance(await failure(waiting), LocalModelStopped)
        assert bench.host.condition(A).error is None
        await bench.host.stop(A)  # nothing runs: nothing happens

    play(scene)


def test_after_the_end_nothing_starts() -> None:
    async def scene(bench: Bench) -> None:
        await bench.host.aclose()
        assert isinstance(await failure(bench.use()), LocalModelStopped)

    assert play(scene).begun == []


def test_observers_are_notified_of_every_change() -> None:
    async def scene(bench: Bench) -> None:
        heard: list[ServerPhase] = []
        end = bench.host.subscribe(lambda: heard.append(bench.phase()))
        await bench.use()
        await bench.host.stop(A)
        assert heard == [ServerPhase.LOADING, ServerPhase.READY, ServerPhase.STOPPED]
        end()
        await bench.use()
        assert len(heard) == 3
        assert bench.changes > 3

    play(scene)


def test_the_connection_has_the_address_the_key_and_the_longest_reply() -> None:
    async def scene(bench: Bench) -> None:
        async with bench.host.place(ModelOptions(A, "m")) as options:
            assert (options.base_url, options.key) == ("http://127.0.0.1:100", "key100")
            assert options.max_tokens == 2048
        async with bench.host.place(ModelOptions(A, "m", max_tokens=8)) as options:
            assert options.max_tokens == 8
        other = ModelOptions("http://x", "m")
        async with bench.host.place(other) as options:
            assert options is other

    play(scene)


def test_no_key_is_in_its_repr() -> None:
    assert "secret" not in repr(ServerReady("http://x", "secret"))
