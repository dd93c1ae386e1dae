from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.llm.chain.endpoint_state import RateLimit, TokenBucket


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_holds_a_minute_and_fills_evenly() -> None:
    clock = Clock()
    bucket = TokenBucket(60, clock)
    assert bucket.wait(60) == 0
    bucket.take(60)
    assert bucket.wait(1) == 1
    clock.now += 0.5
    assert bucket.wait(1) == 0.5
    clock.now += 1000
    assert bucket.wait(60) == 0
    assert bucket.wait(6000) == 0, (
        "a request that is larger than the bucket only needs a full bucket"
    )


def test_debt_delays_the_next_request() -> None:
    clock = Clock()
    limit = RateLimit(2, None, clock)
    assert [limit.take(0) for _ in range(4)] == [0, 0, 30, 60]
    clock.now += 30
    assert limit.wait(0) == 60


def test_a_clock_that_goes_back_adds_nothing() -> None:
    clock = Clock()
    bucket = TokenBucket(60, clock)
    bucket.take(60)
    clock.now -= 50
    assert bucket.wait(1) == 1
    clock.now += 51
    assert bucket.wait(1) == 0
    assert bucket.wait(2) == 1


def test_both_limits_hold() -> None:
    clock = Clock()
    limit = RateLimit(60, 600, clock)
    assert limit.take(600) == 0
    assert limit.wait(10) == 1
    assert limit.wait(100) == 10


def test_a_request_that_was_never_sent_is_refunded() -> None:
    limit = RateLimit(1, 100, Clock())
    limit.take(100)
    assert limit.wait(100) > 0
    limit.refund(100)
    assert limit.wait(100) == 0


def test_the_actual_usage_replaces_the_estimate() -> None:
    clock = Clock()
    limit = RateLimit(None, 60, clock)
    limit.take(30)
    limit.correct(30, 10)
    assert limit.wait(50) == 0
    limit.correct(10, 70)
    assert limit.wait(1) == 11


def test_without_a_limit_there_is_no_wait() -> None:
    limit = RateLimit()
    for _ in range(100):
        assert limit.take(10**9) == 0
    limit.refund(5)


@given(st.lists(st.tuples(st.floats(0, 30), st.floats(0, 50)), max_size=40))
def test_over_any_time_no_more_passes_than_the_rate_and_one_minute(
    steps: list[tuple[float, float]],
) -> None:
    clock = Clock()
    bucket = TokenBucket(60, clock)
    taken = 0.0
    for pause, amount in steps:
        clock.now += pause
        if bucket.wait(amount) == 0:
            bucket.take(amount)
            taken += amount
        assert taken <= 60 + (clock.now - 100.0) + 1e-6
