"""The window of a further companion, its bubble, and their connection to its conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Signal

from neodeskpet.app.figure_startup import apply_pet_settings
from neodeskpet.app.placement_controller import PlacementController
from neodeskpet.app.sign_controllers import StatePillController
from neodeskpet.characters.companion_store import CompanionState
from neodeskpet.figure.behaviour.idling import Liveliness
from neodeskpet.language import tr
from neodeskpet.settings.settings_model import CompanionSettings
from neodeskpet.ui.desktop.window_watcher import WindowWatcher
from neodeskpet.ui.desktop.work_area import work_areas
from neodeskpet.ui.pet.companion_presenter import connect_window
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import find_free_place, nearest_screen
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.theme import LIGHT, Theme

_FIRST_COMPANION_ONLY = {"peek": False, "full_screen": "stay"}
"""Further companions are hidden together with the first one and don't move aside."""
GOODBYE_MS = 2_500
"""How long its goodbye is shown."""


@dataclass(frozen=True, slots=True)
class CompanionStyle:
    """The style of all companions: `reduced_motion` and `on_battery` as in `apply_pet_settings`;
    `cut_out` where the desktop has no compositor.
    """

    settings: CompanionSettings
    theme: Theme = LIGHT
    reduced_motion: bool = False
    on_battery: bool = False
    cut_out: bool = False
    liveliness: Liveliness = Liveliness.NORMAL


class CompanionWindow(QObject):
    """Shows a companion at its stored place, or beside the `first` companion, which is drawn
    already. `greeting` is shown when the figure is visible; "" for none.
    """

    closed = Signal()
    """The goodbye was shown."""

    def __init__(
        self,
        guest: CompanionState,
        path: Path,
        first: PetWindow,
        look: CompanionStyle,
        greeting: str,
    ) -> None:
        super().__init__()
        self.pet = PetWindow(first.cache_dir, theme=look.theme, first=first)
        self.bubble = SpeechBubble(look.theme)
        self.companion = connect_window(self.pet, self.bubble)
        self.place: PlacementController | None = None
        self.pill: StatePillController | None = None
        self._look = look
        self._greeting = greeting
        self._leaving = QTimer(self, singleShot=True, interval=GOODBYE_MS)
        self._leaving.timeout.connect(self.closed)
        stand = self.pet.placement
        stand.set_scale(guest.scale or first.placement.scale)
        self.placed = guest.feet is not None
        """Whether the place was stored; otherwise it is placed beside the first companion once its
        size is known.
        """
        stand.move_feet_to(QPoint(*guest.feet) if guest.feet else first.placement.feet)
        stand.placed.connect(self._keep_place)
        self.pet.ready.connect(self._greet)
        self.set_style(look)
        self.pet.load(path)

    def set_style(self, look: CompanionStyle) -> None:
        self._look = look
        if self.place is not None:
            self.place.apply(
                look.settings.model_copy(update=_FIRST_COMPANION_ONLY), calm=look.reduced_motion
            )
        apply_pet_settings(
            self.pet, look.settings, calm=look.reduced_motion, on_battery=look.on_battery
        )
        self.pet.set_liveliness(look.liveliness)
        self.pet.set_theme(look.theme)
        self.bubble.set_theme(look.theme)
        self.bubble.set_enabled(look.settings.bubble)
        for window in (self.pet, self.bubble):
            window.set_shape_mask(look.cut_out)
        if self.pill is not None:
            self.pill.pill.set_theme(look.theme)
            self.pill.pill.set_shape_mask(look.cut_out)

    def set_pill(self, pill: StatePillController) -> None:
        """Set the pill that shows its state."""
        self.pill = pill
        self.set_style(self._look)

    def stand_beside(self, first: QRect, others: Sequence[QRect]) -> None:
        """Place the figure on the same ground as `first`, clear of it and of the others, unless it
        has a place.
        """
        if self.placed:
            return
        stand = self.pet.placement
        screens = work_areas()
        screen = nearest_screen(first, screens)
        place = find_free_place(stand.figure_rect().size(), first, others, screen)
        stand.move_feet_to(QPoint(place.center().x(), first.bottom() + 1))

    def _keep_place(self, _screen: str, _feet: QPoint) -> None:
        self.placed = True

    def set_visible(self, visible: bool) -> None:
        if visible:
            self.pet.show()
        else:
            self.pet.hide()

    def start_behavior(
        self, idle: Callable[[], float | None], find: Callable[[], WindowWatcher | None]
    ) -> None:
        """Set the sources of the user's presence and of windows (as in `PetWindow.set_idle_source`
        and `PlacementController`): the companion falls, stands on edges and walks like the first
        one.
        """
        self.pet.set_idle_source(idle)
        self.place = PlacementController(
            self.pet,
            find,
            lambda _name, _text: None,
            self,
            idle=idle,
            wanted=self._is_wanted,
            used=lambda: self.bubble.is_used,
        )
        self.pet.ready.connect(self._stand)
        self.set_style(self._look)

    def _is_wanted(self) -> bool:
        return self.companion.is_busy or self.bubble.is_speaking

    def _stand(self, _description: object) -> None:
        if self.place is not None:
            self.place.start()

    def set_name(self, name: str) -> None:
        self.pet.setTitle(name)
        self.bubble.set_name(name)

    def say_goodbye(self) -> None:
        """Show the goodbye and emit `closed` afterwards."""
        if not self._leaving.isActive():
            self.companion.greet(tr("See you soon!"))
            self._leaving.start()

    def close(self) -> None:
        """Release all resources; called before the first companion does."""
        self._leaving.stop()
        if self.place is not None:
            self.place.close()
        self.companion.set_visible(False)
        if self.pill is not None:
            self.pill.close()
        self.bubble.close()
        self.pet.release_model()
        for part in (self.bubble, self.pet, self.companion, self):
            part.deleteLater()

    def _greet(self, _description: object) -> None:
        words, self._greeting = self._greeting, ""
        if words:
            self.companion.greet(words)
