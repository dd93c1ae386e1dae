"""All windows, joined with the engine: the pet, its bubble, the chat, the settings, the tray."""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from random import Random
from typing import cast

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Slot
from PySide6.QtGui import QColor, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from neodeskpet.app.appearance import Appearance
from neodeskpet.app.autostart import find_autostart
from neodeskpet.app.bell import Bell
from neodeskpet.app.catalogue import CatalogAdapter
from neodeskpet.app.figures import FigureAdapter
from neodeskpet.app.model_switch import ModelSwitch
from neodeskpet.app.pages import Ports, build_pages
from neodeskpet.app.service import ServiceAdapter
from neodeskpet.app.way_back import WayBack
from neodeskpet.conversation.greeting import choose_line, read_said, write_said
from neodeskpet.conversation.tasks import spawn
from neodeskpet.conversation.titles import Titles
from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine, model_path
from neodeskpet.language import say, tr
from neodeskpet.live2d.governor import SAVING, Rates
from neodeskpet.paths import assets_dir
from neodeskpet.settings.logfile import open_log
from neodeskpet.settings.model import Settings, describe
from neodeskpet.timers.book import Timer
from neodeskpet.ui.bridge import SAVING_HZ, Bridge
from neodeskpet.ui.chat.presenter import ChatPresenter
from neodeskpet.ui.chat.view.view import ChatView
from neodeskpet.ui.chat.window import ChatWindow
from neodeskpet.ui.crash_window import CrashWindow
from neodeskpet.ui.desktop.chime import Chime
from neodeskpet.ui.desktop.compositor import Compositor
from neodeskpet.ui.desktop.desktop_notice import show_notice
from neodeskpet.ui.desktop.power import Power
from neodeskpet.ui.guide import Guide
from neodeskpet.ui.icons import icon
from neodeskpet.ui.instance import Doorbell
from neodeskpet.ui.menu import CompanionMenu
from neodeskpet.ui.pet.bubble import SpeechBubble
from neodeskpet.ui.pet.companion import join
from neodeskpet.ui.pet.neighbour import Neighbour
from neodeskpet.ui.pet.placement import beside
from neodeskpet.ui.pet.window import PetWindow
from neodeskpet.ui.settings.window import SettingsWindow
from neodeskpet.ui.theme import warm_fonts
from neodeskpet.ui.tray import Tray
from neodeskpet.ui.windows import WindowEntry, Windows

_log = logging.getLogger(__name__)

NAME = "Neo"
_PORTRAIT = 96
_PORTRAIT_MS = 400
_GUIDED = "guided"
_SIDEBAR = "chat.sidebar"
_SEEN = "seen"  # when the person was here last, unix seconds
_SAID = "greetings"
_ROUGH = "rough.told"


class Next(Enum):
    """What follows when the desk is closed."""

    END = auto()
    USUAL = auto()
    SAFE = auto()


class Desk(QObject):
    """Built after the engine; `open` shows it, `close` ends it. In safe mode (`safe`) there is no
    figure, and the conversation is a new one.
    """

    def __init__(
        self, app: QApplication, engine: Engine, pet: PetWindow, *, safe: bool = False
    ) -> None:
        super().__init__()
        self._safe = safe
        self._crash: CrashWindow | None = None
        self._app = app
        self.engine = engine
        self.pet = pet
        self._quit: asyncio.Future[Next] = asyncio.get_running_loop().create_future()
        self._door: Doorbell | None = None
        self._stood_in = False
        self._chat_placed = False
        self.wardrobe = Appearance(app, engine.settings)
        theme = self.wardrobe.theme
        warm_fonts(theme)
        self.bubble = SpeechBubble(theme)
        self.companion = join(pet, self.bubble)
        self.view = ChatView(theme)
        specs = engine.toolbox.known()
        self.view.set_undoable(engine.undo.offers)
        self.view.set_main_arguments({spec.name: spec.main_argument for spec in specs})
        self.view.set_gestures(spec.name for spec in specs if spec.risk is Risk.BODY)
        self.bridge = Bridge([self.view, self.companion])
        self.window = ChatWindow(self.view, theme, name=NAME)
        self.presenter = ChatPresenter(
            engine.chat,
            engine.store,
            self.window,
            self.view,
            self.bridge,
            allow_always=self._allow_always,
            take_back=engine.undo.take_back,
            name=NAME,
        )
        self._neighbour = Neighbour(self.window)
        self._compositor = Compositor(self)
        self._autostart = find_autostart()
        self._power = Power(parent=self)
        self._titles = Titles(engine.chat, engine.store, engine.minds.title_model)
        self.catalogue = CatalogAdapter(engine)
        self.service = ServiceAdapter(engine, self.catalogue)
        self._switch_model = ModelSwitch(
            engine, self.catalogue, self.window.header, self.tell_trouble
        )
        self.models = FigureAdapter(engine.home, pet.cache_dir, engine.settings, pet)
        self.settings = self._settings_window()
        self.guide = Guide(describe()[0], engine.settings, self.service, theme, name=NAME)
        self.windows = Windows(self)
        self._register_windows()
        self.menu = CompanionMenu(theme, self.windows.in_menu(), NAME, self)
        self.tray = Tray(self.menu, icon("companion", QColor(theme.accent), 32), self)
        self.window.header.add_actions(
            [self.menu.actions[name] for name in ("visible", "click_through")]
        )
        self._way_back = WayBack(
            self.companion,
            self.tray.shown,
            lambda: self._change("companion", "click_through", False),
            self,
        )
        chime = Chime(assets_dir() / "sounds" / "bell.wav", parent=self)
        self.bell = Bell(engine, self.companion, chime, self._notify, self)
        self._portrait_timer = QTimer(self, singleShot=True, interval=_PORTRAIT_MS)
        self._connect()
        self.wardrobe.dress(
            [pet, self.bubble, *self.windows.dressed(), self.guide, self.menu],
            self.view,
        )
        self._apply_all()

    # Opening and closing

    async def open(self, *, hidden: bool = False) -> None:
        """Show the pet (unless `hidden`), open the last conversation, bring the model on."""
        await self._restore()
        wanted = self.engine.settings.settings.companion.start_at_login
        if wanted and not (self._autostart is not None and self._autostart.on):
            self._change("companion", "start_at_login", False)  # taken away by the desktop's own
        await self.catalogue.restore()
        if self._safe:
            await self._open_safe()
            return
        if not hidden:
            self.pet.show()
        self.menu.set_visible(not hidden)
        self._load_figure()
        self.tray.show()
        if not self.tray.shown():
            self._way_back.offer()
        await self.engine.chat.open()
        self.bell.begin()

    async def _open_safe(self) -> None:
        self.menu.set_visible(False)
        self.tray.show()
        self.window.safe_bar.show()
        await self.engine.chat.open_new()
        self.bell.begin()
        self.window.present()

    def _load_figure(self) -> None:
        if not self._safe:
            self.pet.load(model_path(self.engine.settings.settings))

    async def ask_safe(self, report: Path) -> bool:
        """Whether to start in safe mode; nothing is loaded before the person said it."""
        window = self._show_crash(report, asks=True)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        window.chosen.connect(answer.set_result)
        self._quit.add_done_callback(lambda _: window.close())
        safe = await answer
        window.close()
        return safe

    def tell_crash(self, report: Path) -> None:
        """The last run ended badly: say so, with its report."""
        self._show_crash(report, asks=False)

    def _show_crash(self, report: Path, *, asks: bool) -> CrashWindow:
        self._crash = CrashWindow(self.wardrobe.theme, report, asks=asks)
        self._crash.show()
        self._crash.raise_()
        self._crash.activateWindow()
        return self._crash

    async def greet(self, *, killed: bool = False) -> None:
        """Say what there is to say at the start, once the figure stands. `killed`: an earlier run
        ended without leaving a reason.
        """
        for fault in self.engine.faults:
            self.tell_trouble(fault)
        if self.engine.interrupted:
            self.companion.say(tr("We were interrupted. Open the chat to go on where we stopped."))
            return
        if killed:
            self.companion.say(tr("Last time I was stopped without warning. Nothing is lost."))
            return
        if not self.engine.settings.settings.companion.quiet:
            await self._welcome()
        await self._tell_rough_edges()

    async def _tell_rough_edges(self) -> None:
        """Once: why the companion isn't as smooth as it could be."""
        store = self.engine.store
        if self._compositor.present or await store.get_state(_ROUGH) is not None:
            return
        await store.set_state(_ROUGH, "1")
        self.companion.say(
            tr(
                "This desktop doesn't blend windows, so my edges are rough. A compositor makes "
                "them smooth: the one in your desktop's settings, or picom."
            )
        )

    async def _welcome(self) -> None:
        """Once an introduction, later a line when the person was away for hours."""
        store, now = self.engine.store, datetime.now()
        seen = await store.get_state(_SEEN)
        await store.set_state(_SEEN, str(now.timestamp()))
        if seen is None:
            if await store.get_state(_GUIDED) is None:
                self.companion.greet(
                    tr("Hi, I'm {name}! Double-click me to talk, right-click for more.", name=NAME)
                )
            return
        said = read_said(await store.get_state(_SAID))
        line = choose_line(now, now.timestamp() - float(seen), said, Random())
        if line is not None:
            said[line] = now.timestamp()
            await store.set_state(_SAID, write_said(said, now.timestamp()))
            self.companion.greet(tr(line))

    async def until_quit(self) -> None:
        await self._quit

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

    async def close(self) -> None:
        """Close the windows; what runs stays on disk as it is."""
        self.tray.hide()
        self._portrait_timer.stop()
        self._titles.stop()
        self.bell.stop()
        await self.presenter.close()
        await self.settings.finish()
        crash = [self._crash] if self._crash is not None else []
        self.windows.close()
        others = (self.guide, self.bubble, *crash)
        for window in others:
            window.close()
        self.pet.close_model()
        self.bridge.flush()
        if self._door is not None:
            self._door.close()
        with suppress(KnownError):
            await self.engine.store.set_state(_SEEN, str(datetime.now().timestamp()))
        await self.engine.close()
        self.windows.delete()
        for part in (*others, self.pet):
            part.deleteLater()
        await asyncio.sleep(0.01)  # Qt deletes them when its loop turns

    def answer_door(self, door: Doorbell) -> None:
        """A second start shows this one."""
        self._door = door
        door.rung.connect(self._rung)

    # What is shown

    def show_chat(self) -> None:
        if not self._chat_placed:
            self._chat_placed = True
            self._place_chat()
        self.window.present()
        spawn(self._offer_guide(), name="guide")

    def _place_chat(self) -> None:
        """For the first time: beside the companion, not under it."""
        if self.pet.isVisible() and self.pet.screen() is not None:
            figure = self.pet.stand.figure_rect()
            screen = self.pet.screen().availableGeometry()
            self.window.setGeometry(beside(self.window.size(), figure, screen))

    def _show_newest(self) -> None:
        """What the companion said last, or what it asks."""
        self.show_chat()
        self.view.scroller.scroll_to_end()

    def show_settings(self, section: str = "") -> None:
        self.settings.present(section)

    def ring(self, timer: Timer) -> None:
        """A timer is due."""
        self.bell.ring(timer)

    def _notify(self, title: str, text: str) -> None:
        """A notice of the desktop: by its service, else by the tray."""
        QApplication.alert(self.window)

        async def notify() -> None:
            if not await show_notice(title, text):
                self.tray.tell(title, text)

        spawn(notify(), name="desktop notice")

    def tell_trouble(self, error: KnownError) -> None:
        """In the bubble, and as a line on the terminal the app was started from."""
        what, hint = say(error)
        print(f"NeoDeskPet: {what} {hint}".rstrip(), file=sys.stderr, flush=True)
        self._trouble(what, hint)

    def _trouble(self, what: str, hint: str) -> None:
        _log.warning("Told the person: %s %s", what, hint)
        self.companion.say(f"{what} {hint}".rstrip())

    # Joining

    def _settings_window(self) -> SettingsWindow:
        theme = self.wardrobe.theme
        ports = Ports(self.engine, self.catalogue, self.service, self.models, theme)
        return SettingsWindow(build_pages(ports), self.engine.settings, theme)

    def _register_windows(self) -> None:
        """The windows that have a place of their own; the menu lists those with a title."""
        for entry in (
            WindowEntry(
                "chat",
                self.window,
                self.show_chat,
                title=N_("Open chat"),
                icon="chat",
                hint=N_("double-click"),
            ),
            WindowEntry(
                "settings",
                self.settings,
                self.show_settings,
                title=N_("Settings…"),
                icon="settings",
                low=True,
            ),
        ):
            self.windows.register(entry)

    def _connect(self) -> None:
        pet, window = self.pet, self.window
        pet.chat_requested.connect(self.show_chat)
        pet.visibleChanged.connect(self.menu.set_visible)
        pet.menu_requested.connect(self.menu.popup)
        pet.ready.connect(self._ready)
        pet.failed.connect(self._model_failed)
        pet.stand.placed.connect(self._placed)
        pet.scaled.connect(lambda scale: self._change("companion", "scale", scale))
        pet.expression_changed.connect(lambda _name: self._portrait_timer.start())
        for neighbour in (pet, self.bubble):
            self._neighbour.moved.connect(neighbour.set_covered)
        self._portrait_timer.timeout.connect(self._draw_portrait)
        self.companion.chat_requested.connect(self._show_newest)
        self.bell.chat_requested.connect(self._show_newest)
        self.bell.troubled.connect(self._trouble)
        self.menu.chosen.connect(self._choose)
        self.menu.switched.connect(self._switch)
        self.menu.mode_chosen.connect(lambda mode: self._change("mode", "mode", mode))
        self.tray.pressed.connect(self._toggle_pet)
        window.safe_bar.left.connect(lambda: self._leave(Next.USUAL))
        window.composer.draft_changed.connect(lambda _text: self.companion.listen())
        self.windows.moved.connect(self._keep_place)
        window.sidebar_toggled.connect(lambda on: self._keep(_SIDEBAR, "1" if on else None))
        self.presenter.settings_requested.connect(self.show_settings)
        self.presenter.troubled.connect(self._trouble)
        self.presenter.sent.connect(self._guided)
        self.guide.finished.connect(self._guided)
        self.guide.settings_requested.connect(lambda: self.show_settings("service"))
        self.engine.settings.observe(self._settled)
        self._compositor.changed.connect(self._cut_out)
        self._power.changed.connect(lambda _on_battery: self._apply_companion())
        self._power.changed.connect(lambda _on_battery: self._apply_rate())
        self.windows.moved.connect(lambda *_place: self._apply_rate())
        self._apply_rate()
        self.catalogue.observe(self._apply_service)
        self._app.commitDataRequest.connect(lambda _manager: self.quit())

    def _cut_out(self, composited: bool) -> None:
        for window in (self.pet, self.bubble):
            window.set_cut_out(not composited)

    def _rung(self, word: str) -> None:
        self.pet.show()
        self.windows.present(word)
        self._way_back.offer()

    def _choose(self, entry: str) -> None:
        if entry == "visible":
            self._toggle_pet()
        elif not self.windows.present(entry):
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

    def _allow_always(self, tool: str) -> None:
        allowed = self.engine.settings.settings.mode.always_allowed
        if tool not in allowed:
            self._change("mode", "always_allowed", (*allowed, tool))

    # The pet

    def _ready(self, _description: object) -> None:
        self._draw_portrait()

    def _draw_portrait(self) -> None:
        picture = self.pet.portrait(_PORTRAIT)
        if picture.isNull():
            return
        self.window.set_portrait(picture)
        self.guide.set_portrait(picture)
        self.tray.set_picture(QIcon(picture))
        self._app.setWindowIcon(QIcon(picture))

    def _model_failed(self, error: ModelFileError) -> None:
        what, hint = say(error)
        self.settings.show_fault("companion", "model", f"{what} {hint}")
        self.tell_trouble(error)
        if self.pet.description is None and not self._stood_in:
            self._stood_in = True  # nobody stands there yet: the one that comes with the app
            self.pet.load(model_path(Settings()))

    def _placed(self, screen: str, feet: QPoint) -> None:
        places = dict(self.engine.settings.settings.companion.positions)
        self._change("companion", "positions", {**places, screen: (feet.x(), feet.y())})

    # Settings that act at once

    def _settled(self, section: str, name: str, value: object) -> None:
        match section, name:
            case "companion", "model":
                self._load_figure()
            case "companion", "positions" | "scale":
                if name == "scale" and value != self.pet.stand.scale:
                    self.pet.stand.set_scale(cast(float, value))
            case "companion", "start_at_login":
                self._start_at_login(bool(value))
            case "companion", _:
                self._apply_companion()
                if name == "click_through" and value:
                    self._way_back.tell_click_through()
            case "service" | "mode", _:
                self._apply_service()
            case "data", "detailed_log":
                open_log(self.engine.home, detailed=bool(value))
            case _:
                pass

    def _start_at_login(self, on: bool) -> None:
        """Where it can't be, the switch goes back and it is said."""
        entry = self._autostart
        if entry is None:
            if on:
                self._trouble(tr("Starting at login isn't there yet on this system."), "")
                self._change("companion", "start_at_login", False)
            return
        try:
            entry.switch(on)
        except OSError as error:
            self._trouble(tr("Starting at login could not be changed."), str(error))
            if on:
                self._change("companion", "start_at_login", False)

    def _apply_all(self) -> None:
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
        self.pet.set_on_top(companion.always_on_top)
        self.pet.set_click_through(companion.click_through)
        self.pet.setOpacity(companion.opacity)
        self.pet.set_gaze(companion.gaze)
        self.pet.set_quiet(companion.quiet)
        idle = float(companion.fps_idle)
        wanted = Rates(float(companion.fps_active), idle, resting=idle / 2)
        self.pet.frames.set_rates(wanted.at_most(SAVING) if self._power.on_battery else wanted)
        self.bubble.set_wanted(companion.bubble)
        self.menu.set_switch("on_top", companion.always_on_top)
        self.menu.set_switch("click_through", companion.click_through)
        self._way_back.set_click_through(companion.click_through)
        self.menu.set_switch("quiet", companion.quiet)

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
        await self.presenter.restore()
        positions = self.engine.settings.settings.companion.positions
        screen = QGuiApplication.primaryScreen().name()
        if screen in positions:
            self.pet.stand.put_at(QPoint(*positions[screen]))

    async def _offer_guide(self) -> None:
        """The first steps, until they were taken once, a service is there, or a conversation."""
        if self.engine.minds.catalog().endpoints or self.view.column.heads:
            return
        state = await self.engine.store.get_state(_GUIDED)
        if state is None and not self.view.column.heads:
            self.window.set_page(self.guide)
            self.guide.start()

    def _guided(self) -> None:
        """They took a service, or began to talk."""
        self.window.set_page(None)
        self.window.composer.field.setFocus()
        self._keep(_GUIDED, "1")

    def _keep_place(self, key: str, place: QRect) -> None:
        numbers = (place.x(), place.y(), place.width(), place.height())
        self._keep(_place_key(key), ",".join(str(n) for n in numbers))

    def _keep(self, key: str, value: str | None) -> None:
        spawn(self.engine.store.set_state(key, value), name=f"keep {key}")


def _place_key(window: str) -> str:
    return f"{window}.place"


def read_place(text: str) -> QRect:
    """A place as it is kept: "x,y,width,height"."""
    x, y, width, height = (int(part) for part in text.split(","))
    return QRect(x, y, width, height)
