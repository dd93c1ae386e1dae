"""Motions as text, and their smooth curves.

``[Group/name seconds loop]`` begins a motion; with ``x8`` instead it goes round eight times,
without a fade between. ``AngleX 0:0 1.2:30 3:0`` gives ``ParamAngleX`` at seconds. ``LR`` in a name
stands for both sides; ``Blink 1.5 4`` closes both eyes at those seconds; names that begin with
``Part`` are opacities of parts; an indented line carries on the one before. Between keys the curve
eases without overshooting, so anticipation and follow-through are written out as keys of their own.
"""

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Curve:
    """Keys (seconds, value) of one target, starting at 0 and ending with the motion."""

    target: str
    id: str
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


def parse(text: str) -> list[Motion]:
    """The motions written in ``text``."""
    motions: list[Motion] = []
    for block in text.strip().split("\n["):
        head, *lines = block.strip().lstrip("[").replace("\n  ", " ").splitlines()
        name, seconds, *rest = head.rstrip("]").split()
        expanded = [single for line in lines for single in _expanded(line)]
        curves = tuple(_curve(line, float(seconds)) for line in expanded)
        group, own = name.split("/")
        # States are entered gently, answers come at once.
        fade = 0.6 if "loop" in rest else 0.3
        rounds = next((int(word[1:]) for word in rest if word[0] == "x"), 1)
        curves = tuple(_repeated(curve, float(seconds), rounds) for curve in curves)
        # The framework reads parameters up to the first curve of another kind.
        curves = tuple(sorted(curves, key=lambda curve: curve.target))
        whole = round(float(seconds) * rounds, 3)
        motion = Motion(group, own, whole, "loop" in rest, fade, fade, curves)
        _check(motion)
        motions.append(motion)
    return motions


def _expanded(line: str) -> list[str]:
    """``line`` with its shorthands written out."""
    name, *keys = line.split()
    if name == "Blink":
        name, keys = "EyeLROpen", ["0:1"]
        for at in map(float, line.split()[1:]):
            keys += [f"{at}:1", f"{at + 0.08:g}:0", f"{at + 0.14:g}:0", f"{at + 0.3:g}:1"]
    text = " ".join([name, *keys])
    return [text.replace("LR", "L"), text.replace("LR", "R")] if "LR" in name else [text]


def _curve(line: str, seconds: float) -> Curve:
    name, *keys = line.split()
    target = "PartOpacity" if name.startswith("Part") else "Parameter"
    pairs = [tuple(float(v) for v in key.split(":")) for key in keys]
    knots = [(p[0], p[1]) for p in pairs]
    if knots[0][0] > 0:
        knots.insert(0, (0.0, knots[0][1]))
    if knots[-1][0] < seconds:
        knots.append((seconds, knots[-1][1]))
    return Curve(target, name if target == "PartOpacity" else f"Param{name}", tuple(knots))


def _repeated(curve: Curve, seconds: float, rounds: int) -> Curve:
    """The curve so many times; a round begins where the one before ended."""
    keys = list(curve.keys)
    if rounds > 1 and keys[0][1] != keys[-1][1]:
        raise ValueError(f"{curve.id}: jumps between its rounds")
    for number in range(1, rounds):
        keys += [(round(at + number * seconds, 3), value) for at, value in curve.keys[1:]]
    return Curve(curve.target, curve.id, tuple(keys))


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
    """The motion3 segment list: a point, then beziers with handles at a third of the span."""
    keys = curve.keys
    slopes = _slopes(keys, loop)
    out: list[float] = [keys[0][0], keys[0][1]]
    for (a, b), (m0, m1) in zip(pairwise(keys), pairwise(slopes), strict=True):
        third = (b[0] - a[0]) / 3
        out += [1, a[0] + third, a[1] + m0 * third, b[0] - third, b[1] - m1 * third, b[0], b[1]]
    return [round(value, 4) for value in out]


def _slopes(keys: tuple[tuple[float, float], ...], loop: bool) -> list[float]:
    """Slopes that never overshoot a key (Fritsch and Carlson's harmonic mean)."""
    chords = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(keys)]
    ends = (chords[-1], chords[0]) if loop else (0.0, 0.0)
    around = [ends[0], *chords, ends[1]]
    return [
        0.0 if before * after <= 0 else 2 * before * after / (before + after)
        for before, after in pairwise(around)
    ]
