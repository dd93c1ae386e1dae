"""The drawing of a formula, independent of size and colour. Without Qt and ziamath, for both
processes.

Lengths are in thousandths of the font size (em); y points down, 0 is the baseline.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

EM = 1000.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A part of the drawing: the outline `glyph` (a key of `FormulaDrawing.glyphs`) or a `letter`
    that is missing in the fonts of formulas, at (x, y) and scaled by `scale`; or without either, a
    bar of this width and height; if `frame` is set, an empty frame of this thickness. `ink` is the
    name of a colour, "" for the colour of the surrounding text.
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
    """A formula. `glyphs` are outlines as SVG paths with the absolute commands M, L, Q, C and Z."""

    width: float
    ascent: float
    descent: float
    glyphs: dict[str, str] = field(default_factory=dict)
    strokes: tuple[Stroke, ...] = ()

    def packed(self) -> dict[str, object]:
        """Serialize for JSON between two processes of this computer."""
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
