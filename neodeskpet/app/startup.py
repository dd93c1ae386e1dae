"""Starts and ends the app.

The modules of the whole app are imported after the figure is shown: they take four times as long to
load.
"""

# ruff: noqa: E402 - the first call applies to what is imported after it

from __future__ import annotations

from neodeskpet.ui.pyside_import_patch import skip_source_scan
from neodeskpet.ui.widgets.accessible import install_roles

skip_source_scan()  # before the other imports: it applies to modules that are imported later

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

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication, QSurfaceFormat
from PySide6.QtWidgets import QApplication

from neodeskpet.app.crash_reports import (
    CrashReports,
    LastRun,
    catch_loop_errors,
    catch_uncaught,
    log_bug,
)
from neodeskpet.app.desktop_session import (
    ExitAction,
    FileOpenApplication,
    restart_command,
    take_saved_state,
    watch_display_end,
)
from neodeskpet.app.hang_child import WatchedProcess
from neodeskpet.app.hang_watch import Heartbeat
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.single_instance import SingleInstanceLock, end_process, is_lock_free
from neodeskpet.core.errors import KnownError
from neodeskpet.core.hang_detection import HANG_SECONDS
from neodeskpet.language import format_error, set_language, tr
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.process_memory import tune_allocator
from neodeskpet.platform.shutdown import CloserStack
from neodeskpet.settings.startup import OpenedSettings, open_settings
from neodeskpet.ui import event_loop
from neodeskpet.ui.desktop.session import prevent_bus_autostart
from neodeskpet.ui.theme import apply_theme, theme_for

if TYPE_CHECKING:
    from neodeskpet.app.chat_startup import ChatStartup
    from neodeskpet.app.desktop_app import DesktopApp
    from neodeskpet.app.figure_startup import FigureStartup
    from neodeskpet.core.model import Model
    from neodeskpet.notebook.timers import Timer
    from neodeskpet.ui.pet.pet_window import PetWindow

_log = logging.getLogger(__name__)

_START_TIMEOUT = 20.0  # seconds: how long the first may take from its start until it listens
_OTHER_ENDED = 3


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Options of a start. `chat` opens the chat at once. `model` answers instead of the service
    (the demo). `cache` is where verdicts on model files are stored, in `home` by default.
    `single_instance`: only one app may use the data folder. `hidden` hides the companion until the
    user shows it. `at_login`: windows that were visible when the session ended are shown again.
    `safe_mode`: no figure, an empty conversation, the offline helper. `files`: files that were
    opened with the app ("Open with"). `hang_limit`: seconds without a response of the interface
    after which the app counts as hung.
    """

    home: Path
    service: RunOptions = field(default_factory=RunOptions)
    chat: bool = False
    single_instance: bool = True
    model: Model | None = None
    cache: Path | None = None
    hidden: bool = False
    at_login: bool = False
    safe_mode: bool = False
    files: tuple[Path, ...] = ()
    hang_limit: float = HANG_SECONDS

    @property
    def shows_chat_first(self) -> bool:
        """Whether the chat is shown before the figure is loaded."""
        return self.chat and not self.safe_mode


RunScript = Callable[["DesktopApp"], Awaitable[int]]
"""A script that runs after the app is open; returns its exit code."""


def run_app(options: StartOptions, scene: RunScript | None = None) -> int:
    """Run the app to its end; return the exit code. `scene` runs instead of waiting for the user to
    quit.
    """
    tune_allocator()
    crashes = CrashReports(options.home)
    crashes.start_record()
    with (
        catch_uncaught(crashes.write_bug_report),
        watch_display_end(lambda: _exit_after_display_end(crashes)),
    ):
        try:
            code = _run(options, scene, crashes)
        except KnownError as error:
            crashes.discard_record()
            print(format_error(error), file=sys.stderr)
            return 1
        except Exception as error:  # noqa: BLE001 - the last place that can report it
            log_bug(type(error), error, error.__traceback__)
            crashes.record_fatal_bug(error)
            return 1
        except BaseException:
            crashes.discard_record()
            raise
    crashes.close_record()
    return code


def _exit_after_display_end(crashes: CrashReports) -> None:
    """End the process without Qt: Qt would end it, too, but through drawing code that may crash."""
    crashes.note_display_closed()
    os._exit(1)


def _run(options: StartOptions, scene: RunScript | None, crashes: CrashReports) -> int:
    app = make_application(for_figure=not options.shows_chat_first)
    seat = SingleInstanceLock(options.home) if options.single_instance else None
    try:
        if seat is not None and not seat.acquired:
            seat.close()
            code = _show_running_app(app, options)
            seat = SingleInstanceLock(options.home)
            if code is not None or not seat.acquired:
                crashes.discard_record()
                return 1 if code is None else code
        return _run_again(app, _restored_options(options), scene, crashes)
    finally:
        if seat is not None:
            seat.close()


def _restored_options(options: StartOptions) -> StartOptions:
    """Return the options with the state of the last session at a login: the chat open, or the
    companion hidden.
    """
    chat, companion = take_saved_state(options.home)
    if not options.at_login:
        return options
    return replace(options, chat=options.chat or chat, hidden=options.hidden or not companion)


def _show_running_app(app: QApplication, options: StartOptions) -> int | None:
    """Show the app that already runs and return the exit code; None if the user had it ended, and
    this start continues.
    """
    from neodeskpet.external_api.local_endpoint import running_pid
    from neodeskpet.ui.local_server import activate_running_instance

    word = "chat" if options.chat else "show"
    if activate_running_instance(options.home, word, _START_TIMEOUT, options.files):
        print(tr("NeoDeskPet is already running; its window is shown."), file=sys.stderr)
        return 0
    print(tr("NeoDeskPet is already running but does not respond."), file=sys.stderr)
    pid = running_pid(options.home)
    if pid is None or event_loop.run(app, lambda: _ask_to_end(app, options)) != _OTHER_ENDED:
        return 1
    return None if end_process(pid, lambda: is_lock_free(options.home)) else 1


async def _ask_to_end(app: QApplication, options: StartOptions) -> int:
    """Ask whether to end an app that doesn't respond; `_OTHER_ENDED` if it was ended."""
    from neodeskpet.ui.windows.hang_window import ask_restart

    appearance = open_settings(options.home, {}, lambda _error: None).store.settings.appearance
    set_language(appearance.language)
    theme = theme_for(appearance.theme, appearance.font_size)
    apply_theme(app, theme)
    return _OTHER_ENDED if await ask_restart(theme) else 0


def _run_again(
    app: QApplication, options: StartOptions, scene: RunScript | None, crashes: CrashReports
) -> int:
    """Run the app again as long as the user chooses to, in safe mode or normally."""
    last = crashes.collect_reports()
    heartbeat = Heartbeat(crashes.arm_stacks)
    try:
        while True:
            run = _AppRun(options, scene, crashes, last, heartbeat)
            code = event_loop.run(app, lambda run=run: run.run(app))  # type: ignore[misc]
            if run.exit_action is ExitAction.QUIT:
                return code
            options = replace(options, safe_mode=run.exit_action is ExitAction.RESTART_SAFE)
            last = LastRun()
    finally:
        heartbeat.close()


class _AppRun:
    """One run of the app from opening to closing. `next` is what the user chose to follow."""

    def __init__(
        self,
        options: StartOptions,
        scene: RunScript | None,
        crashes: CrashReports,
        last: LastRun,
        heartbeat: Heartbeat,
    ) -> None:
        self.exit_action = ExitAction.QUIT
        self._options = options
        self._scene = scene
        self._crashes = crashes
        self._last = last
        self._heartbeat = heartbeat

    async def run(self, app: QApplication) -> int:
        catch_loop_errors(asyncio.get_running_loop(), self._crashes.write_bug_report)
        first = not self._asks_for_safe
        desk, chat_wanted = await build_app(app, self._options, figure_first=first)
        try:
            if self._last.ended_silently:
                _log.warning("An earlier run ended without a recorded reason (killed, power loss)")
            if await self._wants_safe(desk):
                self.exit_action = ExitAction.RESTART_SAFE
                return 0
            await desk.start(hidden=self._options.hidden)
            with watch_display_end(desk.session.save_visible):
                return await self._play(desk, chat=chat_wanted)
        finally:
            await desk.aclose()

    async def _wants_safe(self, desk: DesktopApp) -> bool:
        """Ask after two crashes in a row whether to start in safe mode, before any risky code is
        loaded.
        """
        report = self._last.report
        return (
            self._asks_for_safe
            and report is not None
            and await desk.notifiers.crashes.ask_safe_mode(report)
        )

    @property
    def _asks_for_safe(self) -> bool:
        last = self._last
        return (
            not self._options.safe_mode
            and last.report is not None
            and last.consecutive_crashes >= 2
        )

    async def _play(self, desk: DesktopApp, *, chat: bool) -> int:
        if chat:
            desk.show_chat()
        if self._last.report is not None and (
            self._last.consecutive_crashes < 2 or self._options.safe_mode
        ):
            desk.notifiers.crashes.show_report(self._last.report)
        if self._scene is not None:
            code = await self._scene(desk)
            self.exit_action = desk.exit_action
            return code
        await desk.wait_for_figure()
        self._watch(desk)
        from neodeskpet.app.figure_startup import load_idle_modules

        spawn_task(load_idle_modules(), name="load what may be wanted next")
        await desk.welcome.greet(killed=self._last.ended_silently)
        desk.open_files(self._options.files)
        if isinstance(app := QApplication.instance(), FileOpenApplication):
            app.files.set_receiver(desk.open_files)
        await desk.wait_for_quit()
        self.exit_action = desk.exit_action
        self._heartbeat.pause()
        if self.exit_action is ExitAction.QUIT:
            self._crashes.note_end_requested()
        return 0

    def _watch(self, desk: DesktopApp) -> None:
        """Start to watch for hangs; a slow start doesn't count as one."""
        appearance = desk.engine.settings.settings.appearance
        restart = restart_command(self._options.home, chat=False, companion=True)
        watched = WatchedProcess(
            os.getpid(),
            self._crashes.hang_record,
            restart,
            language=appearance.language,
            theme=appearance.theme,
            limit=self._options.hang_limit,
        )
        self._heartbeat.start(watched)


def make_application(*, for_figure: bool = True) -> QApplication:
    """Create the QApplication. `for_figure`: prepare OpenGL at once, not only before the figure is
    created.
    """
    prevent_bus_autostart(os.environ)
    if for_figure:
        _prepare_opengl()
    QGuiApplication.setDesktopFileName("neodeskpet")
    kind = FileOpenApplication if sys.platform == "darwin" else QApplication
    app = QApplication.instance() or kind(["neodeskpet"])
    assert isinstance(app, QApplication)
    app.setApplicationName("NeoDeskPet")
    app.setQuitOnLastWindowClosed(False)
    install_roles()
    return app


def _prepare_opengl() -> None:
    """Set the surface format of the figure as the default, and load its library, which must be
    loaded before the first OpenGL context is created.
    """
    from neodeskpet.ui.pet.gl_surface import default_format

    QSurfaceFormat.setDefaultFormat(default_format())


async def open_app(app: QApplication, options: StartOptions) -> DesktopApp:
    """Create and show the engine and all windows, the figure first."""
    desk, chat_wanted = await build_app(app, options)
    await desk.start(hidden=options.hidden)
    if chat_wanted:
        desk.show_chat()
    return desk


async def build_app(
    app: QApplication, options: StartOptions, *, figure_first: bool = True
) -> tuple[DesktopApp, bool]:
    """Create the engine and all windows without showing them; return also whether the user has
    already requested the chat. With `figure_first` the figure is shown before the rest is created,
    unless it is to be hidden.
    """
    faults: list[KnownError] = []
    teller: list[Callable[[KnownError], None]] = [faults.append]

    def tell(error: KnownError) -> None:
        teller[0](error)

    settings = open_settings(options.home, options.service.overrides(), tell)
    pets = _PetSource(options, settings)
    entrance: FigureStartup | None = None
    early_chat: ChatStartup | None = None
    try:
        if figure_first and options.shows_chat_first:
            early_chat = await _show_chat_early(app, options, pets, settings)
        if figure_first and not (options.hidden or options.safe_mode):
            from neodeskpet.app.figure_startup import FigureStartup

            entrance = FigureStartup(pets.pet, settings.store)
            await entrance.show_and_preload()
        else:
            pets.placed()
        desk = await _build(app, options, pets.pet, settings, tell, early_chat)
    except BaseException:
        pets.release()
        if early_chat is not None:
            early_chat.discard()
        raise
    desk.engine.storage.startup.faults.extend(faults)  # reported after the figure is shown
    teller[0] = desk.notices.show_error
    _watch_signals(desk)
    if options.single_instance:
        from neodeskpet.ui.local_server import LocalServer

        desk.set_local_server(LocalServer(options.home))
    asked = entrance is not None and entrance.finish()
    closed = early_chat is not None and not early_chat.window.isVisible()
    return desk, asked or (options.chat and not closed)


class _PetSource:
    """Creates the figure's window when it is first needed: its code and the OpenGL library take as
    long to load as the whole chat window.
    """

    def __init__(self, options: StartOptions, settings: OpenedSettings) -> None:
        self._cache = options.cache or options.home / "cache"
        self._settings = settings
        self._pet: PetWindow | None = None

    @property
    def pet(self) -> PetWindow:
        if self._pet is None:
            from neodeskpet.ui.pet.pet_window import PetWindow

            _prepare_opengl()
            self._pet = PetWindow(self._cache)
        return self._pet

    def placed(self) -> PetWindow:
        """Return the window at the place of the last run."""
        from neodeskpet.app.figure_startup import restore_pet_position

        restore_pet_position(self.pet, self._settings.store.settings.companion)
        return self.pet

    def release(self) -> None:
        if self._pet is not None:
            self._pet.release_model()


async def _show_chat_early(
    app: QApplication, options: StartOptions, pets: _PetSource, settings: OpenedSettings
) -> ChatStartup:
    """Show the window of the chat before the engine and the figure: where it was left, or beside
    the place where the figure will stand.
    """
    from neodeskpet.app.chat_startup import ChatStartup
    from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE

    appearance = settings.store.settings.appearance
    chat = ChatStartup(app, appearance, options.home / CONVERSATIONS_FILE)

    def beside_figure() -> QRect | None:
        if options.hidden:
            return None
        from neodeskpet.ui.desktop.work_area import work_areas
        from neodeskpet.ui.pet.screen_geometry import nearest_screen, window_beside

        figure = pets.placed().placement.figure_rect()
        screen = nearest_screen(figure, work_areas())
        window = chat.window
        return window_beside(window.size(), window.minimumSize(), figure, screen)

    await chat.show(beside_figure)
    return chat


async def _build(
    app: QApplication,
    options: StartOptions,
    pet: PetWindow,
    settings: OpenedSettings,
    tell: Callable[[KnownError], None],
    early_chat: ChatStartup | None,
) -> DesktopApp:
    from neodeskpet.app.desktop_app import DesktopApp
    from neodeskpet.app.desktop_tools import ActiveCompanionFigure, DesktopClipboard, DesktopScreen
    from neodeskpet.app.engine import open_engine
    from neodeskpet.conversation.reply_cues import FigureCues
    from neodeskpet.core.wire import CueReached
    from neodeskpet.llm.offline import OfflineModel

    rings: list[Timer] = []
    bell: list[Callable[[Timer], None]] = [rings.append]
    screen = DesktopScreen()
    body = ActiveCompanionFigure(pet)
    engine = await open_engine(
        options.home,
        options=options.service,
        body=body,
        clipboard=DesktopClipboard(),
        screen=screen,
        ring=lambda timer: bell[0](timer),
        model=options.model or (OfflineModel() if options.safe_mode else None),
        on_fault=tell,
        opened=settings,
    )
    exits = CloserStack()
    try:
        if early_chat is not None:
            early_chat.finish()
        desk = DesktopApp(
            app, engine, pet, safe=options.safe_mode, exits=exits, early_chat=early_chat
        )
    except BaseException:
        with suppress(Exception):  # it is in the log; the first failure is the one to report
            await exits.aclose()
        raise
    body.current_figure = desk.companions.body
    engine.chat.subscribe(FigureCues(body, desk.companion.speech.when_heard), CueReached)
    screen.owner = desk.chat.window.composer
    bell[0] = desk.notifiers.timer_alarm.ring
    for timer in rings:
        desk.notifiers.timer_alarm.ring(timer)
    return desk


def _watch_signals(desk: DesktopApp) -> None:
    """End the app as "Quit" does at Ctrl-C in the terminal and at SIGTERM, which the end of a
    session sends.
    """
    running = asyncio.get_running_loop()
    polite = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        polite.append(signal.SIGHUP)  # the terminal that the app was started from was closed
    for number in polite:
        end = desk.quit if number == signal.SIGINT else lambda: desk.session.finish(None)
        signal.signal(number, lambda *_, end=end: running.call_soon_threadsafe(end))
