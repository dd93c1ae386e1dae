"""Brief results, and the texts of questions."""

from neodeskpet.core.tool_result import (
    MOST_BRIEF,
    MOST_NAME,
    argument_lines,
    count_brief,
    foreign_question,
    name_of,
    text_brief,
)


def test_arguments_are_labelled_lines_without_json_syntax() -> None:
    given = {
        "city_name": "Shanghai",
        "days": [1, 2],
        "place": {"zip": None, "near": True},
        "stops": [{"at": "A"}, "B", [{"at": "C"}, [1, 2]]],
        "note": "a\ncity name: Oslo",
        "far": False,
    }
    assert argument_lines(given).splitlines() == [
        "city name: Shanghai",
        "days: 1, 2",
        "place › zip: –",
        "place › near: ✓",
        "stops 1 › at: A",
        "stops 2: B",
        "stops 3 1 › at: C",
        "stops 3 2: 1, 2",
        "note: a",
        "    city name: Oslo",
        "far: ✗",
    ]


def test_a_question_about_a_foreign_tool_has_its_name_and_its_server() -> None:
    asked = foreign_question("get_weather", "weather", {"city": "Shanghai"})
    assert str(asked.title) == "Use “get_weather” of “weather”?"
    assert asked.thing == "city: Shanghai"
    assert asked.undoable is None


def test_briefs_and_names_are_short() -> None:
    assert str(count_brief(1, "1 note", "{count} notes")) == "1 note"
    assert str(count_brief(1200, "1 note", "{count} notes")) == "1,200 notes"
    assert len(str(text_brief("word " * 100))) <= MOST_BRIEF
    assert len(name_of("word " * 100)) == MOST_NAME
    assert name_of("a\nb") == "a b"
