"""The process that draws formulas: which ones it draws, and which it refuses."""

import json
import subprocess
import sys

import pytest

from neodeskpet.platform.child_process import FRAME_LENGTH, child_command, child_environment
from neodeskpet.ui.rendering.formula_drawing import FormulaDrawing, unpack
from neodeskpet.ui.rendering.formula_worker import (
    MAX_DEPTH,
    MAX_LENGTH,
    UndrawableFormula,
    draw_formula,
)

SLOW = "x" * 2_900  # minutes of work


def drawn(tex: str, *, display: bool = True) -> FormulaDrawing:
    return draw_formula(tex, display=display)


@pytest.mark.parametrize(
    "tex",
    [
        r"x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"f(x) = \begin{cases} x^2 & \text{if } x \ge 0 \\ -x & \text{otherwise} \end{cases}",
        r"\begin{align} a &= b \\ c &= d \label{x} \end{align}",
        r"\underbrace{a+b}_{2} \overset{*}{\to} \hat{y} \mathbb{R} \mathcal{L}",
        r"\cancel{x} + \boxed{y} \color{red}{z}",
    ],
)
def test_common_formulas_are_drawn(tex: str) -> None:
    found = drawn(tex)
    assert found.width > 1_000
    assert found.ascent > 400
    assert len(found.strokes) >= 3
    for stroke in found.strokes:
        assert -100 <= stroke.x <= found.width
        assert stroke.glyph in found.glyphs or stroke.letter or stroke.width


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1} = \frac{1}{ad-bc}",
        r"\begin{vmatrix}1&2\\3&4\end{vmatrix}^2 + \begin{bmatrix}1\\2\end{bmatrix}_i",
        r"\begin{cases} \begin{pmatrix}1\\2\end{pmatrix}^T & x>0 \\ 0 & x\le 0\end{cases}",
    ],
)
def test_a_matrix_with_something_above_it_is_drawn(tex: str) -> None:
    assert draw_formula(tex, display=True).strokes


def test_inline_is_flatter() -> None:
    tall, flat = drawn(r"\sum_{i=1}^n i"), drawn(r"\sum_{i=1}^n i", display=False)
    assert flat.ascent + flat.descent < tall.ascent + tall.descent


def test_earlier_drawings_change_nothing() -> None:
    before = drawn("x_3^2")
    with pytest.raises(UndrawableFormula):
        drawn(r"\text{a ع}")
    assert drawn("x_3^2") == before


def test_letters_that_the_font_lacks_are_left_to_others() -> None:
    found = drawn(r"v = \frac{\text{路程}}{\text{时间}}")
    assert [stroke.letter for stroke in found.strokes if stroke.letter] == list("路程时间")
    first, second = (stroke for stroke in found.strokes if stroke.letter in ("路", "程"))
    assert second.x - first.x == pytest.approx(1_000 * first.scale, rel=0.01)


def test_the_remainder_has_room_and_a_number_is_at_the_end() -> None:
    close, apart = drawn("ab"), drawn(r"a \bmod b")
    assert apart.width > close.width + 2_000
    tagged = drawn(r"\tag{7} x")
    last = max(tagged.strokes, key=lambda stroke: stroke.x)
    assert last.x > drawn("x").width + 1_500


@pytest.mark.parametrize(
    "tex",
    [
        "",
        r"\nosuchcommand{x}",
        r"\frac{1}",
        r"\text{عربي}",
        "{" * 10_000 + "x" + "}" * 10_000,
        r"\sqrt{" * (MAX_DEPTH + 1) + "x" + "}" * (MAX_DEPTH + 1),
        r"\left(" * (MAX_DEPTH + 1) + "x" + r"\right)" * (MAX_DEPTH + 1),
        "x" * (MAX_LENGTH + 1),
        "^" * 2_000,
        r"\hspace{999999em} x",
    ],
)
def test_other_input_is_refused_quickly(tex: str) -> None:
    with pytest.raises((UndrawableFormula, Exception)):
        drawn(tex)


def test_frames_in_and_out() -> None:
    pipe = subprocess.PIPE
    command = [*child_command("formula"), "30"]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=child_environment()) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def read() -> bytes:
            assert process.stdout is not None
            return process.stdout.read(
                FRAME_LENGTH.unpack(process.stdout.read(FRAME_LENGTH.size))[0]
            )

        assert read() == b""
        frame = json.dumps([["x^2", False], [r"\nosuch", True]]).encode()
        process.stdin.write(FRAME_LENGTH.pack(len(frame)) + frame)
        process.stdin.flush()
        assert unpack(read()) == [drawn("x^2", display=False), None]
        process.stdin.close()
        assert process.wait(30) == 0


def test_it_imports_nothing_of_qt() -> None:
    script = (
        "import sys, neodeskpet.ui.rendering.formula_worker; sys.exit('PySide6' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], env=child_environment(), check=True, timeout=60)


@pytest.mark.parametrize("sign", [r"\int", r"\sum", r"\oint"])
def test_large_operators_are_small_in_a_line(sign: str) -> None:
    small = drawn(rf"{sign}_0^1 x", display=False)
    large = drawn(rf"{sign}_0^1 x")
    assert small.ascent + small.descent < 0.75 * (large.ascent + large.descent)
