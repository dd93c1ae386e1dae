"""How much of the body acts: ``python -m companion.outlines [--model FILE]`` from ``assets/``.

Prints how much the figure's outline overlaps that of its rest pose, for each group of motions and
on average over all motions: 1 is a figure whose face alone acts. ``--states`` prints instead how
much the outlines of two states differ, each at its extreme, without the tail and the signs.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.inspection import MODEL
from companion.stage import Shot, Stage, in_child

_SIZE = (320, 352)
_FPS = 5.0
_SIGNS = ("PartEffects", "PartPanel", "PartPanelText", "PartPanelSearch")

STATES = ("Think", "Work", "Listen", "Ask", "Type", "WalkLeft", "Idle", "Sleep", "Greet")
"""The groups of motions whose outlines have to differ at a glance."""
_SMALL = (126, 138)
"""The size at which the figure is 120 pixels high."""
_ROOM, _SOLE = 60, 6

Outline = NDArray[np.bool_]


def overlap(one: Outline, other: Outline) -> float:
    """The share of what either covers that both cover, 0..1."""
    return float((one & other).sum() / max(1, int((one | other).sum())))


def overlaps(model: Path) -> Iterator[tuple[str, int, float]]:
    """Group, index and mean overlap of each motion; to be called in a process of its own."""
    stage = Stage(model, *_SIZE)
    stage.hide(_SIGNS)
    rest = _outline(stage, Shot())
    motions = json.loads(model.read_text(encoding="utf-8"))["FileReferences"]["Motions"]
    for group, entries in motions.items():
        for index, entry in enumerate(entries):
            text = (model.parent / entry["File"]).read_text(encoding="utf-8")
            frames = int(float(json.loads(text)["Meta"]["Duration"]) * _FPS)
            # The first frames of all motions are the rest pose, from which they fade in.
            shots = (Shot(motion=(group, index), seconds=at / _FPS) for at in range(2, frames))
            seen = [overlap(rest, _outline(stage, shot)) for shot in shots]
            yield group, index, float(np.mean(seen))


def differences(model: Path) -> dict[tuple[str, str], float]:
    """How much the outlines of each pair of ``STATES`` differ: the share of the area that either
    covers and not both. To be called in a process of its own.

    Each state is taken at the frame that is farthest from the rest pose, and stands on the same
    place as the others.
    """
    stage = Stage(model, *_SMALL)
    stage.hide((*_SIGNS, "PartTail"))
    rest = _standing(_outline(stage, Shot()))
    motions = json.loads(model.read_text(encoding="utf-8"))["FileReferences"]["Motions"]
    extremes: dict[str, Outline] = {}
    for group in STATES:
        text = (model.parent / motions[group][0]["File"]).read_text(encoding="utf-8")
        frames = int(float(json.loads(text)["Meta"]["Duration"]) * _FPS)
        shots = (Shot(motion=(group, 0), seconds=at / _FPS) for at in range(4, frames))
        seen = (_standing(_outline(stage, shot)) for shot in shots)
        extremes[group] = min(seen, key=lambda outline: overlap(rest, outline))
    return {
        (one, other): 1 - overlap(extremes[one], extremes[other])
        for one, other in combinations(STATES, 2)
    }


def _standing(outline: Outline) -> Outline:
    """``outline`` with room about it, moved so that its feet are at the same place."""
    roomy = np.pad(outline, _ROOM)
    rows, columns = np.nonzero(roomy)
    floor = int(rows.max())
    middle = round(float(columns[rows > floor - _SOLE].mean()))
    down = roomy.shape[0] - _ROOM - floor
    return np.roll(roomy, (down, roomy.shape[1] // 2 - middle), axis=(0, 1))


def _outline(stage: Stage, shot: Shot) -> Outline:
    return np.asarray(stage.pixels(shot)[..., 3] > 127)


def _main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Measure how much of the body acts.")
    parser.add_argument("--model", type=Path, default=MODEL)
    parser.add_argument("--states", action="store_true", help="compare the states")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args(arguments)
    if not words.here:
        return in_child("companion.outlines", [*arguments, "--here"])
    if words.states:
        for (one, other), share in differences(words.model.resolve()).items():
            print(f"{one} {other} {share:.3f}")
        return 0
    found = list(overlaps(words.model.resolve()))
    for group in dict.fromkeys(group for group, _, _ in found):
        print(group, *(f"{share:.2f}" for own, _, share in found if own == group))
    acting = [share for group, _, share in found if group != "Idle"]
    print(f"{np.mean([share for _, _, share in found]):.3f} on average")
    print(f"{np.mean(acting):.3f} on average without Idle")
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
