"""Converts a pack of pictures in a separate process: `python -m
neodeskpet.figure.sprites.importer_child SETTINGS OUT` writes the figure and its sheets into the
folder OUT. Each step is printed before it runs; the last line is `ok` or `bad reason`.
"""

from __future__ import annotations

import hashlib
import math
import struct
import sys
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, ImageSequence

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.file_lookup import too_large_text
from neodeskpet.figure.files.model_probe import BAD_WORD, OK_WORD, STEP_WORD
from neodeskpet.figure.sprites.pack_content import (
    AnimationStrip,
    PackContent,
    SheetGrid,
    SpriteCut,
    frame_seconds,
)
from neodeskpet.figure.sprites.sprite_figure import (
    MOST_SPRITES,
    Animation,
    Frame,
    Sprite,
    SpriteFigure,
    write_sprite_figure,
)
from neodeskpet.figure.sprites.sprite_packs import read_pack_content
from neodeskpet.language import tr

SHEET = 2048
"""Pixels of a sheet's side."""
_GAP = 1


@dataclass(slots=True)
class SheetDrawing:
    """The visible part of a picture, and the place of its corner relative to the foot."""

    picture: Image.Image
    left: int
    top: int


def pack_sheets(
    drawings: list[SheetDrawing], corner: tuple[int, int], out: Path, quality: int = 0
) -> tuple[list[Sprite], list[str]]:
    """Arrange the drawings on sheets in rows, the highest first, and write the sheets into the
    folder `out`: as PNG, or with a `quality` (1 to 100) as WebP. `corner` is the canvas' upper
    left, relative to the foot. Raises OSError.
    """
    order = sorted(range(len(drawings)), key=lambda n: -drawings[n].picture.height)
    places: dict[int, tuple[int, int, int]] = {}
    sheet, x, y, row = 0, 0, 0, 0
    for number in order:
        width, height = drawings[number].picture.size
        if x + width > SHEET:
            x, y, row = 0, y + row + _GAP, 0
        if y + height > SHEET:
            sheet, x, y, row = sheet + 1, 0, 0, 0
        places[number] = (sheet, x, y)
        x, row = x + width + _GAP, max(row, height)
    names = []
    for page in range(sheet + 1):
        mine = {n: place for n, place in places.items() if place[0] == page}
        wide = max(x + drawings[n].picture.width for n, (_, x, _) in mine.items())
        high = max(y + drawings[n].picture.height for n, (_, _, y) in mine.items())
        picture = Image.new("RGBA", (wide, high))
        for n, (_, x, y) in mine.items():
            picture.paste(drawings[n].picture, (x, y))
        names.append(f"sheet-{page}.{'webp' if quality else 'png'}")
        if quality:
            picture.save(out / names[-1], quality=quality, alpha_quality=60, method=4)
        else:
            picture.save(out / names[-1], compress_level=2)
    cels = [
        Sprite(
            sheet=places[n][0],
            left=places[n][1],
            top=places[n][2],
            width=one.picture.width,
            height=one.picture.height,
            x=one.left - corner[0],
            y=one.top - corner[1],
        )
        for n, one in enumerate(drawings)
    ]
    return cels, names


MOST_SIDE = 8192
"""The largest side of a picture in pixels."""
MOST_PIXELS = 40_000_000
MOST_ANIMATED_FRAMES = 600
"""Frames of one animated picture."""
MOST_OPENED_PIXELS = 600_000_000
"""The largest number of pixels of all pictures."""
TALLEST_FRAME = 900
"""The largest height of a frame in pixels; larger ones are scaled down."""
MOST_AREA = 5 * SHEET * SHEET
"""The largest number of pixels of all drawings, in the graphics card's memory."""
_MEMORY = 3 << 30
_SECONDS = 40
_SLACK = 0.02
_SOFT_EDGE = 0.012
"""A drawing with this share of half-transparent pixels or more isn't pixel art."""
_SMALL = 160
_Point = tuple[int, int]


def main(arguments: list[str]) -> int:
    """Convert the pack: 0 and `ok` when the figure is written; 1 and `bad reason` if it can't be
    used.
    """
    _limit_resources()
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    file, out = Path(arguments[0]), Path(arguments[1])
    try:
        _say(STEP_WORD + "settings")
        import_pack(read_pack_content(file), out)
    except ModelFileError as error:
        _say(f"{BAD_WORD}{error.params.get('file', '')}: {error.detail}")
        return 1
    except (MemoryError, RecursionError):
        _say(BAD_WORD + tr("Its pictures are too large in total."))
        return 1
    _say(OK_WORD)
    return 0


def import_pack(recipe: PackContent, out: Path) -> SpriteFigure:
    """Write the figure of `recipe` into the folder `out`. Raises ModelFileError."""
    importer = _PackImporter(recipe)
    animations = {
        name: one
        for name, strip in recipe.strips.items()
        if (one := importer.animation(name, strip))
    }
    if not animations:
        raise ModelFileError(tr("It contains no picture."), file=recipe.files[0].name)
    looks = [importer.cel(cut) for cut in recipe.looks]
    seen = [look for look in looks if look is not None]
    _say(STEP_WORD + "sheets")
    body = importer.body(animations, tuple(seen) if len(seen) == len(looks) else (), out)
    write_sprite_figure(out, body)
    return body


@dataclass(slots=True)
class _PackImporter:
    recipe: PackContent
    scale: float = 1.0
    drawings: list[SheetDrawing] = field(default_factory=list)
    _pages: dict[int, Image.Image] = field(default_factory=dict)
    _grid: SheetGrid | None = None
    _known: dict[bytes, int] = field(default_factory=dict)
    _cels: dict[SpriteCut, int | None] = field(default_factory=dict)
    _read: int = 0

    def __post_init__(self) -> None:
        tallest = 1
        for file in self.recipe.files:
            with _opened(file) as picture:
                tall = max(picture.size)
            if self.recipe.grids:
                self._grid = _grid_of(self.recipe.grids, file)
                tall = round(tall / max(self._grid.columns, self._grid.rows))
            tallest = max(tallest, tall)
        self.scale = min(1.0, TALLEST_FRAME / tallest)

    def animation(self, name: str, strip: AnimationStrip) -> Animation | None:
        """Convert an animation; None if nothing is visible."""
        _say(STEP_WORD + name)
        if strip.animated is not None:
            shown = list(self._film(strip.animated))
        else:
            shown = [(self.cel(cut), seconds) for cut, seconds in strip.cuts]
        frames = [Frame(cel=cel, seconds=seconds) for cel, seconds in shown if cel is not None]
        return Animation(frames=tuple(frames), loops=strip.loops) if frames else None

    def cel(self, cut: SpriteCut) -> int | None:
        """Return the number of a drawing; None if nothing is visible."""
        if cut not in self._cels:
            page = self._page(cut.source)
            picture = page if cut.cell is None else self._cell(page, *cut.cell)
            self._cels[cut] = None if picture is None else self._keep(picture, cut.anchor)
        return self._cels[cut]

    def _page(self, source: int) -> Image.Image:
        if source not in self._pages:
            if not self.recipe.grids:
                self._pages.clear()  # each page is cut once and kept as a drawing
            file = self.recipe.files[source]
            with _opened(file) as picture:
                self._count(picture, file)
                self._pages[source] = _decoded(picture, file)
        return self._pages[source]

    def _film(self, source: int) -> Iterator[tuple[int | None, float]]:
        file = self.recipe.files[source]
        with _opened(file) as picture:
            try:
                if getattr(picture, "n_frames", 1) > MOST_ANIMATED_FRAMES:
                    most = str(MOST_ANIMATED_FRAMES)
                    reason = tr("It has more than {count} frames.", count=most)
                    raise ModelFileError(reason, file=file.name)
                for frame in ImageSequence.Iterator(picture):
                    self._count(frame, file)
                    cel = self._keep(_decoded(frame, file), None)
                    yield cel, _time_of(frame, file)
            except _BROKEN as error:
                raise _damaged(file, error) from None

    def _count(self, picture: Image.Image, file: Path) -> None:
        self._read += picture.width * picture.height
        if self._read > MOST_OPENED_PIXELS:
            raise ModelFileError(tr("Its pictures are too large in total."), file=file.name)

    def _cell(self, sheet: Image.Image, row: int, column: int) -> Image.Image | None:
        grid = self._grid
        if grid is None or row >= grid.rows or column >= grid.columns:
            return None
        wide, high = sheet.width // grid.columns, sheet.height // grid.rows
        left, top = column * wide, row * high
        return sheet.crop((left, top, left + wide, top + high))

    def _keep(self, picture: Image.Image, anchor: _Point | None) -> int | None:
        width, height = picture.size
        if anchor is None or not (
            -width <= anchor[0] <= 2 * width and 0 <= anchor[1] <= 2 * height
        ):
            anchor = (width // 2, height)
        if self.scale < 1.0:
            size = (max(1, round(width * self.scale)), max(1, round(height * self.scale)))
            picture = picture.convert("RGBa").resize(size, Image.Resampling.BOX).convert("RGBA")
            anchor = (round(anchor[0] * self.scale), round(anchor[1] * self.scale))
        box = picture.getchannel("A").point(lambda alpha: 255 * (alpha > 3)).getbbox()
        if box is None:
            return None
        seen = picture.crop(box)
        left, top = box[0] - anchor[0], box[1] - anchor[1]
        mark = hashlib.sha256(f"{seen.size} {left} {top} ".encode() + seen.tobytes()).digest()
        if mark not in self._known:
            if len(self.drawings) >= MOST_SPRITES:
                raise ModelFileError(
                    tr("It contains too many pictures."), file=self.recipe.files[0].name
                )
            self._known[mark] = len(self.drawings)
            self.drawings.append(SheetDrawing(seen, left, top))
        return self._known[mark]

    # Result

    def body(
        self, animations: dict[str, Animation], looks: tuple[int, ...], out: Path
    ) -> SpriteFigure:
        self._shrink()
        rest = _rest(animations)
        left = min(one.left for one in self.drawings)
        top = min(one.top for one in self.drawings)
        right = max(one.left + one.picture.width for one in self.drawings)
        bottom = max(one.top + one.picture.height for one in self.drawings)
        figure = [self.drawings[frame.cel] for frame in rest.frames]
        cels, sheets = pack_sheets(self.drawings, (left, top), out)
        recipe = self.recipe
        return SpriteFigure(
            name=recipe.name or recipe.kind,
            canvas=(right - left, bottom - top),
            sheets=tuple(sheets),
            cels=tuple(cels),
            animations=animations,
            notes={name: recipe.notes[name] for name in animations if name in recipe.notes},
            looks=looks,
            towards=recipe.towards,
            smooth=not _is_pixel_art(figure[0].picture),
            figure=(
                min(one.left for one in figure) - left,
                min(one.top for one in figure) - top,
                max(one.left + one.picture.width for one in figure) - left,
                max(one.top + one.picture.height for one in figure) - top,
            ),
        )

    def _shrink(self) -> None:
        """Scale all drawings down until they fit into the allowed memory."""
        area = sum(one.picture.width * one.picture.height for one in self.drawings)
        if area <= MOST_AREA * 0.8:
            return
        factor = math.sqrt(MOST_AREA * 0.8 / area)
        for one in self.drawings:
            width, height = one.picture.size
            size = (max(1, round(width * factor)), max(1, round(height * factor)))
            small = one.picture.convert("RGBa").resize(size, Image.Resampling.BOX)
            one.picture = small.convert("RGBA")
            one.left, one.top = round(one.left * factor), round(one.top * factor)


def _rest(animations: dict[str, Animation]) -> Animation:
    """Return the animation at rest."""
    for name in ("idle", "Stand", "Sit"):
        if name in animations:
            return animations[name]
    return next(iter(animations.values()))


def _is_pixel_art(picture: Image.Image) -> bool:
    """Return whether a picture is small with hard edges, so that it is enlarged pixel by pixel."""
    if max(picture.size) > _SMALL:
        return False
    counts = picture.getchannel("A").histogram()
    seen = sum(counts[1:])
    return sum(counts[8:248]) <= seen * _SOFT_EDGE


# Opening


_BROKEN = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    ArithmeticError,
    AttributeError,
    NotImplementedError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)
"""The exceptions of Pillow for a file that is no picture."""


def _opened(file: Path) -> Image.Image:
    """Open a picture and read its header. Raises ModelFileError."""
    try:
        picture = Image.open(file, formats=("PNG", "WEBP", "GIF"))
    except _BROKEN as error:
        raise _damaged(file, error) from None
    width, height = picture.size
    if width > MOST_SIDE or height > MOST_SIDE or width * height > MOST_PIXELS:
        picture.close()
        raise ModelFileError(too_large_text(width, height, MOST_SIDE), file=file.name)
    return picture


def _decoded(picture: Image.Image, file: Path) -> Image.Image:
    try:
        return picture.convert("RGBA")
    except _BROKEN as error:
        raise _damaged(file, error) from None


def _damaged(file: Path, error: BaseException) -> ModelFileError:
    return ModelFileError(tr("The picture is damaged.") + f" ({str(error)[:120]})", file=file.name)


def _time_of(frame: Image.Image, file: Path) -> float:
    try:
        milliseconds = float(frame.info.get("duration", 100))
        # Players show a frame of 0 ms for a tenth of a second.
        return frame_seconds((milliseconds if milliseconds > 0 else 100.0) / 1000)
    except (TypeError, ValueError, OverflowError):
        raise ModelFileError(tr("A frame has no valid duration."), file=file.name) from None


def _grid_of(grids: tuple[SheetGrid, ...], file: Path) -> SheetGrid:
    """Return the grid whose cells fill the sheet, at any scale. Raises ModelFileError."""
    with _opened(file) as picture:
        width, height = picture.size
    for grid in grids:
        if grid.cell is None or width % grid.columns or height % grid.rows:
            continue
        ratio = (width / grid.columns) / (height / grid.rows)
        if abs(ratio / (grid.cell[0] / grid.cell[1]) - 1.0) < _SLACK:
            return grid
    raise ModelFileError(
        tr(
            "Its size {width} × {height} does not match a sheet of cells.",
            width=str(width),
            height=str(height),
        ),
        file=file.name,
    )


def _limit_resources() -> None:
    """Limit memory and time: a pack that uses too much ends this process only. No core files are
    written.
    """
    if sys.platform != "win32":  # Windows relies on the timeout
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _say(line: str) -> None:
    print(line.replace("\n", " ")[:500], flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
