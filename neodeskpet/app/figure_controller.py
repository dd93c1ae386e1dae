"""The first companion's figure: loading it, its place on the desktop, and how it reacts to the
user.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from neodeskpet.app.chat_parts import ChatParts
from neodeskpet.app.desktop_context import DesktopContext, FirstCompanion
from neodeskpet.app.desktop_session import ExitAction
from neodeskpet.app.placement_controller import PlacementController, WalkingAreaController
from neodeskpet.core.errors import ModelFileError
from neodeskpet.core.proactive import RemarkSettings, is_quiet_hour
from neodeskpet.figure.behaviour.handling import Fondness
from neodeskpet.figure.behaviour.screen_edges import PeekPosition
from neodeskpet.figure.live2d.library import chosen_figure_path
from neodeskpet.figure.poses import Pose
from neodeskpet.language import join_hint, translate_error
from neodeskpet.settings.settings_model import Settings
from neodeskpet.ui.desktop.activity_detector import ActivityDetector
from neodeskpet.ui.desktop.window_watcher import create_window_watcher

FIGURE_TIMEOUT = 30
"""Seconds after which the start no longer waits for a figure."""
_AWAKE_CHECK_SECONDS, _MAX_AWAKE_CHECKS = 0.25, 40
"""Seconds between two checks whether the companion has woken up, and the largest number
of checks.
"""
_FONDNESS_KEY = "fondness"


class FigureController(QObject):
    """`is_answering` tells whether the user answers or writes to the companion outside the chat,
    `is_occupied` whether a menu, a game or a line beside the figure needs it where it is.
    """

    setting_failed = Signal(str, str)
    """A setting of the companion has no effect: its name, the reason."""
    peek_changed = Signal()
    """The companion was moved aside or has returned."""

    def __init__(
        self,
        context: DesktopContext,
        first: FirstCompanion,
        chat: ChatParts,
        attention: ActivityDetector,
        *,
        is_answering: Callable[[], bool],
        is_occupied: Callable[[], bool],
        safe: bool,
    ) -> None:
        super().__init__()
        self._context = context
        self._first = first
        self._chat = chat
        self._is_occupied = is_occupied
        self._safe = safe
        self._pet = pet = first.pet
        self._fondness = Fondness()
        self._fallback_loaded = False
        self._settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.placement = PlacementController(
            pet,
            partial(create_window_watcher, QGuiApplication.platformName()),
            self.setting_failed.emit,
            self,
            idle=attention.idle,
            wanted=self._is_companion_in_use,
            used=lambda: first.bubble.is_used or is_answering(),
            speaks=lambda: first.bubble.isVisible(),
        )
        self.walking_area = WalkingAreaController(
            pet,
            lambda limits: context.change_setting("companion", "walk_areas", limits),
            lambda: context.theme_manager.theme,
            lambda: context.engine.storage.personas.current.name,
            self,
        )
        context.exits.add(self.placement.close, self.walking_area.close)
        pet.set_idle_source(attention.idle)
        pet.touched.connect(self._on_petted)
        pet.stroked.connect(lambda: self._on_petted(""))
        pet.ready.connect(self._on_ready)
        pet.failed.connect(self._on_failed)
        pet.placement.placed.connect(self._on_moved)
        pet.scaled.connect(lambda scale: context.change_setting("companion", "scale", scale))
        self.placement.edge_peek.changed.connect(self._on_peek_changed)

    async def restore(self) -> None:
        """Restore how fond the companion is of the user."""
        kept = await self._context.engine.storage.store.get_state(_FONDNESS_KEY)
        self._fondness = Fondness.read(kept)
        self._pet.set_fondness(self._fondness.now(time.time()))

    def load(self) -> None:
        """Load the chosen figure; in safe mode there is none."""
        if not self._safe:
            self._pet.load(chosen_figure_path(self._context.engine.settings.settings))

    async def wait_until_shown(self, quit_requested: asyncio.Future[ExitAction]) -> None:
        """Wait until the figure is shown, unless none is to be shown. Loading may be slow or fail;
        the wait ends when the app quits.
        """
        if self._pet.isVisible() and not quit_requested.done():
            ends = (self._settled, quit_requested)
            first = asyncio.FIRST_COMPLETED
            await asyncio.wait(ends, timeout=FIGURE_TIMEOUT, return_when=first)

    async def wait_until_awake(self) -> None:
        """Wait until the animation of waking is over; a greeting would interrupt it."""
        for _ in range(_MAX_AWAKE_CHECKS):
            if self._pet.current_pose is not Pose.GROGGY:
                break
            await asyncio.sleep(_AWAKE_CHECK_SECONDS)

    def is_voice_quiet(self) -> bool:
        """Whether nothing is spoken by itself now: quiet, full screen, quiet hours."""
        silent = self._context.engine.settings.settings.voice.quiet_hours and self._is_quiet_hour
        return silent or self._must_be_quiet

    def are_sounds_quiet(self) -> bool:
        """Whether its acts make no sounds now: as the voice, and always in the quiet hours."""
        return self._is_quiet_hour or self._must_be_quiet

    @property
    def _must_be_quiet(self) -> bool:
        companion = self._context.engine.settings.settings.companion
        return companion.quiet or self.placement.fullscreen_policy.is_active

    @property
    def _is_quiet_hour(self) -> bool:
        now, hours = datetime.now(), self._context.engine.settings.settings.initiative
        night = RemarkSettings(quiet_from=hours.quiet_from, quiet_to=hours.quiet_to)
        return is_quiet_hour(now.hour * 60 + now.minute, night)

    def _is_companion_in_use(self) -> bool:
        """Whether the user talks or plays with the companion, or has an open menu or question."""
        talks = self._first.presenter.is_busy or self._first.bubble.is_speaking
        writes = self._chat.is_user_writing() or self._chat.window.isActiveWindow()
        asked = QApplication.activePopupWidget() is not None or self.walking_area.editor is not None
        return talks or writes or asked or self._is_occupied()

    @Slot(str)
    def _on_petted(self, _area: str) -> None:
        """Store that the companion was petted."""
        now = time.time()
        self._fondness.pet(now)
        self._pet.set_fondness(self._fondness.now(now))
        self._context.save_state(_FONDNESS_KEY, self._fondness.write())

    @Slot(object)
    def _on_ready(self, _description: object) -> None:
        self.placement.start()
        self._settle()

    @Slot(object)
    def _on_failed(self, error: ModelFileError) -> None:
        what, hint = translate_error(error)
        self.setting_failed.emit("model", join_hint(what, hint))
        self._context.notices.show_error(error)
        if self._pet.description is not None:
            return
        if not self._fallback_loaded:
            self._fallback_loaded = True  # no figure is shown yet: load the bundled one
            self._pet.load(chosen_figure_path(Settings()))
        else:
            self._settle()  # there will be none: end the wait

    def _settle(self) -> None:
        if not self._settled.done():
            self._settled.set_result(None)

    @Slot(str, QPoint)
    def _on_moved(self, screen: str, feet: QPoint) -> None:
        places = dict(self._context.engine.settings.settings.companion.positions)
        self._context.change_setting(
            "companion", "positions", {**places, screen: (feet.x(), feet.y())}
        )

    @Slot(object)
    def _on_peek_changed(self, retreat: PeekPosition | None) -> None:
        """Store where the companion peeks from, or that it has returned."""
        kept = (retreat.side, retreat.x, retreat.y) if retreat is not None else None
        self._context.change_setting("companion", "aside", kept)
        self.peek_changed.emit()
