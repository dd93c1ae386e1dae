"""Shows every window, page, menu and dialog of the app, one after the other (`Tour`).

`python -m tests.support.accessible_tour HOME URL` runs the app in its own process for a screen
reader that talks to it over D-Bus: it shows everything in English and in Chinese, prints a line of
JSON for each view (`View`), and continues after a line on stdin.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMenu, QWidget

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, run_app
from neodeskpet.conversation.import_chats.chat_importer import ImportChoice, ImportedMessages
from neodeskpet.core.grant_scope import Grant
from neodeskpet.language import tr
from neodeskpet.ui.first_steps import Step
from neodeskpet.ui.first_steps_bubble import Answer, FirstStepsBubble, StepView
from neodeskpet.ui.notebook.today_window import TABS
from neodeskpet.ui.settings.characters_page import CharactersPage
from neodeskpet.ui.settings.figure.model_tile import ModelTileButton
from neodeskpet.ui.settings.folding_card import FoldingCard, FoldingCardHeader
from neodeskpet.ui.settings.mcp_servers_page import McpServersPage
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_groups import ALL_GROUPS
from neodeskpet.ui.settings.settings_page import FoldButton
from neodeskpet.ui.windows.character_gallery import CharacterTile
from neodeskpet.ui.windows.crash_report_window import CrashReportWindow
from neodeskpet.ui.windows.hang_window import HangWindow
from neodeskpet.ui.windows.import_dialog import ImportDialog
from tests.support.desk import DeskStory, settle

LANGUAGES = ("en", "zh_CN")


@dataclass(frozen=True, slots=True)
class View:
    """`radios` are the names of the buttons of which one is chosen, `folds` of those that show or
    hide something. `windows` are the titles of the shown windows. `popups` are the numbers of the
    shown menus and popups on the accessibility bus: Qt doesn't list them below the application.
    """

    name: str
    language: str
    windows: list[str]
    radios: list[str]
    folds: list[str]
    popups: list[int]


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
        [
            QAccessible.uniqueId(QAccessible.queryAccessibleInterface(window))
            for window in windows
            if window.windowType() is Qt.WindowType.Popup
        ],
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
        for parts in (
            self._chat,
            self._chat_menus,
            self._settings,
            self._forms,
            self._today,
            self._windows,
            self._menus,
            self._dialogs,
            self._companion,
            self._first_steps,
        ):
            async for name in parts():
                await self.settle()
                yield name

    async def _chat(self) -> AsyncIterator[str]:
        window = self._desk.chat.window
        window.present()
        yield "chat"
        for name, width in (("narrow", 384), ("wide", 1500)):
            window.resize(width, 760)
            yield f"chat, {name}"
        window.resize(1000, 760)
        window.find_bar.open("it")
        yield "chat, find"
        window.find_bar.date.click()
        yield "chat, dates"
        window.dates.close()
        window.find_bar.close_search()
        window.sidebar.search.setText("42")
        yield "chat, search"
        window.sidebar.search.clear()
        window.composer.insert("hello")
        yield "chat, composer"
        window.composer.field.clear()
        window.header.models_requested.emit()
        yield "model picker"
        window.header.picker.close()
        window.hide()

    async def _chat_menus(self) -> AsyncIterator[str]:
        chat = self._desk.chat
        window, view = chat.window, chat.view
        window.present()
        await self.settle()
        async for name in self._menu("chat menu", window.header.menu):
            yield name
        sidebar = window.sidebar.list
        sidebar.menu_requested.emit(sidebar.model().index(0, 0), QPoint(100, 100))
        yield "menu of a conversation"
        self._close_popup()
        for widget, name in ((view.viewport(), "message"), (window.composer.field, "composer")):
            middle = widget.rect().center()
            kind = QContextMenuEvent.Reason.Keyboard
            on_screen = widget.mapToGlobal(middle)
            QApplication.sendEvent(widget, QContextMenuEvent(kind, middle, on_screen))
            yield f"menu of the {name}"
            self._close_popup()
        window.composer.attach_requested.emit()
        yield "attach menu"
        self._close_popup()
        for node in view.access.messages()[-1].regions():
            region, place = node.region, node.place
            if region is not None and region.choices and place is not None:
                view.scroller.reveal(place)
                spot = view.viewport().mapFromGlobal(node.rect.center())
                QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
                yield f"menu “{region.name}”"
                self._close_popup()
        window.hide()

    async def _settings(self) -> AsyncIterator[str]:
        window = self._desk.side_windows.settings
        async with _Shown(self, window):
            for group in ALL_GROUPS:
                window.present(group.name)
                await self.settle()
                for fold in window.findChildren(FoldButton):
                    fold.setChecked(True)
                for card in window.findChildren(FoldingCard):
                    if card.isVisible() and not card.head.isChecked():
                        card.head.click()
                yield f"settings, {group.name}"
            usual = window.size()
            for name, width, height in (("narrow", 560, 480), ("wide", 1500, 900)):
                window.resize(width, height)
                yield f"settings, {name}"
            window.resize(usual)
            window.search.setText("voice")
            yield "settings, search"
            window.search.setText("no such words")
            yield "settings, nothing found"
            window.search.clear()

    async def _forms(self) -> AsyncIterator[str]:
        """The forms and menus inside the settings that a button opens."""
        window = self._desk.side_windows.settings
        async with _Shown(self, window):
            servers = window.pages["servers"]
            assert isinstance(servers, McpServersPage)
            window.present("servers")
            servers.by_form.click()
            yield "form of a server"
            assert servers.form is not None
            servers.form.leave.click()
            service = window.pages["service"]
            assert isinstance(service, ServicesPage)
            window.present("service")
            await self.settle()
            service.add.button.click()
            yield "menu of services"
            self._close_popup()
            service.add.choose("custom")
            yield "address of a service"
            characters = window.pages["characters"]
            assert isinstance(characters, CharactersPage)
            window.present("characters")
            if not characters.cards:
                characters.make.click()
                await self._person.until(lambda: characters.cards, "no character was made")
            characters.open(next(iter(characters.cards)))
            await self.settle()
            for card in characters.cards.values():
                if card.body is not None:
                    card.body.book.add.click()
            yield "editor of a character"

    async def _today(self) -> AsyncIterator[str]:
        window = self._desk.side_windows.today
        async with _Shown(self, window):
            for key, _title, _icon in TABS:
                window.show_tab(key)
                yield f"today, {key}"
            for name, width in (("narrow", 384), ("wide", 1200)):
                window.resize(width, 700)
                for key, _title, _icon in TABS:
                    window.show_tab(key)
                    yield f"today, {key}, {name}"
            async for name in self._menu("calendar menu", window.files.menu):
                yield name

    async def _windows(self) -> AsyncIterator[str]:
        desk = self._desk
        for entry in list(desk.windows):
            if entry.key not in ("chat", "settings", "today"):
                async with _Shown(self, desk.windows[entry.key]):
                    if entry.key == "inspector":
                        newest = desk.chat.view.access.messages()[-1].message_id
                        desk.side_windows.inspector.inspect(newest)
                        await self.settle()
                    yield entry.key
        desk.command_palette.shortcuts.show()
        yield "shortcuts"
        desk.command_palette.shortcuts.close()
        theme = desk.theme_manager.theme
        report = Path(__file__)
        for window, name in (
            (CrashReportWindow(theme, report, asks=True), "crash"),
            (CrashReportWindow(theme, report, asks=False), "one crash"),
            (HangWindow(theme), "hang"),
        ):
            async with _Shown(self, window):
                if isinstance(window, CrashReportWindow):
                    window.show_report.click()
                yield name
            window.deleteLater()

    async def _menus(self) -> AsyncIterator[str]:
        menus = self._desk.menu.menu
        own, tray = menus.popup(QPoint(100, 100)), menus.tray_menu()
        own.close()
        for name, menu in (("figure's menu", own), ("tray menu", tray)):
            async for shown in self._menu(name, menu):
                yield shown

    async def _menu(self, name: str, menu: QMenu) -> AsyncIterator[str]:
        """Show a menu, and then each menu inside it."""
        inside = [action.menu() for action in menu.actions() if action.isVisible()]
        for one in (menu, *inside):
            if isinstance(one, QMenu):
                one.popup(QPoint(100, 100))
                yield name if one is menu else f"{name}, {one.title()}"
                one.close()

    async def _dialogs(self) -> AsyncIterator[str]:
        window = self._desk.chat.window
        window.present()
        await self.settle()
        window.composer.attach_requested.emit()
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        menu.actions()[0].trigger()
        menu.close()
        await self.settle()
        for dialog in window.findChildren(QFileDialog):
            yield "file dialog"
            dialog.reject()
        store, archive = self._desk.engine.storage.store, Path("archive.zip")
        past = ImportDialog(window.theme, store, archive, _undo_nothing, window)
        past.open()
        found = ImportChoice("a", "A conversation", 0.0, 1.0, 3, 3, exists=False, folder="")
        past.choices.set_choices([found])
        yield "import"
        past.reject()
        past.deleteLater()
        window.hide()

    async def _companion(self) -> AsyncIterator[str]:
        desk = self._desk
        line = desk.quick_message.line
        line.present()
        yield "say line"
        line.composer.insert("tea in 5 min")
        yield "say line with a timer"
        line.composer.field.clear()
        line.close()
        answers = (("yes", tr("Delete")), ("no", tr("Keep it")))
        desk.companion.bubble.ask("q", "Delete the note?", answers)
        yield "bubble"
        desk.companion.bubble.withdraw("q")
        desk.command_palette.toggle()
        yield "palette"
        desk.command_palette.toggle()
        desk.figure.walking_area.show_editor()
        yield "walking area"
        desk.figure.walking_area.close()

    async def _first_steps(self) -> AsyncIterator[str]:
        desk = self._desk
        bubble = FirstStepsBubble(desk.theme_manager.theme)
        answers = (Answer("a", "Ollama", "Runs here"), Answer("b", "Later"))
        for view in (
            StepView(Step.NAME, "Your name?", "Optional.", answers, field="", field_label="Name"),
            StepView(Step.SERVICE, "Who thinks?", "", answers, stacked=True),
        ):
            bubble.show_step(view)
            bubble.show_result("It works.")
            yield f"first steps, {view.step.name.lower()}"
        bubble.close()
        bubble.deleteLater()
        desk.chat.window.show()
        desk.chat.window.show_page(desk.first_run.guide)
        desk.first_run.guide.start()
        yield "first steps in the chat"
        desk.chat.window.show_page(None)

    def _close_popup(self) -> None:
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()

    async def settle(self) -> None:
        await asyncio.sleep(0.1)


async def _undo_nothing(_taken: ImportedMessages) -> None:
    """The tour imports nothing."""


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
