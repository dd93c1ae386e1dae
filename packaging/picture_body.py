"""Neo as a body made of pictures, photographed from the Live2D figure, for want of the Core.

`python packaging/picture_body.py [--out DIR]` writes `assets/companion/pictures` anew, and beside
it `asleep.webp`, which an empty window "Today" shows. It takes the figure as it is: expressions,
motions and their notes are those that the model names.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from PIL import Image

from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_reader import ModelDescription
from neodeskpet.figure.live2d.model_renderer import ModelRenderer, drawing_context
from neodeskpet.figure.sprites.importer_child import SheetDrawing, pack_sheets
from neodeskpet.figure.sprites.sprite_figure import (
    SPRITE_FIGURE_FILE,
    Animation,
    Frame,
    SpriteFigure,
    write_sprite_figure,
)
from neodeskpet.platform.installation import assets_dir

COMPANION = assets_dir() / "companion"
MOST_BYTES = 4_000_000
QUALITIES = (78, 66, 54, 42)
FPS = 5.0
HEIGHT = 400
"""Of a picture with the air around it: the figure is as high as it stands on the desktop."""
LOOKS = 8
LOUDNESS = (0.25, 0.55, 0.9)
LOOPED = {"Idle": 3.6, "Think": 2.4, "Work": 2.4, "Listen": 1.8, "Sleep": 3.0, "Dance": 2.4}
LOOPED |= {"Ask": 1.2, "Dragged": 1.6, "WalkLeft": 0.8, "WalkRight": 0.8, "Sit": 1.8, "Fall": 0.8}
"""The groups that go on and on, and for how many seconds they are photographed."""
LEFT_OUT = {"Shy", "Surprised", "Stretch", "Sneeze", "Held", "Groggy", "Sleepy", "Type", "Groove"}
LEFT_OUT |= {"Lie", "PeekLeft", "PeekRight", "TapCheekL", "TapCheekR", "TapHandL", "TapHandR"}
LEFT_OUT |= {"Dizzy", "Purr", "ShakeOff"}
"""Groups that pictures do without."""
ONCE = 1.9
_HEAD = (0.84, 0.59)
"""How much of the figure's width and height it takes, when it sits still."""
IDLES = (0, 4)
"""Of the idle motions: pictures are large."""


class Album:
    """The drawings so far; the same picture is kept once."""

    def __init__(self) -> None:
        self.drawings: list[SheetDrawing] = []
        self._known: dict[bytes, int] = {}

    def store(self, picture: Image.Image) -> int:
        """`picture` has premultiplied alpha."""
        whole = Image.frombytes("RGBa", picture.size, picture.tobytes())
        size = (round(picture.width * HEIGHT / picture.height), HEIGHT)
        plain = whole.resize(size, Image.Resampling.LANCZOS).convert("RGBA")
        box = plain.getchannel("A").point(lambda alpha: 255 * (alpha > 3)).getbbox()
        assert box is not None, "nothing was drawn"
        seen = plain.crop(box)
        mark = repr(box).encode() + seen.tobytes()
        if mark not in self._known:
            self._known[mark] = len(self.drawings)
            left, top = box[0] - plain.width // 2, box[1] - plain.height
            self.drawings.append(SheetDrawing(seen, left, top))
        return self._known[mark]

    def film(self, pictures: Iterable[Image.Image], *, loops: bool) -> Animation:
        frames = tuple(Frame(cel=self.store(one), seconds=1 / FPS) for one in pictures)
        return Animation(frames=frames, loops=loops)


def motions_of(found: ModelDescription) -> Iterator[tuple[str, str, int]]:
    """A name, a group and an index of what is photographed."""
    for group, count in found.motions.items():
        wanted = IDLES if group == "Idle" else () if group in LEFT_OUT else (0,)
        for index in wanted:
            if index < count:
                yield (group if index == 0 else f"{group} {index}"), group, index


class Shoot:
    """All that is photographed of a figure, once."""

    def __init__(self, found: ModelDescription) -> None:
        self.found = found
        self.album = Album()
        self.animations: dict[str, Animation] = {}
        self.faces: dict[str, str] = {}
        with drawing_context() as ready:
            if not ready:
                raise SystemExit("This computer offers no OpenGL.")
            studio = ModelRenderer(found.settings, str(found.root), found.reach)
            self._films(studio)
            self._stills(studio)

    def _films(self, studio: ModelRenderer) -> None:
        for name, group, index in motions_of(self.found):
            own, number = self.found.own_motion((group, index))
            loops = group in LOOPED
            film = studio.film(own, number, FPS, LOOPED.get(group, ONCE), again=loops)
            self.animations[name] = self.album.film(film, loops=loops)

    def _stills(self, studio: ModelRenderer) -> None:
        keep = self.album.store
        for shot in studio.expressions(480):
            face = self.found.shown_expression(shot.name)
            self.faces[face] = f"face {face}"
            frame = Frame(cel=keep(shot.picture), seconds=1.0)
            self.animations[self.faces[face]] = Animation(frames=(frame,))
        voice = [Frame(cel=keep(studio.still(mouth=wide)), seconds=0.1) for wide in LOUDNESS]
        self.animations["voice"] = Animation(frames=tuple(voice), voice=True)
        turns = [number / LOOKS * math.tau for number in range(LOOKS)]
        self.looks = tuple(
            keep(studio.still((0.7 * math.sin(turn), 0.7 * math.cos(turn)))) for turn in turns
        )
        self.rest = self.album.drawings[keep(studio.still())]

    def write(self, out: Path, quality: int) -> int:
        """Write the body into `out`; its bytes."""
        drawings, rest, found = self.album.drawings, self.rest, self.found
        left = min(one.left for one in drawings)
        top = min(one.top for one in drawings)
        right = max(one.left + one.picture.width for one in drawings)
        bottom = max(one.top + one.picture.height for one in drawings)
        cels, sheets = pack_sheets(drawings, (left, top), out, quality)
        motions, expressions = found.notes.motions, found.notes.expressions
        corner = (rest.left - left, rest.top - top)
        body = SpriteFigure(
            name=found.name,
            canvas=(right - left, bottom - top),
            sheets=tuple(sheets),
            cels=tuple(cels),
            animations=self.animations,
            faces=self.faces,
            notes={
                **{name: about for name, about in motions.items() if name in self.animations},
                **{name: about for name, about in expressions.items() if name in self.faces},
            },
            looks=self.looks,
            figure=(*corner, corner[0] + rest.picture.width, corner[1] + rest.picture.height),
            head=_head(corner, rest.picture.width, rest.picture.height),
        )
        write_sprite_figure(out, body)
        pixels = sum(one.picture.width * one.picture.height for one in drawings) / 1e6
        size = _size(out)
        print(f"{len(drawings)} drawings, {pixels:.1f} Mpx, quality {quality}: {size / 1e6:.2f} MB")
        return size


def _head(corner: tuple[int, int], width: int, height: int) -> tuple[int, int, int, int]:
    """Neo's head, from the ears to the chin, in the figure that sits still (the tail is right)."""
    left, top = corner
    return (left, top, left + round(width * _HEAD[0]), top + round(height * _HEAD[1]))


def write_asleep(body: Path, out: Path) -> None:
    """Write the sleeping figure of the pictures in `body` as one picture, for empty lists."""
    found = json.loads((body / SPRITE_FIGURE_FILE).read_text(encoding="utf-8"))
    sleep = next(one for name, one in found["animations"].items() if name == "Sleep")
    cel = found["cels"][sleep["frames"][0]["cel"]]
    left, top = cel["left"], cel["top"]
    with Image.open(body / found["sheets"][cel["sheet"]]) as sheet:
        box = (left, top, left + cel["width"], top + cel["height"])
        sheet.convert("RGBA").crop(box).save(out, quality=90)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=COMPANION / "pictures")
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as name:
        found = asyncio.run(check_model(COMPANION / "neo", Path(name) / "cache"))
        shoot = Shoot(found)
        for quality in QUALITIES:
            fresh = Path(name) / f"quality-{quality}"
            fresh.mkdir()
            size = shoot.write(fresh, quality)
            if size <= MOST_BYTES:
                shutil.rmtree(out, ignore_errors=True)
                shutil.copytree(fresh, out)
                write_asleep(out, out.with_name("asleep.webp"))
                print(f"{out}: {size / 1e6:.2f} MB")
                return 0
    print(f"It is larger than {MOST_BYTES / 1e6:.0f} MB.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
