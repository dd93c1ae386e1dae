"""What a motion leaves behind: a parameter it moved stays where it was when another takes over.

The library fades a motion's own curves, but never brings back what the next one doesn't move: a
question mark would hang over the head for ever. So such parameters are eased to their defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neodeskpet.live2d.library import CubismModel
from neodeskpet.live2d.liveliness import Motion

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
