"""What a formula looks like, without a size or a colour. No Qt and no ziamath: both sides know it.

Lengths are in thousandths of the height of the letters (em); y goes down, 0 is the baseline.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

EM = 1000.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A part of the drawing: the outline `glyph` (a key of `Drawing.glyphs`) or a bare `letter`,
    which no font of formulas has, moved to (x, y) and made `scale` times as large; or, without
    either, a bar of this width and height, `frame` thick if it is an empty frame. `ink` is the
    name of a colour, "" for that of the text around.
    """

    x: float
    y: float
    scale: float = 1.0
    glyph: str = ""
    letter: str = ""
    width: float = 0.0
    height: float = 0.0
    frame: float = 0.0
    ink: str = ""


@dataclass(frozen=True, slots=True)
class FormulaDrawing:
    """A formula. `glyphs` are outlines as SVG writes paths, absolute commands M, L, Q, C and Z."""

    width: float
    ascent: float
    descent: float
    glyphs: dict[str, str] = field(default_factory=dict)
    strokes: tuple[Stroke, ...] = ()

    def packed(self) -> dict[str, object]:
        """For JSON between two processes of this machine."""
        return asdict(self)

    @classmethod
    def unpacked(cls, data: dict[str, object]) -> FormulaDrawing:
        strokes = data.pop("strokes")
        assert isinstance(strokes, list | tuple)
        return cls(**data, strokes=tuple(Stroke(**one) for one in strokes))  # type: ignore[arg-type]


def pack(drawings: list[FormulaDrawing | None]) -> bytes:
    return json.dumps([one and one.packed() for one in drawings]).encode()


def unpack(data: bytes) -> list[FormulaDrawing | None]:
    return [one and FormulaDrawing.unpacked(one) for one in json.loads(data)]
