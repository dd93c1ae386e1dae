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
"""The old motion still fades out and writes; until then the default is held against it."""


@dataclass(frozen=True, slots=True)
class _Leftover:
    start: float
    goal: float
    since: float


class ParameterReset:
    """Tell it of every motion that starts or ends; `advance` before the model's Update. Others
    bring back what it is to leave to them (`but`).
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
        """`motion` takes over."""
        driven = self._drives.get(motion, frozenset()) & self._known
        self._leave(self._driven - driven, now)
        for name in driven:
            self._easing.pop(name, None)
        self._driven = driven

    def end(self, now: float) -> None:
        """The motion is over and none follows."""
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
"""Seconds. From here on it is replaced as soon as nobody sees it,"""
_LATEST = 2
"""and after so many times that at the next moment in which it doesn't move."""


class ModelAge:
    """Tell it how far the model was moved on (`advance`) and when a fresh one came (`renew`)."""

    def __init__(self, limit: float = MOST_MODEL_SECONDS) -> None:
        self._limit = limit
        self._seconds = 0.0

    def advance(self, seconds: float) -> None:
        self._seconds += seconds

    def renew(self) -> None:
        self._seconds = 0.0

    def is_due(self, *, seen: bool, asleep: bool, moving: bool) -> bool:
        """Whether this is a moment for it. `asleep`: the companion's eyes are shut."""
        if self._seconds < self._limit:
            return False
        if not seen:
            return True
        return not moving and (asleep or self._seconds >= _LATEST * self._limit)
