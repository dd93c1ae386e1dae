"""All windows, joined with the engine: the pet, its bubble, the chat, the settings, the tray."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Slot
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QImage, QPixmap
from PySide6.QtWidgets import QApplication

from neodeskpet.app.appearance import Appearance, Names
from neodeskpet.app.autostart.login import StartAtLogin, find_autostart
from neodeskpet.app.bell import Bell
from neodeskpet.app.catalogue import CatalogAdapter
from neodeskpet.app.characters.adapter import CharacterAdapter
from neodeskpet.app.characters.casting import Casting
from neodeskpet.app.consent import Consent
from neodeskpet.app.crash_talk import CrashTalk
from neodeskpet.app.figures import FigureAdapter
from neodeskpet.app.guests.figure import GuestFigure, Look
from neodeskpet.app.guests.talk import Talk
from neodeskpet.app.guests.troupe import Troupe
from neodeskpet.app.identity import Identity
from neodeskpet.app.initiative.talk import RemarkTalk
from neodeskpet.app.knowledge.joint import KnowledgeJoint
from neodeskpet.app.local_servers import find_local_servers
from neodeskpet.app.model_switch import ModelSwitch
from neodeskpet.app.pages import Ports
from neodeskpet.app.palette.hot_keys import SECTION as KEYS
from neodeskpet.app.palette.hot_keys import HotKeyJoint
from neodeskpet.app.palette.joint import PaletteJoint
from neodeskpet.app.palette.say import SayJoint
from neodeskpet.app.pastimes.company import Company
from neodeskpet.app.pastimes.joint import Pastimes
from neodeskpet.app.place.area import AreaJoint
from neodeskpet.app.place.joint import PlaceJoint
from neodeskpet.app.spending.talk import BudgetTalk
from neodeskpet.app.tools.errands import ErrandTalk
from neodeskpet.app.tools.inquiry import Inquiry
from neodeskpet.app.tools.prompts import ServerPrompts
from neodeskpet.app.tools.tasks import TaskTalk
from neodeskpet.app.updates.talk import UpdateTalk
from neodeskpet.app.visitors.hall import Hall
from neodeskpet.app.way_back import WayBack
from neodeskpet.app.welcome import GUIDED, INTRODUCTION, Welcome
from neodeskpet.app.windows.ending import Next
from neodeskpet.app.windows.entrance import settle_pet
from neodeskpet.app.windows.session import Session
from neodeskpet.app.windows.side import SideWindows, Ways
from neodeskpet.apps.toolbox import ACT_SPEC
from neodeskpet.conversation.chat_events import ConversationChanged, RunningChanged, TitleChanged
from neodeskpet.conversation.errands.titles import Titles
from neodeskpet.conversation.facts.learner import Learner
from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.exits import Exits
from neodeskpet.language import advise, say
from neodeskpet.live2d.files.chosen import model_path
from neodeskpet.live2d.life.handling import Fondness
from neodeskpet.live2d.place.peeking import Retreat
from neodeskpet.live2d.poses import Pose
from neodeskpet.paths import assets_dir
from neodeskpet.settings.logfile import open_log
from neodeskpet.settings.model import Settings, describe
from neodeskpet.timers.book import Timer
from neodeskpet.tools.builtin.schedule import RUN_SPEC
from neodeskpet.tools.finding import FIND_SPEC
from neodeskpet.ui import loop
from neodeskpet.ui.bridge import SAVING_HZ, Bridge
from neodeskpet.ui.chat.compose.slash import SlashMenu
from neodeskpet.ui.chat.memory_switch import MemorySwitch
from neodeskpet.ui.chat.meter.joint import MeterJoint
from neodeskpet.ui.chat.presenter import ChatPresenter
from neodeskpet.ui.chat.summary.joint import SummaryJoint
from neodeskpet.ui.chat.view.view import ChatView
from neodeskpet.ui.chat.window import ChatWindow
from neodeskpet.ui.collector import keep_what_is_there
from neodeskpet.ui.desktop.around.here import find_windows_around
from neodeskpet.ui.desktop.attention import DeskAttention
from neodeskpet.ui.desktop.chime import Chime
from neodeskpet.ui.desktop.compositor import Compositor
from neodeskpet.ui.desktop.desktop_notice import Notice, show_notice
from neodeskpet.ui.desktop.idle.here import find_idle_time
from neodeskpet.ui.desktop.power import Power
from neodeskpet.ui.desktop.wishes import Wishes
from neodeskpet.ui.find.joint import FindJoint
from neodeskpet.ui.guide import Guide
from neodeskpet.ui.heap import Tidying
from neodeskpet.ui.hotkeys.here import find_hot_keys
from neodeskpet.ui.icons import icon
from neodeskpet.ui.instance import Doorbell
from neodeskpet.ui.memory.port import Spot
from neodeskpet.ui.menu import CompanionMenu
from neodeskpet.ui.pet.bubble import SpeechBubble
from neodeskpet.ui.pet.companion import join
from neodeskpet.ui.pet.drops import PetDrops
from neodeskpet.ui.pet.figure import face_in
from neodeskpet.ui.pet.placement import beside
from neodeskpet.ui.pet.window import PetWindow
from neodeskpet.ui.theme import Theme, warm_fonts
from neodeskpet.ui.tray import Tray
from neodeskpet.ui.windows.neighbour import Neighbour
from neodeskpet.ui.windows.register import WindowEntry, Windows
from neodeskpet.ui.work import Work

_log = logging.getLogger(__name__)

_PORTRAIT = 96
_PORTRAIT_MS = 400
_FIGURE_SECONDS = 30
"""After that long nobody waits for a figure any more."""
_WAKING_LOOK, _WAKING_LOOKS = 0.25, 40
"""Seconds from one look at who wakes to the next, and how many at most."""
_SIDEBAR = "chat.sidebar"
_FONDNESS = "fondness"


class Desk(QObject):
    """Built after the engine; `open` shows it, `close` ends it. In safe mode (`safe`) there is no
    figure, and the conversation is a new one.
    """

    def __init__(
        self,
        app: QApplication,
        engine: Engine,
        pet: PetWindow,
        *,
        safe: bool = False,
        exits: Exits | None = None,
    ) -> None:
        """What is built is noted in `exits`, which closes it in reverse."""
        super().__init__()
        self.exits = exits = exits or Exits()
        self._deletions: list[Callable[[], object]] = [self.deleteLater, pet.deleteLater]
        exits.add(self._delete, engine.close, pet.close_model)
        self._safe = safe
        self._app = app
        self.engine = engine
        self.pet = pet
        self._quit: asyncio.Future[Next] = asyncio.get_running_loop().create_future()
        self._figure_here: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stood_in = False
        self._fondness = Fondness()
        self._chat_placed = False
        self._work = Work("desk", failed=self.tell_trouble)
        exits.add(self._work.let_go)
        self.wardrobe = Appearance(app, engine.settings)
        theme = self.wardrobe.theme
        warm_fonts(theme)
        self.bubble = SpeechBubble(theme)
        self._deletions.append(self.bubble.deleteLater)
        exits.add(self.bubble.close)
        self.companion = join(pet, self.bubble)
        # The chat
        self.consent = Consent(engine, self.tell_trouble)
        self.companion.set_consent(self.consent)
        self.companion.approved.connect(self.consent.answer)
        self.view = _make_view(engine, self.consent, theme)
        named = [*engine.toolbox.known(), *engine.apps.host.specs(), FIND_SPEC, ACT_SPEC, RUN_SPEC]
        names = Names(named)
        self.view.set_part_names(names.part)
        self.view.set_tool_titles(names.tool)
        self._tool_title = names.tool
        self.companion.set_tool_titles(names.tool)
        self.models = FigureAdapter(
            engine.home, pet.cache_dir, engine.settings, pet, engine.personas
        )
        self.troupe = Troupe(
            *(engine, pet, self.companion, self.models, self._look, self.tell_trouble), self
        )
        exits.add(self.troupe.close)
        self.bridge = Bridge([self.view, self.troupe])
        exits.add(self.bridge.drop)
        self._give_way(pet)
        self.window = ChatWindow(self.view, theme)
        self.window.sidebar.results.name_of = engine.cast.name
        self.presenter = self._make_presenter()
        exits.add(self.presenter.close)
        self.talk = Talk(engine, self.troupe, self.presenter.hear, self.tell_trouble, self)
        exits.add(self.talk.close)
        self.view.set_faces(self.talk.face_of)
        self.presenter.add_writer(self.talk.live)
        self.find = self._make_find()
        self.slash = self._make_slash()
        self._titles = Titles(engine.chat, engine.store, engine.errands)
        self._learner = _make_learner(engine)
        exits.add(self.find.close, self.slash.finish, self._titles.stop, self._learner.stop)
        self.catalogue = CatalogAdapter(engine)
        self._switch_model = ModelSwitch(
            engine, self.catalogue, self.window.header, self.tell_trouble
        )
        self.memory_switch = MemorySwitch(engine.chat, engine.recalls, self.tell_trouble)
        self.budget = BudgetTalk(engine, self.companion, self.tell_trouble, self)
        self.meter = self._make_meter()
        self.hall = Hall(engine, self.companion, pet, self._put_up, self.tell_trouble)
        exits.add(self.budget.close, self.meter.close, self.hall.close)
        # The other windows, and the ways to them
        platform = QGuiApplication.platformName()
        self.attention = DeskAttention(
            x11=platform == "xcb", find_idle=partial(find_idle_time, platform)
        )
        exits.add(self.attention.close)
        self.characters = CharacterAdapter(engine, self.models, self.show_chat)
        self._summaries = SummaryJoint(engine.chat, engine.summaries.book, engine.store, self.view)
        self.initiative = self._make_initiative()
        self.updates = UpdateTalk(engine, self.companion, self)
        self.guide = self._make_guide()
        self.palette = self._make_palette()
        self._errand_talk = ErrandTalk(engine, self.companion, self.tell_trouble, self)
        self.windows = Windows(self)
        self._deletions += [self.guide.deleteLater, self.windows.delete]
        exits.add(self._summaries.close, self.initiative.close, self.updates.close)
        exits.add(self.guide.close, self.windows.close, self.guide.finish, self.windows.finish)
        exits.add(self._errand_talk.stop, self.palette.close)
        self.windows.added.connect(self.wardrobe.dress_later)
        self.knowledge = self._make_knowledge()
        exits.add(self.knowledge.close)
        self.side = self._make_side(names)
        self.windows["chat"]  # it was made above
        self.menu = CompanionMenu(theme, self.windows.in_menu(), parent=self)
        self.tray = Tray(self.menu, icon("companion", QColor(theme.accent), 32), self)
        self.identity = self._make_identity()
        exits.add(self.tray.hide, self.identity.stop)
        self._whose: object = None
        self._resting = QPixmap()
        """The face beside older messages, of whoever speaks: a character, a guest, the figure."""
        self.casting = self._make_casting()
        self.crash = CrashTalk(lambda: self.wardrobe.theme)
        self._deletions.append(self.crash.delete)
        exits.add(self.casting.stop, self.crash.close)
        self._way_back = WayBack(self.companion, self.tray.shown, self._take_clicks, self)
        self._drops = self._make_drops()
        exits.add(self._drops.close)
        # The desktop around them
        self._neighbour = Neighbour(self.window)
        self._in_front = Neighbour(self.window, self)
        self.windows.added.connect(self._in_front.watch)
        self.place = self._make_place(platform)
        self.area = self._make_area()
        exits.add(self.place.close, self.area.close)
        self._moves = {
            "walk_area": self.area.open,
            "aside": self.place.aside.go,
            "back": self.place.aside.come_back,
        }
        self._compositor = Compositor(self)
        self._power = Power(parent=self)
        self._wishes = Wishes(self)
        exits.add(self._wishes.close)
        self._login = StartAtLogin(find_autostart(), self._change, self._trouble)
        self.bell = self._make_bell()
        exits.add(self.bell.stop)
        self._task_talk = TaskTalk(engine, self.window, self.initiative.tell_task, names.tool)
        self.welcome = self._make_welcome()
        self._portrait_timer = QTimer(self, singleShot=True, interval=_PORTRAIT_MS)
        exits.add(self.welcome.leave, self._portrait_timer.stop)
        self._tidying = Tidying(self)
        engine.chat.listen(self._tidying, RunningChanged, ConversationChanged)
        self.palette.join(app, self.windows, self.menu, self.window, lambda: self.side.settings)
        self.say = self._make_say()
        self.hot_keys = self._make_hot_keys()
        exits.add(self.say.close, self.hot_keys.close)
        self.pastimes = Pastimes(
            Company(engine, pet, self.companion, self.attention), self.menu.offer, self
        )
        exits.add(self.pastimes.close)
        # Called first: a window that is closed is deleted while the others still close.
        exits.add(self.wardrobe.stop)
        self._connect()
        self._apply_all()

    # Opening and closing

    async def open(self, *, hidden: bool = False) -> None:
        """Show the pet (unless `hidden`), open the last conversation, bring the model on."""
        await self._restore()
        await self.casting.restore()
        self._login.look(self.engine.settings.settings.companion.start_at_login)
        await self.catalogue.restore()
        self.hot_keys.begin()
        self._wishes.begin()
        if self._safe:
            await self._open_safe()
            return
        if not hidden:
            self.pet.show()
        self.menu.set_visible(not hidden)
        if not self.pet.loading:
            self._load_figure()  # one that stands there already only says so once more
        self.tray.show()
        if not self.tray.shown():
            self._way_back.offer()
        await self.troupe.open_own()
        await self.bell.begin()
        self._task_talk.begin()
        await self.initiative.begin()
        self.budget.begin()
        self.updates.begin()
        self.pastimes.begin()
        self._work.start("servers of tools", self.engine.servers.begin)
        keep_what_is_there()
        self._work.start("tools of one's own", self.engine.workshop.run)
        self.hall.begin()

    async def _open_safe(self) -> None:
        self.menu.set_visible(False)
        self.tray.show()
        self.window.safe_bar.show()
        await self.engine.chat.open_new()
        await self.bell.begin()
        self._work.start("servers of tools", self.engine.servers.know)
        self.window.present()

    def _load_figure(self) -> None:
        if not self._safe:
            self.pet.load(model_path(self.engine.settings.settings))

    async def until_quit(self) -> None:
        await self._quit

    async def until_figure(self) -> None:
        """A figure stands where one is to be seen; it may be slow to come, or not come at all.
        Who quit before waits for nothing.
        """
        if self.pet.isVisible() and not self._quit.done():
            first = asyncio.FIRST_COMPLETED
            ends = (self._figure_here, self._quit)
            await asyncio.wait(ends, timeout=_FIGURE_SECONDS, return_when=first)

    @property
    def next(self) -> Next:
        """What is to follow, once the person has had enough."""
        return self._quit.result() if self._quit.done() else Next.END

    @Slot()
    def quit(self) -> None:
        self._leave(Next.END)

    def _leave(self, following: Next) -> None:
        if not self._quit.done():
            self._quit.set_result(following)
            self.crash.close()

    async def close(self) -> None:
        """Close the windows; what runs stays on disk as it is. Whatever fails on the way, the rest
        is closed too.
        """
        await self.exits.close()

    async def _delete(self) -> None:
        for delete in reversed(self._deletions):
            delete()
        await asyncio.sleep(0.01)  # Qt deletes them when its loop turns

    def answer_door(self, door: Doorbell) -> None:
        """A second start shows this one, and other programs come in."""
        door.rung.connect(self._rung)
        door.brought.connect(self.take_files)
        self.hall.answer_door(door)

    def take_files(self, files: Sequence[Path]) -> None:
        """What the person opened with NeoDeskPet: it asks what to do with it."""
        if not files:
            return
        if not self._safe:
            self.pet.show()
        self._drops.bring(files)

    # What is shown

    def show_chat(self) -> None:
        if not self._chat_placed:
            self._chat_placed = True
            self._place_chat()
        self.companion.settle(INTRODUCTION)
        self.window.present()
        self._work.start_once("guide", self._offer_guide)
        if self.pet.appeared is None and not self.pet.isVisible():
            self._work.start_once("portrait", self._borrow_portrait)

    def _place_chat(self) -> None:
        """For the first time: beside the companion, not under it."""
        if self.pet.isVisible() and self.pet.screen() is not None:
            figure = self.pet.stand.figure_rect()
            screen = self.pet.screen().availableGeometry()
            size, least = self.window.size(), self.window.minimumSize()
            self.window.setGeometry(beside(size, least, figure, screen))

    def _show_newest(self) -> None:
        """What the companion said last, or what it asks."""
        self.show_chat()
        self.view.scroller.scroll_to_end()

    def ring(self, timer: Timer) -> None:
        """A timer is due."""
        self.bell.ring(timer)

    async def _notify(self, notice: Notice) -> str:
        """A notice that the person is to see: `_put_up`, and the window asks for attention."""
        QApplication.alert(self.window)
        return await self._put_up(notice)

    async def _put_up(self, notice: Notice) -> str:
        """A notice of the desktop: by its service, else by the tray. The answer, "" for none."""
        notice = replace(notice, title=f"{self.identity.figure_name} · {notice.title}")
        answer = await show_notice(notice)
        if answer is None:
            self.tray.tell(notice.title, notice.text)
        return answer or ""

    def tell_trouble(self, error: KnownError) -> None:
        """In the bubble, and as a line on the terminal the app was started from."""
        what, hint = say(error)
        print(f"NeoDeskPet: {advise(what, hint)}", file=sys.stderr, flush=True)
        self._trouble(what, hint, stays=error.stays)

    def _trouble(self, what: str, hint: str, *, stays: bool = False) -> None:
        """It isn't left behind a question: whoever doesn't answer that would never hear of it."""
        _log.warning("Told the person: %s %s", what, hint)
        stays = stays or self.bubble.asks
        (self.companion.tell if stays else self.companion.say)(advise(what, hint))

    # Joining

    def _make_presenter(self) -> ChatPresenter:
        engine = self.engine
        return ChatPresenter(
            engine.chat,
            engine.store,
            self.window,
            self.view,
            self.bridge,
            take_back=engine.undo.take_back,
            name=lambda: engine.personas.current.name,
        )

    def _make_find(self) -> FindJoint:
        engine = self.engine
        return FindJoint(
            *(engine.chat, engine.store, engine.find, self.window, self.view),
            enter=self.presenter.enter,
            behind=lambda: engine.finder.is_behind,
            failed=self.tell_trouble,
        )

    def _make_slash(self) -> SlashMenu:
        return SlashMenu(
            self.window.composer,
            ServerPrompts(self.engine.servers),
            self.wardrobe.theme,
            attach=self.presenter.attacher.offer,
            failed=self.tell_trouble,
        )

    def _make_meter(self) -> MeterJoint:
        engine = self.engine
        return MeterJoint(
            *(engine.chat, engine.store, engine.store.spending),
            *(self.window.header, self.wardrobe.theme, self.budget.line),
        )

    def _make_initiative(self) -> RemarkTalk:
        return RemarkTalk(
            self.engine,
            self.companion,
            self.attention,
            seen=lambda: self.pet.isVisible() and self.engine.settings.settings.companion.bubble,
            writing=self._may_not_speak,
            neo=lambda: self.identity.is_bundled(),
            parent=self,
        )

    def _make_palette(self) -> PaletteJoint:
        return PaletteJoint(
            *(self.wardrobe.theme, self.engine.chat, self.engine.store),
            *(self.models, self.characters, self._switch_model),
            show_chat=self.show_chat,
            failed=self.tell_trouble,
        )

    def _make_knowledge(self) -> KnowledgeJoint:
        return KnowledgeJoint(
            *(self.engine, self.view, self.presenter, self.window.folders, self.windows),
            lambda: self.wardrobe.theme,
            self.tell_trouble,
        )

    def _make_casting(self) -> Casting:
        return Casting(
            self.engine,
            self.characters,
            show=self._show_speaker,
            open_page=partial(self.side.show_settings, "characters"),
            tell=self.tell_trouble,
        )

    def _make_drops(self) -> PetDrops:
        return PetDrops(
            *(self.pet, self.companion, self.presenter.attacher, self.models, self.characters),
            show_chat=self.show_chat,
            failed=self.tell_trouble,
            parent=self,
        )

    def _make_area(self) -> AreaJoint:
        return AreaJoint(
            self.pet,
            lambda limits: self._change("companion", "walk_areas", limits),
            lambda: self.wardrobe.theme,
            lambda: self.identity.name,
            self,
        )

    def _make_bell(self) -> Bell:
        chime = Chime(assets_dir() / "sounds" / "bell.wav", parent=self)
        return Bell(self.engine, self.companion, chime, self._notify, self)

    def _make_say(self) -> SayJoint:
        return SayJoint(
            *(self.wardrobe.theme, self.pet, self.bubble, self.presenter),
            *(self.engine.settings, self.window.folders, self.troupe),
        )

    def _make_hot_keys(self) -> HotKeyJoint:
        deeds = {
            "show_chat": self.show_chat,
            "say": self.say.toggle,
            "toggle_pet": self._toggle_pet,
            "take_clicks": self._take_clicks,
        }

        def tell(name: str, text: str) -> None:
            self.side.settings.show_fault(KEYS, name, text)

        return HotKeyJoint(self.engine.settings, find_hot_keys(self), deeds, tell)

    def _make_guide(self) -> Guide:
        return Guide(
            describe()[0],
            self.engine.settings,
            self.catalogue.endpoint(""),
            partial(find_local_servers, self.engine.client),
            self.wardrobe.theme,
        )

    def _make_identity(self) -> Identity:
        first = (self.menu, self.guide, self.bubble, self.tray)
        figure = [self.pet.setTitle, *(part.set_name for part in first)]
        chat = [self.window.set_name, self.view.set_name]
        return Identity(self.engine, self.pet, self.companion, chat, figure, self)

    def _make_place(self, platform: str) -> PlaceJoint:
        find = partial(find_windows_around, platform)
        idle = self.attention.idle
        return PlaceJoint(
            self.pet, find, self._place_fault, self, idle=idle, wanted=self._is_wanted
        )

    def _is_wanted(self) -> bool:
        """Whether somebody talks or plays with the companion, or wants something of it."""
        talks = self.companion.busy or self.bubble.speaking or self._may_not_speak()
        shown = self.window.isActiveWindow() or self.say.line.isVisible()
        asked = QApplication.activePopupWidget() is not None or self.area.sheet is not None
        return talks or shown or asked or self.pastimes.seek.hidden

    def _make_welcome(self) -> Welcome:
        def smooth() -> bool:
            return self._compositor.present

        return Welcome(
            *(self.engine, self.companion, self.identity, smooth, self.tell_trouble),
            self.show_chat,
        )

    def _make_side(self, names: Names) -> SideWindows:
        """The chat is the first in the menu; the others follow."""
        chat = WindowEntry(
            "chat",
            lambda: self.window,
            self.show_chat,
            title=N_("Open chat"),
            icon="chat",
            hint=N_("double-click"),
        )
        self.windows.register(chat)
        self.windows.register(WindowEntry("shortcuts", lambda: self.palette.shortcuts))
        ways = Ways(
            *(self._pages, self._go_to, self._errand_talk, self.initiative),
            *(self.budget, self.palette.open_conversation, self.troupe),
            self.talk,
        )
        side = SideWindows(self.windows, self.engine, self.wardrobe, names, ways)
        for entry in self.knowledge.entries:
            self.windows.register(entry)
        return side

    def _pages(self) -> Ports:
        return Ports(
            *(self.engine, self.catalogue, self.models, self.wardrobe.theme, self.window.folders),
            *(self.hall.gate, self.characters, self.attention.senses, self.updates),
        )

    def _connect(self) -> None:
        pet, window = self.pet, self.window
        window.header.add_actions(
            [
                self.memory_switch.action,
                self.knowledge.switch.action,
                self.casting.action,
                *(self.menu.actions[n] for n in ("notebook", "tasks", "visible", "click_through")),
            ]
        )
        window.header.menu.aboutToShow.connect(self.memory_switch.retranslate)
        window.header.menu.aboutToShow.connect(self.knowledge.switch.retranslate)
        window.header.menu.aboutToShow.connect(self.casting.retranslate)
        window.header.tasks_wanted.connect(lambda: self.side.tasks.present())
        pet.chat_requested.connect(self._show_own)
        self._connect_guests()
        pet.visibleChanged.connect(self.menu.set_visible)
        pet.menu_requested.connect(self.menu.popup)
        pet.set_person(self.attention.idle)
        pet.touched.connect(lambda _area: self._petted())
        pet.welcomed.connect(lambda: self._work.start_once("welcome back", self._greet_again))
        pet.ready.connect(self._ready)
        pet.failed.connect(self._model_failed)
        pet.stand.placed.connect(self._placed)
        pet.scaled.connect(lambda scale: self._change("companion", "scale", scale))
        pet.expression_changed.connect(lambda _name: self._portrait_timer.start())
        self._in_front.moved.connect(pet.set_covered)
        self._in_front.moved.connect(self.troupe.set_covered)
        self._neighbour.moved.connect(self.bubble.set_covered)
        self._portrait_timer.timeout.connect(self._draw_portrait)
        self.companion.chat_requested.connect(self._show_newest)
        self.bell.chat_requested.connect(self._show_newest)
        self.initiative.chat_requested.connect(self._show_newest)
        self.initiative.inbox_requested.connect(lambda: self.windows.present("inbox"))
        self.place.hushed.connect(self.initiative.hush)
        self.place.aside.changed.connect(self._went)
        self.place.hushed.connect(lambda _on: self._apply_companion())
        self.initiative.troubled.connect(self.tell_trouble)
        self._errand_talk.chat_requested.connect(self._show_newest)
        self.bell.troubled.connect(self._trouble)
        self.menu.chosen.connect(self._choose)
        self.menu.switched.connect(self._switch)
        self.menu.mode_chosen.connect(lambda mode: self._change("mode", "mode", mode))
        self.tray.pressed.connect(self._toggle_pet)
        window.safe_bar.left.connect(lambda: self._leave(Next.USUAL))
        window.composer.draft_changed.connect(lambda _text: self.troupe.listen())
        self.windows.moved.connect(self._keep_place)
        window.sidebar_toggled.connect(lambda on: self._keep(_SIDEBAR, "1" if on else None))
        self.presenter.settings_requested.connect(self.side.show_settings)
        self.presenter.troubled.connect(self._trouble)
        self.presenter.failed.connect(self.tell_trouble)
        self.presenter.account_requested.connect(
            lambda message: self.side.inspector.inspect(message)
        )
        self.presenter.reasons_requested.connect(lambda message: self.side.why.ask(message))
        self.meter.account_requested.connect(lambda message: self.side.inspector.inspect(message))
        self.meter.costs_requested.connect(lambda: self.side.spending.present())
        self.budget.costs_requested.connect(lambda: self.side.spending.present())
        self.updates.page_requested.connect(lambda: self.side.show_settings("updates"))
        self.presenter.summary_requested.connect(lambda talk: self.side.summary.show_of(talk))
        self.presenter.sent.connect(self._guided)
        self.view.retry_with_requested.connect(self._switch_model.ask_once)
        self.guide.finished.connect(self._guided)
        self.guide.settings_requested.connect(lambda: self.side.show_settings("service"))
        self.engine.settings.observe(self._settled)
        self.engine.servers.on_trouble(self.tell_trouble)
        self.engine.servers.ask_with(Inquiry(self.view, self.companion.say).ask)
        self._compositor.changed.connect(self._cut_out)
        self._power.changed.connect(lambda _on_battery: self._apply_companion())
        self._power.changed.connect(lambda _on_battery: self._apply_rate())
        self.windows.moved.connect(lambda *_place: self._apply_rate())
        self._apply_rate()
        self.catalogue.observe(self._apply_service)
        self._wishes.changed.connect(self.wardrobe.follow)
        self.wardrobe.calmed.connect(lambda _calm: self._apply_companion())
        self.session = Session(self._app, self.engine.home, self._seen, self.quit, self)

    def _seen(self) -> tuple[bool, bool]:
        return self.window.isVisible(), self.pet.isVisible()

    def _connect_guests(self) -> None:
        troupe = self.troupe
        troupe.chat_wanted.connect(self.show_chat)
        self.talk.opened.connect(self.show_chat)
        troupe.list_wanted.connect(lambda: self.windows.present("guests"))
        troupe.made.connect(self._meet)
        troupe.faces.changed.connect(self._show_faces)
        troupe.began.connect(lambda info: self.presenter.hear(TitleChanged(info)))
        self.companion.chat_requested.connect(troupe.bring_back)

    def _meet(self, guest: GuestFigure) -> None:
        """Somebody stands beside the first companion."""
        guest.companion.set_consent(self.consent)
        guest.companion.approved.connect(self.consent.answer)
        guest.companion.set_tool_titles(self._tool_title)
        find = partial(find_windows_around, QGuiApplication.platformName())
        guest.live(self.attention.idle, find)
        self._give_way(guest.pet)
        guest.pet.ready.connect(lambda _description: self._show_speaker())
        guest.pet.expression_changed.connect(lambda _name: self._portrait_timer.start())

    def _give_way(self, pet: PetWindow) -> None:
        """What came in goes before its frames, and what that makes of the chat."""
        bridge = self.bridge
        pet.frames.give_way_to(lambda: not bridge.is_idle or loop.is_busy(), lambda: bridge.streams)

    def _look(self) -> Look:
        return Look(
            *(self.engine.settings.settings.companion, self.wardrobe.theme, self.wardrobe.calm),
            *(self._power.on_battery, not self._compositor.present),
        )

    def _may_not_speak(self) -> bool:
        """The person writes, or talks with somebody else."""
        return self.window.composer.is_written_in() or self.troupe.speaking is not None

    def _show_own(self) -> None:
        """The chat, with the first companion."""
        self.troupe.bring_back()
        self.show_chat()

    def _cut_out(self, composited: bool) -> None:
        for window in (self.pet, self.bubble):
            window.set_cut_out(not composited)
        self.troupe.settle()

    def _go_to(self, spot: Spot) -> None:
        if spot.document:
            self.knowledge.show_passage(spot.message)
            return
        self.window.present()
        self.presenter.go_to(spot.conversation, spot.message)

    def _rung(self, word: str) -> None:
        self.pet.show()
        self.windows.present(word)
        self._way_back.offer()

    def _choose(self, entry: str) -> None:
        if entry == "visible":
            self._toggle_pet()
        elif entry == "say":
            self.say.line.present()
        elif entry in self._moves:
            self._moves[entry]()
        elif not (self.pastimes.choose(entry) or self.windows.present(entry)):
            self.quit()

    def _switch(self, entry: str, on: bool) -> None:
        name = {"on_top": "always_on_top"}.get(entry, entry)
        self._change("companion", name, on)

    def _toggle_pet(self) -> None:
        if self.pet.isVisible():
            self.pet.hide()
            self._way_back.tell_hidden()
        else:
            self.pet.show()

    def _change(self, section: str, name: str, value: object) -> None:
        try:
            self.engine.settings.change(section, name, value)
        except KnownError as error:
            self.tell_trouble(error)

    def _take_clicks(self) -> None:
        self._change("companion", "click_through", False)

    # The pet

    def _petted(self) -> None:
        """It remembers that."""
        now = time.time()
        self._fondness.pet(now)
        self.pet.set_fondness(self._fondness.now(now))
        self._keep(_FONDNESS, self._fondness.write())

    async def _greet_again(self) -> None:
        """When it is awake: it wakes heavily first, and a wave would cut that off."""
        for _ in range(_WAKING_LOOKS):
            if self.pet.posed is not Pose.GROGGY:
                break
            await asyncio.sleep(_WAKING_LOOK)
        await self.welcome.greet_again(await self.attention.notice())

    def _place_fault(self, name: str, text: str) -> None:
        self.side.settings.show_fault("companion", name, text)

    def _ready(self, _description: object) -> None:
        self.place.begin()
        if not self._figure_here.done():
            self._figure_here.set_result(None)
        self._tidying.tidy_soon()
        self._resting = QPixmap()  # it may be another figure than before
        picture = self._draw_portrait()
        if picture.isNull():
            return
        # The face at rest: Qt keeps copies of every picture that was once in an icon or a label.
        self.guide.set_portrait(picture)
        self.tray.set_picture(QIcon(picture))
        self._app.setWindowIcon(QIcon(picture))

    def _draw_portrait(self) -> QPixmap:
        """The face as it is now, which is shown in the chat; null before there is one."""
        picture = self.pet.portrait(_PORTRAIT)
        speaker = self.casting.picture()
        whose: object = speaker.cacheKey()
        if speaker.isNull():
            whose = self.troupe.speaking
            speaker = picture if whose is None else self.troupe.portrait(_PORTRAIT)
        if not speaker.isNull():
            if whose != self._whose or self._resting.isNull():
                self._whose, self._resting = whose, speaker
            self.window.set_portrait(speaker, self._resting)
        return picture

    async def _borrow_portrait(self) -> None:
        """Away, it isn't drawn here: the chat has its face from a picture of the figure."""
        try:
            file = await self.models.large_picture()
        except ModelFileError:
            return  # the load tells it, when the figure is wanted
        picture = QPixmap.fromImage(face_in(await asyncio.to_thread(QImage, str(file))))
        if self.pet.appeared is None and self.casting.picture().isNull() and not picture.isNull():
            self.window.set_portrait(picture)

    def _show_faces(self) -> None:
        """The face of a guest is there."""
        self._draw_portrait()
        self.view.viewport().update()

    def _show_speaker(self) -> None:
        """Somebody else may speak in the open conversation."""
        self.identity.show()
        self._draw_portrait()

    def _model_failed(self, error: ModelFileError) -> None:
        what, hint = say(error)
        self.side.settings.show_fault("companion", "model", advise(what, hint))
        self.tell_trouble(error)
        if self.pet.description is None and not self._stood_in:
            self._stood_in = True  # nobody stands there yet: the one that comes with the app
            self.pet.load(model_path(Settings()))
        elif self.pet.description is None and not self._figure_here.done():
            self._figure_here.set_result(None)  # there will be none, and nobody waits for it

    def _placed(self, screen: str, feet: QPoint) -> None:
        places = dict(self.engine.settings.settings.companion.positions)
        self._change("companion", "positions", {**places, screen: (feet.x(), feet.y())})

    # Settings that act at once

    def _settled(self, section: str, name: str, value: object) -> None:
        match section, name:
            case "companion", "model":
                self._load_figure()
                self.view.retranslate()  # another figure calls its parts otherwise
            case "companion", "positions" | "scale" | "aside":
                if name == "scale" and value != self.pet.stand.scale:
                    self.pet.stand.set_scale(cast(float, value))
            case "companion", "start_at_login":
                self._login.switch(bool(value))
            case "companion", _:
                self._apply_companion()
                if name == "click_through" and value:
                    self._way_back.tell_click_through()
            case "service" | "mode", _:
                self._apply_service()
                if name == "tool_files":
                    self.engine.workshop.hurry()
            case "data", "detailed_log":
                open_log(self.engine.home, detailed=bool(value))
            case _:
                pass

    def _apply_all(self) -> None:
        own = (self.palette.palette, self.say.line, self.slash, self.meter, self.guide, self.menu)
        self.wardrobe.dress([self.pet, self.bubble, *own], self.view)
        self.wardrobe.dress_later(self.troupe)
        self.pet.stand.set_scale(self.engine.settings.settings.companion.scale)
        self._cut_out(self._compositor.present)
        self._apply_companion()
        self._apply_service()

    def _apply_rate(self) -> None:
        """A reply grows as often as the chat's screen shows it."""
        rate = self.window.screen().refreshRate()
        self.bridge.set_rate(min(rate, SAVING_HZ) if self._power.on_battery else rate)

    def _apply_companion(self) -> None:
        companion = self.engine.settings.settings.companion
        calm, on_battery = self.wardrobe.calm, self._power.on_battery
        quiet = calm or self.place.quiet
        settle_pet(self.pet, companion, calm=quiet, on_battery=on_battery)
        self.troupe.settle()
        self.place.apply(companion, calm=calm)
        self.area.set_limits(companion.walk_areas)
        self._offer_moves()
        self.bubble.set_wanted(companion.bubble)
        self.menu.set_switch("on_top", companion.always_on_top)
        self.menu.set_switch("click_through", companion.click_through)
        self._way_back.set_click_through(companion.click_through)
        self.menu.set_switch("quiet", companion.quiet)

    def _offer_moves(self) -> None:
        companion, away = self.engine.settings.settings.companion, self.pet.stand.aside is not None
        self.menu.offer("walk_area", companion.walk)
        self.menu.offer("aside", companion.peek and not away)
        self.menu.offer("back", companion.peek and away)

    def _went(self, retreat: Retreat | None) -> None:
        """It was sent aside, or came back."""
        kept = (retreat.side, retreat.x, retreat.y) if retreat is not None else None
        self._change("companion", "aside", kept)
        self._offer_moves()

    def _apply_service(self) -> None:
        self.menu.set_mode(self.engine.settings.settings.mode.mode)
        self._switch_model.show()

    # Small things that are remembered

    async def _restore(self) -> None:
        store = self.engine.store
        kept = {key: await store.get_state(_place_key(key)) for key in self.windows.placed()}
        self.windows.restore({key: read_place(text) for key, text in kept.items() if text})
        self._chat_placed = bool(kept.get("chat"))
        self.window.show_sidebar(await store.get_state(_SIDEBAR) is not None)
        self._fondness = Fondness.read(await store.get_state(_FONDNESS))
        self.pet.set_fondness(self._fondness.now(time.time()))
        await self.palette.restore()
        await self.presenter.restore()

    async def _offer_guide(self) -> None:
        """The first steps, until they were taken once, a service is there, or a conversation."""
        if self.engine.minds.catalog().endpoints or not self.view.is_empty:
            return
        state = await self.engine.store.get_state(GUIDED)
        if state is None and self.view.is_empty:
            self.window.set_page(self.guide)
            self.guide.start()

    def _guided(self) -> None:
        """They took a service, or began to talk."""
        self.window.set_page(None)
        self.window.composer.field.setFocus()
        self._keep(GUIDED, "1")

    def _keep_place(self, key: str, place: QRect) -> None:
        numbers = (place.x(), place.y(), place.width(), place.height())
        self._keep(_place_key(key), ",".join(str(n) for n in numbers))

    def _keep(self, key: str, value: str | None) -> None:
        self._work.start(f"keep {key}", partial(self.engine.store.set_state, key, value))


def _make_view(engine: Engine, consent: Consent, theme: Theme) -> ChatView:
    """A view that knows the tools: which can be undone, which are gestures."""
    specs = [*engine.toolbox.known(), ACT_SPEC]
    view = ChatView(theme)
    view.set_consent(consent)
    view.approval_given.connect(consent.answer)
    view.edit_given.connect(consent.edit)
    view.set_undoable(engine.undo.offers)
    calls = engine.tasks.calls
    view.set_leavable(lambda call: calls.can_leave(call.name, call.arguments or {}))
    view.leave_requested.connect(lambda call: calls.leave(call.name, call.arguments or {}))
    view.set_main_arguments({spec.name: spec.main_argument for spec in specs})
    view.set_gestures(spec.name for spec in specs if spec.risk is Risk.BODY)
    return view


def _make_learner(engine: Engine) -> Learner:
    return Learner(
        engine.chat, engine.store, engine.memory.facts, engine.errands, engine.minds.learns
    )


def _place_key(window: str) -> str:
    return f"{window}.place"


def read_place(text: str) -> QRect:
    """A place as it is kept: "x,y,width,height"."""
    x, y, width, height = (int(part) for part in text.split(","))
    return QRect(x, y, width, height)
