from neodeskpet.figure.behaviour.seasons import DayContext, Holiday
from neodeskpet.figure.behaviour.wearing import (
    FADE_SECONDS,
    WornParts,
    part_by_itself,
    wearable_parts,
    without_worn_parts,
)

PARTS = {"glasses": "ParamWearGlasses", "santa hat": "ParamWearSantaHat"}


def test_parts_are_found_by_the_names_of_their_parameters() -> None:
    parameters = ["ParamAngleX", "ParamWear", *PARTS.values(), "ParamWornSway"]
    assert wearable_parts(parameters) == PARTS
    spans = dict.fromkeys(parameters, 1)
    assert list(without_worn_parts(spans)) == ["ParamAngleX", "ParamWornSway"]


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
    assert part_by_itself(DayContext(), music=False) == ""
    assert part_by_itself(christmas, music=False) == "santa hat"
    assert part_by_itself(christmas, music=True) == "headphones"
    assert part_by_itself(DayContext(holiday=Holiday.NEW_YEAR), music=False) == ""
