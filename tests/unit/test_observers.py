"""Everyone hears, whatever the others do; a fault is told once."""

from __future__ import annotations

import pytest

from neodeskpet.observers import Observers


def test_each_hears_in_order_until_it_leaves() -> None:
    heard: list[str] = []
    observers: Observers[[str]] = Observers(lambda word: heard.append(f"a {word}"))
    end = observers.add(lambda word: heard.append(f"b {word}"))
    observers.tell("one")
    end()
    end()
    observers.tell("two")
    assert heard == ["a one", "b one", "a two"]


def test_one_that_fails_is_logged_once_for_each_kind_of_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    faults: list[Exception] = [ValueError("a"), ValueError("b"), KeyError("c")]
    heard: list[int] = []

    def fail(number: int) -> None:
        raise faults[number]

    observers: Observers[[int]] = Observers(fail, heard.append)
    for number in range(3):
        observers.tell(number)
    assert heard == [0, 1, 2]
    assert caplog.text.count("A listener failed at (int)") == 2
    assert "ValueError: a" in caplog.text
    assert "ValueError: b" not in caplog.text


def test_one_may_leave_and_another_come_while_they_are_told() -> None:
    heard: list[str] = []
    observers: Observers[[]] = Observers()

    def once() -> None:
        heard.append("once")
        end()
        observers.add(lambda: heard.append("later"))

    end = observers.add(once)
    observers.tell()
    observers.tell()
    assert heard == ["once", "later"]
