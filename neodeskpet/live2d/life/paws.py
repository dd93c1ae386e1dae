"""Its paws tap in time with the person's keys: left and right in turn, a key each.

Pure. Times are seconds of one steady clock.
"""

from __future__ import annotations

from neodeskpet.live2d.life.feats import HeldParameter, ParameterPulse, Trick

_ARM = (("A", 0.2), ("B", 0.46))
_READY = 0.06
_TAP = 0.12
_BEFORE = (
    *(HeldParameter(f"ParamArm{side}{joint}", to, _READY) for side in "LR" for joint, to in _ARM),
    HeldParameter("ParamCrouch", 0.35, 0.2),
    HeldParameter("ParamAngleY", -0.3, 0.2),
    HeldParameter("ParamEyeBallY", -0.5, 0.2),
)
"""Both paws are before it, and it looks down at them, for as long as somebody types."""


def _tap(side: str, lean: float) -> Trick:
    pulses = (
        ParameterPulse(f"ParamArm{side}A", 0.3, _TAP),
        ParameterPulse(f"ParamArm{side}B", 0.76, _TAP),
        ParameterPulse(f"ParamHand{side}", -0.6, _TAP),
        ParameterPulse("ParamBodyAngleZ", lean, _TAP + _READY),
    )
    return Trick((), pulses, stays=_BEFORE)


TAPS = (_tap("L", 0.2), _tap("R", -0.2))
"""The left, and the right. A figure without arms of these names looks down a little and leans."""


class TypingTaps:
    """Faster than eight times a second it doesn't tap, however fast somebody types."""

    APART = 0.125

    def __init__(self) -> None:
        self._side = 0
        self._free_at = 0.0

    def press(self, now: float) -> Trick | None:
        """A key was pressed: the tap to do at once, None where the paw is still down."""
        if now < self._free_at:
            return None
        self._free_at = now + self.APART
        self._side = 1 - self._side
        return TAPS[self._side]
