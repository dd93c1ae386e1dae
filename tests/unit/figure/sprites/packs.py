"""Small packs of pictures, drawn here."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image, ImageDraw

COUNTS = (6, 8, 8, 4, 5, 8, 6, 6, 6, 8, 8)
"""The cells of each row of a pet's atlas."""
_CELL = (48, 52)
_TICKS = 'Image="/shime{0}.png" ImageAnchor="16,32" Velocity="0,0" Duration="{1}"'


def blob(size: tuple[int, int], colour: tuple[int, int, int], high: int = 0) -> Image.Image:
    """A ball with two eyes; `high` pixels above the ground."""
    picture = Image.new("RGBA", size)
    draw = ImageDraw.Draw(picture)
    width, height = size
    draw.ellipse((6, 8 - high, width - 7, height - 2 - high), fill=(*colour, 255))
    for x in (width // 3, width * 2 // 3):
        draw.rectangle((x - 1, height // 3 - high, x + 1, height // 3 + 3 - high), fill="black")
    return picture


def atlas(rows: int = 9, columns: int = 8, scale: int = 1) -> Image.Image:
    """A sheet of cells; those beyond COUNTS are empty."""
    width, height = _CELL[0] * scale, _CELL[1] * scale
    sheet = Image.new("RGBA", (columns * width, rows * height))
    for row in range(rows):
        for column in range(min(COUNTS[row], columns)):
            cell = blob(
                (width, height), (40 + row * 18, 200 - row * 9, 90 + column * 12), column % 3
            )
            sheet.paste(cell, (column * width, row * height))
    return sheet


def pet(folder: Path, rows: int = 9, columns: int = 8, **more: object) -> Path:
    """A pet of Codex in `folder`; return its `pet.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    atlas(rows, columns).save(folder / "spritesheet.webp", lossless=True)
    named = {"id": "blob", "displayName": folder.name, "spritesheetPath": "spritesheet.webp"}
    told = {**named, **more}
    (folder / "pet.json").write_text(json.dumps(told), encoding="utf-8")
    return folder / "pet.json"


def shimeji(folder: Path, *, actions: bool = True) -> Path:
    """A Shimeji pack in `folder`; return its settings file."""
    images = folder / "img" / "Shime"
    images.mkdir(parents=True)
    for number in (1, 2, 3, 4, 5, 6, 11, 18, 19, 21, 22, 26):
        picture = blob((32, 32), (number * 9, 120, 200 - number * 5), number % 4)
        picture.save(images / f"shime{number}.png")
    if not actions:
        return images / "shime1.png"
    (folder / "conf").mkdir()
    file = folder / "conf" / "actions.xml"
    file.write_text(
        f"""<?xml version="1.0" encoding="UTF-8" ?>
<Mascot xmlns="http://www.group-finity.com/Mascot"><ActionList>
  <Action Name="Look" Type="Embedded" Class="Look"/>
  <Action Name="Stand" Type="Stay" BorderType="Floor">
    <Animation><Pose {_TICKS.format(1, 250)}/></Animation></Action>
  <Action Name="Walk" Type="Move"><Animation>
    <Pose {_TICKS.format(1, 6)}/><Pose {_TICKS.format(2, 6)}/><Pose {_TICKS.format(3, 6)}/>
  </Animation></Action>
  <Action Name="SitAndLookUp" Type="Stay">
    <Animation Condition="#{{x &lt; 1}}"><Pose {_TICKS.format(1, 250)}/></Animation>
    <Animation><Pose {_TICKS.format(26, 250)}/></Animation></Action>
  <Action Name="Pinched" Type="Embedded">
    <Animation><Pose {_TICKS.format(5, 5)}/></Animation></Action>
  <Action Name="Bouncing" Type="Animate"><Animation>
    <Pose {_TICKS.format(18, 4)}/><Pose {_TICKS.format(19, "NaN")}/></Animation></Action>
  <Action Name="Ghost" Type="Stay"><Animation><Pose {_TICKS.format(46, 250)}/></Animation></Action>
</ActionList></Mascot>""",
        encoding="utf-8",
    )
    return file


def film(file: Path, frames: int = 4, kind: str = "PNG") -> Path:
    """An animated picture."""
    pictures = [blob((40, 40), (60 * n, 90, 200), n) for n in range(frames)]
    pictures[0].save(file, kind, save_all=True, append_images=pictures[1:], duration=80, loop=0)
    return file
