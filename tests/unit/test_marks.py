"""What is marked is what a tracer sees."""

from __future__ import annotations

import builtins
import sys
from types import FrameType
from typing import Any

from coverage.parser import PythonParser

from tests.support.marks import compile_marked

SOURCE = '''"""What stands first stays first."""

from __future__ import annotations

import functools
from contextlib import nullcontext

count = 0


@functools.cache
@functools.wraps(
    len,
)
def doubled(value: NotThere) -> int:
    """Documented."""
    return 2 * value


class Shelf:
    """Documented."""

    size: int = 3
    names = [
        name
        for name in "abc"
    ]

    def grow(self) -> None:
        global count
        count += 1


async def later():
    async with nullcontext():
        yield 1


def sort(value):
    match value:
        case (
            1
            | 2
        ):
            return "few"
        case [*_]:
            return "list"
        case _:
            return "other"


for value in (1, [], "x"):
    sort(value)
else:
    Shelf().grow()
while count < 2:
    count += 1
    if count == 1:
        never = 1
    elif doubled(count) == 4:
        with nullcontext(), nullcontext():
            pass
    else:
        never = 2
try:
    try:
        raise ValueError(
            "x"
        )
    except KeyError:
        never = 3
    except ValueError:
        raise
    finally:
        count = 0
except (
    ValueError,
    TypeError,
) as error:
    told = str(error)
else:
    never = 4
'''


def test_a_mark_is_where_a_tracer_comes_by() -> None:
    marks = [0] * 200
    setattr(builtins, "marks of a test", marks)
    inside: dict[str, Any] = {}
    exec(compile_marked(SOURCE.encode(), "marked.py", "marks of a test"), inside)
    delattr(builtins, "marks of a test")

    traced: set[int] = set()
    parser = PythonParser(text=SOURCE)
    parser.parse_source()

    def trace(frame: FrameType, event: str, _value: object) -> Any:
        if event == "line":
            traced.add(parser.first_line(frame.f_lineno))
        return trace if frame.f_code.co_filename == "plain.py" else None

    plain = compile(SOURCE, "plain.py", "exec", dont_inherit=True)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(plain, {})
    finally:
        sys.settrace(before)

    passed_by = SOURCE.splitlines().index("    except KeyError:") + 1  # marked when it catches
    marked = {line for line, ran in enumerate(marks) if ran}
    assert marked & parser.statements == traced & parser.statements - {passed_by}
    assert inside["__doc__"] == "What stands first stays first."
    assert inside["Shelf"].__doc__ == "Documented."
