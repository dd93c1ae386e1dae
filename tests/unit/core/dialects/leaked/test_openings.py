"""Where a leaked call may begin, and text that only looks like its beginning."""

import pytest

from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.core.dialects.leaked.openings import offered_openings
from tests.unit.core.dialects.leaked.leaking import read


def test_a_tool_name_within_a_word_begins_no_call() -> None:
    found = offered_openings(tuple(FAMILIES), ("search",))
    assert found.at("s", "", first=True)
    assert found.at("s", "re", first=True) == []
    assert found.at("s", "re", first=False) == ()


@pytest.mark.parametrize(
    "text",
    [
        'so **Action:** search\nAction Input: {"query": "cats"}',
        'so ```tool_code\nsearch(query="cats")\n```',
        "<tool_call>[1, 2]</tool_call>",
        "<tool_call>7</tool_call>",
        "<function_call>[1]</function_call>",
    ],
)
def test_other_text_stays_text(text: str) -> None:
    assert read(text).calls == []


def test_names_with_the_same_beginning_are_distinguished() -> None:
    found = offered_openings(
        tuple(FAMILIES), tuple(f"server.tool_{number}" for number in range(1000))
    )

    def find(text: str) -> int:
        return found.find(text, lambda: "", blank=True)

    assert find("server.tool_999") == find("server.tool_") == find("functions.server.t") == 0
    assert find("server.trap_1") == find("functions.server.trap_1") == -1
