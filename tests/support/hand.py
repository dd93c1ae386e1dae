"""Uses the app with the mouse alone or with the keyboard alone, and counts what is pressed."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

from neodeskpet.ui.settings.settings_groups import GROUPS
from neodeskpet.ui.settings.settings_window import SettingsWindow
from tests.support.desk import DeskStory

_MOST_TABS = 80
CONTROL = Qt.KeyboardModifier.ControlModifier


def title_of(action: QAction) -> str:
    """The text of a row of a menu, without the hint at its right."""
    return action.text().split("\t")[0].replace("&&", "&")


class Hand:
    """Each task begins with `begin`, with the figure on the desktop. `presses` are the clicks or
    the keys since then. The letters of words that are typed don't count.
    """

    def __init__(self, person: DeskStory, *, keyboard: bool) -> None:
        self.person = person
        self.keyboard = keyboard
        self.presses = 0

    async def begin(self) -> None:
        """Close all windows but the figure."""
        desk = self.person.desk
        for window in desk.windows.created_windows():
            window.close()
        desk.quick_message.line.hide()
        self.presses = 0

    # The mouse and the keys

    def click(self, widget: QWidget, place: QPoint | None = None) -> None:
        self.presses += 1
        spot = widget.rect().center() if place is None else place
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=spot)

    def key(
        self,
        widget: QWidget,
        key: Qt.Key,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        self.presses += 1
        QTest.keyClick(widget, key, modifiers)

    async def press(self, widget: QWidget) -> None:
        """Click on a button or a switch, or go there with the Tab key and press Space."""
        await self.person.until(widget.isVisible, f"{widget.accessibleName()} isn't shown")
        if not self.keyboard:
            self.click(widget)
            return
        await self.go_to(widget)
        self.key(widget, Qt.Key.Key_Space)

    async def go_to(self, widget: QWidget) -> None:
        """Give the focus to this widget with the Tab key, and with the arrow keys in a group."""
        window = widget.window()
        await self.activate(window)
        for _ in range(_MOST_TABS):
            focused = window.focusWidget()
            if focused is widget:
                return
            if focused is not None and _are_in_one_group(focused, widget):
                self.key(focused, Qt.Key.Key_Left)
            else:
                self.key(focused or window, Qt.Key.Key_Tab)
        raise AssertionError(f"the Tab key doesn't reach {widget.accessibleName()}")

    async def activate(self, window: QWidget) -> None:
        window.activateWindow()
        await self.person.until(window.isActiveWindow, "it isn't active")

    # Menus

    async def open_menu(self) -> QMenu:
        """Open the companion's menu: by a right click on the figure; or by the hot key, which shows
        the line beside the figure, and the down key there.
        """
        pet = self.person.desk.companion.pet
        if self.keyboard:
            self.key(await self.open_line(), Qt.Key.Key_Down)
        else:
            await pet.wait_until_loaded()
            await self.person.until(lambda: pet.description is not None and pet.isExposed())
            middle = QPoint(pet.width() // 2, pet.height() // 2)
            self.presses += 1
            QTest.mousePress(pet, Qt.MouseButton.RightButton, pos=middle)
        return await self.popup()

    async def open_line(self) -> QWidget:
        """Show the line beside the figure by its hot key; return its field, which has the focus."""
        self.presses += 1
        self.person.desk.quick_message.toggle()
        field = self.person.desk.quick_message.line.composer.field
        await self.person.until(field.hasFocus, "the line took no focus")
        return field

    async def popup(self) -> QMenu:
        """The menu that is open."""
        await self.person.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        found = QApplication.activePopupWidget()
        assert isinstance(found, QMenu)
        return found

    async def choose(self, *rows: str) -> None:
        """Choose a row of the companion's menu; the rows before the last open menus."""
        menu = await self.open_menu()
        for row in rows[:-1]:
            inside = await self.choose_in(menu, row)
            assert isinstance(inside, QMenu)
            menu = inside
        await self.choose_in(menu, rows[-1])

    async def choose_in(self, menu: QMenu, row: str) -> QMenu | None:
        """Choose a row of an open menu; return the menu that it opens."""
        actions = [one for one in menu.actions() if one.isVisible()]
        action = next((one for one in actions if title_of(one) == row), None)
        assert action is not None, [title_of(one) for one in actions]
        inside = action.menu()
        if self.keyboard:
            for _ in actions:
                if menu.activeAction() is not action:
                    self.key(menu, Qt.Key.Key_Down)
            self.key(menu, Qt.Key.Key_Return)
        else:
            place = menu.actionGeometry(action).center()
            QTest.mouseMove(menu, place)
            self.click(menu, place)
        if isinstance(inside, QMenu):
            await self.person.until(inside.isVisible, f"{row} doesn't open")
            return inside
        return None

    # The settings

    async def open_settings(self) -> SettingsWindow:
        await self.choose("Settings…")
        window = self.person.desk.side_windows.settings
        await self.person.until(window.isVisible, "the settings aren't shown")
        await self.activate(window)
        return window

    async def open_group(self, window: SettingsWindow, name: str) -> None:
        row = [group.name for group in GROUPS].index(name)
        if self.keyboard:
            self.key(window, Qt.Key(Qt.Key.Key_1.value + row), CONTROL)
        else:
            groups = window.navigation
            self.click(groups.viewport(), groups.visualItemRect(groups.item(row)).center())
        await self.person.until(lambda: window.group().name == name, "it didn't open")

    async def search(self, window: SettingsWindow, words: str) -> None:
        if self.keyboard:
            self.key(window, Qt.Key.Key_F, CONTROL)
        else:
            self.click(window.search)
        QTest.keyClicks(window.search, words)


def _are_in_one_group(one: QWidget, other: QWidget) -> bool:
    return (
        isinstance(one, QAbstractButton)
        and isinstance(other, QAbstractButton)
        and one.group() is not None
        and one.group() is other.group()
    )
