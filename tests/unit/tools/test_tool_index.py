"""The right tool is found among a thousand, with a request in English or Chinese."""

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.tools.builtin.calculator import calc_tools
from neodeskpet.tools.builtin.clock import time_tools
from neodeskpet.tools.tool_index import Family, ToolIndex, families
from tests.support.manytools import cases, many_tools

OWN = (
    ToolSpec("timer.set", "Set a timer or an alarm that rings at a time or after a while."),
    ToolSpec("timer.list", "List the timers that are set."),
    ToolSpec("timer.cancel", "Cancel a timer."),
    ToolSpec("note.add", "Keep a short note for the user."),
    ToolSpec("note.search", "Search the notes."),
    ToolSpec("note.delete", "Delete a note."),
    ToolSpec("live2d.expression", "Show a facial expression: happy, sad, shy."),
    ToolSpec("live2d.motion", "Play a motion of the character: wave, dance, nod."),
    *(tool.spec for tool in (*calc_tools(), *time_tools())),
)


def found(index: ToolIndex, query: str, count: int = 5) -> list[str]:
    return [spec.own_name or spec.name for spec in index.search(query, count)]


def test_the_right_one_is_among_the_first_five_of_a_thousand() -> None:
    index = ToolIndex([*OWN, *many_tools()])
    asked = cases()
    assert len(asked) >= 200
    chinese = [case for case in asked if any("一" <= c <= "鿿" for c in case[0])]
    assert len(chinese) >= 90
    for some in (asked, chinese, [case for case in asked if case not in chinese]):
        missed = {
            query: found(index, query) for query, fit in some if not fit & {*found(index, query)}
        }
        assert len(missed) <= 0.05 * len(some), missed


def test_unknown_words_and_empty_requests_find_nothing() -> None:
    index = ToolIndex(OWN)
    assert found(index, "zzzz") == []
    assert found(index, "") == []
    assert found(index, "please do the") == []
    assert found(ToolIndex(()), "timer") == []


def test_names_are_split_between_words() -> None:
    index = ToolIndex([ToolSpec("createPullRequest", ""), ToolSpec("DNS_getHTTPRecordsV1", "")])
    assert found(index, "pull") == ["createPullRequest"]
    assert found(index, "http records")[0] == "DNS_getHTTPRecordsV1"


def test_at_most_the_requested_number_is_found_best_first() -> None:
    index = ToolIndex([ToolSpec("b", "A note."), ToolSpec("note", "Take a note.")])
    assert found(index, "take a note", 1) == ["note"]
    assert len(found(index, "note")) == 2


def test_a_family_is_the_part_before_the_dot_or_the_source() -> None:
    foreign = ToolSpec("a.b", "", source="github", own_name="a.b")
    assert families([*OWN[:4], foreign]) == [
        Family("timer", 3),
        Family("note", 1),
        Family("github", 1),
    ]
