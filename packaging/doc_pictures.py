"""Takes the pictures of README and the user guide: the real windows, in English and Chinese.

`./run docs --pictures` writes those of the guide to docs/pictures/en and docs/pictures/zh, with at
most 128 colours each, and plays the demo for those of README. Each language runs in a process of
its own, on a virtual display. The model is a script, so no service is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QMenu, QScrollArea, QWidget

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.memory_adapter import MemoryAdapter
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, make_application, open_app
from neodeskpet.cli.demo_command import virtual_display
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.schedule.due import Due
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_call, scripted_text
from neodeskpet.settings.store import FILE_NAME
from neodeskpet.ui import event_loop
from neodeskpet.ui.demo_screenshot import paint_desktop
from neodeskpet.ui.notebook.today_window import CALENDAR, TODOS
from neodeskpet.ui.settings.memory_page import MemoryPage
from neodeskpet.ui.settings.proactive_page import ProactivePage
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.tool_rows import GrantRow
from tests.support.replies import calling, end
from tests.support.sseserver import Reply, Request, ScriptedServer, text

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
LANGUAGES = {"en": "en", "zh": "zh_CN"}
"""The folders of the guide, and the languages of the interface."""
DEMO = "demo"
_DEMOS = (("en", "light", "demo-light.png"), ("zh_CN", "dark", "demo-dark-zh.png"))
"""The language, the theme and the file of each picture of README."""
_COLOURS = 128
_SCALE = "2"
_PATIENCE = 20.0
_SETTINGS_SIZE = (840, 560)
_MARGIN = 24


class Scenes:
    """Brings the app into the state of each picture. `say` chooses between the languages."""

    def __init__(self, desk: DesktopApp, *, chinese: bool, service: str) -> None:
        self._desk = desk
        self._chinese = chinese
        self._service = service
        self.failed = False

    def say(self, english: str, chinese: str) -> str:
        return chinese if self._chinese else english

    async def pictures(self) -> AsyncIterator[tuple[str, QImage]]:
        """Yield the name and the picture of each scene."""
        for name, take in (
            ("first-steps", self._first_steps),
            ("connect-service", self._connect_service),
            ("calmer", self._calmer),
            ("web-search", self._web_search),
            ("take-back", self._take_back),
            ("memory-off", self._memory_off),
            ("todo-friday", self._todo_friday),
            ("next-week", self._next_week),
            ("what-neo-knows", self._what_neo_knows),
            ("characters", self._characters),
            ("quiet-hour", self._quiet_hour),
            ("delete-note", self._delete_note),
            ("bubble-question", self._bubble_question),
        ):
            try:
                yield name, await take()
            except (TimeoutError, AssertionError) as error:
                print(f"{name}: {error!r}", file=sys.stderr)
                self.failed = True

    # The settings

    async def _settings(self, section: str, marked: Callable[[], QWidget]) -> QImage:
        """Show a card of the settings; frame `marked` in it."""
        window = self._desk.side_windows.settings
        window.resize(*_SETTINGS_SIZE)
        window.present(section)
        await _until(lambda: marked().isVisible())
        await asyncio.sleep(0.6)
        area = window.findChild(QScrollArea, "pagesArea")
        assert isinstance(area, QScrollArea)
        area.ensureWidgetVisible(marked(), 0, 160)
        await asyncio.sleep(0.3)
        picture = _grab(window)
        _frame(picture, window, marked())
        return picture

    async def _connect_service(self) -> QImage:
        window = self._desk.side_windows.settings
        window.present("models")
        page = window.pages["service"]
        assert isinstance(page, ServicesPage)
        page.add.menu.popup(QPoint())
        next(one for one in page.add.menu.actions() if one.data() == "custom").trigger()
        page.add.menu.close()
        await _until(page.add.address.isVisible)
        page.add.address.setText(self._service)
        page.add.address.returnPressed.emit()
        await _until(lambda: page.services.editor is not None)
        editor = page.services.editor
        assert editor is not None
        await _until(lambda: editor.trial.text.text() != "" and not editor.trial.isHidden())
        await asyncio.sleep(4)
        return await self._settings("service", lambda: editor.trial)

    async def _calmer(self) -> QImage:
        page = self._desk.side_windows.settings.pages["initiative"]
        assert isinstance(page, ProactivePage)
        page.liveliness.choice.button("calm").click()
        return await self._settings("initiative", lambda: page.liveliness)

    async def _web_search(self) -> QImage:
        window = self._desk.side_windows.settings
        window.resize(*_SETTINGS_SIZE)
        window.present("you")
        window.search.setText(self.say("web search", "网页搜索"))
        row = window.pages["web"].fields["search"]
        await _until(row.isVisible)
        await asyncio.sleep(0.5)
        picture = _grab(window)
        _frame(picture, window, row)
        window.search.clear()
        return picture

    async def _take_back(self) -> QImage:
        self._desk.engine.settings.change("mode", "always_allowed", (Grant("file.write"),))
        page = self._desk.side_windows.settings.pages["mode"]

        def row() -> QWidget:
            return next((one for one in page.rows if isinstance(one, GrantRow)), page)

        await _until(lambda: isinstance(row(), GrantRow))
        return await self._settings("mode", row)

    async def _memory_off(self) -> QImage:
        self._desk.engine.settings.change("memory", "recall", False)
        page = self._desk.side_windows.settings.pages["memory"]
        assert isinstance(page, MemoryPage)
        picture = await self._settings("memory", lambda: page.fields["recall"])
        self._desk.engine.settings.change("memory", "recall", True)
        self._desk.side_windows.settings.hide()
        return picture

    # Today

    async def _add(self, *entries: str) -> None:
        """Write entries into the field of "Today"."""
        today = self._desk.side_windows.today
        for entry in entries:
            today.quick.field.setText(entry)
            await asyncio.sleep(0.6)
            today.quick.field.returnPressed.emit()
            await _until(lambda: not today.quick.field.text())
        today.undo.clear()

    async def _todo_friday(self) -> QImage:
        book, today = self._desk.engine.notebook.todos, date.today()
        self._desk.windows.present("today")
        window = self._desk.side_windows.today
        window.show_tab(TODOS)
        milk = await book.add(self.say("Buy milk", "买牛奶"), due=Due(today))
        await book.set_done(milk.id, done=True)
        for words, days in (
            (self.say("Send the invoice", "寄发票"), -1),
            (self.say("Water the plants", "浇花"), 0),
            (self.say("Renew the passport", "换护照"), 9),
        ):
            await book.add(words, due=Due(today + timedelta(days=days)))
        window.resize(400, 560)
        window.quick.field.setText(self.say("hand in the form Friday", "周五交表"))
        await asyncio.sleep(1)
        picture = _grab(window)
        _frame(picture, window, window.quick)
        window.quick.field.clear()
        return picture

    async def _next_week(self) -> QImage:
        window = self._desk.side_windows.today
        await self._add(
            self.say("yoga every Tuesday 16:00", "每周二 16:00 瑜伽"),
            self.say("dentist next Wednesday at 9:30", "下周三 9:30 看牙医"),
            self.say("call Ana next Thursday at 17:00", "下周四 17:00 给小安打电话"),
        )
        window.resize(1040, 560)
        window.show_tab(CALENDAR)
        window.calendar.show_view("week")
        window.calendar.views.set_value("week")
        await asyncio.sleep(0.5)
        window.calendar.forth.click()
        await asyncio.sleep(1)
        picture = _grab(window)
        window.hide()
        return picture

    # Other windows

    async def _what_neo_knows(self) -> QImage:
        memory = MemoryAdapter(self._desk.engine)
        for fact in (
            self.say("My name is Mira", "我叫米拉"),
            self.say("I am allergic to nuts", "我对坚果过敏"),
            self.say("My sister Lin lives in Lisbon", "我姐姐小林住在成都"),
        ):
            await memory.add(fact)
        self._desk.windows.present("memory")
        window = self._desk.side_windows.memory
        window.resize(480, 480)
        await asyncio.sleep(1)
        picture = _grab(window)
        window.hide()
        return picture

    async def _characters(self) -> QImage:
        self._desk.windows.present("gallery")
        window = self._desk.windows["gallery"]
        window.resize(800, 600)
        await asyncio.sleep(6)
        picture = _grab(window)
        window.hide()
        return picture

    async def _quiet_hour(self) -> QImage:
        menu = self._desk.menu.menu.popup(QPoint(100, 100))
        await asyncio.sleep(0.3)
        row = next(one for one in menu.actions() if one.menu() is not None)
        quiet = row.menu()
        assert isinstance(quiet, QMenu)
        menu.setActiveAction(row)
        quiet.setActiveAction(quiet.actions()[1])
        quiet.show()
        await asyncio.sleep(0.3)
        left, right = _grab(menu), _grab(quiet)
        top = menu.actionGeometry(row).top()
        menu.close()
        return self._scene([(left, QPoint()), (right, QPoint(menu.width() + 4, top))])

    async def _first_steps(self) -> QImage:
        desk = self._desk
        desk.chat.window.hide()
        await desk.companion.pet.wait_until_loaded()
        await _until(
            lambda: desk.companion.pet.description is not None and desk.companion.pet.isExposed()
        )
        await desk.welcome.greet()
        steps = desk.first_run.steps
        assert steps is not None
        # The language, then "Later" for the name: the question who thinks follows.
        for number in (0, 1):
            steps.bubble.buttons[number].click()
            await asyncio.sleep(0.6)
        picture = self._scene([(_grab(steps.bubble), QPoint())])
        steps.bubble.ended.emit()
        return picture

    # The chat

    async def _delete_note(self) -> QImage:
        desk = self._desk
        await desk.engine.notebook.notes.add(
            self.say(
                "PIN of the bike lock: 40-17-23",
                "自行车锁密码：40-17-23",
            )
        )
        desk.chat.window.resize(560, 460)
        desk.chat.window.present()
        await asyncio.sleep(0.5)
        desk.chat.window.composer.insert(
            self.say("Delete the note about the bike lock", "把自行车锁那条笔记删掉")
        )
        desk.chat.window.composer.submit()
        await _until(lambda: desk.companion.presenter.needs_answer)
        await asyncio.sleep(1)
        desk.chat.view.scroller.scroll_to_end()
        await asyncio.sleep(0.5)
        return _grab(desk.chat.window)

    async def _bubble_question(self) -> QImage:
        self._desk.chat.window.hide()
        await _until(lambda: self._desk.companion.bubble.isVisible())
        await asyncio.sleep(1)
        return self._scene([(_grab(self._desk.companion.bubble), QPoint())])

    def _scene(self, parts: list[tuple[QImage, QPoint]]) -> QImage:
        """Compose pictures with the figure at their right on the colours of the desktop. Places in
        logical pixels.
        """
        ratio = parts[0][0].devicePixelRatio()
        whole = QRect()
        for part, place in parts:
            whole = whole.united(QRect(place, part.deviceIndependentSize().toSize()))
        figure = self._desk.companion.pet.snapshot(round(240 * ratio))
        figure.setDevicePixelRatio(ratio)
        beside = figure.deviceIndependentSize().toSize()
        height = max(whole.height(), beside.height()) + 2 * _MARGIN
        width = whole.width() + beside.width() + 2 * _MARGIN
        image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        with QPainter(image) as painter:
            paint_desktop(painter, QRect(0, 0, width, height), self._desk.theme_manager.theme)
            for part, place in parts:
                painter.drawImage(place + QPoint(_MARGIN, _MARGIN), part)
            painter.drawImage(
                QPoint(whole.width() + _MARGIN, height - beside.height() - _MARGIN), figure
            )
        return image


def _grab(widget: QWidget) -> QImage:
    return widget.grab().toImage()


def _frame(picture: QImage, window: QWidget, part: QWidget) -> None:
    """Draw a frame around a part of a window in its picture."""
    place = QRect(part.mapTo(window, QPoint()), part.size())
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor("#d9480f"), 2))
        inside = QRectF(0, 0, window.width(), window.height()).adjusted(2, 2, -2, -2)
        around = QRectF(place).adjusted(-8, -4, 8, 4).intersected(inside)
        painter.drawRoundedRect(around, 8, 8)


async def _until(true: Callable[[], object]) -> None:
    end_of_patience = time.monotonic() + _PATIENCE
    while not true():
        if time.monotonic() > end_of_patience:
            raise TimeoutError("The window didn't get into the state of the picture")
        await asyncio.sleep(0.05)


def write_small(picture: QImage, file: Path) -> None:
    """Write a picture as PNG with few colours."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")  # type: ignore[call-overload]
    image = Image.open(io.BytesIO(bytes(buffer.data().data()))).convert("RGB")
    few = image.quantize(_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    file.parent.mkdir(parents=True, exist_ok=True)
    few.save(file, optimize=True)


def _answer_test(request: Request) -> Reply:
    """Answer a request of the test of a service, as a model that can call tools and see."""
    asked = str(request.body["messages"][-1])
    if "probe_ping" in asked:
        return Reply([*calling("native", ("probe_ping", {})), *end("tool_calls")])
    if "probe_echo" in asked:
        words = ("one", "two") if "twice" in asked else ("neo",)
        calls: list[tuple[str, dict[str, object]]] = [
            ("probe_echo", {"word": word}) for word in words
        ]
        return Reply([*calling("native", *calls), *end("tool_calls")])
    if "colour" in asked:
        return Reply([text("red"), *end()])
    return Reply([text("one "), text("two "), text("three"), *end()])


async def _take(app: object, folder: str, home: Path, out: Path, only: list[str]) -> int:
    chinese = folder == "zh"
    words = ("好的，我来删。", "好") if chinese else ("I'll delete it.", "Done.")
    model = ScriptedModel(
        [scripted_text(words[0]), scripted_call("note.delete", {"id": 1})],
        [scripted_text(words[1])],
        label="qwen3-8b",
    )
    with ScriptedServer() as server:
        server.fallback = _answer_test
        server.pages["/v1/models"] = {"data": [{"id": "qwen3-8b"}]}
        options = StartOptions(home, RunOptions(), single_instance=False, model=model)
        desk = await open_app(app, options)  # type: ignore[arg-type]
        try:
            scenes = Scenes(desk, chinese=chinese, service=server.url)
            async for name, picture in scenes.pictures():
                if not only or name in only:
                    write_small(picture, out / folder / f"{name}.png")
        finally:
            desk.engine.chat.stop()
            await desk.aclose()
        return int(scenes.failed)


def take_language(folder: str, out: Path, only: list[str]) -> int:
    """Take the pictures of one language in this process."""
    with tempfile.TemporaryDirectory() as home:
        chosen = {"language": LANGUAGES[folder], "theme": "light", "reduced_motion": True}
        settings = {
            "appearance": chosen,
            "service": {"titles": False},
            "memory": {"learn": False},
        }
        (Path(home) / FILE_NAME).write_text(json.dumps(settings), encoding="utf-8")
        app = make_application()
        run: Callable[[], Awaitable[int]] = partial(_take, app, folder, Path(home), out, only)
        return event_loop.run(app, run)


def main() -> int:
    """Take the pictures; return 1 if those of a language failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--language", choices=LANGUAGES, help="in this process, on this display")
    parser.add_argument("--out", type=Path, default=PICTURES)
    parser.add_argument("only", nargs="*", metavar="NAME", help="only these; “demo” for README")
    chosen = parser.parse_args()
    if chosen.language:
        return take_language(chosen.language, chosen.out, chosen.only)
    os.environ.pop("DISPLAY", None)
    chosen.out.mkdir(parents=True, exist_ok=True)
    codes = []
    with virtual_display("3200x2200x24"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        if not chosen.only or DEMO in chosen.only:
            for language, theme, file in _DEMOS:
                demo = ["--language", language, "--theme", theme]
                target = ["--screenshot", str(chosen.out / file)]
                command = [sys.executable, "-m", "neodeskpet", "demo", *demo, *target]
                codes.append(subprocess.call(command, env=environment))
        environment["QT_SCALE_FACTOR"] = _SCALE
        for folder in LANGUAGES if chosen.only != [DEMO] else ():
            command = [sys.executable, __file__, "--language", folder, "--out", str(chosen.out)]
            codes.append(subprocess.call([*command, *chosen.only], env=environment))
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
