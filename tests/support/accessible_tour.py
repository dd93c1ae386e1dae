"""The app in a process of its own that shows one window or page after the other, in English and in
Chinese, for a screen reader that reads it over D-Bus.

`python -m tests.support.accessible_tour HOME URL`: it prints a line of JSON for each view (`View`),
and continues after a line on stdin.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, run_app
from neodeskpet.core.grant_scope import Grant
from neodeskpet.ui.notebook.today_window import TABS
from neodeskpet.ui.settings.figure.model_tile import ModelTileButton
from neodeskpet.ui.settings.folding_card import FoldingCard, FoldingCardHeader
from neodeskpet.ui.settings.settings_groups import GROUPS
from neodeskpet.ui.settings.settings_page import FoldButton
from neodeskpet.ui.windows.character_gallery import CharacterTile
from tests.support.desk import DeskStory, settle

LANGUAGES = ("en", "zh_CN")


@dataclass(frozen=True, slots=True)
class View:
    """`radios` are the names of the buttons of which one is chosen, `folds` of those that show or
    hide something. `windows` are the titles of the shown windows.
    """

    name: str
    language: str
    windows: list[str]
    radios: list[str]
    folds: list[str]


def _describe(name: str, language: str) -> View:
    windows = [one for one in QApplication.topLevelWidgets() if one.isVisible()]
    buttons = [
        button
        for window in windows
        for button in window.findChildren(QAbstractButton)
        if button.isVisible()
    ]
    radios = [
        one
        for one in buttons
        if isinstance(one, CharacterTile | ModelTileButton)
        or (one.group() is not None and one.group().exclusive())
    ]
    folds = [one for one in buttons if isinstance(one, FoldButton | FoldingCardHeader)]
    return View(
        name,
        language,
        [window.windowTitle() for window in windows],
        [one.accessibleName() or one.text() for one in radios],
        [one.accessibleName() or one.text() for one in folds],
    )


class Tour:
    """Shows the views of the app one after the other."""

    def __init__(self, desk: DesktopApp) -> None:
        self._desk = desk
        self._person = DeskStory(desk, brief=False)

    async def prepare(self) -> None:
        """Add one of everything that can be listed."""
        book = self._desk.engine.notebook
        await book.notes.add("PIN of the bike lock: 4711")
        await book.todos.add("Call the dentist")
        self._desk.engine.settings.change("mode", "always_allowed", (Grant("file.write"),))
        self._desk.chat.window.show_sidebar(True)
        self._desk.chat.window.resize(1000, 760)
        self._desk.chat.window.present()
        self._person.type("what is 6*7?")
        await self._person.until(lambda: "It is 42" in self._person.shown())
        await self._person.idle()
        self._person.type("and note it")
        await self._person.until(lambda: "Allow once" in self._person.buttons())

    async def views(self) -> AsyncIterator[str]:
        """Show a view, yield its name, and close it after that."""
        desk = self._desk
        desk.chat.window.present()
        yield "chat"
        desk.chat.window.find_bar.open("it")
        yield "chat, find"
        desk.chat.window.find_bar.close_search()
        desk.chat.window.hide()
        async for name in self._settings():
            yield name
        async for name in self._today():
            yield name
        for entry in list(desk.windows):
            if entry.key not in ("chat", "settings", "today"):
                async with _Shown(self, desk.windows[entry.key]):
                    yield entry.key
        async for name in self._companion():
            yield name

    async def _settings(self) -> AsyncIterator[str]:
        window = self._desk.side_windows.settings
        async with _Shown(self, window):
            for group in GROUPS:
                window.present(group.name)
                await self.settle()
                for fold in window.findChildren(FoldButton):
                    fold.setChecked(True)
                for card in window.findChildren(FoldingCard):
                    if card.isVisible() and not card.head.isChecked():
                        card.head.click()
                yield f"settings, {group.name}"

    async def _today(self) -> AsyncIterator[str]:
        window = self._desk.side_windows.today
        async with _Shown(self, window):
            for key, _title, _icon in TABS:
                window.show_tab(key)
                yield f"today, {key}"

    async def _companion(self) -> AsyncIterator[str]:
        desk = self._desk
        line = desk.quick_message.line
        line.present()
        yield "say line"
        line.close()
        desk.companion.bubble.ask("q", "Delete the note?", (("yes", "Delete"), ("no", "Keep it")))
        yield "bubble"
        desk.companion.bubble.withdraw("q")
        desk.command_palette.toggle()
        yield "palette"
        desk.command_palette.toggle()
        desk.chat.window.show()
        desk.chat.window.show_page(desk.first_run.guide)
        desk.first_run.guide.start()
        yield "first steps in the chat"

    async def settle(self) -> None:
        await asyncio.sleep(0.1)


class _Shown:
    """A window that is shown, and closed in the end."""

    def __init__(self, tour: Tour, window: QWidget) -> None:
        self._tour = tour
        self._window = window

    async def __aenter__(self) -> QWidget:
        self._window.show()
        await self._tour.settle()
        return self._window

    async def __aexit__(self, *failure: object) -> None:
        self._window.close()


async def _conduct(desk: DesktopApp) -> int:
    tour = Tour(desk)
    await tour.prepare()
    for language in LANGUAGES:
        desk.engine.settings.change("appearance", "language", language)
        await tour.settle()
        async for name in tour.views():
            await tour.settle()
            print(json.dumps(asdict(_describe(name, language))), flush=True)
            if not await asyncio.to_thread(sys.stdin.readline):
                return 1
    return 0


def main(home: str, url: str) -> int:
    settle(Path(home), {"mode": {"mode": "native", "ask_before_every_change": True}})
    service = RunOptions(base_url=url, model="test-model")
    return run_app(StartOptions(Path(home), service, single_instance=False, hidden=True), _conduct)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
