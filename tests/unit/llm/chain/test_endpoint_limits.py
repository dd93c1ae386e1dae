"""The rate limits and failures of endpoints."""

from __future__ import annotations

from neodeskpet.llm.catalog.model_catalog import Endpoint
from neodeskpet.llm.chain.endpoint_state import EndpointState

A = Endpoint(name="a", protocol="openai", base_url="http://a", requests_per_minute=1)
B = Endpoint(name="b", protocol="openai", base_url="http://b")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_endpoint_that_failed_is_skipped_for_half_a_minute() -> None:
    clock = Clock()
    traffic = EndpointState(clock)
    assert not traffic.cools_down(A, "m")
    traffic.failed(A)
    assert traffic.cools_down(A, "m")
    assert not traffic.cools_down(B, "m")
    clock.now = 29.9
    assert traffic.cools_down(A, "other")
    clock.now = 30.0
    assert not traffic.cools_down(A, "m")


def test_a_model_cools_down_alone() -> None:
    traffic = EndpointState(Clock())
    traffic.failed(A, "m")
    assert traffic.cools_down(A, "m")
    assert not traffic.cools_down(A, "other")


def test_an_answer_ends_the_cooldown() -> None:
    traffic = EndpointState(Clock())
    traffic.failed(A)
    traffic.failed(A, "m")
    traffic.failed(A, "n")
    traffic.answered(A, "m")
    assert not traffic.cools_down(A, "m")
    assert traffic.cools_down(A, "n")


def test_an_endpoint_has_one_limit_until_its_numbers_change() -> None:
    clock = Clock()
    traffic = EndpointState(clock)
    traffic.limit(A).take(0)
    assert traffic.limit(A).wait(0) == 60
    assert traffic.limit(A.model_copy(update={"priority": 3})).wait(0) == 60
    assert traffic.limit(A.model_copy(update={"requests_per_minute": 2})).wait(0) == 0
    assert traffic.limit(B).wait(10**6) == 0
