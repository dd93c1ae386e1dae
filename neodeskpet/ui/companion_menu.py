"""The menus of the companion: seven rows and two submenus at the figure, and a short menu in the
tray. They only emit signals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontMetrics,
    QIcon,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QMenu, QStyleOptionMenuItem, QSystemTrayIcon, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.labels import button_text
from neodeskpet.ui.windows.window_registry import WindowEntry

MENU_WIDTH = 248
_HINT_EDGE = 16
"""The space at the right of a hint."""
_ARROW_ROOM = 32
"""The same in a row with the arrow of a submenu."""


class EntryKind(StrEnum):
    PLAIN = "plain"
    SWITCH = "switch"


class MenuPlace(Enum):
    TOP = auto()
    QUIET = auto()
    """The submenu “Quiet and position”."""
    MORE = auto()


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One action. `text_on` replaces `text` while a PLAIN entry is on (show becomes hide). A `hint`
    is shown at the right, in the place of a shortcut. Groups are separated by lines.
    """

    id: str
    text: str
    kind: EntryKind = EntryKind.PLAIN
    icon: str = ""
    text_on: str = ""
    hint: str = ""
    place: MenuPlace = MenuPlace.TOP
    group: int = 0


URGENT = "urgent"
"""The id of the first row, shown when something waits for the user."""
_SUBMENUS: Mapping[MenuPlace, tuple[str, str]] = {
    MenuPlace.QUIET: (N_("Quiet and position"), "quiet"),
    MenuPlace.MORE: (N_("More"), "layers"),
}
_WINDOW_TITLES = {
    "memory": N_("What {name} knows about you…"),
    "knowledge": N_("Your documents…"),
    "inbox": N_("Missed messages…"),
    "gallery": N_("Characters and companions…"),
}
"""Titles in the menu of windows whose own titles are in the first person or different."""
_MORE_ORDER = ("memory", "knowledge", "inbox", "tasks", "spending")
ACTIVITY_ENTRIES = tuple(
    MenuEntry(key, text, icon=sign, place=MenuPlace.MORE, group=2)
    for key, text, sign in (
        ("spans", N_("Focus for 25 minutes"), "later"),
        ("snacks", N_("Give {name} a snack"), "plus"),
        ("seek", N_("Play hide and seek"), "eye"),
    )
)
PLACEMENT_ENTRIES = (
    MenuEntry("aside", N_("Step aside"), icon="chevron-right", place=MenuPlace.QUIET, group=1),
    MenuEntry("back", N_("Come back"), icon="chevron-left", place=MenuPlace.QUIET, group=1),
    MenuEntry("walk_area", N_("Walking area…"), icon="sidebar", place=MenuPlace.QUIET, group=1),
)
OPTIONAL_ENTRIES = (*ACTIVITY_ENTRIES, *PLACEMENT_ENTRIES)
"""Only in the menu if enabled by `set_available`."""
_QUIET_ENTRIES = (
    MenuEntry("quiet", N_("Quiet"), EntryKind.SWITCH, place=MenuPlace.QUIET),
    MenuEntry("quiet_hour", N_("Quiet for an hour"), icon="quiet", place=MenuPlace.QUIET),
    MenuEntry("quiet_tomorrow", N_("Quiet until tomorrow"), place=MenuPlace.QUIET),
    *PLACEMENT_ENTRIES,
    MenuEntry(
        "visible",
        N_("Show {name}"),
        icon="eye-off",
        text_on=N_("Hide {name}"),
        place=MenuPlace.QUIET,
        group=1,
    ),
    MenuEntry("on_top", N_("Always on top"), EntryKind.SWITCH, place=MenuPlace.QUIET, group=2),
    MenuEntry(
        "click_through", N_("Click-through"), EntryKind.SWITCH, place=MenuPlace.QUIET, group=2
    ),
)
_TRAY = (URGENT, "visible", "chat", "today", "quiet", "quiet_hour", "", "settings", "quit")
"""The ids in the tray's menu; "" is a separator."""
CONDITIONAL_ENTRIES = frozenset({URGENT, "quiet", *(entry.id for entry in OPTIONAL_ENTRIES)})
"""Not always in the menus, so not in the palette."""


def menu_entries(windows: Iterable[WindowEntry]) -> tuple[MenuEntry, ...]:
    """Return all actions in order, including those of the windows."""
    windows = list(windows)
    made = {one.key: _window_entry(one) for one in windows}
    today = [made.pop("today")] if "today" in made else []
    low = [made.pop(one.key) for one in windows if one.at_bottom and one.key in made]
    chat = [made.pop("chat")] if "chat" in made else []
    made.pop("guests", None)  # the gallery leads there
    guests = [made.pop(key) for key in ("gallery", "look") if key in made]
    first = [made.pop(key) for key in _MORE_ORDER if key in made]
    top = (
        MenuEntry(URGENT, "", group=-1),
        *chat,
        MenuEntry("say", N_("Say something…"), icon="edit"),
        *today,
        *_QUIET_ENTRIES,
        *(_moved(one, MenuPlace.MORE, 0) for one in (*first, *made.values())),
        *(_moved(one, MenuPlace.MORE, 1) for one in guests),
        *ACTIVITY_ENTRIES,
        *(_moved(one, MenuPlace.TOP, 2) for one in low),
    )
    return (*top, MenuEntry("quit", N_("Quit"), icon="power", group=2))


def _window_entry(window: WindowEntry) -> MenuEntry:
    title = _WINDOW_TITLES.get(window.key, window.title)
    return MenuEntry(window.key, title, icon=window.icon, hint=window.hint)


def _moved(entry: MenuEntry, place: MenuPlace, group: int) -> MenuEntry:
    return replace(entry, place=place, group=group)


class HintMenu(QMenu):
    """A menu with the hints at its right edge; Qt would begin all of them in one column. A badge
    has a tint behind it.
    """

    def __init__(self, badges: Callable[[QAction], bool], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_badge = badges
        self._theme: Theme | None = None

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def initStyleOption(self, option: QStyleOptionMenuItem, action: QAction) -> None:
        super().initStyleOption(option, action)
        # The hint is painted by `paintEvent`. Its width is still reserved: Qt takes it from the
        # action.
        option.text = action.text().partition("\t")[0]

    def hint_area(self, action: QAction) -> QRect:
        """Return the area of the hint; null if the action has none."""
        hint = action.text().partition("\t")[2]
        if not hint or self._theme is None or not action.isVisible():
            return QRect()
        area = self.actionGeometry(action)
        right = area.right() - (_ARROW_ROOM if action.menu() is not None else _HINT_EDGE)
        width = QFontMetrics(self._hint_font(self._theme)).horizontalAdvance(hint)
        return QRect(right - width + 1, area.top(), width, area.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme = self._theme
        if theme is None:
            return
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(self._hint_font(theme))
            for action in self.actions():
                area = self.hint_area(action)
                if area.isNull() or not event.rect().intersects(area):
                    continue
                badge = self._is_badge(action)
                if badge:
                    self._paint_tint(painter, area, theme)
                painter.setPen(QColor(theme.text if badge else theme.muted))
                hint = action.text().partition("\t")[2]
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, hint)

    @staticmethod
    def _paint_tint(painter: QPainter, area: QRect, theme: Theme) -> None:
        high = min(area.height() - 4, theme.line_px)
        tint = QRectF(area.left() - 8, area.center().y() + 0.5 - high / 2, area.width() + 16, high)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.person))
        painter.drawRoundedRect(tint, high / 2, high / 2)

    @staticmethod
    def _hint_font(theme: Theme) -> QFont:
        return ui_font(theme, theme.small_px)


class CompanionMenu(QObject):
    """The actions and their menus.

    Signals: `chosen(id)` for plain entries and the `windows` by key; `switched(id, on)` for on_top,
    click_through and quiet; `about_to_show` before a menu appears. Signals report the user's
    actions only, not calls of `set_…`.
    """

    chosen = Signal(str)
    switched = Signal(str, bool)
    about_to_show = Signal()
    badge_changed = Signal(str, str)
    """An entry has another badge."""

    def __init__(
        self,
        theme: Theme,
        windows: Iterable[WindowEntry] = (),
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.entries = menu_entries(windows)
        self._name = ""
        self._visible = True
        self._texts: dict[str, str] = {}
        self._hints: dict[str, str] = {}
        self._menu: QMenu | None = None
        self._made: list[HintMenu] = []
        self._submenus: dict[QMenu, MenuPlace] = {}
        self._theme = theme
        self.actions = {entry.id: self._action(entry) for entry in self.entries}
        for entry_id in CONDITIONAL_ENTRIES:
            self.set_available(entry_id, False)
        self.set_theme(theme)
        self.retranslate()

    # Menus

    def menu(self) -> QMenu:
        """Return a new menu for the figure, valid as long as the actions exist."""
        made = self._new_menu()
        top = [entry for entry in self.entries if entry.place is MenuPlace.TOP]
        last = top[-1].group
        self._fill(made, [entry for entry in top if entry.group != last])
        made.addSeparator()
        for place in _SUBMENUS:
            submenu = self._new_menu(made)
            self._submenus[submenu] = place
            self._fill(submenu, [entry for entry in self.entries if entry.place is place])
            self._update_style(submenu)
            made.addMenu(submenu)
        made.addSeparator()
        self._fill(made, [entry for entry in top if entry.group == last])
        self._update_style(made)
        return made

    def tray_menu(self) -> QMenu:
        """Return a new menu for the tray."""
        made = self._new_menu()
        for entry_id in _TRAY:
            if not entry_id:
                made.addSeparator()
            elif entry_id in self.actions:
                # A double click on the tray's icon does something else than the chat's hint says.
                made.addAction(self.copy(entry_id, hint=entry_id != "chat"))
        self._update_style(made)
        return made

    def copy(self, entry_id: str, *, hint: bool = True) -> QAction:
        """Return an action for another menu that follows the one of the figure's menu. Qt has one
        accessible object for an action, which belongs to the first menu that shows it: screen
        readers wouldn't see it in the other menu.
        """
        shown, action = QAction(self), self.actions[entry_id]

        def follow() -> None:
            text = action.text()
            shown.setText(text if hint else text.split("\t")[0])
            shown.setIcon(action.icon())
            shown.setFont(action.font())
            shown.setCheckable(action.isCheckable())
            shown.setChecked(action.isChecked())
            shown.setVisible(action.isVisible())

        shown.setObjectName(entry_id)
        shown.triggered.connect(action.trigger)
        action.changed.connect(follow)
        follow()
        return shown

    def popup(self, position: QPoint) -> QMenu:
        """Show the figure's menu at a point of the screen, without blocking."""
        if self._menu is None:
            self._menu = self.menu()
        self._menu.popup(position)
        return self._menu

    def _new_menu(self, parent: QMenu | None = None) -> HintMenu:
        made = HintMenu(self._has_badge, parent)
        made.setToolTipsVisible(False)
        made.aboutToShow.connect(self.about_to_show)
        self._made.append(made)
        return made

    def _fill(self, menu: QMenu, entries: Sequence[MenuEntry]) -> None:
        for before, entry in zip([None, *entries], entries, strict=False):
            if before is not None and before.group != entry.group:
                menu.addSeparator()
            menu.addAction(self.actions[entry.id])

    # State

    def set_available(self, entry_id: str, on: bool) -> None:
        """Show or hide an entry."""
        self.actions[entry_id].setVisible(on)

    def set_switch(self, entry_id: str, on: bool) -> None:
        """Show the state of on_top, click_through or quiet."""
        self.actions[entry_id].setChecked(on)

    def set_quiet(self, on: bool, until: str = "") -> None:
        """Set whether the companion is quiet, and until when ("" for no end)."""
        self._texts["quiet"] = tr("Quiet until {time}", time=until) if until else ""
        self.set_switch("quiet", on)
        self.set_available("quiet", on)
        self.set_available("quiet_hour", not on)
        self._show_text("quiet")

    def set_urgent(self, text: str, sign: str = "") -> None:
        """Set the first row, "" for none."""
        self._texts[URGENT] = text
        self.actions[URGENT].setIcon(
            icon(sign, QColor(self._theme.accent), 16) if sign else QIcon()
        )
        self.set_available(URGENT, bool(text))
        self._show_text(URGENT)

    def set_badge(self, entry_id: str, text: str) -> None:
        """Show a text at the right of an entry, "" for its own hint. The text of an entry below
        “More” is also shown at “More”.
        """
        if self._hints.get(entry_id, "") == text:
            return
        self._hints[entry_id] = text
        self.badge_changed.emit(entry_id, text)
        self._show_text(entry_id)
        self._show_submenus()

    def set_visible(self, visible: bool) -> None:
        """Set whether the companion is visible: the entry offers the opposite."""
        self._visible = visible
        self.retranslate()

    def set_name(self, name: str) -> None:
        self._name = name
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for made in self._made:
            self._update_style(made)
        for entry in self.entries:
            if entry.icon:
                self.actions[entry.id].setIcon(icon(entry.icon, QColor(theme.muted), 16))

    def retranslate(self) -> None:
        for entry in self.entries:
            self._show_text(entry.id)
        self._show_submenus()

    def _show_text(self, entry_id: str) -> None:
        entry = next(one for one in self.entries if one.id == entry_id)
        on = entry.text_on and self._visible
        own = button_text(self._texts.get(entry_id, ""))
        name = button_text(self._name)
        text = own or (tr(entry.text_on if on else entry.text, name=name) if entry.text else "")
        hint = self._hints.get(entry_id) or (tr(entry.hint) if entry.hint else "")
        self.actions[entry_id].setText(f"{text}\t{hint}" if hint else text)

    def _show_submenus(self) -> None:
        for menu, place in self._submenus.items():
            title = tr(_SUBMENUS[place][0])
            inside = [entry.id for entry in self.entries if entry.place is place]
            badges = [self._hints[key] for key in inside if self._hints.get(key)]
            menu.setTitle("\t".join([title, *badges[:1]]))
            menu.setAccessibleName(title)

    def _has_badge(self, action: QAction) -> bool:
        """Whether the hint of this entry, or of one in its submenu, counts something."""
        inside = action.menu()
        if isinstance(inside, QMenu):
            return any(self._has_badge(one) for one in inside.actions())
        return bool(self._hints.get(action.objectName()))

    def _update_style(self, menu: HintMenu) -> None:
        menu.set_theme(self._theme)
        width = scale_to_font(MENU_WIDTH, self._theme)
        apply_window_theme(menu, self._theme, f"QMenu {{ min-width: {width}px; }}")
        place = self._submenus.get(menu)
        if place is None:
            menu.setAccessibleName(tr("The companion's menu"))
        else:
            menu.setIcon(icon(_SUBMENUS[place][1], QColor(self._theme.muted), 16))
        self._show_submenus()

    def _action(self, entry: MenuEntry) -> QAction:
        action = QAction(self)
        action.setObjectName(entry.id)
        action.setIconVisibleInMenu(True)
        if entry.id == URGENT:
            font = action.font()
            font.setBold(True)
            action.setFont(font)
        match entry.kind:
            case EntryKind.PLAIN:
                action.triggered.connect(lambda _=False: self.chosen.emit(entry.id))
            case EntryKind.SWITCH:
                action.setCheckable(True)
                action.triggered.connect(lambda on: self.switched.emit(entry.id, on))
        return action


_CLICKS = (
    QSystemTrayIcon.ActivationReason.Trigger,
    QSystemTrayIcon.ActivationReason.DoubleClick,
)


def without_markup(text: str) -> str:
    """Return a text for the desktop without markup: some desktops interpret it (bold, links,
    pictures), others don't, and a program can't find out.
    """
    return text.replace("<", "‹")


_DOT_SIDE = 64
_DOT_COLOUR, _DOT_EDGE = "#d2452d", "#ffffff"
"""Red with a white edge: the panel of the desktop may be dark or light."""


def with_dot(picture: QIcon) -> QIcon:
    """Return the picture with a dot in its upper right corner."""
    made = QPixmap(_DOT_SIDE, _DOT_SIDE)
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        picture.paint(painter, made.rect())
        painter.setPen(QPen(QColor(_DOT_EDGE), _DOT_SIDE / 20))
        painter.setBrush(QColor(_DOT_COLOUR))
        radius = _DOT_SIDE / 6
        edge = _DOT_SIDE - radius - 2
        painter.drawEllipse(QPointF(edge, radius + 2), radius, radius)
    return QIcon(made)


class TrayIcon(QObject):
    """An icon with the short menu. Signals: `clicked` for a left click, `notification_clicked` for
    a click on a notification.
    """

    clicked = Signal()
    notification_clicked = Signal()

    def __init__(self, menu: CompanionMenu, picture: QIcon, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._menu = menu.tray_menu()
        self._picture = picture
        self._title = "NeoDeskPet"
        self._due = self._state = ""
        self._icon = QSystemTrayIcon(picture, self)
        self._icon.setContextMenu(self._menu)
        self._icon.setToolTip(self._title)
        menu.badge_changed.connect(self._on_badge_changed)
        self._icon.activated.connect(self._activated)
        self._icon.messageClicked.connect(self.notification_clicked)

    @staticmethod
    def is_available() -> bool:
        """Whether the desktop has a tray now. It may appear later: `show` waits for it."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    def is_visible(self) -> bool:
        """Whether the tray shows our icon now."""
        return self.is_available() and self._icon.isVisible()

    def show(self) -> None:
        self._icon.show()

    def hide(self) -> None:
        self._icon.hide()

    def set_name(self, name: str) -> None:
        """The companion's name."""
        self._title = without_markup(f"{name} · NeoDeskPet")
        self._show_due()

    def set_picture(self, picture: QIcon) -> None:
        self._picture = picture
        self._show_due()

    def set_state(self, text: str) -> None:
        """Show in the tooltip what the companion is doing, "" for nothing."""
        self._state = text
        self._show_due()

    def _on_badge_changed(self, entry_id: str, text: str) -> None:
        if entry_id == "today":
            self._due = text
            self._show_due()

    def _show_due(self) -> None:
        """Put a dot on the icon while something is due, and the number in its tooltip after the
        state.
        """
        self._icon.setIcon(with_dot(self._picture) if self._due else self._picture)
        self._icon.setToolTip(" · ".join(filter(None, (self._title, self._state, self._due))))

    def show_notification(self, title: str, text: str) -> bool:
        """Show a desktop notification; return False if there is no tray icon to show it."""
        if not self.is_visible():
            return False
        self._icon.showMessage(without_markup(title), without_markup(text), self._icon.icon())
        return True

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _CLICKS:
            self.clicked.emit()
