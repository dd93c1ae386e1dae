"""Every observer is called, whatever the others do; an error is logged once."""

from __future__ import annotations

import pytest

from neodeskpet.platform.observers import Observer, Observers


def test_each_is_called_in_order_until_it_unsubscribes() -> None:
    heard: list[str] = []
    observers: Observers[[str]] = Observers(lambda word: heard.append(f"a {word}"))
    end = observers.subscribe(lambda word: heard.append(f"b {word}"))
    observers.notify("one")
    end()
    end()
    observers.notify("two")
    assert heard == ["a one", "b one", "a two"]


def test_each_origin_of_an_error_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int] = []

    def fail(number: int) -> None:
        if number == 2:
            raise ValueError("of another line")
        raise ValueError(f"number {number}")

    observers: Observers[[int]] = Observers(fail, heard.append)
    for number in range(4):
        observers.notify(number)
    assert heard == [0, 1, 2, 3]
    assert caplog.text.count("A listener failed at (int)") == 2
    assert "ValueError: number 0" in caplog.text
    assert "ValueError: of another line" in caplog.text
    assert "ValueError: number 1" not in caplog.text


def test_an_error_without_a_traceback_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    observer: Observer[[]] = Observer(lambda: None)
    observer.report(ValueError("a"), ())
    observer.report(ValueError("b"), ())
    assert caplog.text.count("A listener failed") == 1


def test_observers_may_be_removed_and_added_during_a_notification() -> None:
    heard: list[str] = []
    observers: Observers[[]] = Observers()

    def once() -> None:
        heard.append("once")
        end()
        observers.subscribe(lambda: heard.append("later"))

    end = observers.subscribe(once)
    observers.notify()
    observers.notify()
    assert heard == ["once", "later"]
