"""A thousand files are added to the knowledge base while the windows are open: how fast, and how
long that blocks the interface's thread; then how long a question takes.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from datetime import datetime
from pathlib import Path

from PySide6.QtWidgets import QApplication

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.startup import StartOptions, open_app
from neodeskpet.memory.recall.recall_types import MemoryQuery
from neodeskpet.ui import event_loop
from tests.bench.hold import Gaps
from tests.bench.memory import sample_texts

COUNT, ASKED = 1000, 100


def measure(app: QApplication) -> dict[str, float]:
    """Milliseconds and rates of this machine."""
    out: dict[str, float] = {}

    async def live() -> int:
        with tempfile.TemporaryDirectory() as folder:
            papers = Path(folder) / "papers"
            await asyncio.to_thread(_fill, papers)
            options = StartOptions(Path(folder) / "home", single_instance=False, hidden=True)
            desk = await open_app(app, options)
            try:
                out.update(await _index(desk, papers))
                out.update(await _ask(desk))
            finally:
                await desk.aclose()
        return 0

    event_loop.run(app, live)
    return out


def _fill(papers: Path) -> None:
    papers.mkdir()
    texts = sample_texts(COUNT * 20)
    for number in range(COUNT):
        said = texts[number * 20 : number * 20 + 20]
        lines = [f"# Note {number}", *said[:10], f"## More of {number}", *said[10:]]
        (papers / f"{number:04}.md").write_text("\n\n".join(lines), encoding="utf-8")


async def _index(desk: DesktopApp, papers: Path) -> dict[str, float]:
    desk.chat.window.present()
    desk.windows.present("knowledge")
    await asyncio.sleep(1.0)
    gaps = Gaps()
    beat = asyncio.get_running_loop().create_task(gaps.beat())
    begun = time.perf_counter()
    source = await desk.engine.memory.knowledge.indexer.add_path(papers)
    while True:
        await asyncio.sleep(0.1)
        known = {one.id: one for one in await desk.engine.memory.knowledge.store.list_sources()}
        if known[source].files == COUNT:
            break
    spent = time.perf_counter() - begun
    beat.cancel()
    cpu, wall = sorted(gaps.cpu), sorted(gaps.wall)
    return {
        "files": COUNT,
        "passages": known[source].passages,
        "files_per_second": COUNT / spent,
        "hold_longest_ms": cpu[-1],
        "hold_p99_ms": cpu[int(len(cpu) * 0.99)],
        "hold_p99_wall_ms": wall[int(len(wall) * 0.99)],
    }


async def _ask(desk: DesktopApp) -> dict[str, float]:
    chance = random.Random(7)
    texts = sample_texts(ASKED * 3)
    times, work = [], []
    for text in chance.sample(texts, ASKED):
        words = " ".join(text.split()[:8])
        begun, worked = time.perf_counter(), time.process_time()
        await desk.engine.memory.knowledge.store.recall(MemoryQuery(words, datetime.now(), 1200))
        times.append((time.perf_counter() - begun) * 1000)
        work.append((time.process_time() - worked) * 1000)
    late = int(len(times) * 0.95)
    return {"recall_p95_ms": sorted(times)[late], "recall_cpu_p95_ms": sorted(work)[late]}
