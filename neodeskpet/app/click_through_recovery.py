"""The user can always get back to a companion that is hidden or lets clicks through, with or
without a tray icon. A second start shows it and offers to end click-through; the chat's menu has
both actions.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from neodeskpet.language import tr
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter

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
            self._companion.ask(_CLICK_THROUGH_NOTICE, words, choices, sign="pointer")

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
