from __future__ import annotations

from typing import Literal

from neodeskpet.settings.setting_fields import ControlKind, Section, field_display, setting


class Sample(Section):
    flag: bool = setting(True, "Flag")
    few: Literal["a", "b"] = setting("a", "Few", choices={"a": "A", "b": "B"})
    many: Literal["1", "2", "3", "4", "5"] = setting("1", "Many", choices={c: c for c in "12345"})
    size: float = setting(1.0, "Size", "How big.", minimum=0.5, maximum=2, step=0.1, unit="%")
    count: int = setting(3, "Count", minimum=1, maximum=9)
    name: str = setting("", "Name", placeholder="e.g. Neo", keywords=("called",))
    place: str = setting("", "Place", control=ControlKind.FOLDER)
    marks: dict[str, int] = setting({}, "Marks")


def look(name: str):  # type: ignore[no-untyped-def]
    return field_display("sample", name, Sample.model_fields[name])


def test_the_control_follows_from_the_type() -> None:
    assert {name: look(name).control for name in Sample.model_fields} == {
        "flag": ControlKind.SWITCH,
        "few": ControlKind.SEGMENTS,
        "many": ControlKind.CHOICE,
        "size": ControlKind.SCALE,
        "count": ControlKind.SCALE,
        "name": ControlKind.TEXT,
        "place": ControlKind.FOLDER,
        "marks": ControlKind.HIDDEN,
    }


def test_all_written_values_are_read_back() -> None:
    info = look("size")
    assert (info.path, info.title, info.description) == ("sample.size", "Size", "How big.")
    assert (info.default, info.minimum, info.maximum) == (1.0, 0.5, 2)
    assert (info.step, info.unit) == (0.1, "%")
    assert look("few").choices == (("a", "A"), ("b", "B"))
    assert (look("name").placeholder, look("name").keywords) == ("e.g. Neo", ("called",))
