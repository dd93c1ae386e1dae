"""Its paws tap in time with the person's keys: left and right in turn, a key each.

Pure. Times are seconds of one steady clock.
"""

from __future__ import annotations

from neodeskpet.live2d.life.feats import Feat, Pulse

_TAP = 0.16
_SIDES = (
    (("ParamArmLA", 0.35), ("ParamArmLB", 0.3), ("ParamHandL", 0.5), ("ParamBodyAngleZ", 0.06)),
    (("ParamArmRA", 0.35), ("ParamArmRB", 0.3), ("ParamHandR", 0.5), ("ParamBodyAngleZ", -0.06)),
)
TAPS = tuple(
    Feat(
        (),
        (
            *(Pulse(name, to, _TAP) for name, to in side),
            Pulse("ParamAngleY", -0.12, _TAP),
        ),
    )
    for side in _SIDES
)
"""The left, and the right. A figure without arms of these names nods a little and leans."""


class Paws:
    """Faster than eight times a second it doesn't tap, however fast somebody types."""

    APART = 0.125

    def __init__(self) -> None:
        self._side = 0
        self._free_at = 0.0

    def press(self, now: float) -> Feat | None:
        """A key was pressed: the tap to do at once, None where the paw is still down."""
        if now < self._free_at:
            return None
        self._free_at = now + self.APART
        self._side = 1 - self._side
        return TAPS[self._side]
