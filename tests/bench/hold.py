"""How long the interface's thread is blocked while 2,000 deltas a second stream into the real chat.

The stream comes over HTTP from a server in another process; a timer of 5 ms on the same thread
measures the gaps (of CPU time: the share of our code, whatever else the machine does). The naive
peer is a QTextBrowser whose whole text is set as Markdown for every frame.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from PySide6.QtWidgets import QApplication, QTextBrowser

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, open_app
from neodeskpet.ui import event_loop
from tests.support.sseserver import Part, Pause, ScriptedServer, done, finish, text

RATE = 2000
SECONDS = 5
_GROUP = 20  # deltas a write: what a fast gateway does


def _words(number: int) -> str:
    return "word " if number % 40 else "\n\n## A heading\n\nand 中文 text "


def _serve(pipe: Connection, groups: int) -> None:
    parts: list[Part] = []
    for group in range(groups):
        parts.append(b"".join(text(_words(group * _GROUP + n)) for n in range(_GROUP)))
        parts.append(Pause(_GROUP / RATE))
    with ScriptedServer() as server:
        server.reply(*parts, finish(), done())
        pipe.send(server.url)
        pipe.recv()


@contextmanager
def _service() -> Iterator[str]:
    ours, theirs = multiprocessing.Pipe()
    groups = RATE * SECONDS // _GROUP
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, groups))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("stop")
        process.join(10)


class Gaps:
    """Gaps between the beats of a timer on this thread, in milliseconds: by the wall clock, and
    of this thread's CPU time, which other programs on a busy machine don't lengthen.
    """

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    async def beat(self) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(0.005)
            now, used = time.perf_counter(), time.thread_time()
            self.wall.append((now - wall) * 1000)
            self.cpu.append((used - cpu) * 1000)
            wall, cpu = now, used


async def _stream(desk: DesktopApp) -> dict[str, float]:
    desk.chat.window.present()
    await asyncio.sleep(1.0)
    gaps = Gaps()
    beat = asyncio.get_running_loop().create_task(gaps.beat())
    spent = time.thread_time()
    desk.engine.chat.send("go")
    await asyncio.sleep(0)
    await desk.engine.chat.wait_idle()
    spent = time.thread_time() - spent
    beat.cancel()
    wall, cpu = sorted(gaps.wall), sorted(gaps.cpu)
    return {
        "hold_longest_ms": cpu[-1],
        "hold_p99_ms": cpu[int(len(cpu) * 0.99)],
        "hold_longest_wall_ms": wall[-1],
        "hold_median_wall_ms": statistics.median(wall),
        "hold_longest_at_share": gaps.cpu.index(cpu[-1]) / len(cpu),
        "stream_cpu_share": spent / SECONDS,
    }


def longest_hold(app: QApplication) -> dict[str, float]:
    """Through HTTP, decoder, turn, store, bridge and view; the figure hidden."""
    out: dict[str, float] = {}

    async def live() -> int:
        with tempfile.TemporaryDirectory() as home, _service() as url:
            options = StartOptions(
                Path(home), RunOptions(base_url=url, model="m"), single_instance=False, hidden=True
            )
            desk = await open_app(app, options)
            try:
                out.update(await _stream(desk))
            finally:
                await desk.aclose()
        return 0

    event_loop.run(app, live)
    return out | _naive_hold(app)


def _naive_hold(app: QApplication) -> dict[str, float]:
    """The peer's last update: the whole text, as long as the stream was, set once as Markdown."""
    browser = QTextBrowser()
    browser.resize(420, 640)
    browser.show()
    said = "".join(_words(n) for n in range(RATE * SECONDS))
    before = time.thread_time()
    browser.setMarkdown(said)
    app.processEvents()
    spent = time.thread_time() - before
    browser.close()
    return {"naive_last_update_ms": spent * 1000}
