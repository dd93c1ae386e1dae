"""The model's process as the app uses it: its messages, and that it never outlives the app."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from neodeskpet.llm.local.server_process import (
    ModelTuning,
    ServerEnded,
    ServerEvent,
    ServerFailed,
    ServerLaunch,
    ServerProcess,
    ServerReady,
    start_process,
)
from neodeskpet.platform.process_memory import process_memory
from tests.support.gguf import write_gguf
from tests.support.realmodel import gguf

pytestmark = pytest.mark.skipif(gguf() is None, reason="the test extra isn't installed")
TUNING = ModelTuning(context=512, reply=8, threads=2)


def listen(
    launch: ServerLaunch, react: Callable[[ServerProcess, ServerEvent], None]
) -> list[ServerEvent]:
    """Return all messages of a process until its end."""
    heard: list[ServerEvent] = []

    async def scene() -> None:
        ended = asyncio.Event()

        def tell(news: ServerEvent) -> None:
            heard.append(news)
            react(process, news)
            if isinstance(news, ServerEnded):
                ended.set()

        process = start_process(launch, tell)
        await ended.wait()

    asyncio.run(scene())
    return heard


@pytest.mark.model
@pytest.mark.xdist_group("model")
def test_it_gets_ready_uses_memory_and_ends_on_request() -> None:
    file = gguf()
    assert file is not None
    sizes: list[int] = []

    def react(process: ServerProcess, news: ServerEvent) -> None:
        if isinstance(news, ServerReady):
            sizes.append(process_memory(process.pid) or 0)
            process.stop()

    ready, end = listen(ServerLaunch(file, "tiny", TUNING), react)
    assert isinstance(ready, ServerReady)
    assert len(ready.key) > 30
    assert isinstance(end, ServerEnded)
    assert end.code != 0
    assert sizes[0] > 50_000_000


def test_a_file_that_can_not_be_loaded_is_reported_and_the_process_ends(tmp_path: Path) -> None:
    failed, end = listen(ServerLaunch(write_gguf(tmp_path), "tiny", TUNING), lambda *_: None)
    assert isinstance(failed, ServerFailed)
    assert failed.kind == "load"
    assert isinstance(end, ServerEnded)
    assert end.code == 1
    assert end.words


_APP = """
import asyncio, sys
from pathlib import Path
from neodeskpet.llm.local.server_process import ServerLaunch, ModelTuning, start_process

async def main():
    process = start_process(ServerLaunch(Path(sys.argv[1]), "tiny", ModelTuning(512, 8, 2)), print)
    print(process.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.model
@pytest.mark.xdist_group("model")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_if_the_app_is_killed_while_the_model_loads_the_process_ends() -> None:
    command = [sys.executable, "-c", _APP, str(gguf())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        model = int(app.stdout.readline())
        os.kill(app.pid, signal.SIGKILL)
    end = time.monotonic() + 20
    while _runs(model):
        assert time.monotonic() < end, "the model's process still exists"
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    """Return whether it runs; a zombie process doesn't."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in ("Z", "X")
