"""The companion's place on the desktop, as the settings want it: each part is a switch, and who
wants none of them has nothing that asks the desktop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from neodeskpet.language import tr
from neodeskpet.live2d.place.ground import Seen
from neodeskpet.settings.model import Companion
from neodeskpet.ui.desktop.around.port import WindowsAround
from neodeskpet.ui.pet.place.aside import Aside
from neodeskpet.ui.pet.place.footing import Footing
from neodeskpet.ui.pet.place.hush import Hush
from neodeskpet.ui.pet.place.sitter import Sitter
from neodeskpet.ui.pet.place.walker import Walker
from neodeskpet.ui.pet.window import PetWindow


class PlaceJoint(QObject):
    """`find` finds what tells where other windows are, None where nobody does: that is said by
    `tell` beside the switch (its name, the text). `hushed` is `Hush.changed`. `idle` and `wanted`
    are as for the `Walker`.
    """

    hushed = Signal(bool)

    def __init__(
        self,
        pet: PetWindow,
        find: Callable[[], WindowsAround | None],
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
        self._around: WindowsAround | None = None
        self.aside = Aside(pet, self)
        self.footing = Footing(pet, self)
        self.hush = Hush(pet, self._windows, self)
        self.hush.changed.connect(self.hushed)
        self.walker = Walker(
            pet,
            self.footing,
            self,
            idle=idle,
            wanted=lambda: self.quiet or wanted(),
        )
        self.sitter = Sitter(pet, self.footing, self, walking=lambda: self.walker.walking)
        self.aside.leaving.connect(self.walker.stop)
        self.aside.leaving.connect(self.footing.leave)
        self.aside.came.connect(self.begin)

    @property
    def quiet(self) -> bool:
        """Whether it is to stay still now."""
        return self.hush.hushed

    def apply(self, wanted: Companion, *, calm: bool) -> None:
        """What the person wants now."""
        self.aside.set_calm(calm)
        self.aside.set_on(wanted.peek)
        self.footing.set_calm(calm)
        self.walker.set_on(wanted.walk and not calm)
        self.sitter.set_on(wanted.perch and not calm)
        self.walker.set_limits(wanted.walk_areas)
        before, self._wanted = self._wanted, (wanted.fall, wanted.perch, wanted.full_screen)
        if before == self._wanted:
            return
        self._know_windows(wanted)
        self.footing.set_fall(wanted.fall)
        self.footing.set_windows(self._around if wanted.perch else None)
        self.hush.set_wanted(wanted.full_screen if self._around is not None else "stay")
        if before and (wanted.fall or wanted.perch):
            self.footing.look()

    def begin(self) -> None:
        """The figure stands: what is under its feet?"""
        if any(self._wanted[:2]):
            self.footing.look()

    def close(self) -> None:
        self.walker.close()
        self.footing.close()
        self.hush.close()
        if self._around is not None:
            self._around.close()
            self._around = None

    def _know_windows(self, wanted: Companion) -> None:
        needed = {"perch": wanted.perch, "full_screen": wanted.full_screen != "stay"}
        if not any(needed.values()):
            if self._around is not None:
                self._around.close()
                self._around = None
            return
        if self._around is None:
            self._around = self._find()
            if self._around is not None:
                self._around.listen(self._changed)
        for name, asked in needed.items():
            if asked and self._around is None:
                self._tell(name, tr("This desktop doesn't tell where other windows are."))

    def _windows(self) -> Sequence[Seen]:
        return self._around.windows() if self._around is not None else ()

    def _changed(self) -> None:
        self.footing.follow()
        self.walker.follow()
        self.hush.look()
