import pytest

from neodeskpet.figure.behaviour.seasons import DayContext, Holiday, Season
from neodeskpet.figure.behaviour.wearing import (
    FADE_SECONDS,
    PARTS_BY_USE,
    WornParts,
    part_by_itself,
    part_for_turns,
    part_for_weather,
    wearable_parts,
    without_props,
)

PARTS = {"glasses": "ParamWearGlasses", "santa hat": "ParamWearSantaHat"}


def test_parts_are_found_by_the_names_of_their_parameters() -> None:
    parameters = ["ParamAngleX", "ParamWear", *PARTS.values(), "ParamWornSway"]
    assert wearable_parts(parameters) == PARTS
    spans = dict.fromkeys(parameters, 1)
    assert list(without_props(spans)) == ["ParamAngleX", "ParamWornSway"]


def test_a_part_fades_in_and_another_replaces_it() -> None:
    worn = WornParts(PARTS)
    assert worn.advance(1.0) == {}
    worn.wear("glasses")
    half = worn.advance(FADE_SECONDS / 2)["ParamWearGlasses"]
    assert 0.0 < half < 1.0
    assert worn.advance(FADE_SECONDS) == {"ParamWearGlasses": 1.0}
    worn.wear("santa hat")
    both = worn.advance(FADE_SECONDS / 4)
    assert both["ParamWearGlasses"] > both["ParamWearSantaHat"] > 0.0
    assert worn.advance(FADE_SECONDS) == {"ParamWearSantaHat": 1.0}


def test_an_unknown_part_removes_the_worn_one() -> None:
    worn = WornParts(PARTS)
    worn.wear("glasses")
    worn.advance(FADE_SECONDS)
    worn.wear("crown")
    assert worn.advance(FADE_SECONDS) == {}


def test_the_moment_decides() -> None:
    christmas = DayContext(holiday=Holiday.CHRISTMAS)
    assert part_by_itself(DayContext()) == ""
    assert part_by_itself(christmas) == "santa hat"
    assert part_by_itself(christmas, music=True) == "headphones"
    assert part_by_itself(DayContext(holiday=Holiday.NEW_YEAR)) == ""
    summer = DayContext(season=Season.SUMMER)
    assert part_by_itself(summer) == "straw hat"
    assert part_by_itself(summer, use="beret") == "beret"
    assert part_by_itself(christmas, use="beret") == "santa hat"
    assert part_by_itself(christmas, weather="umbrella") == "umbrella"


@pytest.mark.parametrize(
    ("tool", "arguments", "result", "part"),
    [
        ("get_weather", "{}", "Light rain, 12 °C; sunny tomorrow", "umbrella"),
        ("get_weather", "{}", "Sunny, later showers", "straw hat"),
        ("get_weather", "{}", "No rain today, clear sky", "straw hat"),
        ("get_weather", "{}", "Cloudy, 12 °C", ""),
        ("web.search", '{"query": "上海天气"}', "今天小雨转阴", "umbrella"),
        ("web.search", '{"query": "上海天气"}', "今天晴，不会下雨", "straw hat"),
        ("web.search", '{"query": "上海天气"}', "多云，无雨", ""),
        ("web.search", '{"query": "singing"}', "Singing in the Rain", ""),
        ("get_weather", "{}", "The train leaves at nine", ""),
    ],
)
def test_the_weather_that_a_tool_names(tool: str, arguments: str, result: str, part: str) -> None:
    assert part_for_weather(tool, arguments, result) == part


def test_each_hundred_turns_bring_another_part() -> None:
    assert [part_for_turns(number) for number in (0, 1, 99, 101)] == [""] * 4
    found = [part_for_turns(100 * number) for number in range(1, 14)]
    assert found == [*PARTS_BY_USE, PARTS_BY_USE[0]]
