"""The tray icon, on a desktop that has none: everything still works."""

from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from neodeskpet.ui.companion_menu import CompanionMenu, TrayIcon, without_markup
from neodeskpet.ui.theme import LIGHT


def picture() -> QIcon:
    made = QPixmap(32, 32)
    made.fill("teal")
    return QIcon(made)


def test_works_without_a_tray(qapp: QApplication) -> None:
    tray = TrayIcon(CompanionMenu(LIGHT), picture())
    tray.show()
    tray.set_picture(picture())
    assert tray.show_notification("Timer", "Tea is ready") is tray.is_available()
    tray.hide()


def test_a_click_is_told_and_a_right_click_isnt(qapp: QApplication) -> None:
    tray = TrayIcon(CompanionMenu(LIGHT), picture())
    pressed: list[int] = []
    tray.clicked.connect(lambda: pressed.append(1))
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    icon.activated.emit(QSystemTrayIcon.ActivationReason.Context)
    assert pressed == [1]


def test_has_the_companions_menu_and_its_tip(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    tray = TrayIcon(menu, picture())
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    assert menu.actions["visible"] in icon.contextMenu().actions()


def test_a_click_on_a_notice_is_told(qapp: QApplication) -> None:
    tray = TrayIcon(CompanionMenu(LIGHT), picture())
    told: list[int] = []
    tray.notification_clicked.connect(lambda: told.append(1))
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    icon.messageClicked.emit()
    assert told == [1]


def test_what_the_desktop_might_read_as_marks_is_shown_as_it_is(qapp: QApplication) -> None:
    tray = TrayIcon(CompanionMenu(LIGHT), picture())
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    tray.set_name('Neo <img src="/a/file.png">')
    assert icon.toolTip() == 'Neo ‹img src="/a/file.png"> · NeoDeskPet'
    assert without_markup("1 < 2, <b>bold</b>") == "1 ‹ 2, ‹b>bold‹/b>"
