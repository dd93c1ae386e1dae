"""The tray icon, on a desktop without a tray: everything still works."""

from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from neodeskpet.ui.companion_menu import CompanionMenu, TrayIcon, without_markup
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.window_registry import WindowEntry


def picture() -> QIcon:
    made = QPixmap(32, 32)
    made.fill("teal")
    return QIcon(made)


def test_it_works_without_a_tray(qapp: QApplication) -> None:
    tray = TrayIcon(CompanionMenu(LIGHT), picture())
    tray.show()
    tray.set_picture(picture())
    assert tray.show_notification("Timer", "Tea is ready") is tray.is_available()
    tray.hide()


def test_a_click_is_reported_and_a_right_click_is_not(qapp: QApplication) -> None:
    tray = TrayIcon(CompanionMenu(LIGHT), picture())
    pressed: list[int] = []
    tray.clicked.connect(lambda: pressed.append(1))
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    icon.activated.emit(QSystemTrayIcon.ActivationReason.Context)
    assert pressed == [1]


def test_it_has_the_companions_menu_and_its_tooltip(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    tray = TrayIcon(menu, picture())
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    assert menu.actions["visible"].text() in [one.text() for one in icon.contextMenu().actions()]


def test_a_click_on_a_notification_is_reported(qapp: QApplication) -> None:
    tray = TrayIcon(CompanionMenu(LIGHT), picture())
    told: list[int] = []
    tray.notification_clicked.connect(lambda: told.append(1))
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    icon.messageClicked.emit()
    assert told == [1]


def test_text_that_looks_like_markup_is_shown_literally(qapp: QApplication) -> None:
    tray = TrayIcon(CompanionMenu(LIGHT), picture())
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    tray.set_name('Neo <img src="/a/file.png">')
    assert icon.toolTip() == 'Neo ‹img src="/a/file.png"> · NeoDeskPet'
    assert without_markup("1 < 2, <b>bold</b>") == "1 ‹ 2, ‹b>bold‹/b>"


def test_a_dot_and_the_tooltip_show_that_something_is_due(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT, [WindowEntry("today", QWidget, title="Today…")])
    tray = TrayIcon(menu, picture())
    tray.set_name("Neo")
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None

    def corner() -> QColor:
        return icon.icon().pixmap(32).toImage().pixelColor(25, 6)

    assert corner() == QColor("teal")
    menu.set_badge("today", "2 due")
    assert corner() == QColor("#d2452d")
    assert icon.toolTip() == "Neo · NeoDeskPet · 2 due"
    tray.set_picture(picture())
    assert corner() == QColor("#d2452d"), "another picture keeps the dot"
    tray.set_state("Quiet until 18:00")
    assert icon.toolTip() == "Neo · NeoDeskPet · Quiet until 18:00 · 2 due"
    tray.set_state("")
    menu.set_badge("today", "")
    assert corner() == QColor("teal")
    assert icon.toolTip() == "Neo · NeoDeskPet"
