"""Upkeep of a loaded model: parameters that a motion left are eased back to their defaults, and a
model whose clock became imprecise is replaced by a fresh copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.live2d.library import CubismModel

RESET_SECONDS = 0.6
HOLD_DEFAULT_SECONDS = 3.0
"""Seconds. The old motion still fades out and writes values; until then the default is set each
time.
"""


@dataclass(frozen=True, slots=True)
class _Leftover:
    start: float
    goal: float
    since: float


class ParameterReset:
    """Eases parameters back. `begin` and `end` must be called for every motion, `advance` before
    the model's Update. Other parts ease back the parameters in `but`.
    """

    def __init__(
        self,
        model: CubismModel,
        drives: Mapping[Motion, frozenset[str]],
        but: frozenset[str] = frozenset(),
    ) -> None:
        self._model = model
        self._drives = drives
        self._known = frozenset(model.GetParamIds()) - but
        self._driven: frozenset[str] = frozenset()
        self._easing: dict[str, _Leftover] = {}

    def begin(self, motion: Motion, now: float) -> None:
        """Record that `motion` starts."""
        driven = self._drives.get(motion, frozenset()) & self._known
        self._leave(self._driven - driven, now)
        for name in driven:
            self._easing.pop(name, None)
        self._driven = driven

    def end(self, now: float) -> None:
        """Record that the motion has ended and none follows."""
        self._leave(self._driven, now)
        self._driven = frozenset()

    def advance(self, now: float) -> None:
        for name, leftover in list(self._easing.items()):
            share = min(1.0, max(0.0, (now - leftover.since) / RESET_SECONDS))
            eased = share * share * (3.0 - 2.0 * share)
            value = leftover.start + (leftover.goal - leftover.start) * eased
            self._model.SetSaveParamById(name, value)
            if now - leftover.since >= HOLD_DEFAULT_SECONDS:
                del self._easing[name]

    def _leave(self, names: frozenset[str], now: float) -> None:
        for name in names:
            start = self._model.GetParamValueById(name)
            self._easing[name] = _Leftover(start, self._model.GetParamDefaultById(name), now)


MOST_MODEL_SECONDS = 12 * 3600.0
"""Seconds after which the model is replaced as soon as it isn't visible."""
_LATEST = 2
"""After this multiple of that time it is replaced at the next moment without movement."""


class ModelAge:
    """Measures the age of a model: `advance` adds time, `renew` records a fresh copy."""

    def __init__(self, limit: float = MOST_MODEL_SECONDS) -> None:
        self._limit = limit
        self._seconds = 0.0

    def advance(self, seconds: float) -> None:
        self._seconds += seconds

    def renew(self) -> None:
        self._seconds = 0.0

    def is_due(self, *, seen: bool, asleep: bool, moving: bool) -> bool:
        """Return whether the model should be replaced now. `asleep`: the companion's eyes are
        closed.
        """
        if self._seconds < self._limit:
            return False
        if not seen:
            return True
        return not moving and (asleep or self._seconds >= _LATEST * self._limit)
