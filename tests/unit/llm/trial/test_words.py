from __future__ import annotations

import pytest

from neodeskpet.core.errors import Unauthorized
from neodeskpet.llm.trial.advice import Advice, Why
from neodeskpet.llm.trial.result import Outcome, Trial
from neodeskpet.llm.trial.trial import STEPS
from neodeskpet.llm.trial.words import TITLES, reason, title, words

GOOD, FAULT = Outcome.GOOD, Outcome.FAULT


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (Trial("models", GOOD, 0.25, 3), ("250 ms", "3 models")),
        (Trial("models", FAULT, 0.25, 3), ("250 ms", "the model isn't among its 3 models")),
        (
            Trial("streaming", GOOD, 0.5, 20.0, facts={"tokens_per_second": 41.5}),
            ("first token after 0.50 s", "42 tokens/s"),
        ),
        (Trial("streaming", GOOD, 0.5, 20.0), ("first token after 0.50 s", "20 pieces/s")),
        (
            Trial("streaming", FAULT, 0.5, 20.0),
            ("comes in one piece", "20 pieces/s"),
        ),
        (Trial("streaming", FAULT), ("no text came", "")),
        (Trial("whole", GOOD, 1.0), ("after 1.00 s", "")),
        (Trial("whole", FAULT), ("no text came", "")),
        (Trial("usage", GOOD), ("reported", "")),
        (Trial("usage", FAULT), ("not reported", "estimated instead")),
        (
            Trial("usage", GOOD, facts={"input": 3, "output": 4}),
            ("reported", "3 tokens in, 4 out"),
        ),
        (Trial("tools", GOOD), ("called", "")),
        (Trial("tools", FAULT), ("accepted, but not called", "")),
        (
            Trial("tools", FAULT, facts={"broken": 1, "arguments": "{"}),
            ("called with broken arguments", "{"),
        ),
        (Trial("parallel", GOOD, 1.0, 2), ("called", "2 calls in one reply")),
        (Trial("signatures", GOOD, 1.0, 2), ("accepted", "2 signatures sent back")),
        (Trial("signatures", GOOD), ("accepted", "")),
        (
            Trial("signatures", Outcome.ABSENT),
            ("not tried", "the model called no tool this time"),
        ),
        (Trial("thinking", Outcome.ABSENT), ("none shown", "")),
        (Trial("something new", GOOD), ("", "")),
        (Trial("something new", FAULT), ("", "")),
    ],
)
def test_what_was_found(trial: Trial, expected: tuple[str, str]) -> None:
    assert words(trial) == expected


def test_an_error_speaks_for_itself() -> None:
    what, hint = words(Trial("models", Outcome.FAILED, error=Unauthorized("nope")))
    assert what == "The service refused the key. nope"
    assert "key" in hint


def test_everything_that_is_tried_has_a_title() -> None:
    assert set(STEPS) <= set(TITLES)
    assert title("vision") == "Pictures"
    assert title("new") == "new"


def test_every_advice_has_a_reason() -> None:
    reasons = {reason(Advice("", why)) for why in Why}
    assert len(reasons) == len(Why)
