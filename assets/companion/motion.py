"""Motions as text, and their smooth curves.

``[Group/name seconds loop]`` begins a motion; with ``x8`` instead it goes round eight times,
without a fade between. ``AngleX 0:0 1.2:30 3:0`` gives ``ParamAngleX`` at seconds. ``LR`` in a name
stands for both sides; ``Blink 1.5 4`` closes both eyes at those seconds; names that begin with
``Part`` are opacities of parts; an indented line carries on the one before. Between keys the curve
eases without overshooting, so anticipation and follow-through are written out as keys of their own;
``=StrideL`` goes straight from key to key, at once. ``fade0.2`` and ``out0.03`` are the seconds in
which it fades in and out.

``TouchR chin 0.5:0 0.8:30 2:0`` lays the right paw on the chin between those seconds, that many
pixels away from it. The joints of the arm are solved (``reach``); before and after they follow
their own lines.

``[PeekRight/peek =PeekLeft]`` is what stands above as ``PeekLeft``, seen in a mirror; lines below
it replace curves of that.
"""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

_TURNED = {"AngleX", "AngleZ", "BodyAngleX", "BodyAngleZ", "BaseX", "BaseAngle", "EyeBallX"}
_TURNED |= {"StrideL", "StrideR"}
"""What goes to the other side in a mirror. The tail doesn't: ``TailSide`` says where it is."""
_SIDED = re.compile(r"(Arm|Brow|EarDroop|Eye|Hand|Lift|Reach|Stride|Touch)([LR])(?=[A-Z]|$)")


@dataclass(frozen=True, slots=True)
class Curve:
    """Keys (seconds, value) of one target, starting at 0 and ending with the motion."""

    target: str
    id: str
    keys: tuple[tuple[float, float], ...]
    straight: bool = False


@dataclass(frozen=True, slots=True)
class Touch:
    """The paw of arm ``letter`` lies on ``contact``; keys are (seconds, pixels away from it)."""

    letter: str
    contact: str
    keys: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Motion:
    """One motion of ``seconds``; a looping one ends where it began."""

    group: str
    name: str
    seconds: float
    loop: bool
    fade_in: float
    fade_out: float
    curves: tuple[Curve, ...]
    touches: tuple[Touch, ...] = ()


def parse(text: str) -> list[Motion]:
    """The motions written in ``text``."""
    motions: list[Motion] = []
    above: dict[str, tuple[list[str], list[str]]] = {}
    for block in text.strip().split("\n["):
        head, *lines = block.strip().lstrip("[").replace("\n  ", " ").splitlines()
        name, *rest = head.rstrip("]").split()
        group = name.split("/")[0]
        expanded = [single for line in lines for single in _expanded(line)]
        if rest[0].startswith("="):
            rest, model = above[rest[0][1:]]
            expanded = _replaced([_mirrored(line) for line in model], expanded)
        above[group] = rest, expanded
        motions.append(_motion(name, float(rest[0]), rest[1:], expanded))
    return motions


def _motion(name: str, seconds: float, words: list[str], lines: list[str]) -> Motion:
    group, own = name.split("/")
    loop = "loop" in words
    # States are entered gently, answers come at once.
    fade = 0.6 if loop else 0.3
    fade_in = next((float(word[4:]) for word in words if word.startswith("fade")), fade)
    fade_out = next((float(word[3:]) for word in words if word.startswith("out")), fade)
    rounds = next((int(word[1:]) for word in words if word[0] == "x"), 1)
    touches = tuple(_touch(line) for line in lines if line.startswith("Touch"))
    lines = [line for line in lines if not line.startswith("Touch")]
    curves = tuple(_repeated(_curve(line, seconds), seconds, rounds) for line in lines)
    # The framework reads parameters up to the first curve of another kind.
    curves = tuple(sorted(curves, key=lambda curve: curve.target))
    motion = Motion(
        group, own, round(seconds * rounds, 3), loop, fade_in, fade_out, curves, touches
    )
    _check(motion)
    return motion


def _mirrored(line: str) -> str:
    """``line`` for the other side of the body."""
    name, *keys = line.split()
    straight, plain = ("=", name[1:]) if name[0] == "=" else ("", name)
    if plain in _TURNED:
        keys = [f"{at}:{-float(value):g}" for at, value in (key.split(":") for key in keys)]
    other = _SIDED.sub(lambda found: found[1] + {"L": "R", "R": "L"}[found[2]], plain)
    return " ".join([straight + other, *keys])


def _replaced(lines: list[str], by: list[str]) -> list[str]:
    """``lines`` with the curves of ``by`` in the place of their own."""
    named = {line.split()[0] for line in by}
    return [*(line for line in lines if line.split()[0] not in named), *by]


def _expanded(line: str) -> list[str]:
    """``line`` with its shorthands written out."""
    name, *keys = line.split()
    if name == "Blink":
        name, keys = "EyeLROpen", ["0:1"]
        for at in map(float, line.split()[1:]):
            keys += [f"{at}:1", f"{at + 0.08:g}:0", f"{at + 0.14:g}:0", f"{at + 0.3:g}:1"]
    text = " ".join([name, *keys])
    return [text.replace("LR", "L"), text.replace("LR", "R")] if "LR" in name else [text]


def _touch(line: str) -> Touch:
    name, contact, *keys = line.split()
    pairs = [tuple(float(v) for v in key.split(":")) for key in keys]
    return Touch(name.removeprefix("Touch"), contact, tuple((p[0], p[1]) for p in pairs))


def _curve(line: str, seconds: float) -> Curve:
    name, *keys = line.split()
    straight, name = name[0] == "=", name.removeprefix("=")
    target = "PartOpacity" if name.startswith("Part") else "Parameter"
    pairs = [tuple(float(v) for v in key.split(":")) for key in keys]
    knots = [(p[0], p[1]) for p in pairs]
    if knots[0][0] > 0:
        knots.insert(0, (0.0, knots[0][1]))
    if knots[-1][0] < seconds:
        knots.append((seconds, knots[-1][1]))
    own = name if target == "PartOpacity" else f"Param{name}"
    return Curve(target, own, tuple(knots), straight)


def _repeated(curve: Curve, seconds: float, rounds: int) -> Curve:
    """The curve so many times; a round begins where the one before ended."""
    keys = list(curve.keys)
    if rounds > 1 and keys[0][1] != keys[-1][1]:
        raise ValueError(f"{curve.id}: jumps between its rounds")
    for number in range(1, rounds):
        keys += [(round(at + number * seconds, 3), value) for at, value in curve.keys[1:]]
    return replace(curve, keys=tuple(keys))


def _check(motion: Motion) -> None:
    ids = [curve.id for curve in motion.curves]
    if len(set(ids)) != len(ids):
        raise ValueError(f"{motion.group}/{motion.name}: a target twice")
    for curve in motion.curves:
        times = [t for t, _ in curve.keys]
        if any(a >= b for a, b in pairwise(times)) or times[-1] != motion.seconds:
            raise ValueError(f"{motion.group}/{motion.name}: {curve.id}: keys out of order")
        if motion.loop and curve.keys[0][1] != curve.keys[-1][1]:
            raise ValueError(f"{motion.group}/{motion.name}: {curve.id}: jumps when looping")


def segments(curve: Curve, loop: bool) -> list[float]:
    """The motion3 segment list: a point, then beziers with handles at a third of the span, or
    lines.
    """
    keys = curve.keys
    if curve.straight:
        return [*keys[0], *(value for key in keys[1:] for value in (0, *key))]
    slopes = _slopes(keys, loop)
    out: list[float] = [keys[0][0], keys[0][1]]
    for (a, b), (m0, m1) in zip(pairwise(keys), pairwise(slopes), strict=True):
        third = (b[0] - a[0]) / 3
        out += [1, a[0] + third, a[1] + m0 * third, b[0] - third, b[1] - m1 * third, b[0], b[1]]
    return [round(value, 4) for value in out]


def value_at(curve: Curve, seconds: float, loop: bool) -> float:
    """The value of ``curve`` at a time between its first and its last key."""
    keys = curve.keys
    after = next((i for i, (at, _) in enumerate(keys) if at >= seconds), len(keys) - 1)
    if after == 0:
        return keys[0][1]
    (t0, v0), (t1, v1) = keys[after - 1 : after + 1]
    t = (seconds - t0) / (t1 - t0)
    if curve.straight:
        return v0 + (v1 - v0) * t
    slopes = _slopes(keys, loop)
    out, into = slopes[after - 1] * (t1 - t0), slopes[after] * (t1 - t0)
    turn = (1 + 2 * t) * (1 - t) * (1 - t) * v0 + t * t * (3 - 2 * t) * v1
    return turn + t * (1 - t) * (1 - t) * out - t * t * (1 - t) * into


def _slopes(keys: tuple[tuple[float, float], ...], loop: bool) -> list[float]:
    """Slopes that never overshoot a key (Fritsch and Carlson's harmonic mean)."""
    chords = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(keys)]
    ends = (chords[-1], chords[0]) if loop else (0.0, 0.0)
    around = [ends[0], *chords, ends[1]]
    return [
        0.0 if before * after <= 0 else 2 * before * after / (before + after)
        for before, after in pairwise(around)
    ]
