"""Contact sheets: ``python -m companion.sheets OUT [--model MODEL3]`` from ``assets/``.

Writes ``expressions.png``, ``turns.png`` (the head in nine directions), ``parameters.png`` (both
ends of every parameter) and one sheet for each motion group.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from companion.expressions import expressions
from companion.motions import all_motions
from companion.parameters import PARAMETERS
from companion.stage import Shot, render

_MODEL = Path(__file__).parent / "neo/neo.model3.json"
_SIZE = (720, 792)
_THUMB = (360, 396)
_FRAMES = 8
_SETTLED = 1.0
"""Seconds after which an expression has faded in and the physics has come to rest."""


def expression_sheet(model: Path) -> Image.Image:
    """Every expression, settled."""
    names = list(expressions())
    shots = [Shot(expression=name, seconds=_SETTLED) for name in names]
    return _sheet(model, shots, names, 4)


def turn_sheet(model: Path) -> Image.Image:
    """The head turned to nine directions."""
    turns = [(x, y) for y in (30, 0, -30) for x in (-30, 0, 30)]
    shots = [Shot(values={"ParamAngleX": x, "ParamAngleY": y}) for x, y in turns]
    return _sheet(model, shots, [f"X {x} Y {y}" for x, y in turns], 3)


def parameter_sheet(model: Path) -> Image.Image:
    """Each parameter at its lowest and highest value."""
    shots: list[Shot] = []
    names: list[str] = []
    for row in PARAMETERS:
        ends = {row.parameter.low, row.parameter.high} - {row.parameter.default}
        for value in sorted(ends):
            # A content of the panel is seen only when the panel is.
            shown = {"ParamPanel": 1.0} if row.parameter.id == "ParamPanelGlow" else {}
            shots.append(Shot(values={**shown, row.parameter.id: value}))
            names.append(f"{row.parameter.id} {value:g}")
    return _sheet(model, shots, names, 8)


def motion_sheet(model: Path, group: str) -> Image.Image:
    """Evenly spaced frames of every motion of ``group``, a row each."""
    shots: list[Shot] = []
    names: list[str] = []
    for index, motion in enumerate(m for m in all_motions() if m.group == group):
        for frame in range(_FRAMES):
            at = motion.seconds * (frame + 0.5) / _FRAMES
            shots.append(Shot(motion=(group, index), seconds=at))
            names.append(f"{group}/{motion.name} {at:.2f} s")
    return _sheet(model, shots, names, _FRAMES)


def _sheet(model: Path, shots: Sequence[Shot], names: Sequence[str], columns: int) -> Image.Image:
    pictures = render(model, shots, *_SIZE)
    width, height = _THUMB
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height), (236, 240, 246))
    draw = ImageDraw.Draw(sheet)
    for i, (picture, name) in enumerate(zip(pictures, names, strict=True)):
        corner = (i % columns * width, i // columns * height)
        sheet.paste(picture.resize(_THUMB, Image.Resampling.LANCZOS), corner)
        draw.text((corner[0] + 8, corner[1] + 6), name, fill=(60, 42, 92))
    return sheet


def _main() -> None:
    parser = argparse.ArgumentParser(description="Make contact sheets of the companion.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path, default=_MODEL)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    expression_sheet(arguments.model).save(arguments.out / "expressions.png")
    turn_sheet(arguments.model).save(arguments.out / "turns.png")
    parameter_sheet(arguments.model).save(arguments.out / "parameters.png")
    for group in dict.fromkeys(motion.group for motion in all_motions()):
        motion_sheet(arguments.model, group).save(arguments.out / f"motion_{group.lower()}.png")


if __name__ == "__main__":
    _main()
