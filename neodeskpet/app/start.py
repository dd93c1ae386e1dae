"""Starts and ends the app."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from PySide6.QtGui import QGuiApplication, QSurfaceFormat
from PySide6.QtWidgets import QApplication

from neodeskpet.app.desk import Desk
from neodeskpet.core.model import Model
from neodeskpet.engine import Options, open_engine
from neodeskpet.language import tr
from neodeskpet.settings.redaction import redact
from neodeskpet.tools.builtin.timer import Timer
from neodeskpet.ui import loop
from neodeskpet.ui.instance import Doorbell, wake_other
from neodeskpet.ui.pet.surface import default_format
from neodeskpet.ui.pet.window import PetWindow

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StartOptions:
    """`chat` opens the chat at once. `model` answers instead of the service (the demo). `cache` is
    where verdicts on model files are kept, in `home` by default. `alone`: one app a data folder.
    `hidden` leaves the companion away until it is asked for.
    """

    home: Path
    service: Options = field(default_factory=Options)
    chat: bool = False
    alone: bool = True
    model: Model | None = None
    cache: Path | None = None
    hidden: bool = False


Scene = Callable[[Desk], Awaitable[int]]
"""What is done with the desk once it stands; its exit code."""


def run_app(options: StartOptions, scene: Scene | None = None) -> int:
    """Run the app to its end; the exit code. `scene` plays instead of waiting for the person."""
    app = make_application()
    sys.excepthook = report_bug
    if options.alone and wake_other(options.home, "chat" if options.chat else "show"):
        print(tr("NeoDeskPet runs already; it was asked to show itself."), file=sys.stderr)
        return 0
    return loop.run(app, lambda: _live(app, options, scene))


def report_bug(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """A bug in a slot: into the log and to the terminal, without keys; the app goes on."""
    _log.critical("A bug", exc_info=(kind, error, trace))
    words = "".join(traceback.format_exception(kind, error, trace))
    print(redact(words), end="", file=sys.stderr)


def make_application() -> QApplication:
    """QApplication, with the surface that the figure needs as the default."""
    QSurfaceFormat.setDefaultFormat(default_format())
    QGuiApplication.setDesktopFileName("neodeskpet")
    app = QApplication.instance() or QApplication(["neodeskpet"])
    assert isinstance(app, QApplication)
    app.setApplicationName("NeoDeskPet")
    app.setQuitOnLastWindowClosed(False)
    return app


async def _live(app: QApplication, options: StartOptions, scene: Scene | None) -> int:
    desk = await open_desk(app, options)
    try:
        if options.chat:
            desk.show_chat()
        if scene is not None:
            return await scene(desk)
        await desk.greet()
        await desk.until_quit()
        return 0
    finally:
        await desk.close()


async def open_desk(app: QApplication, options: StartOptions) -> Desk:
    """The engine and all windows, shown; the model loads while everything else works."""
    pet = PetWindow(options.cache or options.home / "cache")
    rings: list[Timer] = []
    bell: list[Callable[[Timer], None]] = [rings.append]
    engine = await open_engine(
        options.home,
        options=options.service,
        body=pet,
        ring=lambda timer: bell[0](timer),
        model=options.model,
        on_fault=lambda error: desk.tell_trouble(error),
    )
    desk = Desk(app, engine, pet)
    bell[0] = desk.ring
    for timer in rings:
        desk.ring(timer)
    _watch_signals(desk)
    if options.alone:
        desk.answer_door(Doorbell(options.home))
    await desk.open(hidden=options.hidden)
    return desk


def _watch_signals(desk: Desk) -> None:
    """Ctrl-C in the terminal and a polite kill end it like "Quit"."""
    running = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: running.call_soon_threadsafe(desk.quit))
