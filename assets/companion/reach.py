"""Arms that touch what they reach for: a paw is laid on the chin, and the joints are solved.

``two_bone`` is the geometry; ``Arms`` applies it to the built rig, whose arms bend softly and hang
on a body that leans, crouches and turns, and corrects the rest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import acos, atan2, ceil, cos, degrees, hypot, sin
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from companion.arms import ARMS, PALM, Arm, lift_of
from companion.character import draw
from companion.figure import Values
from companion.motion import Curve, Motion, Touch, value_at
from companion.parameters import PARAMETERS
from companion.skeleton import Blend, Point, Skeleton, placed_in
from companion.space import CX

Joints: TypeAlias = NDArray[np.float64]
Miss: TypeAlias = Callable[[Joints], NDArray[np.float64]]

_STEP = 0.25
"""The longest time between two solved keys, in seconds."""
_TURNS = 14
_CLOSE = 0.05
_REST = {row.parameter.id: row.parameter.default for row in PARAMETERS}
_LIMITS = {row.parameter.id: (row.parameter.low, row.parameter.high) for row in PARAMETERS}


@dataclass(frozen=True, slots=True)
class Contact:
    """Where the middle of a left paw lies that touches something, at rest in canvas pixels."""

    deformer: str
    """What carries the place."""
    at: Point
    away: Point
    """The direction in which a paw leaves it, of length 1."""
    reach: float
    """How far the shoulder rises for it, 0..1."""
    elbow: int
    """1: the elbow is below the straight line to the paw, -1: above or outside."""


CONTACTS: Mapping[str, Contact] = {
    "chin": Contact("WarpHead", (CX + 196, 934.0), (0.6, 0.8), 0.2, -1),
    "mouth": Contact("WarpMuzzle", (CX + 80, 868.0), (0.8, 0.6), 0.05, -1),
    "cheek": Contact("WarpHead", (CX + 262, 838.0), (0.9, 0.44), 0.15, -1),
    "eye": Contact("WarpHead", (CX + 172, 730.0), (0.97, 0.24), 0.1, -1),
    "ear": Contact("WarpHead", (CX + 322, 520.0), (0.9, -0.44), 1.0, -1),
    "hip": Contact("WarpTrunk", (CX + 150, 1240.0), (1.0, 0.0), 0.0, 1),
    "belly": Contact("WarpTrunk", (CX + 58, 1318.0), (0.8, 0.6), 0.0, 1),
    "bell": Contact("WarpScarfTurn", (CX + 44, 1150.0), (0.6, 0.8), 0.0, 1),
}


def two_bone(
    root: Point, target: Point, upper: float, fore: float, elbow: int
) -> tuple[float, float]:
    """The direction of the first of two bones and the turn from it to the second one.

    Both are in degrees clockwise on a screen whose y points down; direction 0 is to the right. The
    second bone ends at ``target``. A target that is too far is pointed at with a straight arm, and
    one that is too near with a folded one. ``elbow`` 1 turns the second bone clockwise.
    """
    dx, dy = target[0] - root[0], target[1] - root[1]
    far = min(max(hypot(dx, dy), abs(upper - fore)), upper + fore)
    bend = acos(_clipped((far * far - upper * upper - fore * fore) / (2 * upper * fore)))
    along, across = upper + fore * cos(bend), fore * sin(bend)
    first = atan2(dy, dx) - elbow * atan2(across, along)
    return degrees(first), elbow * degrees(bend)


def _clipped(cosine: float) -> float:
    return min(1.0, max(-1.0, cosine))


class Arms:
    """Both arms of the built figure."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._arms = {arm.letter: arm for arm in ARMS}
        self._palms = {arm.letter: Blend(arm.keys, _palm_of(arm)) for arm in ARMS}

    def palm(self, letter: str, values: Mapping[str, float]) -> Point:
        """Where the middle of a paw lies."""
        frame = self._skeleton.frame(f"RotArm{letter}", values)
        at, root = self._palms[letter].at(values), self._arms[letter].line[0]
        return placed_in(frame, (float(at[0] - root[0]), float(at[1] - root[1])))

    def target(self, letter: str, contact: str, gap: float, values: Mapping[str, float]) -> Point:
        """Where the paw has to lie, ``gap`` pixels away from what it touches."""
        place, side = CONTACTS[contact], self._arms[letter].side
        x = place.at[0] + gap * place.away[0]
        point = (CX + side * (x - CX), place.at[1] + gap * place.away[1])
        return self._skeleton.place(place.deformer, point, values)

    def solved(
        self, letter: str, contact: str, gap: float, values: Mapping[str, float]
    ) -> dict[str, float]:
        """The parameters of an arm whose paw lies there, the others being ``values``."""
        place, arm = CONTACTS[contact], self._arms[letter]
        names = (f"ParamArm{letter}A", f"ParamArm{letter}B")
        reach = {f"ParamReach{letter}": place.reach}
        goal = self.target(letter, contact, gap, values)
        pose = {**values, **reach}
        start = self._start(arm, goal, place, pose)

        def miss(joints: Joints) -> Joints:
            at = self.palm(letter, {**pose, names[0]: joints[0], names[1]: joints[1]})
            return np.array([at[0] - goal[0], at[1] - goal[1]])

        joints = _refined(miss, start, [_LIMITS[name] for name in names])
        return {name: round(float(at), 1) for name, at in zip(names, joints, strict=True)} | reach

    def _start(self, arm: Arm, goal: Point, place: Contact, pose: Mapping[str, float]) -> Joints:
        """The joints of two stiff bones of the arm's length."""
        a, b = f"ParamArm{arm.letter}A", f"ParamArm{arm.letter}B"
        joints = np.array([60.0, 0.0])
        # Shoulder and length depend on the lift, which is found in two rounds.
        for _ in range(2):
            straight = {**pose, a: joints[0], b: 0.0}
            root, turned, _scale = self._skeleton.frame(f"RotArm{arm.letter}", straight)
            palm = self.palm(arm.letter, straight)
            length = hypot(palm[0] - root[0], palm[1] - root[1])
            side = place.elbow * arm.side
            first, bend = two_bone(root, goal, 0.45 * length, 0.55 * length, side)
            hangs = degrees(atan2(palm[1] - root[1], palm[0] - root[0])) - turned
            rest = turned + arm.side * lift_of(joints[0])
            turn = (first - hangs - rest + 180) % 360 - 180
            joints = np.array([_lifted(-arm.side * turn), arm.side * bend])
        return joints


def _palm_of(arm: Arm) -> Callable[[Values], NDArray[np.float64]]:
    rest = arm.sided(np.array([PALM]))
    return lambda values: arm.move(rest, values)[0]


def _lifted(angle: float) -> float:
    """The lift at which the arm is turned by ``angle``."""
    return min(150.0, max(-60.0, angle if angle <= 60 else 60 + (angle - 60) / 0.6))


def _refined(miss: Miss, start: Joints, limits: Sequence[tuple[float, float]]) -> Joints:
    """The joints at which ``miss`` vanishes or is smallest, from a start nearby."""
    low, high = np.array(limits).T
    joints = np.clip(start, low, high)
    here, damping = miss(joints), 1e-3
    for _ in range(_TURNS):
        if np.hypot(*here) < _CLOSE:
            break
        steps = np.where(joints + 1.0 > high, -1.0, 1.0)
        slope = np.stack(
            [(miss(joints + np.eye(2)[k] * steps[k]) - here) / steps[k] for k in (0, 1)], axis=1
        )
        normal = slope.T @ slope
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-6), -slope.T @ here)
        then = np.clip(joints + np.clip(step, -25.0, 25.0), low, high)
        there = miss(then)
        if np.hypot(*there) < np.hypot(*here):
            joints, here, damping = then, there, damping / 4
        else:
            damping *= 8
    return joints


@lru_cache
def built_arms() -> Arms:
    """The arms of the figure. Its deformers don't depend on how finely it is painted."""
    return Arms(Skeleton(draw(0.125).deformers))


def laid_on(motion: Motion) -> Motion:
    """``motion`` with the curves of each arm that touches something."""
    if not motion.touches:
        return motion
    own = {curve.id: curve for curve in motion.curves}
    solved: dict[str, Curve] = {}
    for touch in motion.touches:
        for name, keys in _keys(motion, touch, own).items():
            solved[name] = _merged(solved.get(name) or own.get(name), name, keys, motion.seconds)
    others = [curve for curve in motion.curves if curve.id not in solved]
    curves = sorted([*solved.values(), *others], key=lambda curve: curve.target)
    return replace(motion, curves=tuple(curves), touches=())


Keys: TypeAlias = list[tuple[float, float]]


def _keys(motion: Motion, touch: Touch, own: Mapping[str, Curve]) -> dict[str, Keys]:
    """The keys of the arm's parameters while it touches."""
    away = Curve("Parameter", "", touch.keys)
    arms = built_arms()
    found: dict[str, Keys] = {}
    for at in _times(touch):
        values = dict(_REST)
        for name, curve in own.items():
            if name in values:
                values[name] = value_at(curve, at, motion.loop)
        joints = arms.solved(touch.letter, touch.contact, value_at(away, at, False), values)
        for name, value in joints.items():
            found.setdefault(name, []).append((at, value))
    reach = f"ParamReach{touch.letter}"
    return {**found, reach: [found[reach][0], found[reach][-1]]}


def _times(touch: Touch) -> list[float]:
    """The seconds of the keys, and between them as often as needed."""
    times = [touch.keys[0][0]]
    for (begin, _), (end, _) in pairwise(touch.keys):
        count = ceil(round((end - begin) / _STEP, 6))
        times += [round(begin + (end - begin) * (k + 1) / count, 3) for k in range(count)]
    return times


def _merged(curve: Curve | None, name: str, keys: Keys, seconds: float) -> Curve:
    """``keys`` in the place of what ``curve`` has between the first and the last of them."""
    begin, end = keys[0][0], keys[-1][0]
    rest = _REST[name]
    written = list(curve.keys) if curve else [(0.0, rest), (seconds, rest)]
    before = [key for key in written if key[0] < begin]
    after = [key for key in written if key[0] > end]
    return Curve("Parameter", name, (*before, *keys, *after))
