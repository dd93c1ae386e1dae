"""The companion's place on the desktop, as the settings want it: each part is a switch, and who
wants none of them has nothing that asks the desktop.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from neodeskpet.language import tr
from neodeskpet.settings.model import Companion
from neodeskpet.ui.desktop.around.port import WindowsAround
from neodeskpet.ui.pet.place.footing import Footing
from neodeskpet.ui.pet.window import PetWindow


class PlaceJoint(QObject):
    """`find` finds what tells where other windows are, None where nobody does: that is said by
    `tell` beside the switch (its name, the text).
    """

    def __init__(
        self,
        pet: PetWindow,
        find: Callable[[], WindowsAround | None],
        tell: Callable[[str, str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._find = find
        self._tell = tell
        self._wanted: tuple[bool, ...] = ()
        self._knows = False
        self.footing = Footing(pet, self)

    def apply(self, wanted: Companion, *, calm: bool) -> None:
        """What the person wants now."""
        self.footing.set_calm(calm)
        wishes = (wanted.fall, wanted.perch)
        if wishes == self._wanted:
            return
        begins = bool(self._wanted) and any(wishes)
        self._wanted = wishes
        self.footing.set_fall(wanted.fall)
        self._know_windows(wanted.perch)
        if begins:
            self.footing.look()

    def begin(self) -> None:
        """The figure stands: what is under its feet?"""
        if any(self._wanted):
            self.footing.look()

    def close(self) -> None:
        self.footing.close()

    def _know_windows(self, wanted: bool) -> None:
        if wanted is self._knows:
            return
        around = self._find() if wanted else None
        self._knows = around is not None
        self.footing.set_windows(around)
        if wanted and around is None:
            self._tell("perch", tr("This desktop doesn't tell where other windows are."))
