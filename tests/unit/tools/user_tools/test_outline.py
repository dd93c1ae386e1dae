"""The declarations of a tool file are read without running it."""

from __future__ import annotations

from neodeskpet.tools.user_tools.tool_file_protocol import DeclaredTool, read_outline

FILE = '''"""Dice.

More about them.
"""
import random
from os.path import join
from neodeskpet.toolkit.registry import tool

@tool("dice.roll", risk=Risk.READ)
def roll(sides: int = 6) -> int:
    """Roll
    a die.

    It is fair."""

def more_tools():
    @registry.tool(name="dice.throw", risk=WRITE)
    async def throw(): "Throw it."
    @tool(f"dice.{1}")
    def other(): ...
    @cache
    def none(): ...
'''


def test_the_declarations_in_the_file() -> None:
    outline = read_outline(FILE)
    assert outline.fault is None
    assert outline.about == "Dice."
    assert outline.imports == ("neodeskpet", "os", "random")
    assert outline.tools == (
        DeclaredTool("dice.roll", "Roll a die.", "READ", 10),
        DeclaredTool("dice.throw", "Throw it.", "WRITE", 18),
        DeclaredTool("", "", "", 20),
    )


def test_a_syntax_error_has_its_line() -> None:
    fault = read_outline("a = 1\nb = (\nc = = 2\n").fault
    assert fault is not None
    assert fault.words.startswith("SyntaxError: ")
    assert fault.line in (2, 3)


def test_a_text_that_no_parser_can_read() -> None:
    for source in ("a\0b", "(" * 5_000, "-" * 100_000 + "1"):
        fault = read_outline(source).fault
        assert fault is not None
        assert fault.words
