"""An app that hangs: a second start beside it, and what is left of its turn."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from neodeskpet.app.hang_child import HUNG
from neodeskpet.app.single_instance import end_process, is_lock_free
from neodeskpet.core.blocks import Message, MessageState
from neodeskpet.external_api.local_endpoint import running_pid
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support import terminal
from tests.support.atspi import Reader, private_bus
from tests.support.desk import settle
from tests.support.sseserver import Pause, ScriptedServer, text
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
_TIMEOUT = 60.0


def test_a_second_start_offers_to_end_a_first_one_that_hangs(tmp_path: Path) -> None:
    settle(tmp_path, {})
    hang = [sys.executable, "-m", "tests.support.hungapp", str(tmp_path), "unused", "600"]
    with (
        private_bus() as bus,
        unmeasured_children(),
        subprocess.Popen(hang, cwd=_ROOT, env=bus, stdout=subprocess.PIPE, text=True) as first,
    ):
        try:
            assert first.stdout is not None
            assert first.stdout.readline() == "hangs\n"
            second = terminal.start(tmp_path, "--hidden", env=bus)
            with Reader(bus) as reader:
                root = reader.application("NeoDeskPet")
                reader.act(next(node for node in reader.walk(root) if node.name == "Restart"))
            assert first.wait(_TIMEOUT) == -signal.SIGKILL
            end = time.monotonic() + _TIMEOUT
            while running_pid(tmp_path) != second.pid:
                assert time.monotonic() < end
                time.sleep(0.05)
            second.terminate()
            assert "does not respond" in terminal.finish(second).err
        finally:
            first.kill()


def test_a_turn_of_a_hanging_app_is_ended_and_keeps_the_received_text(
    tmp_path: Path, server: ScriptedServer
) -> None:
    pieces = [f"p{number} " for number in range(20_000)]
    reply = server.reply(*(part for words in pieces for part in (text(words), Pause(0.01))))
    hold = [sys.executable, "-m", "tests.support.heldapp", str(tmp_path), server.url]
    pipe = subprocess.PIPE
    with (
        private_bus() as bus,
        unmeasured_children(),
        subprocess.Popen(hold, cwd=_ROOT, env=bus, stdin=pipe, stdout=pipe, text=True) as app,
    ):
        try:
            assert app.stdin is not None and app.stdout is not None
            server.wait_request()
            wait_for(lambda: reply.sent >= 200 and kept(tmp_path).text.startswith(pieces[0]))
            before = kept(tmp_path).text
            print("hold", file=app.stdin, flush=True)
            assert app.stdout.readline() == "held\n"
            wait_for(lambda: HUNG in record(tmp_path) and "in keep_lock" in record(tmp_path))
            with Reader(bus) as reader:
                root = reader.application("neodeskpet")
                reader.act(next(node for node in reader.walk(root) if node.name == "Restart"))
            assert app.wait(_TIMEOUT) == -signal.SIGKILL
            wait_for(lambda: running_pid(tmp_path) not in (None, app.pid))
            wait_for(lambda: kept(tmp_path).state is MessageState.INTERRUPTED)
        finally:
            app.kill()
            end_other(tmp_path)
    stored = kept(tmp_path).text
    assert before and stored.startswith(before)
    assert "".join(pieces).startswith(stored)
    (report,) = (tmp_path / "crashes").glob("crash-*.txt")
    assert "in keep_lock" in report.read_text("utf-8")


def record(home: Path) -> str:
    (found,) = (home / "crashes" / "running").glob("*.txt")
    return found.read_text("utf-8")


def kept(home: Path) -> Message:
    """The reply as it is stored now."""

    async def read() -> Message:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        try:
            (info,) = await store.conversations()
            return (await store.history(info.id))[-1]
        finally:
            await store.aclose()

    return asyncio.run(read())


def end_other(home: Path) -> None:
    """End the running app, if there is one."""
    pid = running_pid(home)
    if pid is not None:
        end_process(pid, lambda: is_lock_free(home))


def wait_for(true: Callable[[], object]) -> None:
    end = time.monotonic() + _TIMEOUT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)
