"""The window "Today": what is due, to-dos, calendar, notes and timers in five tabs, with one field
that adds to all of them.

Changes by the companion, by another window or by another program are shown at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from PySide6.QtCore import QDate, QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.schedule.quick_entry import EntryKind, QuickEntry
from neodeskpet.language import format_error, language, tr
from neodeskpet.notebook.appointment import Maker
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.ics_exchange import IcsExchange
from neodeskpet.notebook.notes import NoteStore
from neodeskpet.notebook.timers import Timer, TimerService
from neodeskpet.notebook.todos import Todo, TodoStore
from neodeskpet.platform.installation import assets_dir
from neodeskpet.tools.apps.window_log import Actor
from neodeskpet.ui.commands import Command, bind_shortcuts
from neodeskpet.ui.icons import icon
from neodeskpet.ui.notebook.appointment_form import ToolChoice
from neodeskpet.ui.notebook.calendar_files import CalendarFilesPage, calendar_files
from neodeskpet.ui.notebook.calendar_page import CalendarPage
from neodeskpet.ui.notebook.day_agenda import DayItem
from neodeskpet.ui.notebook.item_marks import (
    APPOINTMENT,
    NOTE,
    TIMER,
    TODO,
    ItemMarks,
    row_item,
)
from neodeskpet.ui.notebook.notes_panel import NotesPanel
from neodeskpet.ui.notebook.overview import coming_days, overview_entries
from neodeskpet.ui.notebook.quick_add import QuickAdd, entry_words
from neodeskpet.ui.notebook.sharing import HistoryPage, ListPermissionsPort, SharingCard
from neodeskpet.ui.notebook.timers_panel import TimersPanel
from neodeskpet.ui.notebook.todo_panel import StruckTimer, TodoPanelContent
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme, checkbox_rules, scale_to_font
from neodeskpet.ui.widgets.accessible import mark_as_tabs
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.labels import WrappingButton, set_tooltip
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import TOAST_SECONDS, UndoBar
from neodeskpet.ui.windows.app_panel import LoggedActions
from neodeskpet.ui.windows.side_window import RefreshOnShow
from neodeskpet.ui.windows.window_geometry import (
    WIDE_COLUMN_WIDTH,
    CentredColumn,
    LeastSize,
    bring_to_front,
)

TITLE = N_("Today")
MIN_SIZE = (320, 420)
_SIZE = (384, 676)
_ALL_NAMES = 560
"""The width in pixels from which each tab shows its name; below it only the selected one does."""
_TICK_MS = 1_000

OVERVIEW, TODOS, CALENDAR, NOTES, TIMERS = "overview", "todo", "calendar", "notes", "timers"
HISTORY = "history"
"""The page with the history of changes; it has no tab."""
FILES = "files"
"""The page that shows what a calendar file would add."""
TABS = (
    (OVERVIEW, N_("Today"), "sun"),
    (TODOS, N_("To-dos"), "check"),
    (CALENDAR, N_("Calendar"), "calendar"),
    (NOTES, N_("Notes"), "notebook"),
    (TIMERS, N_("Timers"), "later"),
)
"""The tabs. The ids are those of the apps that a model opens, except for the overview."""

COMMANDS = (
    Command("new", N_("New"), keys=("Ctrl+N",), hidden_in_palette=True),
    Command("find", N_("Find in the notes"), keys=("Ctrl+F",), hidden_in_palette=True),
    Command("undo", N_("Undo"), keys=("Ctrl+Z",), hidden_in_palette=True),
    *(
        Command(f"tab {key}", title, keys=(f"Alt+{number}",), hidden_in_palette=True)
        for number, (key, title, _icon) in enumerate(TABS, 1)
    ),
)


@dataclass(frozen=True, slots=True)
class TodayData:
    """What the window shows and changes."""

    timers: TimerService
    notes: NoteStore
    todos: TodoStore
    appointments: AppointmentService
    actions: LoggedActions
    permissions: ListPermissionsPort
    focus: Callable[[], Awaitable[str]]
    """Returns what sums up the focus sessions of today, "" for none."""


class TodayWindow(QWidget):
    """The window. `choices` are the tools that an appointment may be allowed to use, `name` is the
    companion's. `action_done` reports an action of the user: the app, the action, and its object.
    `has_neo` returns whether the figure is Neo, whose sleeping picture an empty day shows.
    """

    action_done = Signal(str, str, str)

    def __init__(
        self,
        theme: Theme,
        data: TodayData,
        choices: Callable[[], Sequence[ToolChoice]] = tuple,
        name: Callable[[], str] = str,
        has_neo: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__()
        self.setObjectName("today")
        LeastSize(self, MIN_SIZE, lambda: self._stack.currentWidget())
        CentredColumn(self, WIDE_COLUMN_WIDTH)
        self._theme = theme
        self._data = data
        self._name = name
        self._has_neo = has_neo
        self._current = OVERVIEW
        self._last_tab = OVERVIEW
        self._timer_list: list[Timer] = []
        self._todo_list: list[Todo] = []
        self._focus = ""
        self._coming: Mapping[date, Sequence[DayItem]] = {}
        self._coming_from = date.min
        self._work = TaskRunner("today", failed=self._fail)
        self.undo = UndoBar(theme, seconds=TOAST_SECONDS)
        self.marks = ItemMarks(data.actions, name, data.timers.now)
        self.overview = ListPane(
            theme,
            (("done", "check"), ("later", "later"), ("open", "open"), ("delete", "trash")),
            QWidget(),
        )
        self.timers = TimersPanel(theme, data.timers, self._work, self.undo, self.marks, self)
        self.notes = NotesPanel(theme, data.notes, self._work, self.undo, self.marks, self)
        self.todos = TodoPanelContent(
            data.todos, theme, data.actions.apps, self._work, self.undo, self.marks, self
        )
        self.calendar = CalendarPage(
            theme, data.appointments, data.todos, self.undo, self.marks, choices, name
        )
        self.sharing = SharingCard(theme, data.permissions, self.undo, name)
        self.history = HistoryPage(theme, data.actions, self.undo, data.timers.now, name)
        self.files = CalendarFilesPage(
            theme, IcsExchange(data.appointments, data.todos), self.undo, data.timers.now
        )
        self.quick = QuickAdd(theme, data.timers.now, self._work, self._add)
        self.foot = WrappingButton()
        self._tab_group = QButtonGroup(self)
        self.tab_buttons = {key: self._tab(key) for key, _title, _icon in TABS}
        mark_as_tabs(self._tab_group)
        self._stack = QStackedWidget()
        # Hidden pages don't set the size of the window: the tabs and the field keep their heights.
        self._stack.setMinimumSize(1, 1)
        self._pages: dict[str, QWidget] = {
            OVERVIEW: self.overview,
            TODOS: self.todos.pane,
            CALENDAR: self.calendar,
            NOTES: self.notes.pane,
            TIMERS: self.timers.pane,
            HISTORY: self.history,
            FILES: self.files,
        }
        self.setAcceptDrops(True)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self._struck = StruckTimer(self, self._show_overview)
        self._connect()
        self._lay_out()
        RefreshOnShow(self, read=self._come, gone=self._go, back=self._back)
        bind_shortcuts(
            COMMANDS,
            self,
            {
                "new": self.quick.field.setFocus,
                "find": self._find,
                "undo": self._press_undo,
                **{f"tab {key}": button.click for key, button in self.tab_buttons.items()},
            },
        )
        self.set_theme(theme)
        self.retranslate()
        self.resize(*_SIZE)
        self.show_tab(OVERVIEW)
        self.overview.list.setFocus()

    def present(self) -> None:
        """Show the window in front. One that opens takes what is typed as a new entry."""
        if not self.isVisible():
            self.quick.field.setFocus()
        bring_to_front(self)

    async def aclose(self) -> None:
        """Call before the window is deleted."""
        for end in self._unlisten:
            end()
        self._tick.stop()
        self.timers.set_ticking(False)
        await self.calendar.aclose()
        self.sharing.close_subscription()
        await self.history.aclose()
        await self.files.aclose()
        await self._work.aclose()

    @property
    def current_tab(self) -> str:
        return self._current

    def show_tab(self, key: str) -> None:
        """Show a tab, or one of the pages HISTORY and FILES."""
        before, self._current = self._current, key
        if key in self.tab_buttons:
            self._last_tab = key
        focused = self.focusWidget()
        other_tabs = [button for tab, button in self.tab_buttons.items() if tab != key]
        moves_focus = focused in other_tabs or (
            focused is not None
            and (self._stack.isAncestorOf(focused) or self.sharing.isAncestorOf(focused))
        )
        if before == CALENDAR and key != CALENDAR:
            self.calendar.leave()
        self._stack.setCurrentWidget(self._pages[key])
        if key in self.tab_buttons:
            self.tab_buttons[key].setChecked(True)
        else:
            self._tab_group.setExclusive(False)
            for button in self.tab_buttons.values():
                button.setChecked(False)
            self._tab_group.setExclusive(True)
        self.quick.setVisible(key in self.tab_buttons)
        self.quick.set_usual_kind(EntryKind.NOTE if key == NOTES else None)
        self.foot.setVisible(key in self.tab_buttons)
        self.files.menu_button.setVisible(key == CALENDAR)
        if before != key:
            self.sharing.hide()
        self._show_shared()
        if moves_focus and before != key:
            self._focus_page()  # else the focus would stay on the hidden page or another tab
        self._arrange()
        self._refresh_page()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        t = theme
        apply_window_theme(
            self,
            theme,
            controls_sheet(theme)
            + checkbox_rules("QCheckBox", theme)
            + f"#today, #sheet, FormSheet, QStackedWidget {{ background: {t.window}; }}"
            # There is room for the border of the focus, so that nothing moves when it comes.
            f"QToolButton[tab='true'] {{ background: transparent; color: {t.text};"
            f" border: {t.focus_width}px solid transparent;"
            f" border-radius: {t.control_radius}px; padding: 2px 6px; }}"
            f"QToolButton[tab='true']:hover {{ background: {t.hover}; }}"
            f"QToolButton[tab='true']:checked {{ background: {t.person}; font-weight: 600; }}"
            f"QToolButton[tab='true']:focus {{ border-color: {t.accent}; }}"
            "QToolButton::menu-indicator { image: none; }"
            f"QPushButton[foot='true'] {{ background: transparent; color: {t.muted};"
            f" border: {t.focus_width}px solid transparent;"
            f" font-size: {t.small_px}px; text-align: left; padding: 2px 4px; }}"
            f"QPushButton[foot='true']:focus {{ border-color: {t.accent}; }}",
        )
        self.undo.set_theme(theme)
        for pane in (self.overview, self.timers, self.notes.pane, self.todos.pane):
            pane.set_theme(theme)
        for part in (self.calendar, self.sharing, self.history, self.files, self.quick):
            part.set_theme(theme)
        side = scale_to_font(16, theme)
        for key, _title, sign in TABS:
            self.tab_buttons[key].setIcon(icon(sign, QColor(t.accent), side))
            self.tab_buttons[key].setIconSize(QSize(side, side))
        self._show_foot()
        self._arrange()

    def retranslate(self) -> None:
        for key, title, _icon in TABS:
            button = self.tab_buttons[key]
            button.setText(tr(title))
            button.setAccessibleName(tr(title))
            set_tooltip(button, tr(title))
        self.undo.retranslate()
        for part in (self.timers, self.notes, self.todos, self.calendar, self.history, self.quick):
            part.retranslate()
        self.sharing.retranslate()
        self.files.retranslate()
        self.overview.set_empty_button(tr("Write something"))
        self._show_overview()
        self._show_shared()
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if calendar_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = calendar_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.files.open_file(files[0])

    # Construction

    def _tab(self, key: str) -> QToolButton:
        button = QToolButton()
        button.setCheckable(True)
        button.setProperty("tab", True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda _=False: self.show_tab(key))
        self._tab_group.addButton(button)
        return button

    def _connect(self) -> None:
        data = self._data
        self.timers.action_done.connect(partial(self.action_done.emit, "timers"))
        self.notes.action_done.connect(partial(self.action_done.emit, "notes"))
        self.calendar.action_done.connect(partial(self.action_done.emit, "calendar"))
        self.files.action_done.connect(partial(self.action_done.emit, "calendar"))
        self.files.shown.connect(lambda: self.show_tab(FILES))
        self.files.closed.connect(lambda: self.show_tab(CALENDAR))
        self.overview.remove_add_button()
        self.overview.update_action_labels()
        self.overview.add_requested.connect(self.quick.field.setFocus)
        self.overview.action_requested.connect(self._act)
        self.overview.list.opened.connect(partial(self._act, "open"))
        self.overview.list.toggled.connect(self._toggle)
        self.overview.list.delete_requested.connect(partial(self._act, "delete"))
        self.overview.list.chosen.connect(self._offer)
        for pane, kind in self._marked_panes():
            pane.undo_requested.connect(partial(self._take_back, kind))
        self.quick.left.connect(self._focus_page)
        self.foot.setProperty("foot", True)
        self.foot.clicked.connect(self._toggle_sharing)
        self.sharing.changed.connect(self._show_foot)
        self.sharing.history_requested.connect(lambda: self.show_tab(HISTORY))
        self._unlisten = (
            data.timers.subscribe(self._refresh),
            data.notes.subscribe(self._refresh),
            data.todos.subscribe(self._refresh),
            data.appointments.subscribe(self._refresh),
            data.actions.apps.caller.subscribe(self._refresh_marks),
        )

    def _lay_out(self) -> None:
        tabs = QHBoxLayout()
        tabs.setSpacing(2)
        for button in self.tab_buttons.values():
            tabs.addWidget(button)
        tabs.addStretch(1)
        tabs.addWidget(self.files.menu_button)
        for page in self._pages.values():
            self._stack.addWidget(page)
        box = QVBoxLayout(self)
        box.setContentsMargins(12, 10, 12, 6)
        box.setSpacing(8)
        box.addLayout(tabs)
        box.addWidget(self._stack, 1)
        box.addWidget(self.undo)
        box.addWidget(self.quick)
        box.addWidget(self.sharing)
        box.addWidget(self.foot)

    def _arrange(self) -> None:
        wide = self.width() >= scale_to_font(_ALL_NAMES, self._theme)
        fits = self.width() >= scale_to_font(MIN_SIZE[0], self._theme)
        styles = Qt.ToolButtonStyle
        for key, button in self.tab_buttons.items():
            named = wide or (fits and key == self._current)
            button.setToolButtonStyle(
                styles.ToolButtonTextBesideIcon if named else styles.ToolButtonIconOnly
            )
        title = next((text for key, text, _icon in TABS if key == self._current), TITLE)
        parts = (tr(title), self._name())
        self.setWindowTitle(" – ".join(filter(None, parts)))

    # Contents

    def _come(self) -> None:
        self._tick.start()
        asleep = assets_dir() / "companion" / "asleep.webp"
        self.overview.set_empty_picture(QPixmap(str(asleep)) if self._has_neo() else QPixmap())
        self.timers.set_ticking(True)
        self._refresh()
        self._arrange()

    def _go(self) -> None:
        self._tick.stop()
        self.calendar.leave()
        self.timers.set_ticking(False)
        self.undo.clear()

    def _back(self) -> bool:
        """Handle Escape: leave a form, a search, the switches at the bottom, then a page without a
        tab.
        """
        panes = (self.timers.pane, self.notes.pane, self.todos.pane)
        if any(pane.cancel_form() for pane in panes) or self.calendar.leave_form():
            return True
        if self.notes.pane.search.text():
            self.notes.pane.search.clear()
            return True
        if self.sharing.isVisible():
            self._toggle_sharing()
            return True
        if self._current == HISTORY:
            self.show_tab(self._last_tab)
            return True
        if self._current == FILES:
            self.files.leave()
            return True
        return False

    def _refresh(self) -> None:
        if not self.isVisible():
            return  # it is read later, when it is shown
        self._refresh_marks()
        self._work.replace("overview", self._read)
        for name, part in (("timers", self.timers), ("notes", self.notes), ("todo", self.todos)):
            self._work.replace(name, part.reload)
        self._refresh_page()

    def _refresh_marks(self) -> None:
        if self.isVisible():
            self._work.replace("marks", self._read_marks)

    async def _read_marks(self) -> None:
        await self.marks.reload()
        for part in (self.timers, self.notes, self.todos):
            part.show_entries()
        self.calendar.show_marks()
        self._show_overview()

    def _marked_panes(self) -> Iterable[tuple[ListPane, str]]:
        yield self.overview, ""
        yield self.todos.pane, TODO
        yield self.notes.pane, NOTE
        yield self.timers.pane, TIMER
        yield self.calendar.list_pane, APPOINTMENT
        yield self.calendar.day_pane, APPOINTMENT

    def _take_back(self, kind: str, row: str) -> None:
        """Undo the last change of the entry in this row by another program or the companion."""
        kind, item_id = row_item(row, kind)
        undo = partial(self._undo_change, kind, item_id)
        self._work.start_once(f"take back {kind} {item_id}", undo)

    async def _undo_change(self, kind: str, item_id: str) -> None:
        if not await self.marks.undo_changes(kind, item_id):
            self.undo.show_text(tr("This can't be undone any more."))
        self._refresh()

    def _refresh_page(self) -> None:
        if self._current == CALENDAR:
            self.calendar.come()
        elif self._current == HISTORY:
            self.history.refresh()

    async def _read(self) -> None:
        data = self._data
        self._timer_list = await data.timers.timers()
        self._todo_list = await data.todos.todos()
        self._focus = await data.focus()
        appointments, now = await data.appointments.appointments(), data.timers.now()
        self._coming_from = datetime.fromtimestamp(now).date()
        self._coming = await asyncio.to_thread(coming_days, appointments, now, self._name())
        self._show_overview()

    def _on_tick(self) -> None:
        """Show the seconds of the timers; read the appointments again on a new day."""
        self._show_overview()
        today = datetime.fromtimestamp(self._data.timers.now()).date()
        if today != self._coming_from:
            self._work.replace("overview", self._read)

    def _show_overview(self) -> None:
        now = self._data.timers.now()
        name = self._name() or tr("the companion")
        hint = tr("Write “tea 5 min” below, or tell {name}.", name=name)
        empty = f"{tr('Nothing due today')}\n{hint}"
        entries = overview_entries(
            self._coming, self._todo_list, self._timer_list, now, self._focus
        )
        self.overview.show_entries(self.marks.marked(entries), empty)
        today = datetime.fromtimestamp(now)
        day = QLocale(language()).toString(
            QDate(today.year, today.month, today.day), tr("dddd, d MMMM")
        )
        words = {
            "done": tr("Done"),
            "later": tr("5 minutes later"),
            "open": tr("Open"),
            "delete": tr("Delete"),
        }
        self.overview.set_texts(day, words)
        self._offer()
        self._struck.follow(self._todo_list, now)

    def _offer(self) -> None:
        kind, entry_id = _split(self.overview.list.current_id())
        timer = self._timer(entry_id) if kind == "timer" else None
        rings = timer is not None and timer.rings(self._data.timers.now())
        buttons = self.overview.actions_of
        buttons["done"].setEnabled(kind == "todo" or rings)
        buttons["later"].setEnabled(timer is not None)
        for action in ("open", "delete"):
            buttons[action].setEnabled(bool(kind))

    def _toggle_sharing(self) -> None:
        """Open or close the switches at the bottom."""
        opens = self.sharing.isHidden()
        self.sharing.setVisible(opens)
        (self.sharing.sees if opens else self.foot).setFocus()
        self._show_foot()

    def _show_shared(self) -> None:
        """Show the permissions of the current tab; those of all lists in the overview."""
        shown = (
            {key for key, _title, _icon in TABS} if self._last_tab == OVERVIEW else {self._last_tab}
        )
        apps = [app for app in self._data.actions.apps.host.apps if app.id in shown]
        title = next(text for key, text, _icon in TABS if key == self._last_tab)
        self.sharing.show_apps(apps, tr(title))  # it emits `changed`

    def _show_foot(self) -> None:
        text = self.sharing.summary()
        self.foot.setText(f"{text} {'⌄' if not self.sharing.isHidden() else '›'}")
        self.foot.setAccessibleName(text)
        sign = "eye" if self.sharing.is_seen else "eye-off"
        side = scale_to_font(14, self._theme)
        self.foot.setIcon(icon(sign, QColor(self._theme.muted), side))

    def _timer(self, timer_id: str) -> Timer | None:
        return next((one for one in self._timer_list if one.id == timer_id), None)

    # Actions of the user

    def _find(self) -> None:
        self.show_tab(NOTES)
        self.notes.pane.search.setFocus()

    def _focus_page(self) -> None:
        page = self._pages[self._current]
        if isinstance(page, ListPane):
            page.list.setFocus()
        elif page is self.calendar:
            self.calendar.take_focus()
        else:
            page.setFocus()

    def _press_undo(self) -> None:
        field = QApplication.focusWidget()
        if isinstance(field, QLineEdit | QTextEdit) and field.isVisible() and _can_undo(field):
            field.undo()
        else:
            self.undo.undo_last()

    def _toggle(self, row: str) -> None:
        """Tick a to-do, or pause a timer."""
        self._act("pause" if _split(row)[0] == "timer" else "done", row)

    def _act(self, action: str, row: str) -> None:
        kind, entry_id = _split(row)
        if kind == "todo":
            if action == "open":
                self.show_tab(TODOS)
            act = {"done": self.todos.toggle, "open": self.todos.edit, "delete": self.todos.delete}
            if action in act:
                act[action](entry_id)
        elif kind == "appointment":
            self._act_on_appointment(action, entry_id)
        elif kind == "timer":
            if action == "open":
                self.show_tab(TIMERS)
            names = {"open": "edit", "delete": "cancel"}
            self.timers.act(names.get(action, action), entry_id)

    def _act_on_appointment(self, action: str, appointment_id: str) -> None:
        self.show_tab(CALENDAR)
        self.calendar.select(appointment_id)
        if action == "delete":
            self.calendar.delete(appointment_id)

    async def _add(self, entry: QuickEntry) -> None:
        """Add the entry of the field, and offer to undo it."""
        data, said = self._data, entry_words(entry, self._data.timers.now())
        match entry.kind:
            case EntryKind.TIMER:
                timer = await data.timers.add(data.timers.now() + entry.seconds, entry.text)
                self.action_done.emit("timers", "set", entry.text)
                take_back: Callable[[], Awaitable[object]] = partial(data.timers.cancel, timer.id)
            case EntryKind.APPOINTMENT:
                assert entry.meant is not None
                made = await data.appointments.add(
                    entry.text,
                    entry.said,
                    entry.meant,
                    prompt="",
                    zone="",
                    maker=Maker.PERSON,
                )
                self.action_done.emit("calendar", "add", entry.text)
                take_back = partial(data.appointments.cancel, made.id)
            case EntryKind.TODO:
                take_back = await self._add_todo(entry)
            case EntryKind.NOTE:
                note = await data.notes.add(entry.text)
                self.action_done.emit("notes", "add", entry.text)
                take_back = partial(data.notes.delete, note.id)
        what = tr("{name}: {text}", name=said, text=entry.text) if entry.text else said
        text = tr("Added: {what}", what=what[:120])
        self.undo.show_undo(text, lambda: self._work.start("undo", partial(_ignore, take_back)))

    async def _add_todo(self, entry: QuickEntry) -> Callable[[], Awaitable[object]]:
        """Add a to-do by the action of the app, so that the history contains it; return the
        function that undoes it.
        """
        params = {"text": entry.text, "due": str(entry.due or "")}
        run = self._data.actions.apps.caller.run_action
        result = await run(Actor.PERSON, TODOS, "add", params)
        made = result.data.get("id") if isinstance(result.data, dict) else None
        return partial(run, Actor.PERSON, TODOS, "delete", {"id": made})

    def _fail(self, error: KnownError) -> None:
        self.undo.show_text(format_error(error))


async def _ignore(work: Callable[[], Awaitable[object]]) -> None:
    """Run `work` and drop its result."""
    await work()


def _split(row: str) -> tuple[str, str]:
    """Return the kind and the id of a row of the overview."""
    kind, _, entry_id = row.partition(" ")
    return kind, entry_id


def _can_undo(field: QLineEdit | QTextEdit) -> bool:
    if isinstance(field, QLineEdit):
        return field.isUndoAvailable()
    return field.document().isUndoAvailable()
