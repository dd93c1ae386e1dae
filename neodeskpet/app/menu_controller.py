"""The menu of the companion and the tray icon, and what their rows do.

The user can always get back to a companion that is hidden or lets clicks through, with or without a
tray icon: a second start shows it and offers to end click-through, and the chat's menu has both
actions.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QColor

from neodeskpet.app.desktop_context import DesktopContext, FirstCompanion
from neodeskpet.app.menu_rows import Need, UrgentRow, UrgentSources
from neodeskpet.app.quiet_mode import QuietMode
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.language import tr
from neodeskpet.settings.settings_model import CompanionSettings
from neodeskpet.ui.companion_menu import URGENT, CompanionMenu, TrayIcon
from neodeskpet.ui.icons import icon
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.windows.window_registry import WindowRegistry

_CLICK_THROUGH_NOTICE = "clicks"
_DISABLE_CLICK_THROUGH = "take"


class ClickThroughRecovery(QObject):
    """Offers to end click-through or hiding. `has_tray` returns whether the desktop shows the tray
    icon; `take_clicks` ends click-through.
    """

    def __init__(
        self,
        companion: CompanionPresenter,
        has_tray: Callable[[], bool],
        take_clicks: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._companion = companion
        self._has_tray = has_tray
        self._take_clicks = take_clicks
        self._through = False
        companion.answered.connect(self._answered)

    def set_click_through(self, on: bool) -> None:
        """Apply the current setting."""
        self._through = on
        if not on:
            self._companion.withdraw(_CLICK_THROUGH_NOTICE)

    def offer_recovery(self) -> None:
        """Offer to end click-through when the user looks for a companion that can't be clicked."""
        if self._through:
            choices = (
                (_DISABLE_CLICK_THROUGH, tr("Turn off click-through")),
                ("leave", tr("Keep it on")),
            )
            words = tr("Clicks go through me to the window behind.")
            self._companion.ask(
                _CLICK_THROUGH_NOTICE,
                words,
                choices,
                sign="pointer",
                dismiss_choice="leave",
                rank=BubbleRank.NOTICE,
            )

    def on_click_through_enabled(self) -> None:
        """Explain how to end click-through where there is no tray icon."""
        if not self._has_tray():
            self._companion.show_notice(
                tr(
                    "Clicks go through me from now on. To end this, start NeoDeskPet again, "
                    "or use the menu ⋯ of the chat."
                )
            )

    def on_companion_hidden(self) -> None:
        """Explain how to show the companion again where there is no tray icon."""
        if not self._has_tray():
            self._companion.show_notice(
                tr(
                    "I am hidden. To see me again, start NeoDeskPet again, or use the menu ⋯ "
                    "of the chat."
                )
            )

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        if key == _CLICK_THROUGH_NOTICE and choice:
            self._companion.withdraw(_CLICK_THROUGH_NOTICE)
            if choice == _DISABLE_CLICK_THROUGH:
                self._take_clicks()


class MenuController(QObject):
    """`sources` and `act_on_need` are those of the first row. `run_action` runs a row that belongs
    to another part and returns False for one it doesn't know; `windows` opens those of windows.
    """

    quit_requested = Signal()

    def __init__(
        self,
        context: DesktopContext,
        windows: WindowRegistry,
        first: FirstCompanion,
        sources: UrgentSources,
        *,
        act_on_need: Callable[[Need], None],
        run_action: Callable[[str], bool],
    ) -> None:
        super().__init__()
        engine, theme = context.engine, context.theme_manager.theme
        self._context = context
        self._windows = windows
        self._pet = pet = first.pet
        self._run_action = run_action
        self.menu = CompanionMenu(theme, windows.in_menu(), parent=self)
        self.tray = TrayIcon(self.menu, icon("companion", QColor(theme.accent), 32), self)
        self.quiet_mode = QuietMode(
            self.menu,
            lambda on: context.change_setting("companion", "quiet", on),
            engine.storage.store.get_state,
            context.save_state,
            parent=self,
        )
        self.click_through_recovery = ClickThroughRecovery(
            first.presenter, self.tray.is_visible, self.disable_click_through, self
        )
        self.urgent_row = UrgentRow(self.menu, sources, act_on_need)
        context.exits.add(self.quiet_mode.stop, self.tray.hide)
        pet.visibleChanged.connect(self.menu.set_visible)
        pet.menu_requested.connect(self.menu.popup)
        self.menu.chosen.connect(self._on_row_chosen)
        self.menu.switched.connect(self._on_row_switched)
        self.tray.clicked.connect(self.toggle_pet)

    async def start(self, *, pet_shown: bool) -> None:
        """Show the tray icon, and continue a stored quiet mode."""
        self.menu.set_visible(pet_shown)
        self.tray.show()
        if not self.tray.is_visible():
            self.click_through_recovery.offer_recovery()
        await self.quiet_mode.start()

    def apply(self, companion: CompanionSettings) -> None:
        """Show the current settings in the rows."""
        self.menu.set_switch("on_top", companion.always_on_top)
        self.menu.set_switch("click_through", companion.click_through)
        self.click_through_recovery.set_click_through(companion.click_through)
        self.quiet_mode.show(companion.quiet)
        self.urgent_row.refresh()

    def show_placement(self, companion: CompanionSettings) -> None:
        """Show the rows that move the companion."""
        away = self._pet.placement.retreat_side is not None
        self.menu.set_available("walk_area", companion.walk)
        self.menu.set_available("aside", companion.peek and not away)
        self.menu.set_available("back", companion.peek and away)

    @Slot()
    def toggle_pet(self) -> None:
        """Hide or show the companion."""
        if self._pet.isVisible():
            self._pet.hide()
            self.click_through_recovery.on_companion_hidden()
        else:
            self._pet.show()

    @Slot()
    def disable_click_through(self) -> None:
        self._context.change_setting("companion", "click_through", False)

    @Slot(str)
    def _on_row_chosen(self, row: str) -> None:
        match row:
            case "visible":
                self.toggle_pet()
            case "quiet_hour":
                self.quiet_mode.quiet_for_an_hour()
            case "quiet_tomorrow":
                self.quiet_mode.quiet_until_tomorrow()
            case _ if row == URGENT:
                self.urgent_row.run()
            case _:
                if not (self._run_action(row) or self._windows.present(row)):
                    self.quit_requested.emit()

    @Slot(str, bool)
    def _on_row_switched(self, row: str, on: bool) -> None:
        name = "always_on_top" if row == "on_top" else row
        self._context.change_setting("companion", name, on)
