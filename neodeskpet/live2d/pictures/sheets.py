"""Drawings put together onto sheets, so that few pictures hold a whole body."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from neodeskpet.live2d.pictures.body import Sprite

SHEET = 2048
"""Pixels of a sheet's side."""
_GAP = 1


@dataclass(slots=True)
class SheetDrawing:
    """What is to be seen of a picture, and where its corner is, from its foot."""

    picture: Image.Image
    left: int
    top: int


def pack_sheets(
    drawings: list[SheetDrawing], corner: tuple[int, int], out: Path, quality: int = 0
) -> tuple[list[Sprite], list[str]]:
    """Put them onto sheets in rows, the highest first, and write those into the folder `out`: as
    PNG, or with a `quality` (1 to 100) as WebP. `corner` is the canvas' upper left, from the foot.
    Raises OSError.
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
