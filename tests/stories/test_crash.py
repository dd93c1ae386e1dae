"""A crash is reported at the next start; after two in a row safe mode is offered."""

from __future__ import annotations

import asyncio
import shutil
import signal
import stat
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from neodeskpet.app.crash_reports import CRASH_FOLDER, CrashReports, LastRun
from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, run_app
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.ui.windows.crash_report_window import CrashReportWindow
from tests.support.desk import DeskStory, settle
from tests.support.doomed import end, end_display
from tests.support.replies import end as reply_end
from tests.support.sseserver import ScriptedServer, text

BASIC = "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
KEY = "sk-a-key-that-a-bug-knows-0123456789"
Start = Callable[..., None]


@pytest.fixture
def start(qapp: QApplication, tmp_path: Path, verdicts: Path) -> Start:
    """`start(scene, safe=False, url="")`: the next start, as `neodeskpet` does it."""

    def run(
        scene: Callable[[DesktopApp], Awaitable[None]] | None = None,
        *,
        safe: bool = False,
        url: str = "",
    ) -> None:
        async def play(desk: DesktopApp) -> int:
            if scene is not None:
                async with asyncio.timeout(60):
                    await scene(desk)
            return 0

        service = RunOptions(base_url=url or None, model="test-model" if url else None)
        options = StartOptions(
            tmp_path, service, single_instance=False, hidden=True, safe_mode=safe, cache=verdicts
        )
        settle(tmp_path, {})
        assert run_app(options, play) == 0

    return run


def crash_window() -> CrashReportWindow | None:
    shown = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
    return next((w for w in shown if isinstance(w, CrashReportWindow)), None)


def button(window: QWidget, words: str) -> QPushButton:
    (found,) = [b for b in window.findChildren(QPushButton) if b.text() == words and b.isVisible()]
    return found


def answer(words: str, seen: list[str]) -> QTimer:
    """Press this button as soon as the window asks."""

    def look() -> None:
        window = crash_window()
        if window is not None:
            timer.stop()
            seen.append(window.title.text())
            button(window, words).click()

    timer = QTimer(interval=20)
    timer.timeout.connect(look)
    timer.start()
    return timer


def reports(home: Path) -> list[Path]:
    return sorted((home / CRASH_FOLDER).glob("*.txt"))


@pytest.mark.parametrize("how", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE])
def test_a_native_crash_is_reported(
    start: Start, tmp_path: Path, verdicts: Path, how: signal.Signals
) -> None:
    assert end(tmp_path, verdicts, how) == -how

    async def told(desk: DesktopApp) -> None:
        window = crash_window()
        assert window is not None
        assert "ended unexpectedly last time" in window.title.text()
        (report,) = reports(tmp_path)
        assert stat.S_IMODE(report.stat().st_mode) == 0o600
        assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700
        button(window, "Show the report").click()
        shown = window.report_text.toPlainText()
        assert "Fatal Python error" in shown
        assert "run_until_complete" in shown
        button(window, "Copy").click()
        assert QGuiApplication.clipboard().text() == shown
        button(window, "Close").click()
        assert not window.isVisible()

    async def once(desk: DesktopApp) -> None:
        assert crash_window() is None

    start(told)
    start(once)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_requested_end_is_no_crash(
    start: Start, tmp_path: Path, verdicts: Path, how: signal.Signals
) -> None:
    assert end(tmp_path, verdicts, how) == 0

    async def nothing(desk: DesktopApp) -> None:
        assert crash_window() is None
        assert reports(tmp_path) == []

    start(nothing)


def test_a_kill_leaves_no_report_and_no_window(
    start: Start, tmp_path: Path, verdicts: Path
) -> None:
    assert end(tmp_path, verdicts, signal.SIGKILL) == -signal.SIGKILL

    async def quiet(desk: DesktopApp) -> None:
        assert crash_window() is None
        assert reports(tmp_path) == []
        log = (tmp_path / "logs" / "neodeskpet.log").read_text("utf-8")
        assert "ended without a recorded reason" in log

    start(quiet)


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs an X server of its own")
def test_a_session_that_ends_with_its_display_is_no_crash(tmp_path: Path, verdicts: Path) -> None:
    assert end_display(tmp_path, verdicts) == 1
    assert CrashReports(tmp_path).collect_reports() == LastRun()


def test_after_two_in_a_row_safe_mode_is_offered_and_can_be_left(
    start: Start, tmp_path: Path, verdicts: Path, server: ScriptedServer
) -> None:
    for _ in range(2):
        assert end(tmp_path, verdicts, signal.SIGSEGV) == -signal.SIGSEGV
    seen: list[str] = []

    async def safe(desk: DesktopApp) -> None:
        bar = desk.chat.window.safe_mode_bar
        assert desk.chat.window.isVisible()
        assert bar.isVisible()
        assert "Safe mode" in bar.text.text()
        assert not desk.companion.pet.isVisible()
        assert desk.companion.pet.description is None
        person = DeskStory(desk)
        person.type("what time is it?")
        await person.idle()
        assert (await person.reply()).text
        assert server.requests == []
        bar.exit_button.click()

    async def usual(desk: DesktopApp) -> None:
        person = DeskStory(desk)
        assert not desk.chat.window.safe_mode_bar.isVisible()
        await person.until(lambda: desk.companion.pet.description is not None, "no figure")

    scenes = [safe, usual]

    async def play(desk: DesktopApp) -> None:
        await scenes.pop(0)(desk)

    timer = answer("Start in safe mode", seen)
    start(play, url=server.url)
    timer.stop()
    assert seen == ["NeoDeskPet ended unexpectedly twice in a row"]
    assert scenes == []


def test_a_normal_start_after_two_and_a_normal_end_reset_the_count(
    start: Start, tmp_path: Path, verdicts: Path, server: ScriptedServer
) -> None:
    for _ in range(2):
        end(tmp_path, verdicts, signal.SIGABRT)

    async def usual(desk: DesktopApp) -> None:
        assert not desk.chat.window.safe_mode_bar.isVisible()
        person = DeskStory(desk)
        server.reply(text("Here I am."), *reply_end())
        person.type("hello")
        await person.until(lambda: "Here I am." in person.shown())
        await person.idle()

    async def told_once(desk: DesktopApp) -> None:
        window = crash_window()
        assert window is not None
        assert "last time" in window.title.text()

    timer = answer("Start normally", [])
    start(usual, url=server.url)
    timer.stop()
    end(tmp_path, verdicts, signal.SIGABRT)
    start(told_once)


def test_safe_mode_by_the_command_line(start: Start) -> None:
    async def safe(desk: DesktopApp) -> None:
        assert desk.chat.window.safe_mode_bar.isVisible()
        assert desk.companion.pet.description is None

    start(safe, safe=True)


class Button(QObject):
    def fail(self) -> None:
        raise RuntimeError(f"a bug in a slot, with {KEY}")


def test_bugs_are_reported_once_without_keys_and_the_app_continues(
    start: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def task() -> None:
        raise LookupError(f"a bug in a task, with {KEY}")

    def thread() -> None:
        raise ValueError(f"a bug in a thread, with {KEY}")

    class Grave:
        def __del__(self) -> None:
            raise OSError(f"a bug in a destructor, with Authorization: Basic {BASIC}")

    async def scene(desk: DesktopApp) -> None:
        broken = Button()
        for _ in range(3):
            QTimer.singleShot(0, broken.fail)
            spawn_task(task(), name="a task")
            worker = threading.Thread(target=thread)
            worker.start()
            worker.join()
            Grave()
            await asyncio.sleep(0.05)
        person = DeskStory(desk)
        person.type("what is 6*7?")
        await person.idle()
        assert "42" in (await person.reply()).text

    start(scene)
    found = "".join(path.read_text("utf-8") for path in reports(tmp_path))
    log = (tmp_path / "logs" / "neodeskpet.log").read_text("utf-8")
    terminal = capfd.readouterr().err
    for place in ("slot", "task", "thread", "destructor"):
        assert found.count(f": a bug in a {place}") == 1, place
        for words in (log, terminal):
            assert words.count(f": a bug in a {place}") >= 3, place
    for words in (found, log, terminal):
        assert KEY not in words
        assert BASIC not in words
