"""The app as a guest: `python -m tests.bench.light.guest HOME CACHE URL pet|figure|chat`. With
`figure` the chat was not shown yet.

It does what it reads on stdin, a word a line, and answers each with a line of JSON:

    send TEXT   send a message; answers when the reply has ended
    move SECONDS, rest SECONDS    the figure speaks, or nobody does anything
    large       the figure's window becomes as large as 400 × 600 pixels, its rates 30 and 12
    show        the chat comes
    hide        the figure goes
    close       the chat is closed
    quit        the end

The first line comes when the windows (and the figure) are there: their ids, and when the figure was
first drawn (s, the system's monotonic clock).
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, make_application, open_app
from neodeskpet.platform.process_memory import tune_allocator
from neodeskpet.settings.store import FILE_NAME
from neodeskpet.ui import event_loop

if TYPE_CHECKING:
    from tests.support.desk import DeskStory

AREA = 400 * 600
_SETTINGS = {
    "appearance": {"language": "en", "reduced_motion": True},
    "service": {"titles": False},
    "memory": {"learn": False},
}
"""As in stories (`tests/support/desk.py`)."""


def _say(**words: object) -> None:
    print(json.dumps(words), flush=True)


class Guest:
    def __init__(self, pet: bool, chat: bool) -> None:
        self._pet, self._chat = pet, chat
        self._orders: asyncio.Queue[str] = asyncio.Queue()
        self._calm = asyncio.Event()

    def on_chat_event(self, event: object) -> None:
        """The reports of the chat: a turn ended, and none follows."""
        if getattr(event, "running", None) is False:
            self._calm.set()

    async def live(self, story: DeskStory) -> None:
        # Not above: `startup` must be imported before anything of Qt, as in the app. PySide
        # would read the source of each module, and keep 7 MiB of it.
        from PySide6.QtCore import QPoint
        from PySide6.QtGui import QCursor

        here, desk = asyncio.get_running_loop(), story.desk

        def read() -> None:
            for line in sys.stdin:
                here.call_soon_threadsafe(self._orders.put_nowait, line.strip())

        desk.engine.chat.subscribe(self)
        threading.Thread(target=read, daemon=True).start()
        QCursor.setPos(2, 2)
        if self._pet:
            if self._chat:
                desk.chat.window.close()
            desk.companion.pet.placement.move_feet_to(QPoint(1300, 1000))
            # As on a desktop with a compositor, which an Xvfb lacks: no cutting to the outline.
            desk.companion.pet.set_shape_mask(False)
            desk.companion.bubble.set_shape_mask(False)
            await desk.wait_for_figure()
        else:
            await story.until(desk.chat.window.isVisible)
        told: dict[str, float] = {}
        if self._chat:
            told["chat"] = int(desk.chat.window.winId())
        if self._pet:
            head = desk.companion.pet.placement.head_rect().center()
            told |= {"head_x": head.x(), "head_y": head.y()}
            told |= {
                "pet": int(desk.companion.pet.winId()),
                "appeared": desk.companion.pet.appeared_at or float("nan"),
            }
        _say(**told)
        while (order := await self._orders.get()) != "quit":
            await self._do(story, *order.split(" ", 1))
            _say(done=order)

    async def _do(self, story: DeskStory, order: str, rest: str = "") -> None:
        pet = story.desk.companion.pet
        if order == "send":
            self._calm.clear()
            story.type(rest)
            # checks of a story would be measured too
            await asyncio.wait_for(self._calm.wait(), 120)
            await story.idle()
        elif order == "show":
            story.desk.chat.window.present()
            story.desk.chat.window.move(20, 20)
            await asyncio.sleep(1.5)
        elif order == "large":
            pet.placement.set_scale(
                pet.placement.scale * (AREA / (pet.width() * pet.height())) ** 0.5
            )
            pet.frames.set_calm(False)
            await asyncio.sleep(1.0)
        elif order == "hide":
            pet.hide()
        elif order == "close":
            story.desk.chat.window.close()
            await asyncio.sleep(1.0)
        elif order == "rest":
            await asyncio.sleep(float(rest))
        elif order == "move":
            for _ in range(int(float(rest) * 10)):
                pet.speak(0.5)
                await asyncio.sleep(0.1)
            pet.speak(0.0)


def main(home: str, cache: str, url: str, what: str) -> None:
    tune_allocator()  # as `run_app` does, which would wait for a user
    app, guest = make_application(), Guest(what != "chat", what != "figure")
    Path(home).mkdir(parents=True, exist_ok=True)
    Path(home, FILE_NAME).write_text(json.dumps(_SETTINGS), encoding="utf-8")
    service = RunOptions(base_url=url, model="test-model", mode="native")

    async def live() -> int:
        options = StartOptions(
            Path(home), service, single_instance=False, cache=Path(cache), hidden=what == "chat"
        )
        desk = await open_app(app, options)
        # Only now: it would load everything that the figure doesn't wait for.
        from tests.support.desk import DeskStory

        try:
            if what != "figure":
                desk.chat.window.present()
            await guest.live(DeskStory(desk, brief=False))
        finally:
            await desk.aclose()
        return 0

    event_loop.run(app, live)


if __name__ == "__main__":
    main(*sys.argv[1:])
