"""The windows beside the chat: each is one entry, made when it is first wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import cast

from neodeskpet.app.appearance import Appearance, Names
from neodeskpet.app.initiative.talk import RemarkTalk
from neodeskpet.app.memory.remembered import MemoryAdapter
from neodeskpet.app.pages import Ports, list_pages
from neodeskpet.app.spending.talk import BudgetTalk
from neodeskpet.app.tools.clipboard import DesktopClipboard
from neodeskpet.app.tools.errands import ErrandTalk, tool_choices
from neodeskpet.apps.record import Act, Actor
from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.ui.apps.clipboard import ClipboardBody
from neodeskpet.ui.apps.files import FilesBody
from neodeskpet.ui.apps.panel import AppPanel, MakeBody
from neodeskpet.ui.apps.todo import TodoBody
from neodeskpet.ui.apps.window import AppsWindow
from neodeskpet.ui.calendar.window import COMMANDS as CALENDAR_COMMANDS
from neodeskpet.ui.calendar.window import CalendarWindow
from neodeskpet.ui.chat.summary.window import SummaryWindow
from neodeskpet.ui.guests.port import GuestsPort, TalkPort
from neodeskpet.ui.guests.window import GuestsWindow
from neodeskpet.ui.initiative.inbox import InboxWindow
from neodeskpet.ui.inspector.window import InspectorWindow
from neodeskpet.ui.memory.panel import COMMANDS as MEMORY_COMMANDS
from neodeskpet.ui.memory.panel import MemoryWindow
from neodeskpet.ui.memory.port import Spot
from neodeskpet.ui.memory.why import WhyWindow
from neodeskpet.ui.notebook.window import COMMANDS as NOTEBOOK_COMMANDS
from neodeskpet.ui.notebook.window import NotebookWindow
from neodeskpet.ui.settings.window import COMMANDS as SETTINGS_COMMANDS
from neodeskpet.ui.settings.window import SettingsWindow
from neodeskpet.ui.spending.window import SpendingWindow
from neodeskpet.ui.tasks.errands import ErrandsWindow
from neodeskpet.ui.tasks.window import TasksWindow
from neodeskpet.ui.windows.register import WindowEntry, Windows

PANELS = ("todo", "files", "clipboard")
"""The apps that have no window of their own, by their ids."""


@dataclass(frozen=True, slots=True)
class Ways:
    """What the windows need of the desk around them: `pages` what the settings' pages may ask for,
    `go_to` shows a message in the chat, `errands` opens what an errand said.
    """

    pages: Callable[[], Ports]
    go_to: Callable[[Spot], None]
    errands: ErrandTalk
    remarks: RemarkTalk
    budget: BudgetTalk
    open_conversation: Callable[[str], None]
    guests: GuestsPort
    talk: TalkPort


class SideWindows:
    """They are registered with the `windows` at once and made by them later. `names` tells the
    titles of tools.
    """

    def __init__(
        self, windows: Windows, engine: Engine, wardrobe: Appearance, names: Names, ways: Ways
    ) -> None:
        self._windows = windows
        self._engine = engine
        self._wardrobe = wardrobe
        self._names = names
        self._ways = ways
        for entry in self._entries():
            windows.register(entry)

    def _make_notebook(self) -> NotebookWindow:
        engine = self._engine
        made = NotebookWindow(self._wardrobe.theme, engine.timers, engine.notes)
        made.done.connect(self._note)
        return made

    def _make_calendar(self) -> CalendarWindow:
        engine = self._engine
        choices = partial(tool_choices, engine)
        made = CalendarWindow(self._wardrobe.theme, engine.appointments, choices, self._called)
        made.done.connect(partial(self._note, "calendar"))
        return made

    def _note(self, app: str, action: str, about: str) -> None:
        """What the person did in a window stands in the log beside what the companion did."""
        act = Act(0, 0.0, Actor.PERSON, app, action, True, about)
        spawn(self._engine.apps.caller.note(act), name="note an act")

    def _entries(self) -> Iterable[WindowEntry]:
        engine, dress = self._engine, self._wardrobe
        yield WindowEntry(
            "notebook",
            self._make_notebook,
            title=N_("Timers and notes…"),
            icon="notebook",
            commands=NOTEBOOK_COMMANDS,
        )
        yield WindowEntry(
            "memory",
            self._make_memory,
            title=N_("What I know about you…"),
            icon="memory",
            commands=MEMORY_COMMANDS,
        )
        yield WindowEntry(
            "calendar",
            self._make_calendar,
            title=N_("Calendar…"),
            icon="later",
            commands=CALENDAR_COMMANDS,
        )
        yield WindowEntry(
            "guests",
            lambda: GuestsWindow(dress.theme, self._ways.guests, self._ways.talk),
            title=N_("Invite another companion…"),
            icon="companion",
        )
        yield WindowEntry("apps", self._make_apps, title=N_("Apps…"), icon="layers")
        yield WindowEntry("tasks", self._make_tasks, title=N_("Background tasks…"), icon="layers")
        yield WindowEntry(
            "inbox",
            lambda: InboxWindow(dress.theme, self._ways.remarks),
            title=N_("What I wanted to say…"),
            icon="archive",
        )
        yield WindowEntry(
            "settings",
            self._make_settings,
            self.show_settings,
            title=N_("Settings…"),
            icon="settings",
            low=True,
            commands=SETTINGS_COMMANDS,
        )
        yield WindowEntry("inspector", self._make_inspector)
        yield WindowEntry("why", self._make_why)
        yield WindowEntry("errands", self._make_errands)
        yield WindowEntry(
            "spending", self._make_spending, title=N_("Tokens and costs…"), icon="data"
        )
        yield WindowEntry("summary", lambda: SummaryWindow(dress.theme, engine.summaries))
        for name in PANELS:
            yield WindowEntry(f"panel {name}", partial(self._make_panel, name))

    # Each, made now if it wasn't before

    @property
    def settings(self) -> SettingsWindow:
        return cast(SettingsWindow, self._windows["settings"])

    @property
    def notebook(self) -> NotebookWindow:
        return cast(NotebookWindow, self._windows["notebook"])

    @property
    def calendar(self) -> CalendarWindow:
        return cast(CalendarWindow, self._windows["calendar"])

    @property
    def apps(self) -> AppsWindow:
        return cast(AppsWindow, self._windows["apps"])

    @property
    def inspector(self) -> InspectorWindow:
        return cast(InspectorWindow, self._windows["inspector"])

    @property
    def why(self) -> WhyWindow:
        return cast(WhyWindow, self._windows["why"])

    @property
    def memory(self) -> MemoryWindow:
        return cast(MemoryWindow, self._windows["memory"])

    @property
    def tasks(self) -> TasksWindow:
        return cast(TasksWindow, self._windows["tasks"])

    @property
    def inbox(self) -> InboxWindow:
        return cast(InboxWindow, self._windows["inbox"])

    @property
    def errands(self) -> ErrandsWindow:
        return cast(ErrandsWindow, self._windows["errands"])

    @property
    def spending(self) -> SpendingWindow:
        return cast(SpendingWindow, self._windows["spending"])

    @property
    def summary(self) -> SummaryWindow:
        return cast(SummaryWindow, self._windows["summary"])

    def panel(self, app: str) -> AppPanel:
        """The panel of an app that has no window of its own."""
        return cast(AppPanel, self._windows[f"panel {app}"])

    def show_settings(self, section: str = "") -> None:
        self.settings.present(section)

    def _called(self) -> str:
        """The first companion's name."""
        return self._engine.personas.current.name

    # How they are made

    def _make_settings(self) -> SettingsWindow:
        pages = list_pages(self._ways.pages())
        return SettingsWindow(pages, self._engine.settings, self._wardrobe.theme)

    def _make_panel(self, name: str) -> AppPanel:
        engine = self._engine
        bodies: dict[str, MakeBody] = {
            "todo": partial(TodoBody, engine.todos),
            "files": FilesBody,
            "clipboard": partial(ClipboardBody, DesktopClipboard().read),
        }
        theme = self._wardrobe.theme
        acts = engine.calls_undo
        return AppPanel(theme, engine.apps, acts, name, bodies[name], self._called)

    def _make_apps(self) -> AppsWindow:
        """From there each app is shown in its panel, or in the window that shows the same."""
        shows = {name: f"panel {name}" for name in PANELS}
        shows |= {"notes": "notebook", "timers": "notebook", "calendar": "calendar"}
        shown = {app: partial(self._windows.present, key) for app, key in shows.items()}
        engine = self._engine
        acts = engine.calls_undo
        return AppsWindow(self._wardrobe.theme, engine.apps, acts, shown, name=self._called)

    def _make_why(self) -> WhyWindow:
        why = WhyWindow(self._wardrobe.theme, MemoryAdapter(self._engine))
        why.wanted.connect(self._ways.go_to)
        return why

    def _make_memory(self) -> MemoryWindow:
        memory = MemoryWindow(self._wardrobe.theme, MemoryAdapter(self._engine))
        memory.wanted.connect(self._ways.go_to)
        memory.settings_wanted.connect(lambda: self.show_settings("memory"))
        return memory

    def _make_tasks(self) -> TasksWindow:
        engine = self._engine
        arguments = {spec.name: spec.main_argument for spec in engine.toolbox.known()}
        theme = self._wardrobe.theme
        tasks = TasksWindow(theme, engine.tasks, self._names.tool, arguments.get)
        tasks.errands_wanted.connect(lambda: self.errands.present())
        return tasks

    def _make_errands(self) -> ErrandsWindow:
        errands = ErrandsWindow(self._wardrobe.theme, self._engine.errands, self._names.tool)
        errands.opened.connect(self._ways.errands.open)
        return errands

    def _make_spending(self) -> SpendingWindow:
        ways, ledger = self._ways, self._engine.store.spending
        spending = SpendingWindow(self._wardrobe.theme, ledger, ways.budget.budget)
        spending.budget_wanted.connect(lambda: self.show_settings("spending"))
        spending.conversation_wanted.connect(ways.open_conversation)
        return spending

    def _make_inspector(self) -> InspectorWindow:
        engine, ways = self._engine, self._ways
        trace_of, folders = engine.chat.tracing.of, ways.pages().folders
        theme, titles = self._wardrobe.theme, self._names.tool
        return InspectorWindow(theme, engine.store, trace_of, folders, titles)
