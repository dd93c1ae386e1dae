"""Controls where the companion stands on the desktop, as the settings say: on windows, on the
ground, at an edge, within the walking area that the user draws. Without any of these settings
nothing polls the desktop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from neodeskpet.figure.behaviour.ground import VisibleWindow
from neodeskpet.language import tr
from neodeskpet.settings.settings_model import CompanionSettings
from neodeskpet.ui.desktop.compositor import is_composited
from neodeskpet.ui.desktop.window_watcher import WindowWatcher
from neodeskpet.ui.pet.edge_peek import EdgePeek
from neodeskpet.ui.pet.fullscreen_policy import FullscreenPolicy
from neodeskpet.ui.pet.ground_tracker import EdgeSitter, GroundTracker
from neodeskpet.ui.pet.own_window_avoidance import OwnWindowAvoidance
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.walk_area import WalkAreaWindow
from neodeskpet.ui.pet.walker import Limits, Walker, screen_under
from neodeskpet.ui.theme import Theme

_SPARE_MARGIN = 120
"""The smallest walking distance in pixels."""


class WalkingAreaController(QObject):
    """The editor of the walking area. `change` stores the drawn area; `theme` and `name` return the
    current theme and name.
    """

    def __init__(
        self,
        pet: PetWindow,
        change: Callable[[Limits], None],
        theme: Callable[[], Theme],
        name: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._change = change
        self._theme = theme
        self._name = name
        self._limits: Limits = {}
        self.editor: WalkAreaWindow | None = None

    def set_limits(self, limits: Limits) -> None:
        self._limits = dict(limits)

    def show_editor(self) -> None:
        """Open the editor of the walking area."""
        screen = screen_under(self._pet)
        if screen is None:
            return
        self.close()
        least = self._pet.placement.figure_rect().width() + _SPARE_MARGIN
        span, cut_out = self._limits.get(screen.name()), not is_composited()
        name = screen.name()
        sheet = WalkAreaWindow(
            self._theme(), screen, span, least, name=self._name(), cut_out=cut_out
        )
        sheet.accepted.connect(lambda span: self._keep(name, span))
        sheet.cancelled.connect(self.close)
        self.editor = sheet
        sheet.present()

    def close(self) -> None:
        sheet, self.editor = self.editor, None
        if sheet is not None:
            sheet.hide()
            sheet.deleteLater()

    def _keep(self, screen: str, span: tuple[int, int] | None) -> None:
        self.close()
        limits = {name: kept for name, kept in self._limits.items() if name != screen}
        if span is not None:
            limits[screen] = span
        self._change(limits)


class PlacementController(QObject):
    """Controls the place of the companion. `find` returns a source of window positions, None if
    this desktop has none: `tell` then shows that beside the switch (its name, the text).
    `muted_changed` is `FullscreenPolicy.changed`. `idle` and `wanted` are as for the `Walker`;
    `used` returns whether the user is answering or typing to the companion, `speaks` whether its
    bubble is shown.
    """

    muted_changed = Signal(bool)

    def __init__(
        self,
        pet: PetWindow,
        find: Callable[[], WindowWatcher | None],
        tell: Callable[[str, str], None],
        parent: QObject | None = None,
        *,
        idle: Callable[[], float | None] = lambda: None,
        wanted: Callable[[], bool] = lambda: False,
        used: Callable[[], bool] = lambda: False,
        speaks: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._find = find
        self._tell = tell
        self._wanted: tuple[object, ...] = ()
        self._around: WindowWatcher | None = None
        self.edge_peek = EdgePeek(pet, self, speaks=speaks)
        self.ground_tracker = GroundTracker(pet, self)
        self.avoidance = OwnWindowAvoidance(
            pet, lambda: self.ground_tracker.is_falling or used(), self
        )
        self.fullscreen_policy = FullscreenPolicy(pet, self.visible_windows, self)
        self.fullscreen_policy.changed.connect(self.muted_changed)
        self.walker = Walker(
            pet,
            self.ground_tracker,
            self,
            idle=idle,
            wanted=lambda: self.must_stay_still or wanted(),
        )
        self.sitter = EdgeSitter(
            pet, self.ground_tracker, self, walking=lambda: self.walker.is_walking
        )
        self.edge_peek.leaving.connect(self.walker.stop)
        self.edge_peek.leaving.connect(self.ground_tracker.leave_ground)
        self.edge_peek.returned.connect(self.start)

    @property
    def must_stay_still(self) -> bool:
        """Whether the companion must stay still now."""
        return self.fullscreen_policy.is_active

    def apply(self, wanted: CompanionSettings, *, calm: bool) -> None:
        """Apply the current settings."""
        self._pet.set_reduced_motion(calm)
        self.edge_peek.set_reduced_motion(calm)
        self.edge_peek.set_enabled(wanted.peek)
        self.ground_tracker.set_reduced_motion(calm)
        self.avoidance.set_reduced_motion(calm)
        self.walker.set_enabled(wanted.walk and not calm)
        self.sitter.set_enabled(wanted.perch and not calm)
        self.walker.set_limits(wanted.walk_areas)
        before, self._wanted = self._wanted, (wanted.fall, wanted.perch, wanted.full_screen)
        if before == self._wanted:
            return
        self._know_windows(wanted)
        self.ground_tracker.set_fall(wanted.fall)
        self.ground_tracker.set_windows(self._around if wanted.perch else None)
        self.fullscreen_policy.set_mode(wanted.full_screen if self._around is not None else "stay")
        if before and (wanted.fall or wanted.perch):
            self.ground_tracker.find_ground()

    def start(self) -> None:
        """Start after the figure is shown: find the ground under its feet."""
        if any(self._wanted[:2]):
            self.ground_tracker.find_ground()

    def close(self) -> None:
        self.walker.close()
        self.avoidance.close()
        self.ground_tracker.close()
        self.fullscreen_policy.close()
        if self._around is not None:
            self._around.close()
            self._around = None

    def _know_windows(self, wanted: CompanionSettings) -> None:
        needed = {"perch": wanted.perch, "full_screen": wanted.full_screen != "stay"}
        if not any(needed.values()):
            if self._around is not None:
                self._around.close()
                self._around = None
            return
        if self._around is None:
            self._around = self._find()
            if self._around is not None:
                self._around.subscribe(self._changed)
        for name, asked in needed.items():
            if asked and self._around is None:
                self._tell(name, tr("This desktop doesn't report the positions of other windows."))

    def visible_windows(self) -> Sequence[VisibleWindow]:
        """Return the visible windows, topmost first, while another feature needs them."""
        return self._around.windows() if self._around is not None else ()

    def _changed(self) -> None:
        self.ground_tracker.windows_changed()
        self.walker.ground_changed()
        self.fullscreen_policy.windows_changed()
