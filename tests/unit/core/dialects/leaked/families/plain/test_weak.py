"""What looks like people's text, beside what can only be a call."""

from __future__ import annotations

from tests.unit.core.dialects.leaked.leaking import JSON, PARIS, Heard, read


def test_a_strong_form_settles_the_weak_one_before_it() -> None:
    heard = read([f"{JSON}\n<tool_call>{JSON}</tool_call> Done."])
    assert heard == Heard(" Done.", "", [PARIS, PARIS], [])
