"""Bends painted limbs, tails and locks along a spine without joints that could come apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.curves import resample
from companion.moc_model import Points

_BONES = 96
_SMOOTH = 9
_FREE, _MOST = 0.45, 0.85


@dataclass(frozen=True, slots=True)
class Bend:
    """A turn of ``degrees`` (clockwise) spread over ``start``..``end`` of a spine's length."""

    degrees: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class _Grip:
    """How points hang on a spine: the bone, and where in its frame."""

    bone: NDArray[np.int64]
    along: NDArray[np.float64]
    across: NDArray[np.float64]


class Spine:
    """A chain of short bones from a limb's root to its tip."""

    def __init__(self, line: Points) -> None:
        self._joints = resample(line, _BONES + 1)
        self._steps = self._joints[1:] - self._joints[:-1]

    def pose(
        self, rest: Points, bends: Sequence[Bend], stretch: float = 1.0, until: float = 1.0
    ) -> Points:
        """Where ``rest`` points go when the spine bends; the root stays.

        The spine is drawn out by ``stretch``, its tip beyond ``until`` of its length less and less.
        """
        grip = self._grip(rest)
        longer = self._longer(stretch, until)
        turned = _turn(self._steps, self._angles(bends)) * longer[:, None]
        joints = self._joints[:1] + np.concatenate([np.zeros((1, 2)), np.cumsum(turned, axis=0)])
        size = np.sqrt(turned[:, 0] * turned[:, 0] + turned[:, 1] * turned[:, 1])[:, None]
        unit = turned / size
        side = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
        at = joints[:-1][grip.bone]
        forward = unit[grip.bone] * (grip.along * longer[grip.bone])[:, None]
        across = _roomy(grip.across, self._curvature(unit, size[:, 0])[grip.bone])
        return np.asarray(at + forward + side[grip.bone] * across[:, None])

    def laid(self, rest: Points, line: Points, wide: float = 1.0) -> Points:
        """Where ``rest`` points go when the spine lies along ``line``, what hangs on it ``wide``
        times as wide.
        """
        grip = self._grip(rest)
        joints = resample(line, _BONES + 1)
        steps = joints[1:] - joints[:-1]
        size = np.sqrt((steps * steps).sum(axis=1))[:, None]
        unit = steps / size
        side = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
        own = np.sqrt((self._steps * self._steps).sum(axis=1))[:, None]
        forward = unit[grip.bone] * grip.along[:, None] * (size / own)[grip.bone]
        across = _roomy(grip.across * wide, self._curvature(unit, size[:, 0])[grip.bone])
        return np.asarray(joints[:-1][grip.bone] + forward + side[grip.bone] * across[:, None])

    def _longer(self, stretch: float, until: float) -> NDArray[np.float64]:
        middle = (np.arange(_BONES) + 0.5) / _BONES
        if until >= 1.0:
            return np.full(_BONES, stretch)
        t = np.clip((middle - until) / (1.0 - until) * 3.0, 0.0, 1.0)
        return np.asarray(1.0 + (stretch - 1.0) * (1.0 - t * t * (3 - 2 * t)))

    def _curvature(self, unit: Points, size: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much each bone turns beyond what it does at rest, in radians a pixel, smoothed."""
        own = self._steps / np.sqrt((self._steps * self._steps).sum(axis=1))[:, None]
        turn = _turning(unit) - _turning(own)
        kernel = np.ones(_SMOOTH) / _SMOOTH
        return np.asarray(np.convolve(turn, kernel, mode="same") / size)

    def _angles(self, bends: Sequence[Bend]) -> NDArray[np.float64]:
        middle = (np.arange(_BONES) + 0.5) / _BONES
        total = np.zeros(_BONES)
        for bend in bends:
            t = np.clip((middle - bend.start) / (bend.end - bend.start), 0.0, 1.0)
            total += bend.degrees * t * t * (3 - 2 * t)
        return np.asarray(total * (np.pi / 180))

    def _grip(self, rest: Points) -> _Grip:
        """Each point hangs on the bone whose middle is nearest."""
        middle = (self._joints[1:] + self._joints[:-1]) / 2
        gap = rest[:, None, :] - middle[None, :, :]
        bone = np.argmin(gap[..., 0] * gap[..., 0] + gap[..., 1] * gap[..., 1], axis=1)
        step = self._steps[bone]
        size = np.sqrt(step[:, 0] * step[:, 0] + step[:, 1] * step[:, 1])
        unit = step / size[:, None]
        offset = rest - self._joints[:-1][bone]
        along = offset[:, 0] * unit[:, 0] + offset[:, 1] * unit[:, 1]
        across = offset[:, 1] * unit[:, 0] - offset[:, 0] * unit[:, 1]
        return _Grip(bone, along, across)


def _turning(unit: Points) -> NDArray[np.float64]:
    """The sine of the turn at each bone, from its neighbours."""
    before = np.concatenate([unit[:1], unit[:-1]])
    return np.asarray(before[:, 0] * unit[:, 1] - before[:, 1] * unit[:, 0])


def _roomy(across: NDArray[np.float64], curvature: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draws the inner side of a sharp bend towards the spine, so that it doesn't fold over."""
    inner = np.maximum(across * curvature, 0.0)
    # At 1 the inner rim would stand still; beyond, it would run backwards.
    return np.asarray(
        across * np.where(inner > _FREE, _limited(inner) / np.maximum(inner, 1e-9), 1)
    )


def _limited(inner: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rises as ``inner`` up to ``_FREE`` and from there ever more slowly towards ``_MOST``."""
    beyond = np.maximum(inner - _FREE, 0.0)
    room = _MOST - _FREE
    return np.asarray(_FREE + room * beyond / (beyond + room))


def _turn(steps: Points, angles: NDArray[np.float64]) -> Points:
    c, s = np.cos(angles), np.sin(angles)
    x, y = steps[:, 0], steps[:, 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=1)
