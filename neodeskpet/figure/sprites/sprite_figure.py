"""A sprite figure (a figure made of pictures) as the app loads it (`body.json` beside its sheets),
and which animation shows a pose. Every kind of pack is converted to this form in a separate
process, and all values are checked again.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate
from math import atan2, hypot, tau
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.poses import POSE_CANDIDATES, Pose, find_name
from neodeskpet.language import tr

SPRITE_FIGURE_FILE = "body.json"
MOST_SPRITES = 2_000
MOST_FRAMES = 5_000
"""The largest number of frames of all animations."""
MOST_ANIMATIONS = 300
MOST_SHEETS = 24
SHEET_SIDE = 4096
MOST_FIGURE_FILE_BYTES = 4_000_000
"""The largest size of the file in bytes."""
SHORTEST_FRAME_SECONDS, LONGEST_FRAME_SECONDS = 0.02, 600.0
"""The shortest and longest duration of a frame in seconds."""

Whole = Annotated[int, Field(ge=0, le=65_535)]
Signed = Annotated[int, Field(ge=-65_535, le=65_535)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Seconds = Annotated[
    float, Field(allow_inf_nan=False, ge=SHORTEST_FRAME_SECONDS, le=LONGEST_FRAME_SECONDS)
]


class _Schema(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class Sprite(_Schema):
    """One drawing: a box of a sheet (pixels), drawn at `x`, `y` of the canvas."""

    sheet: Whole
    left: Whole
    top: Whole
    width: Annotated[int, Field(ge=1, le=SHEET_SIDE)]
    height: Annotated[int, Field(ge=1, le=SHEET_SIDE)]
    x: Signed
    y: Signed


class Frame(_Schema):
    """A drawing and its duration."""

    cel: Whole
    seconds: Seconds


class Animation(_Schema):
    """An animation. `loops` repeats it while it is needed; with `voice` the loudness selects the
    frame.
    """

    frames: Annotated[tuple[Frame, ...], Field(min_length=1, max_length=MOST_FRAMES)]
    loops: bool = True
    voice: bool = False

    @property
    def seconds(self) -> float:
        return sum(frame.seconds for frame in self.frames)

    def frame_at(self, elapsed: float) -> int:
        """Return the frame at this time after the start; the last one stays if the animation
        doesn't loop.
        """
        if len(self.frames) == 1:
            return 0
        ends = list(accumulate(frame.seconds for frame in self.frames))
        if self.loops:
            elapsed %= ends[-1]
        return min(bisect_right(ends, max(elapsed, 0.0)), len(self.frames) - 1)

    def frame_for(self, level: float) -> int:
        """Return the frame for a loudness from 0 to 1."""
        return min(round(min(max(level, 0.0), 1.0) * len(self.frames)), len(self.frames) - 1)


class SpriteFigure(_Schema):
    """A figure. `canvas` is the width and height of a frame. `figure` is its place at rest (left,
    top, right, bottom in pixels of the canvas), `head` that of its head. `faces` are expressions:
    their names, and the animation of each. `looks` are drawings for the directions of its gaze, the
    first up, then clockwise. `towards`: the side that it faces, if it may be mirrored.
    """

    name: Name
    canvas: tuple[
        Annotated[int, Field(ge=1, le=SHEET_SIDE)], Annotated[int, Field(ge=1, le=SHEET_SIDE)]
    ]
    sheets: Annotated[tuple[str, ...], Field(min_length=1, max_length=MOST_SHEETS)]
    cels: Annotated[tuple[Sprite, ...], Field(min_length=1, max_length=MOST_SPRITES)]
    animations: Annotated[dict[Name, Animation], Field(min_length=1, max_length=MOST_ANIMATIONS)]
    faces: Annotated[dict[Name, Name], Field(max_length=MOST_ANIMATIONS)] = {}
    notes: Annotated[dict[Name, str], Field(max_length=2 * MOST_ANIMATIONS)] = {}
    looks: Annotated[tuple[Whole, ...], Field(max_length=64)] = ()
    towards: Literal["", "left", "right"] = ""
    smooth: bool = True
    figure: tuple[Signed, Signed, Signed, Signed]
    head: tuple[Signed, Signed, Signed, Signed] | None = None

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        frames = [frame for one in self.animations.values() for frame in one.frames]
        if len(frames) > MOST_FRAMES:
            raise ValueError("too many frames")
        if any(frame.cel >= len(self.cels) for frame in frames):
            raise ValueError("a frame without a cel")
        if any(look >= len(self.cels) for look in self.looks):
            raise ValueError("a look without a cel")
        if any(cel.sheet >= len(self.sheets) for cel in self.cels):
            raise ValueError("a cel without a sheet")
        if any(face not in self.animations for face in self.faces.values()):
            raise ValueError("a face without an animation")
        if any(name != Path(name).name or name.startswith(".") for name in self.sheets):
            raise ValueError("a sheet outside the folder")
        left, top, right, bottom = self.figure
        if right <= left or bottom <= top:
            raise ValueError("a figure without a size")
        return self

    @property
    def acts(self) -> Mapping[str, int]:
        """Return the animations that may be played by name."""
        shown = set(self.faces.values())
        return {
            name: 1 for name, one in self.animations.items() if name not in shown and not one.voice
        }


def read_sprite_figure(folder: Path) -> SpriteFigure:
    """Read the figure in `folder`. Raises ModelFileError."""
    file = folder / SPRITE_FIGURE_FILE
    try:
        if file.stat().st_size > MOST_FIGURE_FILE_BYTES:
            raise ModelFileError(tr("It is too large."), file=file.name)
        body = SpriteFigure.model_validate_json(file.read_bytes())
        missing = next((name for name in body.sheets if not (folder / name).is_file()), None)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ModelFileError(f"{place}: {first['msg']}", file=file.name) from None
    except (OSError, ValueError) as error:
        raise ModelFileError(str(error), file=file.name) from None
    if missing is not None:
        raise ModelFileError(tr("The file is missing."), file=missing)
    return body


def write_sprite_figure(folder: Path, body: SpriteFigure) -> None:
    """Write the figure into `folder`. Raises OSError."""
    tree = body.model_dump(mode="json", exclude_defaults=True)
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
    (folder / SPRITE_FIGURE_FILE).write_text(text + "\n", encoding="utf-8")


_REST = ("idle", "stand", "normal", "neutral", "default", "待机", "站", "立")

_OWN: Mapping[Pose, tuple[str, ...]] = {
    Pose.IDLE: _REST,
    Pose.LISTENING: ("listening", "SitAndLookUp", "sitandlookatmouse", "waiting"),
    Pose.THINKING: ("thinking", "review", "SitAndSpinHeadAction", "sitandlookup", "sit"),
    Pose.SPEAKING: ("speaking", "talking", "talk"),
    Pose.WORKING: ("working", "running", "run", "walk", "SitAndDangleLegs", "typing"),
    Pose.ASKING: ("asking", "waiting", "SitAndLookUp"),
    Pose.HAPPY: ("happy", "jumping", "jump", "bouncing"),
    Pose.SORRY: ("sorry", "failed", "fail", "tripping", "sprawl"),
    Pose.SURPRISED: ("surprised", "jumping", "falling"),
    Pose.SHY: ("shy", "waving", "SitWithLegsUp", "bouncing"),
    Pose.ANNOYED: ("annoyed", "failed", "resisting"),
    Pose.DRAGGED: ("dragged", "pinched", "resisting", "falling", "jumping"),
    Pose.FALLING: ("falling", "jumping", "dragged", "pinched"),
    Pose.LANDING: ("landing", "bouncing", "bounce"),
    Pose.WALKING_LEFT: ("walking-left", "walk-left", "walkleft", "running-left"),
    Pose.WALKING_RIGHT: ("walking-right", "walk-right", "walkright", "running-right"),
    Pose.SLEEPY: ("sleepy", "sit", "waiting"),
    Pose.ASLEEP: ("asleep", "sleeping", "sleep", "sprawl", "lie"),
    Pose.GROGGY: ("groggy", "waking", "yawn", "sleepy", "sit", "waiting"),
    Pose.WAKING: ("waking", "jumping", "bouncing"),
    Pose.GREETING: ("greeting", "waving", "bouncing"),
}


def animation_for(pose: Pose, names: Iterable[str]) -> str | None:
    """Return the animation that shows a pose; None if there is none."""
    known = list(names)
    look = POSE_CANDIDATES[pose]
    words = (*(word.casefold() for word in _OWN[pose]), *look.motions)
    return find_name(words, known) or find_name(_own_faces(pose), known)


def rest_animation(names: Iterable[str]) -> str:
    """Return the animation of standing; the first one if no name matches."""
    known = list(names)
    return find_name(_REST, known) or find_name(("sit",), known) or known[0]


def _own_faces(pose: Pose) -> tuple[str, ...]:
    """Return the expressions of a pose, without the calm ones that rest shows as well."""
    calm = set(POSE_CANDIDATES[Pose.IDLE].expressions)
    return tuple(word for word in POSE_CANDIDATES[pose].expressions if word not in calm)


def drag_animation(speed: float, names: Iterable[str]) -> str | None:
    """Return the animation for a drag with this speed (pixels a second to the right), if a pack has
    one for each direction.
    """
    known = set(names)
    way = "running-right" if speed > 0 else "running-left"
    return way if way in known and abs(speed) > 1.0 else None


def look_index(x: float, y: float, count: int) -> int | None:
    """Return which of `count` drawings (the first up, then clockwise) is nearest to a direction
    (right and up, as in `gaze`); None for straight ahead.
    """
    if count == 0 or hypot(x, y) < 0.15:
        return None
    return round(atan2(x, y) / tau * count) % count
