"""Reading fields that have the expected type, and others."""

from __future__ import annotations

import pytest

from neodeskpet.conversation.import_chats.format_helpers import (
    list_of,
    object_of,
    objects_of,
    size_of,
    text_of,
    time_of,
    to_json,
)

ODD: list[object] = [None, True, 1, 1.5, "x", [1], {"a": 1}]


def test_a_value_of_another_type_is_missing() -> None:
    assert [text_of(one) for one in ODD] == ["", "", "", "", "x", "", ""]
    assert [object_of(one) for one in ODD] == [{}, {}, {}, {}, {}, {}, {"a": 1}]
    assert [list_of(one) for one in ODD] == [[], [], [], [], [], [1], []]
    assert objects_of([{}, 1, None, {"a": 1}]) == [{}, {"a": 1}]
    assert [size_of(one) for one in (5, -1, "5", 1 << 60)] == [5, 0, 0, 0]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (1_704_067_200.25, 1_704_067_200.25),
        (1_704_067_200_250, 1_704_067_200.25),
        ("2024-01-01T00:00:00Z", 1_704_067_200.0),
        ("2024-01-01T08:00:00.500000+08:00", 1_704_067_200.5),
        *((odd, None) for odd in (None, True, "", "soon", -5, 0, 1e300, float("nan"), 10**400)),
    ],
)
def test_times(value: object, seconds: float | None) -> None:
    assert time_of(value) == seconds


def test_values_that_json_can_not_hold_are_empty() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert to_json({"ä": 1}) == '{"ä": 1}'
    assert to_json(deep) == ""
    while deep:
        deep = deep[0]  # type: ignore[assignment]
