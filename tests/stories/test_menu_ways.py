"""How many clicks frequent actions at the figure take, by mouse and by keyboard: at most four."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from neodeskpet.ui.windows.character_gallery import CharacterGallery
from tests.support.desk import DeskStory

Play = Callable[..., None]
MOST_CLICKS = 4
MOST_TABS = 60


class Hand:
    """Counts the user's clicks and keys."""

    def __init__(self, person: DeskStory) -> None:
        self.person = person
        self.presses = 0

    async def right_click(self) -> QMenu:
        """On the figure."""
        pet = self.person.desk.companion.pet
        await pet.wait_until_loaded()
        await self.person.until(lambda: pet.description is not None and pet.isExposed())
        middle = QPoint(pet.width() // 2, pet.height() // 2)
        QTest.mousePress(pet, Qt.MouseButton.RightButton, pos=middle)
        self.presses += 1
        return await self.menu()

    async def menu(self) -> QMenu:
        await self.person.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        found = QApplication.activePopupWidget()
        assert isinstance(found, QMenu)
        return found

    async def click(self, menu: QMenu, text: str) -> None:
        """Click a row of a menu."""
        action = next(one for one in menu.actions() if one.text().split("\t")[0] == text)
        place = menu.actionGeometry(action).center()
        QTest.mouseMove(menu, place)
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)
        self.presses += 1
        inside = action.menu()
        if isinstance(inside, QMenu):
            await self.person.until(inside.isVisible, f"{text} doesn't open")

    async def open_menu(self) -> QMenu:
        """Open the menu with the keyboard: the hot key shows the line, and the down key there opens
        the menu.
        """
        line = self.person.desk.quick_message
        line.toggle()
        field = line.line.composer.field
        await self.person.until(field.hasFocus, "the line took no focus")
        QTest.keyClick(field, Qt.Key.Key_Down)
        return await self.menu()

    async def open_submenu(self, text: str) -> QMenu:
        """Open a submenu with the keyboard."""
        menu = await self.open_menu()
        self.go_to(menu, text)
        self.press(Qt.Key.Key_Right)
        inside = submenu(menu, text)
        await self.person.until(inside.isVisible, f"{text} doesn't open")
        return inside

    def go_to(self, menu: QMenu, text: str) -> None:
        """Move to a row with the down key."""
        for _ in menu.actions():
            active = menu.activeAction()
            if active is not None and active.text().split("\t")[0] == text:
                return
            self.press(Qt.Key.Key_Down)

    def press(self, key: Qt.Key) -> None:
        """Press a key in the open menu."""
        popup = QApplication.activePopupWidget()
        assert popup is not None
        QTest.keyClick(popup, key)


def submenu(menu: QMenu, text: str) -> QMenu:
    action = next(one for one in menu.actions() if one.text().split("\t")[0] == text)
    inside = action.menu()
    assert isinstance(inside, QMenu)
    return inside


def test_quiet_for_an_hour_and_what_it_knows_by_mouse(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
        hand = Hand(person)
        menu = await hand.right_click()
        assert len([one for one in menu.actions() if one.isVisible() and one.text()]) == 7
        await hand.click(menu, "Quiet and position")
        await hand.click(submenu(menu, "Quiet and position"), "Quiet for an hour")
        assert desk.engine.settings.settings.companion.quiet
        assert desk.menu.quiet_mode.until is not None
        assert hand.presses == 3 <= MOST_CLICKS
        hand = Hand(person)
        menu = await hand.right_click()
        await hand.click(menu, "More")
        await hand.click(submenu(menu, "More"), "What Neo knows about you…")
        await person.until(desk.side_windows.memory.isVisible)
        assert hand.presses == 3 <= MOST_CLICKS

    desk_story(story, pet=True)


def test_the_same_by_keyboard_alone(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
        hand = Hand(person)
        await hand.open_submenu("Quiet and position")
        hand.press(Qt.Key.Key_Return)
        await person.until(lambda: desk.engine.settings.settings.companion.quiet, "it isn't quiet")
        await hand.open_submenu("More")
        hand.press(Qt.Key.Key_Return)
        await person.until(desk.side_windows.memory.isVisible, "it isn't shown")

    desk_story(story, pet=True)


def test_another_character_by_mouse(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        mimi = await desk.characters.create()
        found = next(one for one in desk.characters.characters() if one.id == mimi)
        desk.chat.window.hide()
        hand = Hand(person)
        await desk.companion.pet.wait_until_loaded()
        desk.companion.pet.chat_requested.emit()  # a double click on the figure opens the chat
        hand.presses += 1
        head = desk.chat.window.header
        await person.until(head.more.isVisible)
        head.menu.popup(head.more.mapToGlobal(QPoint(0, head.more.height())))
        hand.presses += 1
        characters = desk.character_controller.action
        await hand.click(head.menu, characters.text())
        await hand.click(desk.character_controller.menu, found.card.name)
        await person.until(lambda: desk.characters.current_character() == mimi)
        assert hand.presses == MOST_CLICKS

    desk_story(story, pet=True)


def test_another_character_by_keyboard_alone(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        mimi = await desk.characters.create()
        desk.chat.window.hide()
        hand = Hand(person)
        more = await hand.open_submenu("More")
        hand.go_to(more, "Characters and companions…")
        hand.press(Qt.Key.Key_Return)
        gallery = desk.windows["gallery"]
        assert isinstance(gallery, CharacterGallery)
        await person.until(lambda: f"own {mimi}" in gallery.tiles, "it isn't in the gallery")
        gallery.activateWindow()
        await person.until(gallery.isActiveWindow, "it isn't active")
        tile = gallery.tiles[f"own {mimi}"]
        for _ in range(MOST_TABS):
            if gallery.focusWidget() is tile:
                break
            QTest.keyClick(gallery.focusWidget() or gallery, Qt.Key.Key_Tab)
        QTest.keyClick(tile, Qt.Key.Key_Space)
        await person.until(lambda: desk.characters.current_character() == mimi, "it isn't chosen")

    desk_story(story, pet=True)


def test_click_through_can_always_be_turned_off(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.menu.menu.actions["click_through"].trigger()
        assert desk.engine.settings.settings.companion.click_through
        tray = desk.menu.menu.tray_menu()
        first = next(one for one in tray.actions() if one.isVisible())
        assert first.text() == "Turn off click-through"
        first.trigger()
        assert not desk.engine.settings.settings.companion.click_through
        tray.deleteLater()

    desk_story(story, pet=True)
