"""The child process that draws formulas: `python -m neodeskpet.ui.rendering.formula_worker
SECONDS`.

A short TeX text can cause much work, so it runs in a process that can be killed. A frame
(`child_process.serve_frames`) is JSON, a list of [TeX, whether it is a display formula]; the answer
is a list of drawings (`FormulaDrawing.packed`), null for what can't be drawn.

ziamath draws: pure Python, with the font STIX Two Math. Characters missing in it (Chinese) are
drawn by the interface with its own fonts; each takes a square.
"""

from __future__ import annotations

import gc

if __name__ == "__main__":
    gc.disable()  # while loading: saves a tenth of the start time

import json
import logging
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence

from ziafont.fonttypes import BBox
from ziafont.glyph import SimpleGlyph
from ziamath.mathfont import MathFont
from ziamath.tex import tex2mml
from ziamath.zmath import Math, loadedfonts

from neodeskpet.platform.child_process import serve_frames
from neodeskpet.ui.rendering.formula_drawing import EM, FormulaDrawing, Stroke, pack

MAX_LENGTH = 3_000
"""Maximum characters of a formula."""
MAX_DEPTH = 12
"""Maximum nesting of braces: each level takes twice as long as the one inside."""
_MAX_WIDTH, _MAX_HEIGHT = 1_000 * EM, 100 * EM
_SIZE = 40 / 3  # px of 10 pt, so that lengths in points are right
_LETTER = "letter "

_NO_LINE = re.compile(r"\\(?:label|nonumber|notag)(?:\{[^{}]*\})?")
_STARRED = re.compile(r"\\(begin|end)\{(align|gather|equation|multline|eqnarray)\}")
_TAG = re.compile(r"\\tag\*?\{([^{}]*)\}")
# Sums and integrals, which ziamath would stretch to the height of their operands.
_LARGE = re.compile(r"<mo>(&#x022(?:0F|10|11|2B|2C|2D|2E|2F|30|31|32|33);)")
_ENVIRONMENT = re.compile(r"\\(begin|end)\{[^{}]*\}")
_SCRIPT = re.compile(r"\s*[\^_]")
_BMOD = re.compile(r"\\bmod(?![A-Za-z])")


class UndrawableFormula(ValueError):
    """The text is no formula, or can't be drawn."""


def main(arguments: Sequence[str]) -> int:
    """Answer until standard input ends; return the exit code."""
    logging.disable()
    sys.setrecursionlimit(4_000)
    draw_formula("x", display=False)  # initializes everything before "ready" is reported
    gc.freeze()
    gc.enable()
    return serve_frames(_answer, float(arguments[0]))


def _answer(frame: bytes) -> bytes:
    return pack([_draw_or_none(tex, display=display) for tex, display in json.loads(frame)])


def _draw_or_none(tex: str, *, display: bool) -> FormulaDrawing | None:
    try:
        return draw_formula(tex, display=display)
    except Exception:  # noqa: BLE001 - whatever it stumbles over, the source is shown
        return None


def draw_formula(tex: str, *, display: bool) -> FormulaDrawing:
    """Return the drawing of a formula. Raises UndrawableFormula, and anything that
    ziamath raises.
    """
    if len(tex) > MAX_LENGTH or _depth(tex) > MAX_DEPTH:
        raise UndrawableFormula
    mathml = _LARGE.sub(r'<mo stretchy="false">\1', tex2mml(_plain_tex(tex), inline=not display))
    math = Math(mathml, size=_SIZE, font=_font(), margin=0)
    if any("\\" in (node.text or "") for node in math.mathml.iter()):
        raise UndrawableFormula  # an unknown command is drawn as its name
    box, unit = math.node.bbox, EM / _SIZE
    width, ascent, descent = box.xmax * unit, box.ymax * unit, -box.ymin * unit
    glyphs: dict[str, str] = {}
    strokes = tuple(_strokes(math.svgxml(), glyphs))
    if (
        not strokes
        or not 0 < width < _MAX_WIDTH
        or not -_MAX_HEIGHT < ascent + descent < _MAX_HEIGHT
    ):
        raise UndrawableFormula
    return FormulaDrawing(width, max(0.0, ascent), max(0.0, descent), glyphs, strokes)


def _depth(tex: str) -> int:
    deepest = depth = 0
    for char in tex:
        depth += (char == "{") - (char == "}")
        deepest = max(deepest, depth)
    return max(deepest, tex.count("\\left"))


def _plain_tex(tex: str) -> str:
    """Rewrite constructs that ziamath would draw differently from TeX."""
    tex = _STARRED.sub(r"\\\1{\2*}", _NO_LINE.sub("", tex))  # equation numbers aren't referenced
    tex = _braced(tex)
    tags = _TAG.findall(tex)
    tex = _BMOD.sub(r"\\;\\mathrm {mod}\\;", _TAG.sub("", tex))
    return tex + "".join(rf"\qquad\text{{({tag})}}" for tag in tags[:1])


def _braced(tex: str) -> str:
    """Put an environment with a superscript or subscript (an inverted matrix) into braces, which
    ziamath needs.
    """
    open_at: list[int] = []
    found: list[tuple[int, int]] = []
    for match in _ENVIRONMENT.finditer(tex):
        if match[1] == "begin":
            open_at.append(match.start())
        elif open_at:
            begin = open_at.pop()
            if _SCRIPT.match(tex, match.end()):
                found.append((begin, match.end()))
    marks = sorted([(end, "}") for _, end in found] + [(begin, "{") for begin, _ in found])
    for at, mark in reversed(marks):
        tex = tex[:at] + mark + tex[at:]
    return tex


# Font


class _Letter(SimpleGlyph):
    """A character that the font lacks: a square, drawn by the interface."""

    def __init__(self, char: str, font: MathFont) -> None:
        em = font.info.layout.unitsperem
        super().__init__(0, [], BBox(0, em, -0.12 * em, 0.88 * em), font)
        self.id = _LETTER + char
        self._letter = char
        self._em = em

    def advance(self, nextchr: SimpleGlyph | None = None) -> int:
        return int(self._em)

    def svgsymbol(self) -> ET.Element:
        return ET.Element("symbol", {"id": self.id})

    def place(self, x: float, y: float, point_size: float) -> ET.Element:
        place = {"x": str(x), "y": str(y), "size": str(point_size)}
        return ET.Element("letter", place | {"char": self._letter})


class _Font(MathFont):
    """STIX Two Math, with squares for wide characters. Raises UndrawableFormula for other missing
    ones.
    """

    def glyph(self, char: str) -> SimpleGlyph:
        index = self.glyphindex(char)
        if index or not char or char.isspace():
            return super().glyph(char)
        if unicodedata.east_asian_width(char) in "WF":
            return _Letter(char, self)
        raise UndrawableFormula(char)


def _font() -> str:
    font = loadedfonts["default"]
    # ziamath has loaded the font on import, which is a sixth of the start time: it isn't
    # loaded again.
    font.__class__ = _Font
    # A formula that failed inside a text leaves the font set for texts.
    font.language("math", "")  # type: ignore[no-untyped-call]
    return "default"


# SVG to strokes


def _strokes(svg: ET.Element, glyphs: dict[str, str]) -> Iterator[Stroke]:
    """Yield the parts of a drawing; their outlines are added to `glyphs`."""
    symbols: dict[str, ET.Element] = {}
    for element in svg.iter():
        if element.tag == "symbol":
            symbols.setdefault(element.attrib["id"], element)
        elif element.tag == "use":
            yield _use(element, symbols, glyphs)
        elif element.tag in _SHAPES:
            yield _SHAPES[element.tag](element, glyphs)
        elif element.tag not in ("svg", "g", "path"):
            raise UndrawableFormula(element.tag)
    inside = {id(path) for symbol in symbols.values() for path in symbol.iter("path")}
    for number, path in enumerate(svg.iter("path")):
        if id(path) not in inside:
            yield _line(path, f"line {number} {path.attrib['d']}", glyphs)


def _use(element: ET.Element, symbols: dict[str, ET.Element], glyphs: dict[str, str]) -> Stroke:
    name = element.attrib["href"].removeprefix("#")
    left, top, width, _ = map(float, symbols[name].attrib["viewBox"].split())
    if name not in glyphs:
        # A large bracket consists of several outlines.
        glyphs[name] = " ".join(path.attrib["d"] for path in symbols[name].iter("path"))
    scale = float(element.attrib["width"]) / width if width else 1.0
    unit = EM / _SIZE
    x = float(element.attrib["x"]) - left * scale
    y = float(element.attrib["y"]) - top * scale
    return Stroke(x * unit, y * unit, scale * unit, name, ink=_ink(element))


def _letter(element: ET.Element, _glyphs: dict[str, str]) -> Stroke:
    x, y, size = (float(element.attrib[key]) * EM / _SIZE for key in ("x", "y", "size"))
    return Stroke(x, y, size / EM, letter=element.attrib["char"], ink=_ink(element))


def _bar(element: ET.Element, _glyphs: dict[str, str]) -> Stroke:
    x, y, width, height = (
        float(element.attrib[key]) * EM / _SIZE for key in ("x", "y", "width", "height")
    )
    frame = float(element.attrib.get("stroke-width", 0)) * EM / _SIZE
    return Stroke(x, y, width=width, height=height, frame=frame, ink=_ink(element))


_SHAPES: dict[str, Callable[[ET.Element, dict[str, str]], Stroke]] = {
    "letter": _letter,
    "rect": _bar,
}


def _line(path: ET.Element, name: str, glyphs: dict[str, str]) -> Stroke:
    """Return a line across other parts (`\\cancel`): its own outline, stroked."""
    glyphs[name] = path.attrib["d"]
    unit = EM / _SIZE
    frame = float(path.attrib.get("stroke-width", 0))
    return Stroke(0.0, 0.0, unit, name, frame=frame, ink=_ink(path))


def _ink(element: ET.Element) -> str:
    colour = element.attrib.get("fill") or element.attrib.get("stroke") or ""
    return "" if colour in ("none", "black", "white", "currentColor") else colour


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
