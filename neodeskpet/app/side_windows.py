"""The windows beside the chat: each is one entry and is created at its first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from neodeskpet.app.activities.pomodoro import read_tally_words
from neodeskpet.app.desktop_tools import DesktopClipboard
from neodeskpet.app.engine import Engine
from neodeskpet.app.memory_adapter import MemoryAdapter
from neodeskpet.app.notifiers import BackgroundPromptNotifier, BudgetNotifier, tool_choices
from neodeskpet.app.remark_notifier import RemarkNotifier
from neodeskpet.app.theme_manager import DisplayNames, ThemeManager
from neodeskpet.core.i18n import N_
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.settings.tool_permissions import ListPermissions
from neodeskpet.tools.apps.window_log import Actor, LogEntry
from neodeskpet.ui.commands import Command
from neodeskpet.ui.notebook.today_window import COMMANDS as TODAY_COMMANDS
from neodeskpet.ui.notebook.today_window import OVERVIEW, TABS, TodayData, TodayWindow
from neodeskpet.ui.settings.settings_window import COMMANDS as SETTINGS_COMMANDS
from neodeskpet.ui.settings.settings_window import SettingsWindow
from neodeskpet.ui.windows.app_panel import AppPanel, CreatePanelContent, LoggedActions
from neodeskpet.ui.windows.clipboard_and_files import ClipboardPanelContent, FilesPanelContent
from neodeskpet.ui.windows.memory_port import MemorySource
from neodeskpet.ui.windows.memory_window import COMMANDS as MEMORY_COMMANDS
from neodeskpet.ui.windows.memory_window import MemoryWindow
from neodeskpet.ui.windows.window_registry import WindowEntry, WindowRegistry

if TYPE_CHECKING:
    from neodeskpet.app.character_gallery import GalleryActions, GalleryAdapter
    from neodeskpet.app.settings_pages import PageServices
    from neodeskpet.figure.behaviour.seasons import SeasonSettings
    from neodeskpet.ui.chat.summary_window import SummaryWindow
    from neodeskpet.ui.pet.pet_window import PetWindow
    from neodeskpet.ui.windows.background_prompts_window import BackgroundPromptsWindow
    from neodeskpet.ui.windows.background_tasks_window import BackgroundTasksWindow
    from neodeskpet.ui.windows.character_gallery import CharacterGallery
    from neodeskpet.ui.windows.companions_window import (
        CompanionDialoguePort,
        CompanionsPort,
        CompanionsWindow,
    )
    from neodeskpet.ui.windows.inspector_window import TurnInspectorWindow
    from neodeskpet.ui.windows.look_window import LookWindow
    from neodeskpet.ui.windows.missed_messages_window import MissedMessagesWindow
    from neodeskpet.ui.windows.reply_reasons_window import ReplyReasonsWindow
    from neodeskpet.ui.windows.spending_window import SpendingWindow

APP_PANELS = (
    ("files", N_("Files…"), "folder"),
    ("clipboard", N_("Clipboard…"), "copy"),
)
"""The apps that have a window outside "Today": id, title in the menu, icon."""


@dataclass(frozen=True, slots=True)
class WindowActions:
    """What the windows use of the app: `pages` returns the services of the settings pages,
    `show_message` shows a message in the chat, `background_prompt_notifier` opens the result of a
    background prompt.
    """

    pages: Callable[[], PageServices]
    show_message: Callable[[MemorySource], None]
    background_prompt_notifier: BackgroundPromptNotifier
    remark_notifier: RemarkNotifier
    budget_notifier: BudgetNotifier
    open_conversation: Callable[[str], None]
    companions: CompanionsPort
    companion_dialogue: CompanionDialoguePort


class SideWindows:
    """Registers the windows at once and creates them later. `names` returns the titles of tools."""

    def __init__(
        self,
        windows: WindowRegistry,
        engine: Engine,
        theme_manager: ThemeManager,
        names: DisplayNames,
        ways: WindowActions,
    ) -> None:
        self._windows = windows
        self._engine = engine
        self._theme_manager = theme_manager
        self._names = names
        self._ways = ways
        for entry in self._entries():
            windows.register(entry)

    def _make_today(self) -> TodayWindow:
        engine = self._engine
        notebook, tools = engine.notebook, engine.tools
        made = TodayWindow(
            self._theme_manager.theme,
            TodayData(
                notebook.timers,
                notebook.notes,
                notebook.todos,
                notebook.appointments,
                LoggedActions(tools.apps, tools.calls_undo),
                ListPermissions(
                    engine.settings,
                    lambda: (*tools.toolbox.all_specs(), *tools.apps.host.specs()),
                ),
                partial(read_tally_words, engine.storage.store),
            ),
            partial(tool_choices, engine),
            self.called,
            lambda: engine.storage.personas.figure.bundled_personas is not None,
        )
        made.action_done.connect(self._note)
        return made

    def _note(self, app: str, action: str, about: str) -> None:
        """Log the user's action in a window, next to the companion's actions."""
        act = LogEntry(0, 0.0, Actor.PERSON, app, action, True, about)
        spawn_task(self._engine.tools.apps.caller.log_entry(act), name="note an act")

    def _tab_commands(self) -> Iterable[Command]:
        """Yield the tabs of "Today" for the palette: the menu has no rows for them."""
        for key, title, sign in TABS:
            if key != OVERVIEW:
                yield Command(f"open {key}", title, partial(self._open_tab, key), icon=sign)

    def _open_tab(self, key: str) -> None:
        self._windows.present("today")
        self.today.show_tab(key)

    def _entries(self) -> Iterable[WindowEntry]:
        yield WindowEntry(
            "today",
            self._make_today,
            title=N_("Today…"),
            icon="calendar",
            commands=(*TODAY_COMMANDS, *self._tab_commands()),
        )
        yield WindowEntry(
            "memory",
            self._make_memory,
            title=N_("What I know about you…"),
            icon="memory",
            commands=MEMORY_COMMANDS,
        )
        yield WindowEntry("gallery", self._make_gallery, title=N_("Characters…"), icon="companion")
        yield WindowEntry(
            "guests",
            self._make_companions,
            title=N_("Invite another companion…"),
            icon="companion",
        )
        yield WindowEntry("tasks", self._make_tasks, title=N_("Background tasks…"), icon="layers")
        yield WindowEntry(
            "inbox",
            self._make_missed_messages,
            title=N_("Missed messages…"),
            icon="archive",
        )
        yield WindowEntry(
            "settings",
            self._make_settings,
            self.show_settings,
            title=N_("Settings…"),
            icon="settings",
            at_bottom=True,
            commands=SETTINGS_COMMANDS,
        )
        yield WindowEntry("inspector", self._make_inspector)
        yield WindowEntry("why", self._make_why)
        yield WindowEntry("errands", self._make_background_prompts)
        yield WindowEntry(
            "spending", self._make_spending, title=N_("Tokens and costs…"), icon="data"
        )
        yield WindowEntry("summary", self._make_summary)
        for name, title, sign in APP_PANELS:
            make = partial(self._make_panel, name)
            yield WindowEntry(f"panel {name}", make, title=title, icon=sign)

    # The windows, created at their first use

    @property
    def settings(self) -> SettingsWindow:
        return cast(SettingsWindow, self._windows["settings"])

    @property
    def today(self) -> TodayWindow:
        return cast(TodayWindow, self._windows["today"])

    @property
    def inspector(self) -> TurnInspectorWindow:
        return cast("TurnInspectorWindow", self._windows["inspector"])

    @property
    def reply_reasons(self) -> ReplyReasonsWindow:
        return cast("ReplyReasonsWindow", self._windows["why"])

    @property
    def memory(self) -> MemoryWindow:
        return cast(MemoryWindow, self._windows["memory"])

    @property
    def tasks(self) -> BackgroundTasksWindow:
        return cast("BackgroundTasksWindow", self._windows["tasks"])

    @property
    def inbox(self) -> MissedMessagesWindow:
        return cast("MissedMessagesWindow", self._windows["inbox"])

    @property
    def background_prompts(self) -> BackgroundPromptsWindow:
        return cast("BackgroundPromptsWindow", self._windows["errands"])

    @property
    def spending(self) -> SpendingWindow:
        return cast("SpendingWindow", self._windows["spending"])

    @property
    def summary(self) -> SummaryWindow:
        return cast("SummaryWindow", self._windows["summary"])

    def panel(self, app: str) -> AppPanel:
        """Return the window of an app that isn't a tab of "Today"."""
        return cast(AppPanel, self._windows[f"panel {app}"])

    def show_settings(self, section: str = "") -> None:
        """Show this group or card; without one what was shown last, or the services while none is
        connected.
        """
        if not section and not self._engine.models.turn_factory.catalog().endpoints:
            section = "models"
        self.settings.present(section)

    def called(self) -> str:
        """Return the first companion's name."""
        return self._engine.storage.personas.current.name

    # Creating the windows; the code of a window is loaded when it is created

    def _make_companions(self) -> CompanionsWindow:
        from neodeskpet.ui.windows.companions_window import CompanionsWindow

        ways, theme = self._ways, self._theme_manager.theme
        window = CompanionsWindow(theme, ways.companions, ways.companion_dialogue)
        window.settings_requested.connect(lambda: self.show_settings("companion"))
        return window

    def _make_missed_messages(self) -> MissedMessagesWindow:
        from neodeskpet.ui.windows.missed_messages_window import MissedMessagesWindow

        window = MissedMessagesWindow(self._theme_manager.theme, self._ways.remark_notifier)
        window.settings_requested.connect(lambda: self.show_settings("initiative"))
        return window

    def _make_summary(self) -> SummaryWindow:
        from neodeskpet.ui.chat.summary_window import SummaryWindow

        return SummaryWindow(self._theme_manager.theme, self._engine.memory.summaries)

    def _make_gallery(self) -> CharacterGallery:
        from neodeskpet.ui.windows.character_gallery import CharacterGallery

        adapter = self._gallery_adapter(self._gallery_actions())
        return CharacterGallery(self._theme_manager.theme, adapter)

    def add_look(self, pet: PetWindow, season_settings: Callable[[], SeasonSettings]) -> None:
        """Register the window with the look of this figure and the album."""

        def make() -> LookWindow:
            from neodeskpet.app.look_adapter import LookAdapter, LookServices
            from neodeskpet.ui.windows.look_window import LookWindow

            pages = self._ways.pages()
            services = LookServices(
                self._engine, pages.figures, pages.characters, pet, season_settings
            )
            return LookWindow(self._theme_manager.theme, LookAdapter(services), self.called)

        entry = WindowEntry("look", make, title=N_("Look and album…"), icon="companion")
        self._windows.register(entry)

    def _gallery_actions(self) -> GalleryActions:
        from neodeskpet.app.character_gallery import (  # after the first paint
            GalleryActions,
            draw_face,
        )

        return GalleryActions(
            partial(draw_face, self._ways.pages().figures),
            self._edit_character,
            partial(self._windows.present, "gallery"),
            partial(self._windows.present, "guests"),
            partial(self._windows.present, "look"),
        )

    def _gallery_adapter(self, actions: GalleryActions) -> GalleryAdapter:
        from neodeskpet.app.character_gallery import GalleryAdapter  # after the first paint

        pages = self._ways.pages()
        return GalleryAdapter(self._engine, pages.characters, pages.figures, actions)

    def _edit_character(self, character: str) -> None:
        """Show the editor of this character in the settings, "" for the figure's own."""
        from neodeskpet.ui.settings.characters_page import SECTION, CharactersPage

        if not character:
            self.show_settings("companion")
            return
        self.show_settings(SECTION.name)
        page = self.settings.pages[SECTION.name]
        if isinstance(page, CharactersPage):
            page.open(character)

    def _make_settings(self) -> SettingsWindow:
        # loaded after the first paint
        from neodeskpet.app.character_gallery import CharacterHeadAdapter
        from neodeskpet.app.settings_adapters import OtherCompanionsAdapter, UserFactsAdapter
        from neodeskpet.app.settings_pages import PeopleServices, list_pages

        actions, present = self._gallery_actions(), self._windows.present
        gallery = self._gallery_adapter(actions)
        people = PeopleServices(
            CharacterHeadAdapter(gallery, self._engine.storage.personas, actions),
            UserFactsAdapter(self._engine, partial(present, "memory")),
            OtherCompanionsAdapter(self._ways.companions, partial(present, "guests")),
        )
        pages = list_pages(self._ways.pages(), people)
        return SettingsWindow(pages, self._engine.settings, self._theme_manager.theme, self.called)

    def _make_panel(self, name: str) -> AppPanel:
        engine = self._engine
        bodies: dict[str, CreatePanelContent] = {
            "files": partial(FilesPanelContent, partial(self.show_settings, "files")),
            "clipboard": partial(ClipboardPanelContent, DesktopClipboard().read),
        }
        theme = self._theme_manager.theme
        acts = engine.tools.calls_undo
        return AppPanel(theme, engine.tools.apps, acts, name, bodies[name], self.called)

    def _make_why(self) -> ReplyReasonsWindow:
        from neodeskpet.ui.windows.reply_reasons_window import ReplyReasonsWindow

        reply_reasons = ReplyReasonsWindow(self._theme_manager.theme, MemoryAdapter(self._engine))
        reply_reasons.source_requested.connect(self._ways.show_message)
        return reply_reasons

    def _make_memory(self) -> MemoryWindow:
        memory = MemoryWindow(self._theme_manager.theme, MemoryAdapter(self._engine))
        memory.source_requested.connect(self._ways.show_message)
        memory.settings_requested.connect(lambda: self.show_settings("memory"))
        return memory

    def _make_tasks(self) -> BackgroundTasksWindow:
        from neodeskpet.ui.windows.background_tasks_window import BackgroundTasksWindow

        engine = self._engine
        arguments = {spec.name: spec.main_argument for spec in engine.tools.toolbox.all_specs()}
        theme = self._theme_manager.theme
        tasks = BackgroundTasksWindow(theme, engine.tools.tasks, self._names.tool, arguments.get)
        tasks.background_prompts_requested.connect(lambda: self.background_prompts.present())
        return tasks

    def _make_background_prompts(self) -> BackgroundPromptsWindow:
        from neodeskpet.ui.windows.background_prompts_window import BackgroundPromptsWindow

        window = BackgroundPromptsWindow(
            self._theme_manager.theme, self._engine.models.background_prompts, self._names.tool
        )
        window.opened.connect(self._ways.background_prompt_notifier.open)
        return window

    def _make_spending(self) -> SpendingWindow:
        from neodeskpet.ui.windows.spending_window import SpendingWindow

        ways, ledger = self._ways, self._engine.storage.store.spending
        spending = SpendingWindow(self._theme_manager.theme, ledger, ways.budget_notifier.budget)
        spending.budget_requested.connect(lambda: self.show_settings("spending"))
        spending.conversation_requested.connect(ways.open_conversation)
        return spending

    def _make_inspector(self) -> TurnInspectorWindow:
        from neodeskpet.ui.windows.inspector_window import TurnInspectorWindow

        engine, ways = self._engine, self._ways
        trace_of, folders = engine.chat.tracing.get, ways.pages().folders
        theme, titles = self._theme_manager.theme, self._names.tool
        return TurnInspectorWindow(theme, engine.storage.store, trace_of, folders, titles)
