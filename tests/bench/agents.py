"""From the click at the companion to the answer in a coding agent: the SDK's client over stdio, in
a process and a thread of its own. Everything between them is measured: window, channel, child
process.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from PySide6.QtWidgets import QApplication, QPushButton

from neodeskpet.app.startup import StartOptions, open_app
from neodeskpet.ui import event_loop
from neodeskpet.ui.local_server import LocalServer
from tests.support.agents import Agent
from tests.support.desk import DeskStory

ASKED = 20
_PAUSE = 5.5  # seconds: no program may ask more often


def measure(app: object) -> dict[str, float]:
    assert isinstance(app, QApplication)
    waits: list[float] = []

    async def live(home: Path) -> int:
        desk = await open_app(app, StartOptions(home, single_instance=False, hidden=True))
        desk.set_local_server(LocalServer(home, desk))
        person = DeskStory(desk, brief=False)
        try:
            with Agent("bench").over_stdio(home) as agent:
                await person.until(lambda: agent.ready, timeout=60)
                for _ in range(ASKED):
                    waits.append(await _ask(person, agent))
                    await asyncio.sleep(_PAUSE)
        finally:
            await desk.aclose()
        return 0

    with tempfile.TemporaryDirectory() as folder:
        event_loop.run(app, lambda: live(Path(folder)))
    waits.sort()
    return {"answer_median_ms": statistics.median(waits), "answer_slowest_ms": waits[-1]}


async def _ask(person: DeskStory, agent: Agent) -> float:
    """Milliseconds from the click until the client has the answer."""
    bubble = person.desk.companion.bubble
    ends: list[float] = []
    asked = agent.call("ask", question="Go on?", choices=["Yes", "No"])
    asked.add_done_callback(lambda _: ends.append(time.perf_counter()))
    await person.until(lambda: "Yes" in bubble.choices)
    (button,) = (one for one in bubble.findChildren(QPushButton) if one.text() == "Yes")
    begun = time.perf_counter()
    button.click()
    await person.until(lambda: ends, timeout=60)
    assert not asked.result().is_error
    return (ends[0] - begun) * 1000
