"""Looks for broken frames: ``python -m companion.inspection [--model FILE]``, from ``assets/``.

Plays every motion at 30 frames a second, every expression, both ends of every parameter, looks
into all corners, and arms in many poses; draws each as a raster of kinds and hands raster and
vertices to ``faults``. Prints what it finds and ends with 1 if that is anything.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from companion.arms import ARMS, rims
from companion.body import foot_shape, leg_end
from companion.effects import SIGNS
from companion.expressions import expressions
from companion.faults import (
    Held,
    Raster,
    Stations,
    bare_neck,
    classified,
    covered,
    cut_off,
    flattened,
    held,
    holes,
    leap,
    open_edge,
    outside,
    pinched,
    seen_through,
    stations,
    thinnest,
)
from companion.figure import VIEW
from companion.moc_model import Points
from companion.parameters import PARAMETERS
from companion.stage import Shot, Stage, in_child

MODEL = Path(__file__).parent / "neo/neo.model3.json"
SIZE = (640, 704)
"""Of the raster: a line is some three pixels wide."""
_FPS = 30
WORN = {
    "smile": ("Ask", "Nod", "Happy", "Wave", "Greet"),
    "sad": ("Sorry", "Shake"),
    "surprised": ("Surprised", "Dragged", "Fall", "Wake", "Stretch", "TapBody", "TapTail"),
    "shy": ("Shy", "TapHead", "TapBody", "TapTail"),
    "angry": ("Shake",),
    "sleepy": ("Sleepy", "Sleep", "Groggy", "Stretch"),
    "thinking": ("Think",),
}
"""The faces that the app puts on with motions (its `LOOKS`), as what a face adds comes to them."""
_WORN_EVERY = 6
_SAMPLE = 60
"""Of a sample, the frames from one that is looked at to the next."""
LIMITS = {
    "open outline": 12.0,  # the line about the gap in a sharply bent elbow is thin
    "bare neck": 12.0,
    "hole": 30.0,
    "thin limb": 0.5,
    "needle": 0.1,
    "jump": 130.0,
    "open leg": 0.0,
    "seen through": 1000.0,
    "sign cut off": 0.0,
    "sign over an ear": 40.0,
    "sign over a paw": 600.0,
    "sign over the head": 40.0,
    "flat sign": 0.6,
}
_SIGNS = ("PartEffects", "PartPanel", "PartPanelText", "PartPanelSearch")
"""Signs have holes of their own, and the panel lies before the body."""
_ARMS = ("PartArmLA", "PartArmRA")
_ROOM_BESIDE = (*_ARMS, "PartWitchHat")
"""The tip of this hat is bent: it and an ear enclose air. Paws are too dark to be told from ink."""
_OVER = {
    "sign over an ear": ("PartEarL", "PartEarR"),
    "sign over a paw": _ARMS,
}
"""A paw that is raised past a foxfire covers it for a moment; one that stays there is a fault."""
_ON_THE_FACE = ("ParamTear", "ParamSweat", "ParamAnger", "ParamGloom")
"""What shows signs that lie on the head, or by it."""
_HEAD = ("PartHead", "PartHair")
_CHANGING = ("PartBody", "PartTail", "PartScarf", "PartArmLA", "PartLegs", "PartCurl")
"""What changes places when it lies down."""
_LOW = ("thin limb", "needle", "flat sign")
"""Kinds of which less is worse."""
_SHOWN = 0.3
"""Signs that show less are on their way."""
_INKY = 125
"""Texels darker than this, of 255, and purple, are line."""


@dataclass(frozen=True, slots=True)
class Found:
    """One fault in one pose."""

    pose: str
    seconds: float
    kind: str
    size: float


@dataclass(frozen=True, slots=True)
class Frame:
    """A pose as it is seen, and where the vertices of each mesh lie in canvas pixels."""

    raster: Raster
    points: dict[str, Points]


class Inspector:
    """A model drawn in kinds."""

    def __init__(self, model: Path, folder: Path) -> None:
        self._stage = Stage(_inked(model, folder), *SIZE)
        self.ids = self._stage.ids()
        self._stage.tint(_colour)
        self._stage.hide(_SIGNS)
        rest = self.frame(Shot())
        self._drawn = {name: rest.points[name] for name, _ in SIGNS}
        self._legs: dict[str, tuple[Held, Held]] = {}
        for letter, side in (("R", -1), ("L", 1)):
            self._legs[letter] = (
                self._hold(f"Leg{letter}", rest, leg_end(side, letter)),
                self._hold(f"Foot{letter}", rest, foot_shape(side)),
            )
        self._limbs: dict[str, Stations] = {}
        for arm in ARMS:
            name = f"Arm{arm.letter}"
            triangles = self._stage.triangles(name)
            self._limbs[name] = stations(rest.points[name], triangles, *rims(arm))
        self._rest = {kind: size for kind, size in self._seen(rest) if kind not in _LOW}

    def _hold(self, mesh: str, rest: Frame, where: Points) -> Held:
        return held(rest.points[mesh], self._stage.triangles(mesh), where)

    def frame(self, shot: Shot) -> Frame:
        """``shot`` as it is seen."""
        pixels = self._stage.pixels(shot)
        middle = np.array([VIEW.left + VIEW.right, VIEW.top + VIEW.bottom]) / 2
        flat = {name: self._stage.vertices(name) for name in self.ids}
        scale = np.array([VIEW.width, -VIEW.width])
        points = {name: where * scale + middle for name, where in flat.items()}
        return Frame(classified(pixels), points)

    def _seen(self, frame: Frame) -> Iterator[tuple[str, float]]:
        yield "open outline", float(open_edge(frame.raster))
        yield "bare neck", float(bare_neck(frame.raster))
        hole = holes(frame.raster)
        beside = self._stage.alone(_ROOM_BESIDE) > 127 if hole else None
        yield "hole", float(holes(frame.raster, beside) if hole else 0)
        for name, limb in self._limbs.items():
            yield "thin limb", thinnest(limb, frame.points[name])
            yield "needle", pinched(limb, frame.points[name])
        if self._stage.value("ParamLegs") > 0:
            for letter, (end, foot) in self._legs.items():
                corners = end.at(frame.points[f"Leg{letter}"])
                yield "open leg", float(outside(corners, foot.at(frame.points[f"Foot{letter}"])))
        if 0 < self._stage.value("ParamCurl") < 1:
            yield "seen through", float(max(self._faint(part) for part in _CHANGING))
        shown = [name for name, what in SIGNS if self._stage.value(what) > _SHOWN]
        if shown:
            yield from self._signs()
            flat = (flattened(self._drawn[name], frame.points[name]) for name in shown)
            yield "flat sign", min(flat)

    def _faint(self, part: str) -> int:
        return seen_through(self._stage.alone((part,)))

    def _signs(self) -> Iterator[tuple[str, float]]:
        signs = self._stage.alone(("PartEffects",))
        edges = (signs[0], signs[-1], signs[:, 0], signs[:, -1])
        yield "sign cut off", float(sum(int((edge > 127).sum()) for edge in edges))
        for kind, parts in _OVER.items():
            yield kind, float(covered(signs, self._stage.alone(parts)))
        if all(self._stage.value(what) == 0 for what in _ON_THE_FACE):
            yield "sign over the head", float(covered(signs, self._stage.alone(_HEAD)))

    def faults(self, pose: str, seconds: float, frame: Frame) -> Iterator[Found]:
        """What is wrong with one frame."""
        for kind, size in self._seen(frame):
            limit = LIMITS[kind] + self._rest.get(kind, 0.0)
            if size < limit if kind in _LOW else size > limit:
                yield Found(pose, seconds, kind, size)

    def motion(
        self, group: str, index: int, seconds: float, every: int, face: str = ""
    ) -> Iterator[Found]:
        """What is wrong in a motion that is played with a ``face``; ``every`` n-th frame is
        drawn.
        """
        before: Frame | None = None
        pose = f"{group}:{index}{face and ' '}{face}"
        for step in range(0, round(seconds * _FPS) + 1, every):
            shot = Shot(face, (group, index), step / _FPS)
            frame = self.frame(shot)
            yield from self.faults(pose, shot.seconds, frame)
            cut = cut_off(frame.raster)
            if cut:
                yield Found(pose, shot.seconds, "cut off", float(cut))
            if before is not None and every == 1:
                far = max(leap(before.points[n], frame.points[n]) for n in _SOLID if n in self.ids)
                if far > LIMITS["jump"]:
                    yield Found(pose, shot.seconds, "jump", far)
            before = frame


_SOLID = ("Torso", "Face", "Tail", "ArmL", "ArmR", "EarL", "EarR", "FootL", "FootR", "Scarf")


def still_poses() -> list[tuple[str, Shot]]:
    """Expressions, ends of parameters, looks into the corners, arms all over their reach."""
    poses = [(name, Shot(expression=name, seconds=1.0)) for name in expressions()]
    for row in PARAMETERS:
        one = row.parameter
        poses += [(f"{one.id} {v:g}", Shot(values={one.id: v})) for v in (one.low, one.high)]
    for x, y, z in product((-30, 0, 30), (-30, 0, 30), (-30, 0, 30)):
        angles = {"ParamAngleX": x, "ParamAngleY": y, "ParamAngleZ": z}
        poses.append((f"look {x} {y} {z}", Shot(values=angles)))
    for lift, elbow in product((-60, 0, 60, 105, 150), (-100, -50, 0, 45, 90, 130)):
        bent = {f"ParamArm{s}{j}": v for s in "LR" for j, v in (("A", lift), ("B", elbow))}
        poses.append((f"arms {lift} {elbow}", Shot(values=bent)))
    return poses


def inspect(model: Path, every: int = 1, groups: Sequence[str] = (), nth: int = 1) -> list[Found]:
    """All faults of ``model``, of its still poses each ``nth``; to be called in a process of its
    own.
    """
    document = json.loads(model.read_text(encoding="utf-8"))
    motions: dict[str, list[Any]] = document["FileReferences"]["Motions"]
    found: list[Found] = []
    known = {entry["Name"] for entry in document["FileReferences"]["Expressions"]}
    with tempfile.TemporaryDirectory() as folder:
        inspector = Inspector(model, Path(folder))
        if not groups:
            for pose, shot in still_poses()[::nth]:
                if not shot.expression or shot.expression in known:
                    found += inspector.faults(pose, 0.0, inspector.frame(shot))
        for group, entries in motions.items():
            for index, entry in enumerate(entries):
                if not groups or group in groups:
                    text = (model.parent / entry["File"]).read_text(encoding="utf-8")
                    seconds = float(json.loads(text)["Meta"]["Duration"])
                    found += inspector.motion(group, index, seconds, every)
                    for face in (one for one in WORN if one in known and group in WORN[one]):
                        most = max(every, _WORN_EVERY)
                        found += inspector.motion(group, index, seconds, most, face)
    return found


def told(found: Sequence[Found]) -> list[str]:
    """A line for each pose and kind: when, and how bad at worst."""
    lines = []
    for pose, kind in dict.fromkeys((one.pose, one.kind) for one in found):
        mine = [one for one in found if (one.pose, one.kind) == (pose, kind)]
        first, last = mine[0].seconds, mine[-1].seconds
        when = f" {first:.2f}-{last:.2f} s ({len(mine)} frames)" if len(mine) > 1 else ""
        when = when or (f" {first:.2f} s" if first else "")
        sizes = [one.size for one in mine]
        worst = min(sizes) if kind in _LOW else max(sizes)
        lines.append(f"{pose}{when}: {kind} {worst:.2f}")
    return lines


def _colour(part: str) -> tuple[float, float, float]:
    if part.startswith("PartArm"):
        return (1.0, 0.0, 0.0)
    if part in ("PartTail", "PartLegs"):
        return (1.0, 1.0, 0.0)
    return (0.0, 1.0, 0.0) if part == "PartBody" else (0.0, 0.0, 1.0)


def _inked(model: Path, folder: Path) -> Path:
    """A copy of ``model`` whose texture is black where it is line, and white elsewhere."""
    shutil.copytree(model.parent, folder, dirs_exist_ok=True)
    for file in folder.rglob("*.png"):
        picture = np.array(Image.open(file).convert("RGBA"))
        colours = picture[..., :3].astype(int)
        purple = colours[..., 0] > colours[..., 1] * 0.9
        line = purple & (colours.sum(axis=2) < 3 * _INKY)
        picture[..., :3] = np.where(line, 0, 255)[..., None]
        Image.fromarray(picture).save(file, compress_level=1)
    return folder / model.name


def _main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Look for broken frames of the companion.")
    parser.add_argument("--model", type=Path, default=MODEL)
    parser.add_argument("--every", type=int, default=1, help="look at each n-th frame only")
    parser.add_argument("--group", action="append", default=[], help="of motions; all if none")
    parser.add_argument("--sample", action="store_true", help="look at a few hundred frames")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args(arguments)
    if not words.here:
        return in_child("companion.inspection", [*arguments, "--here"])
    every, nth = (_SAMPLE, 3) if words.sample else (words.every, 1)
    lines = told(inspect(words.model.resolve(), every, words.group, nth))
    for line in lines:
        print(line)
    print(f"{len(lines)} faults")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
