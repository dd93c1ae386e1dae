"""The tray icon. Where the desktop has no tray everything still works: the pet has the menu."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QSystemTrayIcon

from neodeskpet.ui.menu import CompanionMenu

_CLICKS = (
    QSystemTrayIcon.ActivationReason.Trigger,
    QSystemTrayIcon.ActivationReason.DoubleClick,
)


def without_markup(text: str) -> str:
    """What the desktop shows, as text: some read marks in it (bold, links, pictures), others show
    them, and there is no asking which.
    """
    return text.replace("<", "‹")


class TrayIcon(QObject):
    """An icon with the companion's menu. `pressed` tells a left click, `notification_clicked` a
    click on a notice.
    """

    clicked = Signal()
    notification_clicked = Signal()

    def __init__(self, menu: CompanionMenu, picture: QIcon, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._menu = menu.menu()
        self._icon = QSystemTrayIcon(picture, self)
        self._icon.setContextMenu(self._menu)
        self._icon.setToolTip("NeoDeskPet")
        self._icon.activated.connect(self._activated)
        self._icon.messageClicked.connect(self.notification_clicked)

    @staticmethod
    def is_available() -> bool:
        """Whether the desktop has a tray now. It may come later: `show` waits for it."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    def is_visible(self) -> bool:
        """Whether the person sees our icon now."""
        return self.is_available() and self._icon.isVisible()

    def show(self) -> None:
        self._icon.show()

    def hide(self) -> None:
        self._icon.hide()

    def set_name(self, name: str) -> None:
        """The companion's name."""
        self._icon.setToolTip(without_markup(f"{name} · NeoDeskPet"))

    def set_picture(self, picture: QIcon) -> None:
        self._icon.setIcon(picture)

    def show_notification(self, title: str, text: str) -> bool:
        """Show a notice of the desktop; False where there is no tray to show it."""
        if not self.is_visible():
            return False
        self._icon.showMessage(without_markup(title), without_markup(text), self._icon.icon())
        return True

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _CLICKS:
            self.clicked.emit()
