"""The companion's place on the desktop, as the settings want it: each part is a switch, and who
wants none of them has nothing that asks the desktop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from neodeskpet.language import tr
from neodeskpet.live2d.place.ground import VisibleWindow
from neodeskpet.settings.model import CompanionSettings
from neodeskpet.ui.desktop.around.port import WindowWatcher
from neodeskpet.ui.pet.place.aside import EdgePeek
from neodeskpet.ui.pet.place.footing import GroundTracker
from neodeskpet.ui.pet.place.hush import FullscreenPolicy
from neodeskpet.ui.pet.place.sitter import EdgeSitter
from neodeskpet.ui.pet.place.walker import Walker
from neodeskpet.ui.pet.window import PetWindow


class PlacementController(QObject):
    """`find` finds what tells where other windows are, None where nobody does: that is said by
    `tell` beside the switch (its name, the text). `hushed` is `FullscreenPolicy.changed`. `idle`
    and `wanted` are as for the `Walker`.
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
    ) -> None:
        super().__init__(parent)
        self._find = find
        self._tell = tell
        self._wanted: tuple[object, ...] = ()
        self._around: WindowWatcher | None = None
        self.edge_peek = EdgePeek(pet, self)
        self.ground_tracker = GroundTracker(pet, self)
        self.fullscreen_policy = FullscreenPolicy(pet, self._windows, self)
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
        """Whether it is to stay still now."""
        return self.fullscreen_policy.is_active

    def apply(self, wanted: CompanionSettings, *, calm: bool) -> None:
        """What the person wants now."""
        self.edge_peek.set_reduced_motion(calm)
        self.edge_peek.set_enabled(wanted.peek)
        self.ground_tracker.set_reduced_motion(calm)
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
        """The figure stands: what is under its feet?"""
        if any(self._wanted[:2]):
            self.ground_tracker.find_ground()

    def close(self) -> None:
        self.walker.close()
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
                self._tell(name, tr("This desktop doesn't tell where other windows are."))

    def _windows(self) -> Sequence[VisibleWindow]:
        return self._around.windows() if self._around is not None else ()

    def _changed(self) -> None:
        self.ground_tracker.windows_changed()
        self.walker.ground_changed()
        self.fullscreen_policy.windows_changed()
