"""Starts and ends the app.

What the desk needs is imported when the figure stands: it takes four times as long to load.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QSurfaceFormat
from PySide6.QtWidgets import QApplication

from neodeskpet.app.bugs import catch_in, catching, report_bug
from neodeskpet.app.heartbeat import Heartbeat
from neodeskpet.app.windows.display_end import hearing_the_display_end
from neodeskpet.app.windows.ending import Next
from neodeskpet.app.windows.entrance import Entrance, place_pet
from neodeskpet.app.windows.opened_files import OpeningApplication
from neodeskpet.app.windows.session import restart_command, take_kept
from neodeskpet.core.errors import KnownError
from neodeskpet.core.hangs import LIMIT
from neodeskpet.crashes import CrashBook, LastTime
from neodeskpet.exits import Exits
from neodeskpet.hang_child import Watched
from neodeskpet.heap import give_back_what_is_freed
from neodeskpet.language import explain, set_language, tr
from neodeskpet.options import Options
from neodeskpet.settings.opening import OpenedSettings, open_settings
from neodeskpet.ui import loop
from neodeskpet.ui.desktop.session_bus import leave_bus_alone
from neodeskpet.ui.pet.surface import default_format
from neodeskpet.ui.pet.window import PetWindow
from neodeskpet.ui.theme import apply_theme, theme_for
from neodeskpet.visitors.door import running_pid
from neodeskpet.visitors.seat import Seat, end_process, seat_is_free

if TYPE_CHECKING:
    from neodeskpet.app.desk import Desk
    from neodeskpet.core.model import Model
    from neodeskpet.timers.book import Timer

_log = logging.getLogger(__name__)

_STARTING = 20.0  # seconds: how long the first may take from its start until it listens
_END_OTHER = 3


@dataclass(frozen=True, slots=True)
class StartOptions:
    """`chat` opens the chat at once. `model` answers instead of the service (the demo). `cache` is
    where verdicts on model files are kept, in `home` by default. `alone`: one app a data folder.
    `hidden` leaves the companion away until it is asked for. `login`: what was open when the
    session ended is open again. `safe`: no figure, an empty
    conversation, the offline helper. `files`: what it was started with ("Open with").
    `hang_limit`: seconds without an answer of the interface after which the app counts as hung.
    """

    home: Path
    service: Options = field(default_factory=Options)
    chat: bool = False
    alone: bool = True
    model: Model | None = None
    cache: Path | None = None
    hidden: bool = False
    login: bool = False
    safe: bool = False
    files: tuple[Path, ...] = ()
    hang_limit: float = LIMIT


Scene = Callable[["Desk"], Awaitable[int]]
"""What is done with the desk once it stands; its exit code."""


def run_app(options: StartOptions, scene: Scene | None = None) -> int:
    """Run the app to its end; the exit code. `scene` plays instead of waiting for the person."""
    give_back_what_is_freed()
    book = CrashBook(options.home)
    book.begin()
    with catching(book.report_bug), hearing_the_display_end(lambda: _end_with_display(book)):
        try:
            code = _run(options, scene, book)
        except KnownError as error:
            book.withdraw()
            print(explain(error), file=sys.stderr)
            return 1
        except Exception as error:  # noqa: BLE001 - the last place that can report it
            report_bug(type(error), error, error.__traceback__)
            book.fall(error)
            return 1
        except BaseException:
            book.withdraw()
            raise
    book.end()
    return code


def _end_with_display(book: CrashBook) -> None:
    """Qt would end the process too, but by way of what draws, which may fall over that."""
    book.display_gone()
    os._exit(1)


def _run(options: StartOptions, scene: Scene | None, book: CrashBook) -> int:
    app = make_application()
    seat = Seat(options.home) if options.alone else None
    try:
        if seat is not None and not seat.taken:
            seat.close()
            code = _show_other(app, options)
            seat = Seat(options.home)
            if code is not None or not seat.taken:
                book.withdraw()
                return 1 if code is None else code
        return _run_again(app, _as_left(options), scene, book)
    finally:
        if seat is not None:
            seat.close()


def _as_left(options: StartOptions) -> StartOptions:
    """At login: with the chat open, or the companion away, as it was when the session ended."""
    chat, companion = take_kept(options.home)
    if not options.login:
        return options
    return replace(options, chat=options.chat or chat, hidden=options.hidden or not companion)


def _show_other(app: QApplication, options: StartOptions) -> int | None:
    """The exit code; None when the person had the other one ended, and this start goes on."""
    from neodeskpet.ui.instance import wake_other

    word = "chat" if options.chat else "show"
    if wake_other(options.home, word, _STARTING, options.files):
        print(tr("NeoDeskPet runs already; it was asked to show itself."), file=sys.stderr)
        return 0
    print(tr("NeoDeskPet runs already, but it doesn't answer."), file=sys.stderr)
    pid = running_pid(options.home)
    if pid is None or loop.run(app, lambda: _ask_to_end(app, options)) != _END_OTHER:
        return 1
    return None if end_process(pid, lambda: seat_is_free(options.home)) else 1


async def _ask_to_end(app: QApplication, options: StartOptions) -> int:
    """`_END_OTHER` when the person wants to end the one that doesn't respond."""
    from neodeskpet.ui.hang_window import ask_restart

    appearance = open_settings(options.home, {}, lambda _error: None).store.settings.appearance
    set_language(appearance.language)
    theme = theme_for(appearance.theme, appearance.font_size)
    apply_theme(app, theme)
    return _END_OTHER if await ask_restart(theme) else 0


def _run_again(
    app: QApplication, options: StartOptions, scene: Scene | None, book: CrashBook
) -> int:
    """As often as the person wants: in safe mode, or as usual again."""
    last = book.look_back()
    heartbeat = Heartbeat(book.arm_stacks)
    try:
        while True:
            run = _Run(options, scene, book, last, heartbeat)
            code = loop.run(app, lambda run=run: run.live(app))  # type: ignore[misc]
            if run.next is Next.END:
                return code
            options = replace(options, safe=run.next is Next.SAFE)
            last = LastTime()
    finally:
        heartbeat.close()


class _Run:
    """From one opening of the desk to its close. `next` is what the person wants then."""

    def __init__(
        self,
        options: StartOptions,
        scene: Scene | None,
        book: CrashBook,
        last: LastTime,
        heartbeat: Heartbeat,
    ) -> None:
        self.next = Next.END
        self._options = options
        self._scene = scene
        self._book = book
        self._last = last
        self._heartbeat = heartbeat

    async def live(self, app: QApplication) -> int:
        catch_in(asyncio.get_running_loop(), self._book.report_bug)
        first = not self._asks_for_safe
        desk, chat_wanted = await build_desk(app, self._options, figure_first=first)
        try:
            if self._last.silent:
                _log.warning("An earlier run ended without saying why (killed, power loss)")
            if await self._wants_safe(desk):
                self.next = Next.SAFE
                return 0
            await desk.open(hidden=self._options.hidden)
            with hearing_the_display_end(desk.session.keep):
                return await self._play(desk, chat=self._options.chat or chat_wanted)
        finally:
            await desk.close()

    async def _wants_safe(self, desk: Desk) -> bool:
        """After two crashes in a row: what the person wants, before anything dangerous loads."""
        report = self._last.report
        return self._asks_for_safe and report is not None and await desk.crash.ask_safe(report)

    @property
    def _asks_for_safe(self) -> bool:
        last = self._last
        return not self._options.safe and last.report is not None and last.in_a_row >= 2

    async def _play(self, desk: Desk, *, chat: bool) -> int:
        if chat:
            desk.show_chat()
        if self._last.report is not None and (self._last.in_a_row < 2 or self._options.safe):
            desk.crash.tell(self._last.report)
        if self._scene is not None:
            code = await self._scene(desk)
            self.next = desk.next
            return code
        await desk.until_figure()
        self._watch(desk)
        await desk.welcome.greet(killed=self._last.silent)
        desk.take_files(self._options.files)
        if isinstance(app := QApplication.instance(), OpeningApplication):
            app.files.hear(desk.take_files)
        await desk.until_quit()
        self.next = desk.next
        self._heartbeat.pause()
        if self.next is Next.END:
            self._book.ending()
        return 0

    def _watch(self, desk: Desk) -> None:
        """From now on a hang is noticed: what is slow at a start is no hang."""
        appearance = desk.engine.settings.settings.appearance
        restart = restart_command(self._options.home, chat=False, companion=True)
        watched = Watched(
            *(os.getpid(), self._book.hang_record, restart),
            language=appearance.language,
            theme=appearance.theme,
            limit=self._options.hang_limit,
        )
        self._heartbeat.start(watched)


def make_application() -> QApplication:
    """QApplication, with the surface that the figure needs as the default."""
    leave_bus_alone(os.environ)
    QSurfaceFormat.setDefaultFormat(default_format())
    QGuiApplication.setDesktopFileName("neodeskpet")
    kind = OpeningApplication if sys.platform == "darwin" else QApplication
    app = QApplication.instance() or kind(["neodeskpet"])
    assert isinstance(app, QApplication)
    app.setApplicationName("NeoDeskPet")
    app.setQuitOnLastWindowClosed(False)
    return app


async def open_desk(app: QApplication, options: StartOptions) -> Desk:
    """The engine and all windows, shown; the figure comes before everything else."""
    desk, chat_wanted = await build_desk(app, options)
    await desk.open(hidden=options.hidden)
    if chat_wanted:
        desk.show_chat()
    return desk


async def build_desk(
    app: QApplication, options: StartOptions, *, figure_first: bool = True
) -> tuple[Desk, bool]:
    """The engine and all windows, not shown yet, and whether the person asks for the chat already:
    with `figure_first` the figure stands before all that is built, unless it is to be hidden.
    """
    faults: list[KnownError] = []
    teller: list[Callable[[KnownError], None]] = [faults.append]

    def tell(error: KnownError) -> None:
        teller[0](error)

    settings = open_settings(options.home, options.service.overrides(), tell)
    pet = PetWindow(options.cache or options.home / "cache")
    entrance = None
    try:
        if figure_first and not (options.hidden or options.safe):
            entrance = Entrance(pet, settings.store)
            await entrance.come()
        else:
            place_pet(pet, settings.store.settings.companion)
        desk = await _build(app, options, pet, settings, tell)
    except BaseException:
        pet.close_model()
        raise
    desk.engine.faults.extend(faults)  # told when the figure stands
    teller[0] = desk.tell_trouble
    _watch_signals(desk)
    if options.alone:
        from neodeskpet.ui.instance import Doorbell

        desk.answer_door(Doorbell(options.home))
    return desk, entrance is not None and entrance.leave()


async def _build(
    app: QApplication,
    options: StartOptions,
    pet: PetWindow,
    settings: OpenedSettings,
    tell: Callable[[KnownError], None],
) -> Desk:
    from neodeskpet.app.desk import Desk
    from neodeskpet.app.guests.bodies import SpeakersBody
    from neodeskpet.app.tools.clipboard import DesktopClipboard
    from neodeskpet.app.tools.screen import PersonsScreen
    from neodeskpet.engine import open_engine
    from neodeskpet.llm.offline import OfflineModel

    rings: list[Timer] = []
    bell: list[Callable[[Timer], None]] = [rings.append]
    screen = PersonsScreen()
    body = SpeakersBody(pet)
    engine = await open_engine(
        options.home,
        options=options.service,
        body=body,
        clipboard=DesktopClipboard(),
        screen=screen,
        ring=lambda timer: bell[0](timer),
        model=options.model or (OfflineModel() if options.safe else None),
        on_fault=tell,
        opened=settings,
    )
    exits = Exits()
    try:
        desk = Desk(app, engine, pet, safe=options.safe, exits=exits)
    except BaseException:
        with suppress(Exception):  # it is in the log; the first failure is the one to tell
            await exits.close()
        raise
    body.present = desk.troupe.body
    screen.owner = desk.window.composer
    bell[0] = desk.ring
    for timer in rings:
        desk.ring(timer)
    return desk


def _watch_signals(desk: Desk) -> None:
    """Ctrl-C in the terminal and a polite kill, as at the end of a session, end it like "Quit"."""
    running = asyncio.get_running_loop()
    polite = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        polite.append(signal.SIGHUP)  # the terminal it was started from is closed
    for number in polite:
        end = desk.quit if number == signal.SIGINT else lambda: desk.session.finish(None)
        signal.signal(number, lambda *_, end=end: running.call_soon_threadsafe(end))
