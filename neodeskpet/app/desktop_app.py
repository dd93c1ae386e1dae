"""All windows and their connections to the engine: the companion, its bubble, the chat, the
settings, the tray.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Slot
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QImage, QPixmap
from PySide6.QtWidgets import QApplication

from neodeskpet.app.activities.activities_controller import ActivitiesController
from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.app.autostart import LoginStartSetting, find_autostart
from neodeskpet.app.characters import CharacterAdapter, CharacterController
from neodeskpet.app.chat_startup import (
    CHAT_NAME_KEY,
    SIDEBAR_KEY,
    ChatStartup,
    read_chat_geometry,
)
from neodeskpet.app.click_through_recovery import ClickThroughRecovery
from neodeskpet.app.command_palette_controller import HOT_KEYS_SECTION as KEYS
from neodeskpet.app.command_palette_controller import CommandPaletteController, HotKeyController
from neodeskpet.app.companion_dialogue_controller import CompanionDialogueController
from neodeskpet.app.companion_identity import (
    GUIDE_DONE_KEY,
    INTRODUCTION,
    CompanionIdentity,
    WelcomeMessages,
)
from neodeskpet.app.companion_manager import CompanionManager
from neodeskpet.app.companion_window import CompanionStyle, CompanionWindow
from neodeskpet.app.desktop_session import DesktopSession, ExitAction
from neodeskpet.app.engine import Engine
from neodeskpet.app.external_api import ExternalApi
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.app.figure_startup import apply_pet_settings
from neodeskpet.app.knowledge_controller import KnowledgeController
from neodeskpet.app.later_offers import LaterOffers
from neodeskpet.app.local_models import find_local_servers
from neodeskpet.app.mcp_servers import ServerPrompts
from neodeskpet.app.memory_adapter import MemoryAdapter
from neodeskpet.app.menu_badges import MenuBadges
from neodeskpet.app.model_picker_controller import ModelPickerController
from neodeskpet.app.notifiers import (
    BackgroundPromptNotifier,
    BudgetNotifier,
    CrashNotifier,
    TaskNotifier,
)
from neodeskpet.app.placement_controller import PlacementController, WalkingAreaController
from neodeskpet.app.quick_message_controller import QuickMessageController
from neodeskpet.app.quiet_mode import QuietMode
from neodeskpet.app.remark_notifier import RemarkNotifier
from neodeskpet.app.run_again import RunAgainController
from neodeskpet.app.service_settings import CatalogAdapter
from neodeskpet.app.side_windows import SideWindows, WindowActions
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.theme_manager import DisplayNames, ThemeManager
from neodeskpet.app.timer_alarm import TimerAlarm
from neodeskpet.app.tool_approval import ApprovalController, ElicitationCard
from neodeskpet.app.update_notifier import UpdateNotifier
from neodeskpet.app.urgent_row import Need, UrgentRow, UrgentSources
from neodeskpet.app.voice_controller import VoiceController, VoiceWindows, mark_interrupted
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.conversation.chat_events import ConversationChanged, RunningChanged, TitleChanged
from neodeskpet.conversation.fact_learning import FactLearner
from neodeskpet.conversation.titles_and_summaries import TitleWriter
from neodeskpet.core.errors import KnownError, ModelFileError, NoticeContent
from neodeskpet.core.i18n import N_
from neodeskpet.core.proactive import RemarkSettings, is_quiet_hour
from neodeskpet.core.toolspec import Risk
from neodeskpet.figure.behaviour.free_place import OwnWindow
from neodeskpet.figure.behaviour.handling import Fondness
from neodeskpet.figure.behaviour.screen_edges import PeekPosition
from neodeskpet.figure.live2d.library import chosen_figure_path
from neodeskpet.figure.poses import Pose
from neodeskpet.language import join_hint, tr, translate_error
from neodeskpet.notebook.appointment_tools import RUN_SPEC
from neodeskpet.notebook.timers import Timer
from neodeskpet.platform.account import full_name
from neodeskpet.platform.installation import assets_dir
from neodeskpet.platform.shutdown import CloserStack
from neodeskpet.settings.settings_model import Settings
from neodeskpet.settings.startup import open_log
from neodeskpet.tools.apps.app_windows import ACT_SPEC
from neodeskpet.tools.tool_search import FIND_SPEC
from neodeskpet.ui import event_loop
from neodeskpet.ui.bridge import SAVING_HZ, Bridge
from neodeskpet.ui.chat.chat_presenter import ChatPresenter
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.slash_menu import SlashMenu
from neodeskpet.ui.chat.context_meter import ContextMeterController
from neodeskpet.ui.chat.conversation_follower import ConversationSwitch, SummaryController
from neodeskpet.ui.chat.find.find_controller import FindController
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.companion_menu import URGENT, CompanionMenu, TrayIcon
from neodeskpet.ui.desktop.activity_detector import ActivityDetector
from neodeskpet.ui.desktop.compositor import Compositor
from neodeskpet.ui.desktop.desktop_notifications import DesktopNotification, show_notification
from neodeskpet.ui.desktop.desktop_preferences import DesktopPreferencesWatcher
from neodeskpet.ui.desktop.hotkey_backends import create_hot_keys
from neodeskpet.ui.desktop.idle_time import create_idle_time
from neodeskpet.ui.desktop.notification_sound import NotificationSound
from neodeskpet.ui.desktop.power_source import PowerSource
from neodeskpet.ui.desktop.window_watcher import create_window_watcher
from neodeskpet.ui.first_run_guide import FirstRunGuide
from neodeskpet.ui.formatting import format_time
from neodeskpet.ui.gc_scheduler import freeze_existing_objects
from neodeskpet.ui.icons import icon
from neodeskpet.ui.local_server import LocalServer
from neodeskpet.ui.memory_trimmer import MemoryTrimmer
from neodeskpet.ui.pet.companion_presenter import connect_window
from neodeskpet.ui.pet.dropped_files import DroppedFilesController, DropReceivers
from neodeskpet.ui.pet.live2d_figure import find_face
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import to_area, window_beside
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import preload_fonts
from neodeskpet.ui.windows.memory_port import MemorySource
from neodeskpet.ui.windows.window_events import OwnWindowsTracker, WindowFrame
from neodeskpet.ui.windows.window_geometry import read_geometry
from neodeskpet.ui.windows.window_registry import WindowEntry, WindowRegistry

if TYPE_CHECKING:
    from neodeskpet.app.first_steps_controller import FirstStepsController
    from neodeskpet.app.listening import CompanionListening
    from neodeskpet.app.settings_pages import PageServices

_log = logging.getLogger(__name__)

_PORTRAIT_SIZE = 96
_PORTRAIT_DELAY_MS = 400
_FIGURE_TIMEOUT = 30
"""Seconds after which the start no longer waits for a figure."""
_AWAKE_CHECK_SECONDS, _MAX_AWAKE_CHECKS = 0.25, 40
"""Seconds between two checks whether the companion has woken up, and the largest number
of checks.
"""
_FIRST_WAVE_SECONDS = 4.0
_FONDNESS_KEY = "fondness"


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
        self._app = app
        self.engine = engine
        self.pet = pet
        self._quit: asyncio.Future[ExitAction] = asyncio.get_running_loop().create_future()
        self._figure_shown: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._fallback_loaded = False
        self._fondness = Fondness()
        self._chat_was_moved = False
        self._automatic_chat_place: QRect | None = None
        self._work = TaskRunner("desk", failed=self.show_error)
        exits.add(self._work.detach)
        self.theme_manager = ThemeManager(app, engine.settings)
        theme = self.theme_manager.theme
        preload_fonts(theme)
        self._voice_services = VoiceServices(
            engine.settings,
            engine.storage.secrets,
            engine.models.client,
            count=engine.storage.store.spending.add,
        )
        self.speech = CompanionSpeech(
            self._voice_services,
            on_failed=self.show_error,
            is_quiet=self._is_voice_quiet,
            voice=self._character_voice,
        )
        exits.add(self.speech.aclose)
        self.bubble = SpeechBubble(theme, voice=self.speech)
        self.speech.on_finished = self.bubble.speech_finished
        self._deletions.append(self.bubble.deleteLater)
        exits.add(self.bubble.close)
        self.companion = connect_window(pet, self.bubble)
        self.companion.set_voice(self.speech)
        # The chat
        self.approval = ApprovalController(engine, self.show_error)
        self.companion.approved.connect(self.approval.answer)
        self.view = early_chat.view if early_chat is not None else ChatView(theme)
        _connect_view(self.view, engine, self.approval)
        self.run_again = RunAgainController(engine, self.view, self._work)
        named = [
            *engine.tools.toolbox.all_specs(),
            *engine.tools.apps.host.specs(),
            FIND_SPEC,
            ACT_SPEC,
            RUN_SPEC,
        ]
        names = DisplayNames(named)
        self.view.set_expression_names(names.part)
        self.view.set_tool_titles(names.tool)
        self._tool_title = names.tool
        self.companion.set_tool_titles(names.tool)
        self.figure_settings = FigureAdapter(
            engine.storage.home, pet.cache_dir, engine.settings, pet, engine.storage.personas
        )
        self.companions = CompanionManager(
            engine,
            pet,
            self.companion,
            self.figure_settings,
            self._companion_style,
            self.show_error,
            self,
        )
        exits.add(self.companions.close)
        self.bridge = Bridge([self.view, self.companions])
        exits.add(self.bridge.discard)
        self._prioritize_input(pet)
        self.window = early_chat.window if early_chat is not None else ChatWindow(self.view, theme)
        self.window.sidebar.results.name_of = engine.storage.characters.name
        self.presenter = self._create_presenter()
        if early_chat is not None:
            self.presenter.keep_preview(early_chat.conversation_id)
        self._early_texts = early_chat.sent_texts if early_chat is not None else []
        exits.add(self.presenter.aclose)
        self.companion_dialogue = CompanionDialogueController(
            engine, self.companions, self.presenter.on_chat_event, self.show_error, self
        )
        exits.add(self.companion_dialogue.close)
        self.view.set_portrait_source(self.companion_dialogue.face_of)
        self.presenter.add_live_source(self.companion_dialogue.live)
        self.find = self._create_find()
        self.slash_menu = self._create_slash_menu()
        self._titles = TitleWriter(
            engine.chat, engine.storage.store, engine.models.background_prompts
        )
        self._learner = _create_fact_learner(engine)
        exits.add(self.find.aclose, self.slash_menu.aclose, self._titles.stop, self._learner.stop)
        self.catalogue = CatalogAdapter(engine)
        self._model_picker = ModelPickerController(
            engine, self.catalogue, self.window.header, self.show_error
        )
        self.memory_switch = ConversationSwitch(
            engine.chat, engine.memory.recall_choices, self.show_error
        )
        self.budget_notifier = BudgetNotifier(engine, self.companion, self.show_error, self)
        self.context_meter = self._create_context_meter()
        self.external_api = ExternalApi(
            engine, self.companion, pet, self._show_desktop_notice, self.show_error
        )
        exits.add(self.budget_notifier.close, self.context_meter.aclose, self.external_api.aclose)
        # The other windows, and the actions that open them
        platform = QGuiApplication.platformName()
        self.attention = ActivityDetector(
            x11=platform == "xcb", find_idle=partial(create_idle_time, platform)
        )
        exits.add(self.attention.close)
        self.characters = CharacterAdapter(engine, self.figure_settings, self.show_chat)
        self._summaries = SummaryController(
            engine.chat, engine.memory.summaries.summaries, engine.storage.store, self.view
        )
        self.remark_notifier = self._create_remark_notifier()
        self.update_notifier = UpdateNotifier(engine, self.companion, self)
        self.guide = self._create_guide()
        self.command_palette = self._create_command_palette()
        self._background_prompt_notifier = BackgroundPromptNotifier(
            engine, self.companion, self.show_error, self
        )
        self.windows = WindowRegistry(self)
        self._deletions += [self.guide.deleteLater, self.windows.delete_all]
        exits.add(self._summaries.aclose, self.remark_notifier.close, self.update_notifier.close)
        exits.add(self.guide.close, self.windows.close, self.guide.aclose, self.windows.aclose)
        exits.add(self._background_prompt_notifier.stop, self.command_palette.close)
        self.windows.window_created.connect(self.theme_manager.register)
        self.knowledge = self._create_knowledge()
        exits.add(self.knowledge.close)
        self.side_windows = self._create_side_windows(names)
        self.windows["chat"]  # created above
        self.menu = CompanionMenu(theme, self.windows.in_menu(), parent=self)
        self.quiet_mode = QuietMode(
            self.menu,
            lambda on: self._change("companion", "quiet", on),
            engine.storage.store.get_state,
            self._save_state,
            parent=self,
        )
        exits.add(self.quiet_mode.stop)
        self.tray = TrayIcon(self.menu, icon("companion", QColor(theme.accent), 32), self)
        self.companion_identity = self._create_identity()
        exits.add(self.tray.hide, self.companion_identity.stop)
        self._portrait_owner: object = None
        self._resting_portrait = QPixmap()
        """The portrait beside older messages: of the character, the further companion or the figure
        that speaks.
        """
        self.character_controller = self._create_character_controller()
        self.crash_notifier = CrashNotifier(lambda: self.theme_manager.theme)
        self._deletions.append(self.crash_notifier.delete)
        exits.add(self.character_controller.stop, self.crash_notifier.close)
        self._click_through_recovery = ClickThroughRecovery(
            self.companion, self.tray.is_visible, self._disable_click_through, self
        )
        self._file_drops = self._create_file_drops()
        exits.add(self._file_drops.aclose)
        # Desktop integration
        self._own_windows_tracker = OwnWindowsTracker(self)
        for made in (self.command_palette.palette, *self.windows.created_windows()):
            self._own_windows_tracker.watch(made)
        self.windows.window_created.connect(self._own_windows_tracker.watch)
        self.placement = self._create_placement(platform)
        self.walking_area = self._create_walking_area()
        exits.add(self.placement.close, self.walking_area.close)
        self._menu_actions: Mapping[str, Callable[[], object]] = {
            URGENT: lambda: self.urgent_row.run(),
            "visible": self._toggle_pet,
            "say": lambda: self.quick_message.line.present(),
            "quiet_hour": self.quiet_mode.quiet_for_an_hour,
            "quiet_tomorrow": self.quiet_mode.quiet_until_tomorrow,
            "walk_area": self.walking_area.show_editor,
            "aside": self.placement.edge_peek.start,
            "back": self.placement.edge_peek.come_back,
        }
        self._compositor = Compositor(self)
        self._power = PowerSource(parent=self)
        self._desktop_preferences = DesktopPreferencesWatcher(self)
        exits.add(self._desktop_preferences.aclose)
        self._login_start = LoginStartSetting(find_autostart(), self._change, self._show_message)
        self.timer_alarm = self._create_timer_alarm()
        exits.add(self.timer_alarm.stop)
        self.urgent_row = self._create_urgent_row()
        self.menu_badges = MenuBadges(
            self.menu, engine.notebook.todos, lambda: len(self.remark_notifier.missed_messages())
        )
        exits.add(self.menu_badges.aclose)
        self._task_notifier = TaskNotifier(
            engine, self.window, self.remark_notifier.report_task, names.tool
        )
        self.first_steps: FirstStepsController | None = None
        self.later_offers = LaterOffers(
            engine.settings,
            self.companion,
            engine.storage.store.get_state,
            engine.storage.store.set_state,
            show_settings=lambda page: self.side_windows.show_settings(page),
        )
        self.welcome = self._create_welcome()
        self._portrait_timer = QTimer(self, singleShot=True, interval=_PORTRAIT_DELAY_MS)
        exits.add(self.welcome.save_last_seen, self._portrait_timer.stop)
        self._memory_trimmer = MemoryTrimmer(self)
        engine.chat.subscribe(self._memory_trimmer, RunningChanged, ConversationChanged)
        self.command_palette.connect_windows(
            app, self.windows, self.menu, self.window, lambda: self.side_windows.settings
        )
        self.quick_message = self._create_quick_message()
        self.quick_message.line.chat_requested.connect(self._show_newest)
        self.quick_message.line.menu_requested.connect(self._show_menu_at_figure)
        self.voice = self._create_voice(self._voice_services)
        self.hot_keys = self._create_hot_keys()
        exits.add(self.quick_message.close, self.voice.aclose, self.hot_keys.close)
        self.activities = ActivitiesController(
            ActivityContext(engine, pet, self.companion, self.attention),
            self.menu.set_available,
            self,
        )
        exits.add(self.activities.aclose)
        # Closed first: a closed window is deleted while the others are still closing.
        exits.add(self.theme_manager.stop)
        exits.add(self._own_windows_tracker.stop)  # first: it uses windows that are deleted next
        self._connect()
        self._apply_settings()

    # Opening and closing

    async def start(self, *, hidden: bool = False) -> None:
        """Show the companion (unless `hidden`), open the last conversation and load the model."""
        await self._load_state()
        await self.character_controller.load_previous_figure()
        self._login_start.synchronize(self.engine.settings.settings.companion.start_at_login)
        await self.catalogue.restore()
        self.hot_keys.start()
        self._desktop_preferences.start()
        if self._safe:
            await self._open_safe()
            return
        if not hidden:
            self.pet.show()
        self.menu.set_visible(not hidden)
        if not self.pet.is_loading:
            self._load_figure()  # a figure that is already shown only reports that again
        self.tray.show()
        if not self.tray.is_visible():
            self._click_through_recovery.offer_recovery()
        await self.quiet_mode.start()
        await self.companions.open_first_conversation()
        self._send_early_texts()
        await self.timer_alarm.start()
        self._task_notifier.start()
        await self.remark_notifier.start()
        self.budget_notifier.start()
        self.update_notifier.start()
        self.activities.start()
        self.voice.start()
        self._work.start("servers of tools", self.engine.tools.mcp_servers.start)
        freeze_existing_objects()
        self._work.start("tools of one's own", self.engine.tools.user_tools.run)
        self.external_api.start()

    def _send_early_texts(self) -> None:
        """What the user sent before the engine was open."""
        if self._early_texts:
            self.window.composer.set_queue(())
        for text in self._early_texts:
            self.presenter.send(text, [])
        self._early_texts = []

    async def _open_safe(self) -> None:
        self.menu.set_visible(False)
        self.tray.show()
        self.window.safe_mode_bar.show()
        await self.engine.chat.open_new()
        await self.timer_alarm.start()
        self._work.start("servers of tools", self.engine.tools.mcp_servers.load)
        self.window.present()

    def _load_figure(self) -> None:
        if not self._safe:
            self.pet.load(chosen_figure_path(self.engine.settings.settings))

    async def wait_for_quit(self) -> None:
        await self._quit

    async def wait_for_figure(self) -> None:
        """Wait until the figure is shown, unless none is to be shown. Loading may be slow or fail;
        the wait ends when the app quits.
        """
        if self.pet.isVisible() and not self._quit.done():
            first = asyncio.FIRST_COMPLETED
            ends = (self._figure_shown, self._quit)
            await asyncio.wait(ends, timeout=_FIGURE_TIMEOUT, return_when=first)

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
            self.crash_notifier.close()

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

    def open_files(self, files: Sequence[Path]) -> None:
        """Ask the user what to do with files that were opened with NeoDeskPet."""
        if not files:
            return
        if not self._safe:
            self.pet.show()
        self._file_drops.handle_files(files)

    # Showing windows and messages

    def show_chat(self) -> None:
        if not (self._chat_was_moved or self.window.isVisible()):
            self._position_chat()
        self.companion.withdraw(INTRODUCTION)
        if self.first_steps is not None:
            self.first_steps.bubble.hide()  # the chat shows the first steps until they are done
        self.window.present()
        self._work.start_once("guide", self._offer_guide)
        if self.pet.appeared_at is None and not self.pet.isVisible():
            self._work.start_once("portrait", self._load_portrait)

    def _position_chat(self) -> None:
        """Place the chat beside the companion, not behind it, until the user moves the chat."""
        self._automatic_chat_place = None
        if self.pet.isVisible() and self.pet.screen() is not None:
            figure = self.pet.placement.figure_rect()
            screen = self.pet.screen().availableGeometry()
            size, least = self.window.size(), self.window.minimumSize()
            self.window.setGeometry(window_beside(size, least, figure, screen))

    def _show_newest(self) -> None:
        """Show the newest message or question of the companion."""
        self.show_chat()
        self.view.scroller.scroll_to_end()

    def ring(self, timer: Timer) -> None:
        """Ring a timer that is due."""
        self.timer_alarm.ring(timer)

    async def _notify(self, notice: DesktopNotification) -> str:
        """Show a notification and have the window request attention; return the answer."""
        QApplication.alert(self.window)
        return await self._show_desktop_notice(notice)

    async def _show_desktop_notice(self, notice: DesktopNotification) -> str:
        """Show a notification by the desktop's service, else by the tray. Return the answer, "" for
        none.
        """
        notice = replace(notice, title=f"{self.companion_identity.figure_name} · {notice.title}")
        answer = await show_notification(notice)
        if answer is None:
            self.tray.show_notification(notice.title, notice.text)
        return answer or ""

    def show_error(self, error: NoticeContent) -> None:
        """Show an error in the bubble, and print it to the terminal that the app was
        started from.
        """
        what, hint = translate_error(error)
        print(f"NeoDeskPet: {join_hint(what, hint)}", file=sys.stderr, flush=True)
        self._show_message(what, hint, stays=error.sticky)

    def _show_message(self, what: str, hint: str, *, stays: bool = False) -> None:
        """Show a message at once, not after an open question: it would never be seen if the user
        didn't answer the question.
        """
        _log.warning("Shown to the user: %s %s", what, hint)
        stays = stays or self.bubble.has_question
        (self.companion.show_sticky_notice if stays else self.companion.show_notice)(
            join_hint(what, hint)
        )

    # Connections

    def _create_presenter(self) -> ChatPresenter:
        engine = self.engine
        return ChatPresenter(
            engine.chat,
            engine.storage.store,
            self.window,
            self.view,
            self.bridge,
            undo_call=engine.tools.undo.undo_call,
            name=lambda: engine.storage.personas.current.name,
        )

    def _create_find(self) -> FindController:
        engine = self.engine
        return FindController(
            engine.chat,
            engine.storage.store,
            engine.memory.search,
            self.window,
            self.view,
            enter=self.presenter.open_at,
            behind=lambda: engine.memory.search_indexer.is_behind,
            failed=self.show_error,
        )

    def _create_slash_menu(self) -> SlashMenu:
        return SlashMenu(
            self.window.composer,
            ServerPrompts(self.engine.tools.mcp_servers),
            self.theme_manager.theme,
            attach=self.presenter.attachment_controller.attach_pictures,
            failed=self.show_error,
        )

    def _create_context_meter(self) -> ContextMeterController:
        engine = self.engine
        return ContextMeterController(
            engine.chat,
            engine.storage.store,
            engine.storage.store.spending,
            self.window.header,
            self.theme_manager.theme,
            self.budget_notifier.summary_line,
        )

    def _create_remark_notifier(self) -> RemarkNotifier:
        return RemarkNotifier(
            self.engine,
            self.companion,
            self.attention,
            seen=lambda: self.pet.isVisible() and self.engine.settings.settings.companion.bubble,
            writing=self._is_user_writing,
            neo=lambda: self.companion_identity.is_bundled(),
            parent=self,
        )

    def _create_command_palette(self) -> CommandPaletteController:
        return CommandPaletteController(
            self.theme_manager.theme,
            self.engine.chat,
            self.engine.storage.store,
            self.figure_settings,
            self.characters,
            self._model_picker,
            show_chat=self.show_chat,
            failed=self.show_error,
        )

    def _create_knowledge(self) -> KnowledgeController:
        return KnowledgeController(
            self.engine,
            self.view,
            self.presenter,
            self.window.folders,
            self.windows,
            lambda: self.theme_manager.theme,
            self.show_error,
        )

    def _create_character_controller(self) -> CharacterController:
        return CharacterController(
            self.engine,
            self.characters,
            show=self._show_speaker,
            open_page=partial(self.side_windows.show_settings, "characters"),
            tell=self.show_error,
        )

    def _create_file_drops(self) -> DroppedFilesController:
        return DroppedFilesController(
            self.pet,
            self.companion,
            DropReceivers(
                self.presenter.attachment_controller, self.figure_settings, self.characters
            ),
            show_chat=self.show_chat,
            failed=self.show_error,
            parent=self,
        )

    def _create_walking_area(self) -> WalkingAreaController:
        return WalkingAreaController(
            self.pet,
            lambda limits: self._change("companion", "walk_areas", limits),
            lambda: self.theme_manager.theme,
            lambda: self.companion_identity.name,
            self,
        )

    def _create_timer_alarm(self) -> TimerAlarm:
        chime = NotificationSound(assets_dir() / "sounds" / "bell.wav", parent=self)
        return TimerAlarm(self.engine, self.companion, chime, self._notify, self)

    def _create_urgent_row(self) -> UrgentRow:
        engine = self.engine
        sources = UrgentSources(
            timer=lambda: self.timer_alarm.ringing,
            question=lambda: self.companion.has_open_call,
            reply=lambda: engine.chat.running,
            click_through=lambda: engine.settings.settings.companion.click_through,
            name=lambda: self.companion_identity.name,
        )
        return UrgentRow(self.menu, sources, self._on_urgent)

    def _on_urgent(self, need: Need) -> None:
        """Act on the first row of the menu."""
        match need:
            case Need.TIMER:
                self.timer_alarm.end_ringing()
            case Need.QUESTION:
                self._show_newest()
            case Need.REPLY:
                self.engine.chat.stop()
            case Need.CLICK_THROUGH:
                self._disable_click_through()

    def _create_quick_message(self) -> QuickMessageController:
        return QuickMessageController(
            self.theme_manager.theme,
            self.pet,
            self.bubble,
            self.presenter,
            self.engine.settings,
            self.window.folders,
            self.companions,
            self._set_quick_timer,
        )

    async def _set_quick_timer(self, due: float, label: str) -> None:
        """Set a timer that the user entered in the line beside the figure, without a model."""
        try:
            timer = await self.engine.notebook.timers.add(due, label)
        except KnownError as error:
            self.show_error(error)
            return
        when = format_time(timer.due, time.time())
        self.companion.show_notice(
            tr("I'll ring at {time}: {label}", time=when, label=label)
            if label
            else tr("I'll ring at {time}.", time=when)
        )

    def _create_hot_keys(self) -> HotKeyController:
        deeds = {
            "show_chat": self.show_chat,
            "say": self.quick_message.toggle,
            "talk": self.voice.talk,
            "mute": self.voice.silence,
            "toggle_pet": self._toggle_pet,
            "take_clicks": self._disable_click_through,
        }

        def tell(name: str, text: str) -> None:
            self.side_windows.settings.show_error(KEYS, name, text)

        return HotKeyController(self.engine.settings, create_hot_keys(self), deeds, tell)

    def _create_voice(self, services: VoiceServices) -> VoiceController:
        engine, line = self.engine, self.quick_message.line

        def chosen_composer() -> Composer:
            if self.window.isActiveWindow():
                return self.window.composer
            line.present()
            return line.composer

        windows = VoiceWindows(
            self.pet,
            (self.window.composer, line.composer),
            chosen_composer,
            send=lambda text: self.presenter.send(text, []),
            is_running=lambda: engine.chat.running,
            stop_reply=engine.chat.stop,
            mark_interrupted=partial(mark_interrupted, engine.chat, engine.storage.store),
            show_message=self.companion.show_notice,
            show_error=self.show_error,
        )

        def make_listening(view: VoiceController) -> CompanionListening:
            from neodeskpet.app.listening import CompanionListening  # loaded when it is used

            return CompanionListening(services, self.speech, view)

        return VoiceController(
            engine.settings,
            self.speech,
            make_listening,
            windows,
            self.theme_manager.theme,
            self,
        )

    def _create_guide(self) -> FirstRunGuide:
        return FirstRunGuide(
            self.catalogue,
            partial(find_local_servers, self.engine.models.client),
            self.theme_manager.theme,
        )

    def _create_identity(self) -> CompanionIdentity:
        first = (self.menu, self.guide, self.bubble, self.tray)
        figure = [self.pet.setTitle, *(part.set_name for part in first)]

        def save(name: str) -> None:
            self._save_state(CHAT_NAME_KEY, name)

        chat = [self.window.set_name, self.view.set_name, save]
        return CompanionIdentity(self.engine, self.pet, self.companion, chat, figure, self)

    def _create_placement(self, platform: str) -> PlacementController:
        find = partial(create_window_watcher, platform)
        idle = self.attention.idle
        return PlacementController(
            self.pet,
            find,
            self._show_companion_setting_fault,
            self,
            idle=idle,
            wanted=self._is_companion_in_use,
            used=self._is_figure_in_use,
        )

    def _is_figure_in_use(self) -> bool:
        """Whether the user answers a bubble or types in the line beside the figure."""
        line, steps = self.quick_message.line, self.first_steps
        asked = self.bubble.is_used or (steps is not None and steps.bubble.isVisible())
        return asked or (line.isVisible() and line.composer.has_content())

    def _on_own_windows_changed(self, frames: Sequence[WindowFrame]) -> None:
        """The figures and the bubble keep clear of the app's windows."""
        windows = [OwnWindow(to_area(one.area), one.title_bar) for one in frames]
        seen = self.window.isVisible() and not self.window.isMinimized()
        chat = self.window.frameGeometry() if seen else None
        self.placement.avoidance.set_windows(windows)
        self.companions.set_own_windows(windows)
        self.bubble.set_avoided_areas([one.area for one in frames], chat)
        self.quick_message.set_own_windows([one.area for one in frames])

    def _is_companion_in_use(self) -> bool:
        """Whether the user talks or plays with the companion, or has an open menu or question."""
        talks = self.companion.is_busy or self.bubble.is_speaking or self._is_user_writing()
        shown = self.window.isActiveWindow() or self.quick_message.line.isVisible()
        asked = QApplication.activePopupWidget() is not None or self.walking_area.editor is not None
        return talks or shown or asked or self.activities.hide_and_seek.hidden

    def _create_welcome(self) -> WelcomeMessages:
        def smooth() -> bool:
            return self._compositor.present

        return WelcomeMessages(
            self.engine,
            self.companion,
            self.companion_identity,
            smooth,
            self.show_error,
            self.show_chat,
            self._start_first_steps,
            self.later_offers.offer,
        )

    def _start_first_steps(self) -> bool:
        """Start the first steps at the figure; False if the figure is not visible or the
        chat is.
        """
        if not self.pet.isVisible() or self.window.isVisible() or self.first_steps is not None:
            return self.first_steps is not None
        from neodeskpet.app.first_steps_controller import FirstStepsController

        steps = self.first_steps = FirstStepsController(
            self.engine,
            self.pet,
            self.theme_manager.theme,
            self.catalogue.endpoint(""),
            partial(find_local_servers, self.engine.models.client),
            MemoryAdapter(self.engine).add,
            lambda text: self.presenter.send(text, []),
            (self.companion_identity.figure_name, full_name()),
        )
        self.exits.add(steps.aclose)
        self.theme_manager.register(steps)
        steps.bubble.set_shape_mask(not self._compositor.present)
        steps.done.connect(self._on_first_steps_done)
        self.companion.show_pose(Pose.GREETING, _FIRST_WAVE_SECONDS)
        steps.start()
        return True

    def _on_first_steps_done(self, finished: bool) -> None:
        self._save_state(GUIDE_DONE_KEY, "1")
        self._work.start("first day", self.later_offers.note_first_day)
        if finished:
            self.companion.show_notice(tr("Double-click me to talk, right-click for more."))

    def _create_side_windows(self, names: DisplayNames) -> SideWindows:
        """Create the side windows. The chat is the first entry of the menu."""
        chat = WindowEntry(
            "chat",
            lambda: self.window,
            self.show_chat,
            title=N_("Open chat"),
            icon="chat",
            hint=N_("double-click"),
        )
        self.windows.register(chat)
        self.windows.register(WindowEntry("shortcuts", lambda: self.command_palette.shortcuts))
        ways = WindowActions(
            self._pages,
            self._show_source,
            self._background_prompt_notifier,
            self.remark_notifier,
            self.budget_notifier,
            self.command_palette.open_conversation,
            self.companions,
            self.companion_dialogue,
        )
        side = SideWindows(self.windows, self.engine, self.theme_manager, names, ways)
        for entry in self.knowledge.entries:
            self.windows.register(entry)
        return side

    def _pages(self) -> PageServices:
        from neodeskpet.app.settings_pages import PageServices  # loaded after the first paint

        return PageServices(
            self.engine,
            self.catalogue,
            self.figure_settings,
            self.theme_manager.theme,
            self.window.folders,
            self.external_api.http_server,
            self.characters,
            self.attention.senses,
            self.update_notifier,
            self._voice_services,
        )

    def _connect(self) -> None:
        pet, window = self.pet, self.window
        window.header.add_actions(
            [
                self.memory_switch.action,
                self.knowledge.switch.action,
                self.character_controller.action,
                *(self.menu.actions[n] for n in ("today", "tasks", "visible", "click_through")),
            ]
        )
        window.header.menu.aboutToShow.connect(self.memory_switch.retranslate)
        window.header.menu.aboutToShow.connect(self.knowledge.switch.retranslate)
        window.header.menu.aboutToShow.connect(self.character_controller.retranslate)
        window.header.tasks_requested.connect(lambda: self.side_windows.tasks.present())
        pet.chat_requested.connect(self._show_first_companion_chat)
        self._connect_companions()
        pet.visibleChanged.connect(self.menu.set_visible)
        pet.menu_requested.connect(self.menu.popup)
        pet.set_idle_source(self.attention.idle)
        pet.touched.connect(lambda _area: self._on_petted())
        pet.user_returned.connect(lambda: self._work.start_once("welcome back", self._welcome_back))
        pet.ready.connect(self._on_figure_ready)
        pet.failed.connect(self._on_figure_failed)
        pet.placement.placed.connect(self._on_figure_moved)
        pet.scaled.connect(lambda scale: self._change("companion", "scale", scale))
        pet.expression_changed.connect(lambda _name: self._portrait_timer.start())
        self._own_windows_tracker.changed.connect(self._on_own_windows_changed)
        self.placement.avoidance.indoors_changed.connect(window.header.enlarge_portrait)
        self._portrait_timer.timeout.connect(self._draw_portrait)
        self.companion.chat_requested.connect(self._show_newest)
        self.timer_alarm.chat_requested.connect(self._show_newest)
        self.remark_notifier.chat_requested.connect(self._show_newest)
        self.remark_notifier.inbox_requested.connect(lambda: self.windows.present("inbox"))
        self.placement.muted_changed.connect(self.remark_notifier.set_muted)
        self.placement.edge_peek.changed.connect(self._on_peek_changed)
        self.placement.muted_changed.connect(lambda _on: self._apply_companion())
        self.placement.muted_changed.connect(lambda on: self.speech.silence() if on else None)
        self.remark_notifier.error_occurred.connect(self.show_error)
        self._background_prompt_notifier.chat_requested.connect(self._show_newest)
        self.timer_alarm.error_occurred.connect(self._show_message)
        self.menu.chosen.connect(self._on_menu_choice)
        self.menu.switched.connect(self._on_menu_switch)
        self.tray.clicked.connect(self._toggle_pet)
        window.safe_mode_bar.exit_requested.connect(lambda: self._end_with(ExitAction.RESTART))
        window.composer.draft_changed.connect(lambda _text: self.companions.on_user_typing())
        self.windows.geometry_changed.connect(self._save_geometry)
        window.sidebar_toggled.connect(
            lambda on: self._save_state(SIDEBAR_KEY, "1" if on else None)
        )
        self.presenter.settings_requested.connect(self.side_windows.show_settings)
        self.presenter.problem_reported.connect(self._show_message)
        self.presenter.failed.connect(self.show_error)
        self.presenter.turn_report_requested.connect(
            lambda message: self.side_windows.inspector.inspect(message)
        )
        self.presenter.reasons_requested.connect(
            lambda message: self.side_windows.reply_reasons.show_reasons(message)
        )
        self.context_meter.turn_report_requested.connect(
            lambda message: self.side_windows.inspector.inspect(message)
        )
        self.context_meter.costs_requested.connect(lambda: self.side_windows.spending.present())
        self.budget_notifier.costs_requested.connect(lambda: self.side_windows.spending.present())
        self.update_notifier.page_requested.connect(
            lambda: self.side_windows.show_settings("updates")
        )
        self.presenter.reading_requested.connect(self.voice.read_aloud)
        self.presenter.summary_requested.connect(
            lambda talk: self.side_windows.summary.show_summary_of(talk)
        )
        self.presenter.sent.connect(self._on_guide_finished)
        self.view.retry_with_requested.connect(self._model_picker.pick_for_one_reply)
        self.guide.finished.connect(self._on_guide_finished)
        self.guide.settings_requested.connect(lambda: self.side_windows.show_settings("service"))
        self.engine.settings.subscribe(self._on_setting_changed)
        self.engine.tools.mcp_servers.subscribe_problems(self.show_error)
        self.engine.tools.mcp_servers.ask_with(
            ElicitationCard(self.view, self.companion.show_notice).ask
        )
        self._compositor.changed.connect(self._apply_compositing)
        self._power.changed.connect(lambda _on_battery: self._apply_companion())
        self._power.changed.connect(lambda _on_battery: self._apply_frame_rate())
        self.windows.geometry_changed.connect(lambda *_place: self._apply_frame_rate())
        self._apply_frame_rate()
        self.catalogue.subscribe(self._apply_service)
        self._desktop_preferences.changed.connect(self.theme_manager.set_desktop_preferences)
        self.theme_manager.reduced_motion_changed.connect(lambda _calm: self._apply_companion())
        self.session = DesktopSession(
            self._app, self.engine.storage.home, self._visible_windows, self.quit, self
        )

    def _visible_windows(self) -> tuple[bool, bool]:
        return self.window.isVisible(), self.pet.isVisible()

    def _connect_companions(self) -> None:
        troupe = self.companions
        troupe.chat_requested.connect(self.show_chat)
        self.companion_dialogue.opened.connect(self.show_chat)
        troupe.list_requested.connect(lambda: self.windows.present("guests"))
        troupe.companion_added.connect(self._connect_companion)
        troupe.faces.changed.connect(self._show_faces)
        troupe.conversation_started.connect(
            lambda info: self.presenter.on_chat_event(TitleChanged(info))
        )
        self.companion.chat_requested.connect(troupe.switch_to_first)

    def _connect_companion(self, guest: CompanionWindow) -> None:
        """Connect the signals of a further companion."""
        guest.companion.approved.connect(self.approval.answer)
        guest.companion.set_tool_titles(self._tool_title)
        find = partial(create_window_watcher, QGuiApplication.platformName())
        guest.start_behavior(self.attention.idle, find)
        self._prioritize_input(guest.pet)
        guest.pet.ready.connect(lambda _description: self._show_speaker())
        guest.pet.expression_changed.connect(lambda _name: self._portrait_timer.start())

    def _prioritize_input(self, pet: PetWindow) -> None:
        """Let frames of the figure wait while received data and the changes it causes in the chat
        are processed.
        """
        bridge = self.bridge
        pet.frames.set_yielding(
            lambda: not bridge.is_idle or event_loop.is_busy(), lambda: bridge.is_streaming
        )

    def _companion_style(self) -> CompanionStyle:
        return CompanionStyle(
            self.engine.settings.settings.companion,
            self.theme_manager.theme,
            self.theme_manager.reduced_motion,
            self._power.on_battery,
            not self._compositor.present,
        )

    def _character_voice(self) -> str:
        """Return the voice of the character that speaks in the open conversation, "" for none."""
        character = self.character_controller.character
        return character.voice if character is not None else ""

    def _is_voice_quiet(self) -> bool:
        """Whether nothing is spoken by itself now: quiet, full screen, quiet hours."""
        settings = self.engine.settings.settings
        if settings.companion.quiet or self.placement.fullscreen_policy.is_active:
            return True
        now, hours = datetime.now(), settings.initiative
        night = RemarkSettings(quiet_from=hours.quiet_from, quiet_to=hours.quiet_to)
        return settings.voice.quiet_hours and is_quiet_hour(now.hour * 60 + now.minute, night)

    def _is_user_writing(self) -> bool:
        """Whether the user is writing, or talks with another companion."""
        return self.window.composer.has_content() or self.companions.active_companion is not None

    def _show_first_companion_chat(self) -> None:
        """Show the chat with the conversation of the first companion."""
        self.companions.switch_to_first()
        self.show_chat()

    def _apply_compositing(self, composited: bool) -> None:
        for window in (self.pet, self.bubble, self.quick_message.line, self.voice):
            window.set_shape_mask(not composited)
        self.companions.apply_settings()

    def _show_source(self, spot: MemorySource) -> None:
        if spot.document:
            self.knowledge.show_passage(spot.message)
            return
        self.window.present()
        self.presenter.go_to(spot.conversation, spot.message)

    def _on_second_start(self, word: str) -> None:
        self.pet.show()
        self.windows.present(word)
        self._click_through_recovery.offer_recovery()

    def _on_menu_choice(self, entry: str) -> None:
        own = self._menu_actions.get(entry)
        if own is not None:
            own()
        elif not (self.activities.on_menu_choice(entry) or self.windows.present(entry)):
            self.quit()

    def _show_menu_at_figure(self) -> None:
        """Open the menu at the figure, for use by the keyboard."""
        line = self.quick_message.line
        line.hide()
        at = self.pet.placement.head_rect().center() if self.pet.isVisible() else line.pos()
        menu = self.menu.popup(at)
        menu.activateWindow()
        menu.setActiveAction(next(one for one in menu.actions() if one.isVisible()))

    def _on_menu_switch(self, entry: str, on: bool) -> None:
        name = {"on_top": "always_on_top"}.get(entry, entry)
        self._change("companion", name, on)

    def _toggle_pet(self) -> None:
        if self.pet.isVisible():
            self.pet.hide()
            self._click_through_recovery.on_companion_hidden()
        else:
            self.pet.show()

    def _change(self, section: str, name: str, value: object) -> None:
        try:
            self.engine.settings.change(section, name, value)
        except KnownError as error:
            self.show_error(error)

    def _disable_click_through(self) -> None:
        self._change("companion", "click_through", False)

    # The companion

    def _on_petted(self) -> None:
        """Store that the companion was petted."""
        now = time.time()
        self._fondness.pet(now)
        self.pet.set_fondness(self._fondness.now(now))
        self._save_state(_FONDNESS_KEY, self._fondness.write())

    async def _welcome_back(self) -> None:
        """Greet the user when the companion is fully awake: a wave would interrupt the animation of
        waking.
        """
        for _ in range(_MAX_AWAKE_CHECKS):
            if self.pet.current_pose is not Pose.GROGGY:
                break
            await asyncio.sleep(_AWAKE_CHECK_SECONDS)
        await self.welcome.greet_again(await self.attention.read_presence())

    def _show_companion_setting_fault(self, name: str, text: str) -> None:
        self.side_windows.settings.show_error("companion", name, text)

    def _on_figure_ready(self, _description: object) -> None:
        self.placement.start()
        if not self._figure_shown.done():
            self._figure_shown.set_result(None)
        self._memory_trimmer.trim_soon()
        self._resting_portrait = QPixmap()  # the figure may have changed
        picture = self._draw_portrait()
        if picture.isNull():
            return
        # The resting portrait only: Qt keeps copies of every picture that was used in an icon or a
        # label.
        self.guide.set_portrait(picture)
        self.tray.set_picture(QIcon(picture))
        self._app.setWindowIcon(QIcon(picture))

    def _draw_portrait(self) -> QPixmap:
        """Draw the current face for the chat; null while no figure is loaded."""
        picture = self.pet.portrait(_PORTRAIT_SIZE)
        speaker = self.character_controller.portrait()
        whose: object = speaker.cacheKey()
        if speaker.isNull():
            whose = self.companions.active_companion
            speaker = picture if whose is None else self.companions.portrait(_PORTRAIT_SIZE)
        if not speaker.isNull():
            if whose != self._portrait_owner or self._resting_portrait.isNull():
                self._portrait_owner, self._resting_portrait = whose, speaker
            self.window.set_portrait(speaker, self._resting_portrait)
        return picture

    async def _load_portrait(self) -> None:
        """Load the portrait from a picture of the figure while the companion itself is
        not drawn.
        """
        try:
            file = await self.figure_settings.large_picture()
        except ModelFileError:
            return  # the error is reported when the figure is loaded
        picture = QPixmap.fromImage(find_face(await asyncio.to_thread(QImage, str(file))))
        if (
            self.pet.appeared_at is None
            and self.character_controller.portrait().isNull()
            and not picture.isNull()
        ):
            self.window.set_portrait(picture)

    def _show_faces(self) -> None:
        """Update the portraits after one was loaded."""
        self._draw_portrait()
        self.view.viewport().update()

    def _show_speaker(self) -> None:
        """Show the name and portrait of the character or companion that speaks in the open
        conversation.
        """
        self.companion_identity.publish()
        self._draw_portrait()

    def _on_figure_failed(self, error: ModelFileError) -> None:
        what, hint = translate_error(error)
        self.side_windows.settings.show_error("companion", "model", join_hint(what, hint))
        self.show_error(error)
        if self.pet.description is None and not self._fallback_loaded:
            self._fallback_loaded = True  # no figure is shown yet: load the bundled one
            self.pet.load(chosen_figure_path(Settings()))
        elif self.pet.description is None and not self._figure_shown.done():
            self._figure_shown.set_result(None)  # there will be none: end the wait

    def _on_figure_moved(self, screen: str, feet: QPoint) -> None:
        places = dict(self.engine.settings.settings.companion.positions)
        self._change("companion", "positions", {**places, screen: (feet.x(), feet.y())})

    # Settings that take effect at once

    def _on_setting_changed(self, section: str, name: str, value: object) -> None:
        match section, name:
            case "companion", "model":
                self._load_figure()
                self.view.retranslate()  # another figure has other names for its parts
            case "companion", "positions" | "scale" | "aside":
                if name == "scale" and value != self.pet.placement.scale:
                    self.pet.placement.set_scale(cast(float, value))
            case "companion", "start_at_login":
                self._login_start.switch(bool(value))
            case "companion", _:
                self._apply_companion()
                if name == "click_through" and value:
                    self._click_through_recovery.on_click_through_enabled()
            case "service" | "mode", _:
                self._apply_service()
                if name == "tool_files":
                    self.engine.tools.user_tools.wake()
            case "data", "detailed_log":
                open_log(self.engine.storage.home, detailed=bool(value))
            case _:
                pass

    def _apply_settings(self) -> None:
        own = (
            self.command_palette.palette,
            self.quick_message.line,
            self.voice,
            self.slash_menu,
            self.context_meter,
            self.guide,
            self.menu,
        )
        self.theme_manager.apply_theme([self.pet, self.bubble, *own], self.view)
        self.theme_manager.register(self.companions)
        self.pet.placement.set_scale(self.engine.settings.settings.companion.scale)
        self._apply_compositing(self._compositor.present)
        self._apply_companion()
        self._apply_service()

    def _apply_frame_rate(self) -> None:
        """Limit updates of a growing reply to the refresh rate of the chat's screen; fewer on
        battery.
        """
        rate = self.window.screen().refreshRate()
        self.bridge.set_rate(min(rate, SAVING_HZ) if self._power.on_battery else rate)

    def _apply_companion(self) -> None:
        companion = self.engine.settings.settings.companion
        calm, on_battery = self.theme_manager.reduced_motion, self._power.on_battery
        quiet = calm or self.placement.must_stay_still
        apply_pet_settings(self.pet, companion, calm=quiet, on_battery=on_battery)
        self.companions.apply_settings()
        self.placement.apply(companion, calm=calm)
        self.walking_area.set_limits(companion.walk_areas)
        self._update_placement_menu()
        self.bubble.set_enabled(companion.bubble)
        self.menu.set_switch("on_top", companion.always_on_top)
        self.menu.set_switch("click_through", companion.click_through)
        self._click_through_recovery.set_click_through(companion.click_through)
        self.quiet_mode.show(companion.quiet)
        self.urgent_row.refresh()

    def _update_placement_menu(self) -> None:
        companion, away = (
            self.engine.settings.settings.companion,
            self.pet.placement.retreat_side is not None,
        )
        self.menu.set_available("walk_area", companion.walk)
        self.menu.set_available("aside", companion.peek and not away)
        self.menu.set_available("back", companion.peek and away)

    def _on_peek_changed(self, retreat: PeekPosition | None) -> None:
        """Store that the companion was moved aside or has returned."""
        kept = (retreat.side, retreat.x, retreat.y) if retreat is not None else None
        self._change("companion", "aside", kept)
        self._update_placement_menu()

    def _apply_service(self) -> None:
        self._model_picker.show()

    # Stored state of the windows

    async def _load_state(self) -> None:
        store = self.engine.storage.store
        kept = {
            key: await store.get_state(_geometry_key(key))
            for key in self.windows.with_remembered_geometry()
        }
        chat = read_chat_geometry(kept.pop("chat"))
        places = {key: read_geometry(text) for key, text in kept.items() if text}
        self.windows.restore_geometry(places if chat is None else places | {"chat": chat})
        self._chat_was_moved = chat is not None
        self.window.show_sidebar(await store.get_state(SIDEBAR_KEY) is not None)
        self._fondness = Fondness.read(await store.get_state(_FONDNESS_KEY))
        self.pet.set_fondness(self._fondness.now(time.time()))
        await self.command_palette.load_recent()
        await self.presenter.restore()

    async def _offer_guide(self) -> None:
        """Offer the first steps, unless they were done once, or there is a service or a
        conversation.
        """
        if self.engine.models.turn_factory.catalog().endpoints or not self.view.is_empty:
            return
        state = await self.engine.storage.store.get_state(GUIDE_DONE_KEY)
        if state is None and self.view.is_empty:
            self.window.show_page(self.guide)
            self.guide.start()

    def _on_guide_finished(self) -> None:
        """Store that the first steps are done: the user has added a service or sent a message."""
        self.window.show_page(None)
        self.window.composer.field.setFocus()
        self._save_state(GUIDE_DONE_KEY, "1")

    def _save_geometry(self, key: str, place: QRect) -> None:
        if key == "chat" and not self._chat_was_moved:
            if self._automatic_chat_place in (None, place):
                self._automatic_chat_place = place
                return
            self._chat_was_moved = True
        numbers = (place.x(), place.y(), place.width(), place.height())
        self._save_state(_geometry_key(key), ",".join(str(n) for n in numbers))

    def _save_state(self, key: str, value: str | None) -> None:
        self._work.start(f"keep {key}", partial(self.engine.storage.store.set_state, key, value))


def _connect_view(view: ChatView, engine: Engine, consent: ApprovalController) -> None:
    """Pass the tools to `view`: which can be undone, which are gestures."""
    specs = [*engine.tools.toolbox.all_specs(), ACT_SPEC]
    view.set_approval_info(consent)
    view.approval_given.connect(consent.answer)
    view.arguments_edited.connect(consent.edit)
    view.set_undoable(engine.tools.undo.can_undo)
    calls = engine.tools.tasks.running_calls
    view.set_detachable(lambda call: calls.can_detach(call.name, call.arguments or {}))
    view.detach_requested.connect(lambda call: calls.detach(call.name, call.arguments or {}))
    view.set_main_argument_names({spec.name: spec.main_argument for spec in specs})
    view.set_gestures(spec.name for spec in specs if spec.risk is Risk.GESTURE)


def _create_fact_learner(engine: Engine) -> FactLearner:
    return FactLearner(
        engine.chat,
        engine.storage.store,
        engine.memory.store.facts,
        engine.models.background_prompts,
        engine.models.turn_factory.learns_facts,
    )


def _geometry_key(window: str) -> str:
    return f"{window}.place"
