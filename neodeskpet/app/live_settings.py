"""Applies settings, the theme, the power source and the compositor to the windows, at the start and
after each change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Slot

from neodeskpet.app.autostart import LoginStartSetting, find_autostart
from neodeskpet.app.chat_parts import ChatParts
from neodeskpet.app.companion_manager import CompanionManager
from neodeskpet.app.desktop_context import DesktopContext, FirstCompanion
from neodeskpet.app.figure_controller import FigureController
from neodeskpet.app.figure_startup import apply_pet_settings
from neodeskpet.app.menu_controller import MenuController
from neodeskpet.figure.behaviour.idling import Liveliness
from neodeskpet.settings.activity_settings import liveliness_of
from neodeskpet.settings.startup import open_log
from neodeskpet.ui.bridge import SAVING_HZ
from neodeskpet.ui.desktop.compositor import Compositor
from neodeskpet.ui.desktop.desktop_preferences import DesktopPreferencesWatcher
from neodeskpet.ui.desktop.power_source import PowerSource
from neodeskpet.ui.desktop.screen_lock import ScreenLock


class FloatingWindow(Protocol):
    """A window without a frame. Without a compositor it is cut to its outline."""

    def set_shape_mask(self, cut: bool) -> None: ...


class DesktopConditions(QObject):
    """What the desktop tells: the compositor, the power source, the accessibility preferences."""

    def __init__(self, context: DesktopContext) -> None:
        super().__init__()
        self.compositor = Compositor(self)
        self.power = PowerSource(parent=self)
        self.screen_lock = ScreenLock(parent=self)
        self.preferences = DesktopPreferencesWatcher(self)
        context.exits.add(self.preferences.aclose)
        self.preferences.changed.connect(context.theme_manager.set_desktop_preferences)

    def has_compositor(self) -> bool:
        return self.compositor.present


class LiveSettings(QObject):
    """`floating` are the windows without a frame besides those of the further companions."""

    def __init__(
        self,
        context: DesktopContext,
        first: FirstCompanion,
        companions: CompanionManager,
        chat: ChatParts,
        figure: FigureController,
        menu: MenuController,
        conditions: DesktopConditions,
        floating: Sequence[FloatingWindow],
    ) -> None:
        super().__init__()
        self._context = context
        self._first = first
        self._companions = companions
        self._chat = chat
        self._figure = figure
        self._menu = menu
        self._conditions = conditions
        self._floating = floating
        self._login_start = LoginStartSetting(
            find_autostart(), context.change_setting, context.notices.show_message
        )
        context.engine.settings.subscribe(self._on_setting_changed)
        chat.catalogue.subscribe(chat.model_picker.show)
        figure.placement.muted_changed.connect(self.apply_companion)
        figure.peek_changed.connect(self._show_placement)
        conditions.compositor.changed.connect(self._apply_compositor)
        conditions.power.changed.connect(self.apply_companion)
        conditions.power.changed.connect(self.apply_frame_rate)
        context.theme_manager.reduced_motion_changed.connect(self.apply_companion)

    def start(self) -> None:
        """Follow the desktop, and make the entry for the start at login match the setting."""
        companion = self._context.engine.settings.settings.companion
        self._login_start.synchronize(companion.start_at_login)
        self._conditions.preferences.start()

    def apply(self) -> None:
        """Apply everything."""
        scale = self._context.engine.settings.settings.companion.scale
        self._first.pet.placement.set_scale(scale)
        self._apply_compositor(self._conditions.has_compositor())
        self.apply_companion()
        self.apply_frame_rate()
        self._chat.model_picker.show()

    @Slot()
    def apply_companion(self) -> None:
        companion = self._context.engine.settings.settings.companion
        calm = self._context.theme_manager.reduced_motion
        quiet = calm or self._figure.placement.must_stay_still
        on_battery = self._conditions.power.on_battery
        apply_pet_settings(self._first.pet, companion, calm=quiet, on_battery=on_battery)
        chosen = liveliness_of(self._context.engine.settings.value)
        self._first.pet.set_liveliness(Liveliness(chosen or Liveliness.NORMAL))
        self._companions.apply_settings()
        self._figure.placement.apply(companion, calm=calm)
        self._figure.walking_area.set_limits(companion.walk_areas)
        self._first.bubble.set_enabled(companion.bubble)
        self._show_placement()
        self._menu.apply(companion)

    @Slot()
    def apply_frame_rate(self) -> None:
        """Limit updates of a growing reply to the refresh rate of the chat's screen; fewer on
        battery.
        """
        rate = self._chat.window.screen().refreshRate()
        saving = self._conditions.power.on_battery
        self._chat.bridge.set_rate(min(rate, SAVING_HZ) if saving else rate)

    @Slot()
    def _show_placement(self) -> None:
        self._menu.show_placement(self._context.engine.settings.settings.companion)

    @Slot(bool)
    def _apply_compositor(self, composited: bool) -> None:
        for window in self._floating:
            window.set_shape_mask(not composited)
        self._companions.apply_settings()

    def _on_setting_changed(self, section: str, name: str, value: object) -> None:
        match section, name:
            case "companion", "model":
                self._figure.load()
                self._chat.view.retranslate()  # another figure has other names for its parts
            case "companion", _:
                self._on_companion_setting_changed(name, value)
            case "pastimes", "days" | "music":
                self.apply_companion()  # they decide how lively it is
            case "service" | "mode", _:
                self._chat.model_picker.show()
                if name == "tool_files":
                    self._context.engine.tools.user_tools.wake()
            case "data", "detailed_log":
                open_log(self._context.engine.storage.home, detailed=bool(value))
            case _:
                pass

    def _on_companion_setting_changed(self, name: str, value: object) -> None:
        match name:
            case "scale":
                if isinstance(value, int | float) and value != self._first.pet.placement.scale:
                    self._first.pet.placement.set_scale(value)
            case "positions" | "aside":
                pass  # the figure is there already
            case "start_at_login":
                self._login_start.switch(bool(value))
            case "click_through":
                self.apply_companion()
                if value:
                    self._menu.click_through_recovery.on_click_through_enabled()
            case _:
                self.apply_companion()
