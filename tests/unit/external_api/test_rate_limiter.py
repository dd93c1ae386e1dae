"""The rate limits of other programs."""

from __future__ import annotations

import pytest

from neodeskpet.external_api.access_control import Rate, RateLimiter

TALK = {"talk": Rate(burst=2, seconds=10.0, shared_factor=2)}


def test_a_few_at_once_and_then_one_at_intervals() -> None:
    allowance = RateLimiter(TALK)
    assert [allowance.acquire("talk", "a", 0.0) for _ in range(3)] == [0.0, 0.0, 10.0]
    assert allowance.acquire("talk", "a", 4.0) == pytest.approx(6.0)
    assert allowance.acquire("talk", "a", 10.0) == 0.0
    assert allowance.acquire("talk", "a", 10.0) == 10.0


def test_all_programs_together_have_a_higher_limit() -> None:
    allowance = RateLimiter(TALK)
    waits = [allowance.acquire("talk", f"name {number}", 0.0) for number in range(200)]
    assert waits[:4] == [0.0] * 4
    assert all(wait > 0 for wait in waits[4:]), "a different name for each text doesn't help"
    assert allowance.acquire("talk", "later", 5.0) == 0.0


def test_a_refused_call_does_not_count() -> None:
    allowance = RateLimiter(TALK)
    for _ in range(50):
        allowance.acquire("talk", "a", 0.0)
    assert allowance.acquire("talk", "a", 10.0) == 0.0


def test_names_are_removed_after_a_while() -> None:
    allowance = RateLimiter({"talk": Rate(burst=1, seconds=1.0)})
    for number in range(1000):
        assert allowance.acquire("talk", f"name {number}", float(number)) == 0.0
    assert len(allowance._used) < 100
