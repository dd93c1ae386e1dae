"""The settings window: the groups at the left, the cards of one group at the right, and a search
over all.

Every change takes effect at once; nothing has to be saved. An error is shown under its control.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import itemgetter

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QHideEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.commands import Command, bind_shortcuts
from neodeskpet.ui.icons import icon
from neodeskpet.ui.settings.settings_groups import GROUPS, SettingsGroup, groups_with
from neodeskpet.ui.settings.settings_page import (
    SettingsPage,
    SettingsPageEntry,
    SettingsPages,
)
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.settings.settings_undo import SettingsUndo
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.labels import PlainLabel, button_text, tooltip_text
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.widgets.tab_order import ReadingOrderWindow
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("NeoDeskPet Settings")
COMMANDS = (
    Command("search", N_("Search settings"), keys=("Ctrl+F",), hidden_in_palette=True),
    Command("close", N_("Close the window"), keys=("Ctrl+W",), hidden_in_palette=True),
)
_GROUP_COMMANDS = tuple(
    Command(f"group {group.name}", group.title, keys=(f"Ctrl+{at}",), hidden_in_palette=True)
    for at, group in enumerate(GROUPS, 1)
)
MIN_SIZE = (560, 480)
NARROW_WIDTH = 720
"""Below this width, the groups are shown as icons."""
ROOMY_WIDTH = 740
"""Below this width, forms and buttons are arranged one below the other."""
NAVIGATION_WIDTH, ICONS_WIDTH = 224, 48
COLUMN_WIDTH = 640
PAGE_PADDING = (24, 32)
"""Above and below, and at the sides of the page."""
_BELOW_FOCUS = 24
_LABELS = 4
"""Above the cards are the back button, the title and the description of a group, and the text of a
search without results.
"""


def _navigation_sheet(t: Theme) -> str:
    return (
        f"#navigation {{ background: {t.window}; border: none; border-right: 1px solid {t.line}; }}"
        "QListWidget { border: 1px solid transparent; }"
        f'QListWidget[alone="true"]:focus {{ border-color: {t.accent}; }}'
        "QListWidget::item { padding: 8px 10px; margin: 1px 0;"
        " border: 1px solid transparent; }"  # room for the focus: no line of it is lost to it
        f"QListWidget::item:selected {{ background: {t.person}; color: {t.accent}; }}"
        f"QListWidget::item:focus {{ border: 1px solid {t.accent}; }}"
    )


class SettingsWindow(ReadingOrderWindow):
    """`pages` are the cards, each shown in its group. While the window is open, the cards that were
    not needed yet are created step by step, because the search covers all; those of the open group
    come first. `companion_name` returns the name for the titles. `hidden()`: the window was closed.
    """

    hidden = Signal()

    def __init__(
        self,
        pages: Sequence[SettingsPageEntry],
        port: SettingsPort,
        theme: Theme,
        companion_name: Callable[[], str] = lambda: "Neo",
    ) -> None:
        super().__init__()
        self.setWindowTitle(tr(TITLE))
        self.setObjectName("settings")
        self.setMinimumSize(*MIN_SIZE)
        by_name = {entry.section.name: entry for entry in pages}
        self._all_groups = groups = groups_with(by_name)
        self._cards = {
            group.name: [card for card in group.cards if card in by_name] for group in groups
        }
        # A page whose group has no cards here is listed like a group.
        listed = {group.name for group in groups} | {""}
        self._subpages = [group for group in groups if group.parent and group.parent in listed]
        self._groups = [group for group in groups if group not in self._subpages]
        order = [card for cards in self._cards.values() for card in cards]
        self.pages = SettingsPages([by_name[card] for card in order], self._add)
        self._companion_name = companion_name
        self._theme = theme
        self._stacked = self._narrow = False
        self._current = order[0]
        self._aim: QWidget | None = None
        self._faults: dict[tuple[str, str], str] = {}
        self._ahead = QTimer(self, interval=0)
        self._ahead.timeout.connect(self._make_next)
        self.search = SearchField(theme)
        self.navigation = QListWidget()
        self.back = QPushButton()
        self.back.setProperty("quiet", True)
        self.back.clicked.connect(self._go_back)
        self.undo = SettingsUndo(port, theme, companion_name)
        self.heading = PlainLabel()
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self.about.setProperty("muted", True)
        self._nothing = PlainLabel()
        self._nothing.setProperty("muted", True)
        self._nothing.setWordWrap(True)
        self._lay_out()
        self._connect()
        self._unlisten = port.subscribe(self._record_change)
        self.resize(896, 720)
        self.set_theme(theme)
        self.retranslate()

    def open_section(self, section: str) -> None:
        """Show this card in its group, or the top of this group, and end a search. An unknown name
        changes nothing.
        """
        self._choose(section)
        self.pages[self._current]  # creates the page if it doesn't exist yet
        self._show_pages()

    def _choose(self, section: str) -> None:
        # Some groups have the name of one of their cards: their top is shown.
        group = next((one for one in self._all_groups if one.name == section), None)
        if group is not None:
            self._current = self._cards[group.name][0]
        elif section in self.pages:
            self._current = section
        self._aim = None
        self.search.clear()

    def show_setting(self, section: str, name: str) -> None:
        """Bring the window to the front and focus the control of this setting."""
        self.present(section)
        page = self.pages.get(section)
        row = page.find_row(name) if page is not None else None
        if page is not None and row is not None:
            if name in page.fields:
                page.unfold()
            self.focus_row(row, row.controls[0] if row.controls else row)

    def focus_row(self, row: QWidget, control: QWidget) -> None:
        """Scroll to a row of the shown page and focus its control."""
        QTimer.singleShot(0, row, lambda: self._go_to(row, control))  # it is laid out by then

    def _go_to(self, row: QWidget, control: QWidget) -> None:
        self._aim = row
        self._scroll_to_aim()
        part: QWidget | None = control
        while part is not None and not part.focusPolicy() & Qt.FocusPolicy.TabFocus:
            part = part.nextInFocusChain()
            if part is None or not row.isAncestorOf(part):
                return
        if part is not None:
            part.setFocus(Qt.FocusReason.TabFocusReason)

    def section(self) -> str:
        """Return the name of the card that was opened last."""
        return self._current

    def group(self) -> SettingsGroup:
        """Return the group, or the page of a group, that is shown."""
        return next(one for one in self._all_groups if self._current in one.cards)

    def _listed_group(self) -> SettingsGroup:
        """Return the group that is marked in the list: that of the page that is shown."""
        shown = self.group()
        return next((one for one in self._groups if one.name == shown.parent), shown)

    def _go_back(self) -> None:
        """Leave the page of a group."""
        if self.group() in self._subpages:
            self.open_section(self.group().parent)

    def show_error(self, section: str, name: str, text: str) -> None:
        """Show under a setting that its value failed, such as a model that can't be loaded."""
        if section in {page.section.name for page in self.pages.created()}:
            self.pages[section].show_error(name, text)
        else:
            self._faults[section, name] = text  # shown when the page is created

    def present(self, section: str = "") -> None:
        """Bring the window to the front at this section. The page is created after the frame is
        shown, because both together block the thread twice as long.
        """
        self._choose(section)
        self._show_pages()
        bring_to_front(self)
        self._ahead.start()

    async def aclose(self) -> None:
        """Let every page finish its work before the window is deleted."""
        self._ahead.stop()
        for page in self.pages.created():
            await page.aclose()

    def set_theme(self, theme: Theme) -> None:
        for _ in self.set_theme_in_steps(theme):
            pass

    def set_theme_in_steps(self, theme: Theme) -> Iterator[None]:
        """Set the theme of the frame and of the page that is shown, then of each other page. No
        style sheet is set on the window, because it would restyle all of its widgets at once.
        """
        self._theme = theme
        sheet = controls_sheet(theme)
        for part in (
            self._navigation,
            self._head,
            self.back,
            self.heading,
            self.about,
            self._nothing,
            self.undo.text,
            self.undo.button,
            self._scroll.verticalScrollBar(),
        ):
            apply_window_theme(part, theme, sheet + _navigation_sheet(theme))
        self.heading.setFont(ui_font(theme, theme.heading_px, bold=True))
        self.undo.set_theme(theme)
        self.search.set_theme(theme)
        self._arrange()
        self._show_icons()
        for page in sorted(self.pages.created(), key=lambda page: page.isHidden()):
            yield from page.set_theme_in_steps(theme)

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.search.set_placeholder(tr("Search settings"))
        self.navigation.setAccessibleName(tr("Sections"))
        self.undo.retranslate()
        self._nothing.setText(tr("No setting has these words."))
        self._show_titles()
        for page in self.pages.created():
            page.retranslate()
        self._show_pages()

    def _show_titles(self) -> None:
        name = self._companion_name()
        titles = [tr(one.title, name=name) for one in self._groups]
        for row, title in enumerate(titles):
            item = self.navigation.item(row)
            item.setText("" if self._narrow else title)
            tip = title if self._narrow else ""
            item.setData(Qt.ItemDataRole.ToolTipRole, tooltip_text(tip))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, title)
        shown = self.group()
        self.heading.setText(tr(shown.title, name=name))
        self.about.setText(tr(shown.description, name=name))
        self.about.setVisible(bool(shown.description) and not self.search.text().strip())
        above = tr(self._listed_group().title, name=name)
        self.back.setText(button_text(above))
        self.back.setAccessibleName(above)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.text():
            self.search.clear()
        elif self.group() in self._subpages:
            self._go_back()
        else:
            self.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Show the names of the groups, and titles beside their controls, if there is enough
        room. Large text needs more.
        """
        self._narrow = narrow = self.width() < scale_to_font(NARROW_WIDTH, self._theme)
        wide = scale_to_font(NAVIGATION_WIDTH, self._theme)
        self._navigation.setFixedWidth(ICONS_WIDTH if narrow else wide)
        # An icon with its padding needs 40 pixels.
        side = 4 if narrow else 12
        self._navigation_box.setContentsMargins(side, 14, side, 12)
        self._head.setVisible(narrow)
        self._show_titles()
        (self._head_box if narrow else self._navigation_box).insertWidget(0, self.search)
        side = 16 if narrow else PAGE_PADDING[1]
        self._column.setContentsMargins(side, PAGE_PADDING[0], side, PAGE_PADDING[0])
        self._inner.setMaximumWidth(scale_to_font(COLUMN_WIDTH, self._theme) + 2 * side)
        self._stacked = self.width() < scale_to_font(ROOMY_WIDTH, self._theme)
        for page in self.pages.created():
            page.set_narrow(self._stacked)

    def closeEvent(self, event: object) -> None:
        self.hidden.emit()

    def _lay_out(self) -> None:
        self._navigation = QFrame()
        self._navigation.setObjectName("navigation")
        self._navigation_box = QVBoxLayout(self._navigation)
        self._navigation_box.setContentsMargins(12, 14, 12, 12)
        self._navigation_box.setSpacing(12)
        self._navigation_box.addWidget(self.search)
        self._navigation_box.addWidget(self.navigation, 1)
        self._head = QFrame()
        self._head_box = QVBoxLayout(self._head)
        self._head_box.setContentsMargins(16, 12, 16, 8)
        self.navigation.setIconSize(QSize(18, 18))
        self.navigation.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for _ in self._groups:
            self.navigation.addItem(QListWidgetItem())
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self._head)
        right.addWidget(self._area(), 1)
        self._foot = QVBoxLayout()
        self._foot.setContentsMargins(16, 0, 16, 0)
        self._foot.addWidget(self.undo)
        right.addLayout(self._foot)
        across = QHBoxLayout(self)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(0)
        across.addWidget(self._navigation)
        across.addLayout(right, 1)

    def _area(self) -> QScrollArea:
        # A QVBoxLayout would compute the height of a page for the width of the window, not for
        # the maximum width of the page: a wide window would cut its last lines.
        self._inner = QWidget()
        all_of_it = QWidget()
        across = QHBoxLayout(all_of_it)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(0)
        across.addWidget(self._inner, 10_000)
        across.addStretch(1)  # the width that the pages don't use
        self._column = QVBoxLayout(self._inner)
        self._column.setSpacing(0)
        self._column.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeft)
        for label in (self.heading, self.about, self._nothing):
            self._column.addWidget(label)
        self._column.addStretch(1)  # the free height is below the pages, not between them
        self._scroll = QScrollArea()
        self._scroll.setObjectName("pagesArea")
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(all_of_it)
        return self._scroll

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda _: self._show_pages())
        self.search.returnPressed.connect(self._focus_found)
        self.navigation.currentRowChanged.connect(self._turn_to)
        self.navigation.itemClicked.connect(self._on_item_clicked)
        bind_shortcuts(COMMANDS, self, {"search": self.search.setFocus, "close": self.close})
        open_group = {f"group {one.name}": partial(self.open_section, one.name) for one in GROUPS}
        bind_shortcuts(_GROUP_COMMANDS, self, open_group)
        bar = self._scroll.verticalScrollBar()
        bar.rangeChanged.connect(self._keep_aim)
        bar.actionTriggered.connect(self._forget_aim)

    def _turn_to(self, row: int) -> None:
        if row >= 0 and self._groups[row] != self._listed_group():
            self.open_section(self._groups[row].name)

    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        """Leave the page of the group that is clicked; that group is the current item already."""
        if self._groups[self.navigation.row(item)].name == self.group().parent:
            self._go_back()

    def _show_pages(self) -> None:
        query = self.search.text().strip()
        counts = {page.section.name: page.search(query) for page in self.pages.created()}
        for page in self.pages.created():
            name = page.section.name
            page.setVisible(bool(counts[name]) if query else name in self.group().cards)
        for row, group in enumerate(self._groups):
            found = any(counts.get(card) for card in self._cards_below(group))
            self.navigation.item(row).setHidden(bool(query) and not found)
        self._order_pages(query)
        self._nothing.setVisible(bool(query) and not any(counts.values()))
        if not query:
            self.navigation.setCurrentRow(self._groups.index(self._listed_group()))
        self._mark_navigation()
        self.heading.setVisible(not query)
        self.back.setVisible(not query and self.group() in self._subpages)
        self._show_titles()
        self._show_icons()
        self._scroll_to_card(query)

    @Slot()
    def _focus_found(self) -> None:
        """Focus the uppermost control that the search has found."""
        if not self.search.text().strip():
            return
        self._column.activate()
        found = [
            (part.mapTo(self._inner, QPoint()).toTuple()[::-1], part)
            for part in self._inner.findChildren(QWidget)
            if part.isVisible() and part.isEnabled()
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus
        ]
        if found:
            min(found, key=itemgetter(0))[1].setFocus(Qt.FocusReason.TabFocusReason)

    def _mark_navigation(self) -> None:
        """Let the list itself show the focus while its current row is hidden by a search."""
        current = self.navigation.currentItem()
        alone = current is None or current.isHidden()
        if self.navigation.property("alone") is not alone:
            self.navigation.setProperty("alone", alone)
            self.navigation.style().polish(self.navigation)

    def _scroll_to_card(self, query: str) -> None:
        """Scroll to the requested card once it is laid out; the first card is at the top."""
        first = self._cards[self.group().name][0]
        made = {page.section.name: page for page in self.pages.created()}
        if query or self._current == first:
            self._aim = None if self._aim is None or query else self._aim
        elif self._aim is None:
            self._aim = made.get(self._current)
        if self._aim is None:
            self._scroll.verticalScrollBar().setValue(0)
        else:
            QTimer.singleShot(0, self, self._scroll_to_aim)

    def _scroll_to_aim(self) -> None:
        if self._aim is None or not isValid(self._aim):  # a row may have been replaced
            return
        self._column.activate()
        if isinstance(self._aim, SettingsRow):
            self._scroll.ensureWidgetVisible(self._aim, 0, 80)
        else:
            self._scroll.verticalScrollBar().setValue(self._aim.y())

    @Slot()
    def _keep_aim(self) -> None:
        """Scroll to the requested row again if it has the focus: rows were added above it."""
        if isinstance(self._aim, SettingsRow) and isValid(self._aim):
            focus = self.focusWidget()
            if focus is not None and self._aim.isAncestorOf(focus):
                QTimer.singleShot(0, self, self._scroll_to_aim)

    @Slot()
    def _forget_aim(self) -> None:
        """The user scrolls."""
        self._aim = None

    def _order_pages(self, query: str) -> None:
        """Put pages with a setting whose title matches above pages that only mention the words."""
        pages = self.pages.created()
        if query:
            pages.sort(key=lambda page: not page.has_setting_named(query))
        for place, page in enumerate(pages, start=_LABELS):
            if self._column.indexOf(page) != place:
                self._column.insertWidget(place, page)

    def _cards_below(self, group: SettingsGroup) -> list[str]:
        """Return the cards of a group and of its pages."""
        below = (one.name for one in self._subpages if one.parent == group.name)
        return [card for name in (group.name, *below) for card in self._cards[name]]

    def _show_icons(self) -> None:
        t = self._theme
        self.back.setIcon(icon("chevron-left", QColor(t.muted), 16))
        for row, group in enumerate(self._groups):
            colour = t.accent if group == self._listed_group() else t.muted
            picture = icon(group.icon, QColor(colour), 18)
            self.navigation.item(row).setIcon(picture)

    def _record_change(self, section: str, name: str, value: object) -> None:
        for page in self.pages.created():
            page.setting_changed(section, name)
        had_undo = self.undo.isVisible()
        self.undo.setting_changed(section, name, visible=self.isVisible())
        if self.undo.isVisible() and not had_undo:
            QTimer.singleShot(0, self, self._reveal_focus)

    def _reveal_focus(self) -> None:
        """The line at the foot made the page shorter: keep the changed control in view."""
        focus = self.focusWidget()
        if focus is not None and self._scroll.isAncestorOf(focus):
            self._scroll.ensureWidgetVisible(focus, 0, _BELOW_FOCUS)

    # Creating the pages

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ahead.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ahead.stop()
        self.undo.clear()

    def _make_next(self) -> None:
        if not self.pages.create_next(self._current, *self._cards[self.group().name]):
            self._ahead.stop()
            if not isinstance(self._aim, SettingsRow):
                self._aim = None

    def _add(self, page: SettingsPage) -> Iterator[None]:
        yield
        page.companion_name = self._companion_name
        page.link_requested.connect(self.open_section)
        page.setParent(self._inner)  # before its theme is set, which this would repeat
        page.hide()
        page.set_theme(self._theme)
        yield
        page.retranslate()
        page.set_narrow(self._stacked)
        yield
        self._column.insertWidget(_LABELS + self.pages.created().index(page), page)
        section = page.section.name
        for name in [name for about, name in self._faults if about == section]:
            page.show_error(name, self._faults.pop((section, name)))
        if self.search.text().strip() or section in self.group().cards:
            self._show_pages()
