"""The companion's menu: one table of actions, shared by the tray icon and a right click on the
figure. The menu only emits signals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QAction, QActionGroup, QColor, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.windows.window_registry import WindowEntry


class EntryKind(StrEnum):
    PLAIN = "plain"
    SWITCH = "switch"
    MODE = "mode"


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One action. `text_on` replaces `text` while a PLAIN entry is on (show becomes hide). A
    `hint` stands at the right, where a shortcut would. `new_group` draws a line above.
    """

    id: str
    text: str
    kind: EntryKind = EntryKind.PLAIN
    icon: str = ""
    text_on: str = ""
    hint: str = ""
    new_group: bool = False


_TOP_ENTRIES = (
    MenuEntry("visible", N_("Show {name}"), icon="companion", text_on=N_("Hide {name}")),
    MenuEntry("say", N_("Say something…"), icon="edit"),
)
ACTIVITY_ENTRIES = (
    MenuEntry("spans", N_("Work beside me for 25 minutes"), icon="bell"),
    MenuEntry("snacks", N_("Give {name} a snack"), icon="plus"),
    MenuEntry("seek", N_("Play hide and seek"), icon="eye"),
)
PLACEMENT_ENTRIES = (
    MenuEntry("walk_area", N_("Walking area…"), icon="sidebar"),
    MenuEntry("aside", N_("Step aside"), icon="chevron-right"),
    MenuEntry("back", N_("Come back"), icon="chevron-left"),
)
OPTIONAL_ENTRIES = (*ACTIVITY_ENTRIES, *PLACEMENT_ENTRIES)
"""There only where the person wants them: by `offer`."""
_SWITCH_ENTRIES = (
    MenuEntry(
        "native",
        N_("Tools: through the service"),
        EntryKind.MODE,
        hint=N_("Native"),
        new_group=True,
    ),
    MenuEntry("text", N_("Tools: written in the text"), EntryKind.MODE, hint=N_("Text")),
    MenuEntry("auto", N_("Tools: whichever works"), EntryKind.MODE, hint=N_("Auto")),
    MenuEntry("on_top", N_("Always on top"), EntryKind.SWITCH, new_group=True),
    MenuEntry("click_through", N_("Click-through"), EntryKind.SWITCH),
    MenuEntry("quiet", N_("Quiet for a while"), EntryKind.SWITCH),
)
_BOTTOM_ENTRIES = (MenuEntry("quit", N_("Quit"), icon="power"),)


def menu_entries(windows: Iterable[WindowEntry]) -> tuple[MenuEntry, ...]:
    """All actions in their order; the windows' own stand among them."""
    high = [_window_entry(one) for one in windows if not one.at_bottom]
    low = [_window_entry(one) for one in windows if one.at_bottom]
    last = [*low, *_BOTTOM_ENTRIES]
    last[0] = replace(last[0], new_group=True)
    return (*_TOP_ENTRIES, *high, *OPTIONAL_ENTRIES, *_SWITCH_ENTRIES, *last)


def _window_entry(window: WindowEntry) -> MenuEntry:
    return MenuEntry(window.key, window.title, icon=window.icon, hint=window.hint)


class CompanionMenu(QObject):
    """The actions and the menus made of them.

    Signals: `chosen(id)` for visible, say, quit and the `windows` by their keys; `switched(id, on)`
    for on_top, click_through, quiet; `mode_chosen(mode)` for native, text, auto. Only what the
    person does is told, never what `set_…` does.
    """

    chosen = Signal(str)
    switched = Signal(str, bool)
    mode_chosen = Signal(str)

    def __init__(
        self,
        theme: Theme,
        windows: Iterable[WindowEntry] = (),
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.entries = menu_entries(list(windows))
        self._name = ""
        self._visible = True
        self._menu: QMenu | None = None
        self._made: list[QMenu] = []
        self._theme = theme
        self._modes = QActionGroup(self)
        self.actions = {entry.id: self._action(entry) for entry in self.entries}
        for entry in OPTIONAL_ENTRIES:
            self.set_available(entry.id, False)
        self.set_theme(theme)
        self.retranslate()

    def set_available(self, entry_id: str, on: bool) -> None:
        """Whether an entry is there at all."""
        self.actions[entry_id].setVisible(on)

    def menu(self) -> QMenu:
        """A new menu of the shared actions, for as long as they live."""
        made = QMenu()
        apply_window_theme(made, self._theme)
        self._made.append(made)
        made.setToolTipsVisible(False)
        for entry in self.entries:
            if entry.new_group:
                made.addSeparator()
            made.addAction(self.actions[entry.id])
        made.setAccessibleName(tr("The companion's menu"))
        return made

    def popup(self, position: QPoint) -> QMenu:
        """Show the menu at a place on the screen and return at once."""
        if self._menu is None:
            self._menu = self.menu()
        self._menu.popup(position)
        return self._menu

    def set_switch(self, entry_id: str, on: bool) -> None:
        """Show the state of on_top, click_through or quiet."""
        self.actions[entry_id].setChecked(on)

    def set_mode(self, mode: str) -> None:
        """Tick native, text or auto."""
        self.actions[mode].setChecked(True)

    def set_visible(self, visible: bool) -> None:
        """The companion is on the screen or hidden: the first entry offers the other."""
        self._visible = visible
        self.retranslate()

    def set_name(self, name: str) -> None:
        self._name = name
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for made in self._made:
            apply_window_theme(made, theme)
        for entry in self.entries:
            if entry.icon:
                self.actions[entry.id].setIcon(icon(entry.icon, QColor(theme.muted), 16))

    def retranslate(self) -> None:
        for entry in self.entries:
            on = entry.text_on and self._visible
            text = tr(entry.text_on if on else entry.text, name=self._name)
            hint = f"\t{tr(entry.hint)}" if entry.hint else ""
            self.actions[entry.id].setText(text + hint)

    def _action(self, entry: MenuEntry) -> QAction:
        action = QAction(self)
        action.setObjectName(entry.id)
        action.setIconVisibleInMenu(True)
        match entry.kind:
            case EntryKind.PLAIN:
                action.triggered.connect(lambda _=False: self.chosen.emit(entry.id))
            case EntryKind.SWITCH:
                action.setCheckable(True)
                action.triggered.connect(lambda on: self.switched.emit(entry.id, on))
            case EntryKind.MODE:
                action.setCheckable(True)
                self._modes.addAction(action)
                action.triggered.connect(lambda _=False: self.mode_chosen.emit(entry.id))
        return action


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
