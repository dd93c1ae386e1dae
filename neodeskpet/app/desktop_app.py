"""All windows and their connections to the engine: the companion, its bubble, the chat, the
settings, the tray.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from neodeskpet.app.activities.activities_controller import ActivitiesController
from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.app.bubble_commands import BubbleCommands
from neodeskpet.app.bubble_surroundings import BubbleSurroundings
from neodeskpet.app.characters import CharacterAdapter, CharacterController
from neodeskpet.app.chat_parts import ChatParts
from neodeskpet.app.chat_startup import (
    CHAT_NAME_KEY,
    ChatStartup,
)
from neodeskpet.app.command_palette_controller import (
    HOT_KEYS_SECTION,
    CommandPaletteController,
    HotKeyController,
)
from neodeskpet.app.companion_dialogue_controller import CompanionDialogueController
from neodeskpet.app.companion_identity import (
    CompanionIdentity,
    PortraitController,
)
from neodeskpet.app.companion_manager import CompanionManager
from neodeskpet.app.companion_window import CompanionStyle, CompanionWindow
from neodeskpet.app.desktop_context import DesktopContext, FirstCompanion, NoticeReporter
from neodeskpet.app.desktop_session import DesktopSession, ExitAction
from neodeskpet.app.engine import Engine
from neodeskpet.app.external_api import ExternalApi
from neodeskpet.app.figure_controller import FigureController
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.app.figure_sounds import FigureSounds
from neodeskpet.app.first_run import FirstRunController
from neodeskpet.app.knowledge_controller import KnowledgeController
from neodeskpet.app.live_settings import DesktopConditions, LiveSettings
from neodeskpet.app.menu_controller import MenuController
from neodeskpet.app.menu_rows import MenuBadges, Need, UrgentSources
from neodeskpet.app.notifiers import NotifierParts
from neodeskpet.app.quick_message_controller import QuickMessageController
from neodeskpet.app.side_windows import SideWindows, WindowActions
from neodeskpet.app.sign_controllers import (
    DueSignController,
    PillActions,
    PillCompanion,
    StatePillController,
)
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.theme_manager import DisplayNames, ThemeManager
from neodeskpet.app.tool_approval import ApprovalController, ElicitationCard
from neodeskpet.app.voice_controller import VoiceController, VoiceWindows, mark_interrupted
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.app.window_state import WindowState
from neodeskpet.conversation.chat_events import ConversationChanged, RunningChanged, TitleChanged
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.proactive import Detection
from neodeskpet.figure.behaviour.free_place import OwnWindow
from neodeskpet.language import tr
from neodeskpet.notebook.appointment_tools import RUN_SPEC
from neodeskpet.platform.shutdown import CloserStack
from neodeskpet.tools.apps.app_windows import ACT_SPEC
from neodeskpet.tools.tool_search import FIND_SPEC
from neodeskpet.ui import event_loop
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.desktop.activity_detector import ActivityDetector
from neodeskpet.ui.desktop.hotkey_backends import create_hot_keys
from neodeskpet.ui.desktop.idle_time import create_idle_time
from neodeskpet.ui.desktop.window_watcher import create_window_watcher
from neodeskpet.ui.formatting import format_time
from neodeskpet.ui.gc_scheduler import freeze_existing_objects
from neodeskpet.ui.local_server import LocalServer
from neodeskpet.ui.memory_trimmer import MemoryTrimmer
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter, connect_window
from neodeskpet.ui.pet.dropped_files import DroppedFilesController, DropReceivers
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import to_area
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import preload_fonts
from neodeskpet.ui.widgets.tab_order import FocusReveal
from neodeskpet.ui.windows.memory_port import MemorySource
from neodeskpet.ui.windows.window_events import OwnWindowsTracker, WindowEvents, WindowFrame
from neodeskpet.ui.windows.window_registry import WindowEntry, WindowRegistry

if TYPE_CHECKING:
    from neodeskpet.app.listening import CompanionListening
    from neodeskpet.app.settings_pages import PageServices


class DesktopApp(QObject):
    """The windows of the app, created after the engine. `start` shows them, `aclose` closes them.
    In safe mode (`safe`) there is no figure, and the conversation is a new one.
    """

    def __init__(
        self,
        app: QApplication,
        engine: Engine,
        pet: PetWindow,
        *,
        safe: bool = False,
        exits: CloserStack | None = None,
        early_chat: ChatStartup | None = None,
    ) -> None:
        """Create all parts. `exits` closes them in reverse order. `early_chat` has the chat
        window if that is shown already.
        """
        super().__init__()
        self.exits = exits = exits or CloserStack()
        self._deletions: list[Callable[[], object]] = [self.deleteLater, pet.deleteLater]
        exits.add(self._delete, engine.aclose, pet.release_model)
        self._safe = safe
        self.engine = engine
        self._quit: asyncio.Future[ExitAction] = asyncio.get_running_loop().create_future()
        self._work = TaskRunner("desk", failed=lambda error: self.notices.show_error(error))
        exits.add(self._work.detach)
        self.theme_manager = ThemeManager(app, engine.settings)
        preload_fonts(self.theme_manager.theme)
        self.companion, self._voice_services = self._create_companion(pet)
        self.notices = NoticeReporter(self.companion.presenter, self.companion.bubble)
        self._context = DesktopContext(
            app, engine, self.theme_manager, self.notices, self._work, exits
        )
        self._create_chat(early_chat)
        self._create_windows()
        self._create_figure()
        self._create_desktop()
        parts = (self.notifiers, self.conditions, self.first_run, self.figure, self.menu)
        for part in (*parts, self._live_settings):
            part.setParent(self)  # deleted with the app, before the QApplication
        # Closed first: a closed window is deleted while the others are still closing.
        exits.add(self.theme_manager.stop)
        exits.add(self._own_windows_tracker.stop)  # first: it uses windows that are deleted next
        self._connect()
        self._apply_theme()
        self._live_settings.apply()

    # Creating the parts, each group after the ones that it needs

    def _create_companion(self, pet: PetWindow) -> tuple[FirstCompanion, VoiceServices]:
        """Create the first companion with its bubble and voice."""
        engine = self.engine
        services = VoiceServices(
            engine.settings,
            engine.storage.secrets,
            engine.models.client,
            count=engine.storage.store.spending.add,
        )
        speech = CompanionSpeech(
            services,
            on_failed=lambda error: self.notices.show_error(error),
            is_quiet=lambda: self.figure.is_voice_quiet(),
            style=lambda: self.character_controller.voice_style(),
            read_shared=lambda: self.attention.sharing.read() is Detection.YES,
        )
        bubble = SpeechBubble(self.theme_manager.theme, voice=speech)
        speech.on_started = bubble.speech_started
        speech.on_finished = bubble.speech_finished
        self._deletions.append(bubble.deleteLater)
        self.exits.add(speech.aclose, bubble.close)
        presenter = connect_window(pet, bubble)
        presenter.set_voice(speech)
        return FirstCompanion(pet, bubble, presenter, speech), services

    def _create_chat(self, early: ChatStartup | None) -> None:
        """Create the chat, and the further companions, which may speak in it."""
        engine, context, first = self.engine, self._context, self.companion
        self.approval = ApprovalController(engine, self.notices.show_error)
        first.presenter.approved.connect(self.approval.answer)
        own = (FIND_SPEC, ACT_SPEC, RUN_SPEC)
        names = DisplayNames(
            [*engine.tools.toolbox.all_specs(), *engine.tools.apps.host.specs(), *own]
        )
        self._names = names
        first.presenter.set_tool_titles(names.tool)
        self.figure_settings = FigureAdapter(
            engine.storage.home,
            first.pet.cache_dir,
            engine.settings,
            first.pet,
            engine.storage.personas,
        )
        self.companions = CompanionManager(
            engine,
            first.pet,
            first.presenter,
            self.figure_settings,
            self._companion_style,
            self.notices.show_error,
            self,
        )
        self.exits.add(self.companions.close)
        self.chat = ChatParts(
            context,
            self.companions,
            self.approval,
            names,
            budget_line=lambda: self.notifiers.budget.summary_line(),
            early=early,
        )
        self._prioritize_input(first.pet)
        self.companion_dialogue = CompanionDialogueController(
            engine,
            self.companions,
            self.chat.presenter.on_chat_event,
            self.notices.show_error,
            self,
        )
        self.exits.add(self.companion_dialogue.close)
        self.chat.view.set_portrait_source(self.companion_dialogue.face_of)
        self.chat.presenter.add_live_source(self.companion_dialogue.live)

    def _create_windows(self) -> None:
        """Create the notifiers and the other windows, which show more about what they report."""
        engine, context, chat, exits = self.engine, self._context, self.chat, self.exits
        show_error = self.notices.show_error
        platform = QGuiApplication.platformName()
        self.attention = ActivityDetector(
            x11=platform == "xcb", find_idle=partial(create_idle_time, platform)
        )
        self.notifiers = NotifierParts(
            context,
            self.companion,
            chat,
            self.attention,
            self._names.tool,
            identity=lambda: self.companion_identity,
            show_in_tray=lambda title, text: self.menu.tray.show_notification(title, text),
        )
        self.conditions = DesktopConditions(context)
        self.characters = CharacterAdapter(engine, self.figure_settings, self.show_chat)
        self.external_api = ExternalApi(
            engine,
            self.companion.presenter,
            self.companion.pet,
            lambda: chat.window.program_questions,
            self.notifiers.show_notification,
            show_error,
        )
        self.windows = WindowRegistry(self)
        self._deletions.append(self.windows.delete_all)
        exits.add(self.attention.close, self.external_api.aclose)
        exits.add(self.windows.close, self.windows.aclose)
        self.windows.window_created.connect(self.theme_manager.register)
        self.first_run = FirstRunController(
            context,
            chat,
            self.companion,
            show_chat=self.show_chat,
            show_settings=lambda group: self.side_windows.show_settings(group),
            has_compositor=self.conditions.has_compositor,
        )
        self._deletions.append(self.first_run.delete_guide)
        self.command_palette = CommandPaletteController(
            lambda: self.theme_manager.theme,
            engine.chat,
            engine.storage.store,
            self.figure_settings,
            self.characters,
            chat.model_picker,
            show_chat=self.show_chat,
            failed=show_error,
        )
        self.knowledge = KnowledgeController(
            engine,
            chat.view,
            chat.presenter,
            chat.window.folders,
            self.windows,
            lambda: self.theme_manager.theme,
            show_error,
        )
        exits.add(self.command_palette.close, self.knowledge.close)
        self.side_windows = self._create_side_windows()
        self.windows["chat"]  # created above

    def _create_figure(self) -> None:
        """Create what the figure does: place, portraits, games, files dropped on it."""
        engine, context, first, chat = self.engine, self._context, self.companion, self.chat
        show_error = self.notices.show_error
        self.figure = FigureController(
            context,
            first,
            chat,
            self.attention,
            is_answering=self._is_user_answering,
            is_occupied=lambda: (
                self.quick_message.line.isVisible() or self.activities.hide_and_seek.hidden
            ),
            safe=self._safe,
        )
        self.quick_message = QuickMessageController(
            self.theme_manager.theme,
            first.pet,
            first.bubble,
            chat.presenter,
            engine.settings,
            chat.window.folders,
            self.companions,
            self._set_quick_timer,
        )
        self.activities = ActivitiesController(
            ActivityContext(engine, first.pet, first.presenter, self.attention),
            lambda row, on: self.menu.menu.set_available(row, on),
            self.figure.placement.visible_windows,
            self,
        )
        self.character_controller = CharacterController(
            engine,
            self.characters,
            show=self._show_speaker,
            open_page=lambda: self.side_windows.show_settings("characters"),
            tell=show_error,
        )
        self._portraits = PortraitController(
            first.pet,
            chat,
            self.companions,
            self.figure_settings,
            self.character_controller.portrait,
            self,
        )
        self._file_drops = DroppedFilesController(
            first.pet,
            first.presenter,
            DropReceivers(
                chat.presenter.attachment_controller, self.figure_settings, self.characters
            ),
            show_chat=self.show_chat,
            failed=show_error,
            parent=self,
        )
        self.exits.add(self.quick_message.close, self.activities.aclose)
        self.exits.add(self.character_controller.stop, self._portraits.stop)
        self.exits.add(self._file_drops.aclose)

    def _create_desktop(self) -> None:
        """Create menu, tray, voice and hot keys, and what applies the settings to all of them."""
        engine, context, first, chat = self.engine, self._context, self.companion, self.chat
        self.menu = MenuController(
            context,
            self.windows,
            first,
            UrgentSources(
                timer=lambda: self.notifiers.timer_alarm.ringing,
                question=lambda: first.presenter.needs_answer,
                reply=lambda: engine.chat.running,
                click_through=lambda: engine.settings.settings.companion.click_through,
                name=lambda: self.companion_identity.name,
            ),
            act_on_need=self._act_on_need,
            run_action=self._run_menu_row,
        )
        self._menu_badges = MenuBadges(
            self.menu.menu,
            engine.notebook.todos,
            lambda: len(self.notifiers.remarks.missed_messages()),
        )
        self.due_sign = DueSignController(
            self.menu.menu,
            first.pet,
            self._context.theme_manager.theme,
            lambda: self.windows.present("today"),
        )
        self.companion_identity = self._create_identity()
        self.welcome = self.first_run.create_welcome(self.companion_identity)
        self.voice = self._create_voice()
        self.conditions.screen_lock.changed.connect(self.voice.set_locked)
        self.state_pill = StatePillController(
            PillCompanion(
                first.pet,
                first.bubble,
                first.presenter,
                first.speech,
                self.menu.quiet_mode,
                lambda: self.voice,
                lambda: self.activities.pomodoro.focus,
            ),
            PillActions(
                show_question=self._show_newest,
                end_quiet=lambda: context.change_setting("companion", "quiet", False),
                end_listening=lambda: self.voice.cancel_listening(),
                show_today=lambda: self.windows.present("today"),
                is_allowed=lambda: (
                    engine.settings.settings.companion.bubble
                    and not self.quick_message.line.isVisible()
                ),
            ),
            context.theme_manager.theme,
            self,
        )
        self.activities.pomodoro.changed.connect(self.state_pill.update)
        first.presenter.activity_changed.connect(self.menu.urgent_row.update)
        engine.chat.subscribe(self.menu.urgent_row, RunningChanged)
        self.state_pill.lasting_state_changed.connect(self._show_lasting_state)
        self._bubble_surroundings = BubbleSurroundings(
            chat.window, chat.view, self._presenters, self
        )
        first.presenter.set_chat(self._bubble_surroundings)
        self.exits.add(self._bubble_surroundings.close)
        self.sounds = self._create_sounds()
        self._bubble_commands = BubbleCommands(self._bubbles, self.first_run.go_to_steps)
        self.hot_keys = self._create_hot_keys()
        self._focus_reveal = FocusReveal(self._context.app, self)
        self._own_windows_tracker = OwnWindowsTracker(self)
        for made in (self.command_palette.palette, *self.windows.created_windows()):
            self._own_windows_tracker.watch(made)
        self.windows.window_created.connect(self._own_windows_tracker.watch)
        self._window_state = WindowState(context, self.windows, chat.window, first.pet, self)
        self._memory_trimmer = MemoryTrimmer(self)
        engine.chat.subscribe(self._memory_trimmer, RunningChanged, ConversationChanged)
        self.command_palette.connect_windows(
            context.app,
            self.windows,
            self.menu.menu,
            chat.window,
            lambda: self.side_windows.settings,
            self.side_windows.called,
            self._bubble_commands.commands,
        )
        self._live_settings = LiveSettings(
            context,
            first,
            self.companions,
            chat,
            self.figure,
            self.menu,
            self.conditions,
            (
                first.pet,
                first.bubble,
                self.quick_message.line,
                self.voice,
                self.due_sign.sign,
                self.state_pill.pill,
            ),
        )
        self.session = DesktopSession(
            context.app, engine.storage.home, self._visible_windows, self.quit, self
        )
        self.exits.add(
            self._menu_badges.aclose,
            self.due_sign.close,
            self.state_pill.close,
            self.companion_identity.stop,
            self.voice.aclose,
            self.sounds.aclose,
            self.hot_keys.close,
        )

    def _create_side_windows(self) -> SideWindows:
        """Create the side windows. The chat is the first entry of the menu."""
        chat = WindowEntry(
            "chat",
            lambda: self.chat.window,
            self.show_chat,
            title=N_("Open chat"),
            icon="chat",
            hint=N_("double-click"),
        )
        self.windows.register(chat)
        self.windows.register(WindowEntry("shortcuts", lambda: self.command_palette.shortcuts))
        actions = WindowActions(
            self._page_services,
            self._show_source,
            self.notifiers.background_prompts,
            self.notifiers.remarks,
            self.notifiers.budget,
            self.command_palette.open_conversation,
            self.companions,
            self.companion_dialogue,
        )
        side = SideWindows(self.windows, self.engine, self.theme_manager, self._names, actions)
        side.add_look(self.companion.pet, lambda: self.activities.holidays.season_settings())
        for entry in self.knowledge.entries:
            self.windows.register(entry)
        return side

    def _page_services(self) -> PageServices:
        from neodeskpet.app.settings_pages import PageServices  # loaded after the first paint

        return PageServices(
            self.engine,
            self.chat.catalogue,
            self.figure_settings,
            self.theme_manager.theme,
            self.chat.window.folders,
            self.external_api.http_server,
            self.characters,
            self.attention.senses,
            self.notifiers.update,
            self._voice_services,
        )

    def _create_identity(self) -> CompanionIdentity:
        named = (self.menu.menu, self.first_run, self.companion.bubble, self.menu.tray)
        figure = [self.companion.pet.setTitle, *(part.set_name for part in named)]

        def save(name: str) -> None:
            self._context.save_state(CHAT_NAME_KEY, name)

        chat = [self.chat.window.set_name, self.chat.view.set_name, save]
        return CompanionIdentity(
            self.engine, self.companion.pet, self.companion.presenter, chat, figure, self
        )

    def _create_voice(self) -> VoiceController:
        engine, line, chat = self.engine, self.quick_message.line, self.chat
        services, speech = self._voice_services, self.companion.speech

        def chosen_composer() -> Composer:
            if chat.window.isActiveWindow():
                return chat.window.composer
            line.present()
            return line.composer

        windows = VoiceWindows(
            self.companion.pet,
            (chat.window.composer, line.composer),
            chosen_composer,
            send=lambda text: chat.presenter.send(text, []),
            is_running=lambda: engine.chat.running,
            stop_reply=engine.chat.stop,
            mark_interrupted=partial(mark_interrupted, engine.chat, engine.storage.store),
            show_message=self.companion.presenter.show_notice,
            show_error=self.notices.show_error,
        )

        def make_listening(view: VoiceController) -> CompanionListening:
            from neodeskpet.app.listening import CompanionListening  # loaded when it is used

            return CompanionListening(services, speech, view)

        return VoiceController(
            engine.settings, speech, make_listening, windows, self.theme_manager.theme, self
        )

    def _create_sounds(self) -> FigureSounds:
        """Create the sounds of the first companion. Further ones make none: two would be heard
        at once.
        """
        pet, speech = self.companion.pet, self.companion.speech
        sounds = FigureSounds(
            self.engine.settings,
            speech,
            is_hushed=lambda: (
                speech.is_held
                or speech.is_speaking
                or self.voice.is_listening
                or self.figure.are_sounds_quiet()
            ),
            read_shared=lambda: self.attention.sharing.read() is Detection.YES,
            liveliness=lambda: pet.liveliness,
        )
        pet.acted.connect(sounds.act)
        return sounds

    def _create_hot_keys(self) -> HotKeyController:
        actions = {
            "show_chat": self.show_chat,
            "say": self.quick_message.toggle,
            "talk": self.voice.talk,
            "mute": self.voice.silence,
            "answer": self._bubble_commands.answer,
            "toggle_pet": self.menu.toggle_pet,
            "take_clicks": self.menu.disable_click_through,
        }

        def tell(name: str, text: str) -> None:
            self.side_windows.settings.show_error(HOT_KEYS_SECTION, name, text)

        return HotKeyController(
            self.engine.settings, create_hot_keys(self), actions, tell, self.side_windows.called
        )

    # Connecting the parts

    def _connect(self) -> None:
        self._connect_chat()
        self._connect_figure()
        self._connect_companions()
        self._connect_notifiers()
        self.menu.quit_requested.connect(self.quit)
        self.windows.presented.connect(lambda key: self.due_sign.seen() if key == "today" else None)
        self.windows.geometry_changed.connect(self._live_settings.apply_frame_rate)
        self._own_windows_tracker.changed.connect(self._on_own_windows_changed)
        self.engine.tools.mcp_servers.subscribe_problems(self.notices.show_error)
        self.engine.tools.mcp_servers.ask_with(
            ElicitationCard(self.chat.view, self.companion.presenter.show_notice).ask
        )

    def _connect_chat(self) -> None:
        chat, windows = self.chat, self.side_windows
        header, presenter = chat.window.header, chat.presenter
        rows = ("today", "tasks", "visible", "click_through")
        header.add_actions(
            [
                chat.memory_switch.action,
                self.knowledge.switch.action,
                self.character_controller.action,
                *map(self.menu.menu.copy, rows),
            ]
        )
        for switch in (chat.memory_switch, self.knowledge.switch, self.character_controller):
            header.menu.aboutToShow.connect(switch.retranslate)
        header.tasks_requested.connect(lambda: windows.tasks.present())
        chat.window.safe_mode_bar.exit_requested.connect(lambda: self._end_with(ExitAction.RESTART))
        chat.window.composer.draft_changed.connect(lambda _text: self.companions.on_user_typing())
        presenter.settings_requested.connect(windows.show_settings)
        presenter.problem_reported.connect(self.notices.show_message)
        presenter.failed.connect(self.notices.show_error)
        presenter.turn_report_requested.connect(lambda id: windows.inspector.inspect(id))
        presenter.reasons_requested.connect(lambda id: windows.reply_reasons.show_reasons(id))
        presenter.summary_requested.connect(lambda id: windows.summary.show_summary_of(id))
        presenter.reading_requested.connect(self.voice.read_aloud)
        chat.context_meter.turn_report_requested.connect(lambda id: windows.inspector.inspect(id))
        chat.context_meter.costs_requested.connect(lambda: windows.spending.present())
        chat.view.retry_with_requested.connect(chat.model_picker.pick_for_one_reply)

    def _connect_figure(self) -> None:
        first, placement = self.companion, self.figure.placement
        first.pet.chat_requested.connect(self._show_first_companion_chat)
        first.pet.ready.connect(self._on_figure_ready)
        first.pet.user_returned.connect(
            lambda: self._work.start_once("welcome back", self._welcome_back)
        )
        first.pet.visibleChanged.connect(self._load_portrait)
        first.presenter.chat_requested.connect(self._show_newest)
        self.figure.setting_failed.connect(
            lambda name, text: self.side_windows.settings.show_error("companion", name, text)
        )
        placement.avoidance.indoors_changed.connect(self.chat.window.header.enlarge_portrait)
        placement.muted_changed.connect(self.notifiers.remarks.set_muted)
        placement.muted_changed.connect(lambda on: first.speech.silence() if on else None)
        self.voice.hearing_changed.connect(self.state_pill.update)
        line = self.quick_message.line
        # At once: the pill and the line have the same place.
        shown = (QEvent.Type.Show, QEvent.Type.Hide)
        WindowEvents.for_window(line).subscribe(shown, lambda _event: self.state_pill.update())
        line.composer.field.textChanged.connect(self.companion.pet.frames.note_typing)
        self.quick_message.line.chat_requested.connect(self._show_newest)
        self.quick_message.line.menu_requested.connect(self._show_menu_at_figure)

    def _connect_companions(self) -> None:
        companions = self.companions
        companions.chat_requested.connect(self.show_chat)
        self.companion_dialogue.opened.connect(self.show_chat)
        companions.list_requested.connect(lambda: self.windows.present("guests"))
        companions.companion_added.connect(self._connect_companion)
        companions.conversation_started.connect(
            lambda info: self.chat.presenter.on_chat_event(TitleChanged(info))
        )
        self.companion.presenter.chat_requested.connect(companions.switch_to_first)

    def _connect_companion(self, guest: CompanionWindow) -> None:
        """Connect the signals of a further companion."""
        guest.companion.approved.connect(self.approval.answer)
        guest.companion.set_tool_titles(self._names.tool)
        guest.companion.set_chat(self._bubble_surroundings)
        self._bubble_surroundings.update()
        guest.set_pill(
            StatePillController(
                PillCompanion(guest.pet, guest.bubble, guest.companion),
                PillActions(
                    show_question=guest.companion.chat_requested.emit,
                    is_allowed=lambda: self.engine.settings.settings.companion.bubble,
                ),
                self.theme_manager.theme,
                guest,
            )
        )
        find = partial(create_window_watcher, QGuiApplication.platformName())
        guest.start_behavior(self.attention.idle, find)
        self._prioritize_input(guest.pet)
        guest.pet.ready.connect(lambda _description: self._show_speaker())
        self._portraits.follow(guest.pet)

    def _connect_notifiers(self) -> None:
        notifiers, windows = self.notifiers, self.side_windows
        notifiers.chat_requested.connect(self._show_newest)
        notifiers.remarks.inbox_requested.connect(lambda: self.windows.present("inbox"))
        notifiers.budget.costs_requested.connect(lambda: windows.spending.present())
        notifiers.update.page_requested.connect(lambda: windows.show_settings("updates"))

    def _prioritize_input(self, pet: PetWindow) -> None:
        """Let frames of the figure wait while received data and the changes it causes in the chat
        are processed, and while typed characters are painted. While a reply is awaited or streams,
        there are fewer frames that it could have to wait for.
        """
        bridge, chat = self.chat.bridge, self.engine.chat
        pet.frames.set_yielding(
            lambda: not bridge.is_idle or event_loop.is_busy(),
            lambda: chat.running or bridge.is_streaming,
        )
        self.chat.window.composer.field.textChanged.connect(pet.frames.note_typing)

    def _apply_theme(self) -> None:
        own = (
            self.companion.pet,
            self.companion.bubble,
            self.command_palette.palette,
            self.quick_message.line,
            self.voice,
            self.due_sign.sign,
            self.state_pill.pill,
            self.chat.slash_menu,
            self.chat.context_meter,
            self.menu.menu,
        )
        self.theme_manager.apply_theme(own, self.chat.view)
        self.theme_manager.register(self.companions)

    # Opening and closing

    async def start(self, *, hidden: bool = False) -> None:
        """Show the companion (unless `hidden`), open the last conversation and load the model."""
        pet = self.companion.pet
        await self._load_state()
        self._live_settings.start()
        await self.chat.catalogue.restore()
        self.hot_keys.start()
        if self._safe:
            await self._open_safe()
            return
        if not hidden:
            pet.show()
        if not pet.is_loading:
            self.figure.load()  # a figure that is already shown only reports that again
        await self.menu.start(pet_shown=not hidden)
        await self.companions.open_first_conversation()
        self.chat.send_early_texts()
        await self.notifiers.start()
        self.activities.start()
        self.voice.start()
        self._work.start("servers of tools", self.engine.tools.mcp_servers.start)
        freeze_existing_objects()
        self._work.start("tools of one's own", self.engine.tools.user_tools.run)
        self.external_api.start()

    async def _load_state(self) -> None:
        await self._window_state.load()
        await self.figure.restore()
        await self.command_palette.load_recent()
        await self.chat.presenter.restore()
        await self.character_controller.load_previous_figure()

    async def _open_safe(self) -> None:
        self.menu.menu.set_visible(False)
        self.menu.tray.show()
        self.chat.window.safe_mode_bar.show()
        await self.engine.chat.open_new()
        await self.notifiers.timer_alarm.start()
        self._work.start("servers of tools", self.engine.tools.mcp_servers.load)
        self.chat.window.present()

    async def wait_for_figure(self) -> None:
        """Wait until the figure is shown, if one is to be shown."""
        await self.figure.wait_until_shown(self._quit)

    async def wait_for_quit(self) -> None:
        await self._quit

    @property
    def exit_action(self) -> ExitAction:
        """What follows after the user has quit."""
        return self._quit.result() if self._quit.done() else ExitAction.QUIT

    @Slot()
    def quit(self) -> None:
        self._end_with(ExitAction.QUIT)

    def _end_with(self, following: ExitAction) -> None:
        if not self._quit.done():
            self._quit.set_result(following)
            self.notifiers.crashes.close()

    async def aclose(self) -> None:
        """Close the windows; a running turn stays on disk as it is. If one part fails, the others
        are closed all the same.
        """
        await self.exits.aclose()

    async def _delete(self) -> None:
        for delete in reversed(self._deletions):
            delete()
        await asyncio.sleep(0.01)  # Qt deletes them when its event loop runs

    def set_local_server(self, server: LocalServer) -> None:
        """Connect the local server: a second start shows this app, and other programs can
        connect.
        """
        server.start_requested.connect(self._on_second_start)
        server.files_received.connect(self.open_files)
        self.external_api.set_local_server(server)

    @Slot(str)
    def _on_second_start(self, word: str) -> None:
        through = self.engine.settings.settings.companion.click_through
        if word == "show" and self.companion.pet.isVisible() and not through:
            word = "chat"  # what was to be shown is shown: without a mouse this is the way in
        self.companion.pet.show()
        self.windows.present(word)
        self.menu.click_through_recovery.offer_recovery()

    def open_files(self, files: Sequence[Path]) -> None:
        """Ask the user what to do with files that were opened with NeoDeskPet."""
        if not files:
            return
        if not self._safe:
            self.companion.pet.show()
        self._file_drops.handle_files(files)

    # Showing windows and messages

    def show_chat(self) -> None:
        self._window_state.position_chat()
        self.first_run.on_chat_shown()
        self.chat.window.present()
        self._load_portrait()

    @Slot()
    def _load_portrait(self) -> None:
        """Load the face for the chat if no figure can be drawn: it is hidden, perhaps since before
        its first frame.
        """
        pet = self.companion.pet
        if pet.appeared_at is None and not pet.isVisible() and self.chat.window.isVisible():
            self._work.start_once("portrait", self._portraits.load)

    @Slot()
    def _show_newest(self) -> None:
        """Show the newest message or question of the companion."""
        self.show_chat()
        self.chat.view.scroller.scroll_to_end()

    @Slot()
    def _show_first_companion_chat(self) -> None:
        """Show the chat with the conversation of the first companion."""
        self.companions.switch_to_first()
        self.show_chat()

    def _show_source(self, source: MemorySource) -> None:
        if source.document:
            self.knowledge.show_passage(source.message)
            return
        self.chat.window.present()
        self.chat.presenter.go_to(source.conversation, source.message)

    def _act_on_need(self, need: Need) -> None:
        """Act on the first row of the menu."""
        match need:
            case Need.TIMER:
                self.notifiers.timer_alarm.end_ringing()
            case Need.QUESTION:
                self._show_newest()
                self.chat.window.go_to_question()
            case Need.REPLY:
                self.engine.chat.stop()
            case Need.CLICK_THROUGH:
                self.menu.disable_click_through()

    def _run_menu_row(self, row: str) -> bool:
        """Run a row of the menu that opens no window; False for an unknown one."""
        edge_peek = self.figure.placement.edge_peek
        match row:
            case "say":
                self.quick_message.line.present()
            case "walk_area":
                self.figure.walking_area.show_editor()
            case "aside":
                edge_peek.start()
            case "back":
                edge_peek.come_back()
            case _:
                return self.activities.on_menu_choice(row)
        return True

    @Slot()
    def _show_menu_at_figure(self) -> None:
        """Open the menu at the figure, for use by the keyboard."""
        line, pet = self.quick_message.line, self.companion.pet
        line.hide()
        menu = self.menu.menu.popup(
            pet.placement.head_rect().center() if pet.isVisible() else line.pos()
        )
        menu.activateWindow()
        menu.setActiveAction(next(one for one in menu.actions() if one.isVisible()))

    async def _set_quick_timer(self, due: float, label: str) -> None:
        """Set a timer that the user entered in the line beside the figure, without a model."""
        try:
            timer = await self.engine.notebook.timers.add(due, label)
        except KnownError as error:
            self.notices.show_error(error)
            return
        when = format_time(timer.due, time.time())
        self.companion.presenter.show_notice(
            tr("I'll ring at {time}: {label}", time=when, label=label)
            if label
            else tr("I'll ring at {time}.", time=when)
        )

    # Following the figure and the windows

    def _visible_windows(self) -> tuple[bool, bool]:
        return self.chat.window.isVisible(), self.companion.pet.isVisible()

    def _is_user_answering(self) -> bool:
        """Whether the user answers the first steps or types in the line beside the figure."""
        line = self.quick_message.line
        return self.first_run.are_steps_shown or (line.isVisible() and line.composer.has_content())

    def _bubbles(self) -> list[SpeechBubble]:
        return [self.companion.bubble, *(one.bubble for one in self.companions.windows.values())]

    def _presenters(self) -> list[CompanionPresenter]:
        guests = self.companions.windows.values()
        return [self.companion.presenter, *(one.companion for one in guests)]

    def _companion_style(self) -> CompanionStyle:
        return CompanionStyle(
            self.engine.settings.settings.companion,
            self.theme_manager.theme,
            self.theme_manager.reduced_motion,
            self.conditions.power.on_battery,
            not self.conditions.has_compositor(),
            self.companion.pet.liveliness,
        )

    @Slot(str, bool)
    def _show_lasting_state(self, words: str, figure_seen: bool) -> None:
        """Without the figure, whose pill shows it, the titles of the windows do."""
        self.menu.tray.set_state(words)
        self.windows.set_title_note("" if figure_seen else words)

    @Slot(object)
    def _on_own_windows_changed(self, frames: Sequence[WindowFrame]) -> None:
        """The figures and the bubble keep clear of the app's windows."""
        windows = [OwnWindow(to_area(one.area), one.title_bar) for one in frames]
        self.figure.placement.avoidance.set_windows(windows)
        self.companions.set_own_windows(windows)
        self._bubble_surroundings.set_windows([one.area for one in frames])
        self.quick_message.set_own_windows([one.area for one in frames])
        self.state_pill.set_own_windows([one.area for one in frames])

    async def _welcome_back(self) -> None:
        """Greet the user who has returned, when the companion is fully awake."""
        await self.figure.wait_until_awake()
        await self.welcome.greet_again(await self.attention.read_presence())

    @Slot(object)
    def _on_figure_ready(self, _description: object) -> None:
        self._memory_trimmer.trim_soon()
        picture = self._portraits.draw_new_figure()
        if picture.isNull():
            return
        # The resting portrait only: Qt keeps copies of every picture that was used in an icon or a
        # label.
        self.first_run.set_portrait(picture)
        self.menu.tray.set_picture(QIcon(picture))
        self._context.app.setWindowIcon(QIcon(picture))

    def _show_speaker(self) -> None:
        """Show the name and portrait of the character or companion that speaks in the open
        conversation.
        """
        self.companion_identity.publish()
        self._portraits.draw()
