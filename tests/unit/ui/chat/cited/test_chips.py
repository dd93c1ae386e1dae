"""Which of the sources that an answer was told stand below it."""

from __future__ import annotations

import json

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.ui.chat.cited.chips import MOST, chosen, found_by
from neodeskpet.ui.chat.items.item import Cited

KETTLE = Cited("a.1", "house.md › Kettle")
PAGE = Cited("b.1", "plan.pdf, p. 3")
AGAIN = Cited("b.2", "plan.pdf, p. 3")


def test_what_the_answer_names_is_shown() -> None:
    told = [KETTLE, PAGE, AGAIN]
    assert chosen(told, "It is there [house.md › Kettle].") == [KETTLE]
    assert chosen(told, "As plan.pdf says.") == [PAGE]
    assert chosen(told, "See [plan.pdf, p. 3] and house.md.") == [KETTLE, PAGE]


def test_an_answer_that_names_none_has_no_sources() -> None:
    assert chosen([KETTLE, PAGE, AGAIN], "It is there.") == []
    many = [Cited(str(n), f"{n}.txt") for n in range(MOST + 3)]
    assert len(chosen(many, " ".join(one.label for one in many))) == MOST


def used(output: str, status: ToolStatus = ToolStatus.SUCCESS) -> ToolUse:
    return ToolUse(0, 0, "c", "knowledge.search", status=status, output=output)


def test_what_the_tool_found_counts_too() -> None:
    told = json.dumps({"passages": [{"id": "a.1", "source": "house.md › Kettle"}, {"id": "x"}, 3]})
    assert found_by(used(told)) == [KETTLE]
    assert found_by(used(told, ToolStatus.ERROR)) == []
    for odd in ("", "[1]", "{", '{"passages": 1}', "[" * 100_000):
        assert found_by(used(odd)) == []
