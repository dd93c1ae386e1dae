"""Which of the sources sent to the model are listed below an answer."""

from __future__ import annotations

import json

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.ui.chat.items.item import Citation
from neodeskpet.ui.chat.items.message_annotations import MAX_CHIPS, cited_in, passages_of

KETTLE = Citation("a.1", "house.md › Kettle")
PAGE = Citation("b.1", "plan.pdf, p. 3")
AGAIN = Citation("b.2", "plan.pdf, p. 3")


def test_sources_that_the_answer_names_are_shown() -> None:
    told = [KETTLE, PAGE, AGAIN]
    assert cited_in(told, "It is there [house.md › Kettle].") == [KETTLE]
    assert cited_in(told, "As plan.pdf says.") == [PAGE]
    assert cited_in(told, "See [plan.pdf, p. 3] and house.md.") == [KETTLE, PAGE]


def test_an_answer_that_names_none_has_no_sources() -> None:
    assert cited_in([KETTLE, PAGE, AGAIN], "It is there.") == []
    many = [Citation(str(n), f"{n}.txt") for n in range(MAX_CHIPS + 3)]
    assert len(cited_in(many, " ".join(one.label for one in many))) == MAX_CHIPS


def used(output: str, status: ToolStatus = ToolStatus.SUCCESS) -> ToolUse:
    return ToolUse(0, 0, "c", "knowledge.search", status=status, output=output)


def test_results_of_the_tool_count_too() -> None:
    told = json.dumps({"passages": [{"id": "a.1", "source": "house.md › Kettle"}, {"id": "x"}, 3]})
    assert passages_of(used(told)) == [KETTLE]
    assert passages_of(used(told, ToolStatus.ERROR)) == []
    for odd in ("", "[1]", "{", '{"passages": 1}', "[" * 100_000):
        assert passages_of(used(odd)) == []
