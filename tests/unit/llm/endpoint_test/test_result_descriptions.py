from __future__ import annotations

import pytest

from neodeskpet.core.errors import Unauthorized
from neodeskpet.llm.endpoint_test.endpoint_advice import (
    Advice,
    AdviceReason,
    StepOutcome,
    StepResult,
)
from neodeskpet.llm.endpoint_test.endpoint_tester import STEP_IDS
from neodeskpet.llm.endpoint_test.result_descriptions import (
    TITLES,
    advice_text,
    step_result_text,
    step_title,
)

GOOD, FAULT = StepOutcome.GOOD, StepOutcome.FAULT


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (StepResult("models", GOOD, 0.25, 3), ("250 ms", "3 models")),
        (StepResult("models", FAULT, 0.25, 3), ("250 ms", "the model isn't among its 3 models")),
        (
            StepResult("streaming", GOOD, 0.5, 20.0, facts={"tokens_per_second": 41.5}),
            ("first token after 0.50 s", "42 tokens/s"),
        ),
        (StepResult("streaming", GOOD, 0.5, 20.0), ("first token after 0.50 s", "20 pieces/s")),
        (
            StepResult("streaming", FAULT, 0.5, 20.0),
            ("comes in one piece", "20 pieces/s"),
        ),
        (StepResult("streaming", FAULT), ("no text came", "")),
        (StepResult("whole", GOOD, 1.0), ("after 1.00 s", "")),
        (StepResult("whole", FAULT), ("no text came", "")),
        (StepResult("usage", GOOD), ("reported", "")),
        (StepResult("usage", FAULT), ("not reported", "estimated instead")),
        (
            StepResult("usage", GOOD, facts={"input": 3, "output": 4}),
            ("reported", "3 tokens in, 4 out"),
        ),
        (StepResult("tools", GOOD), ("called", "")),
        (StepResult("tools", FAULT), ("accepted, but not called", "")),
        (
            StepResult("tools", FAULT, facts={"broken": 1, "arguments": "{"}),
            ("called with broken arguments", "{"),
        ),
        (StepResult("parallel", GOOD, 1.0, 2), ("called", "2 calls in one reply")),
        (StepResult("signatures", GOOD, 1.0, 2), ("accepted", "2 signatures sent back")),
        (StepResult("signatures", GOOD), ("accepted", "")),
        (
            StepResult("signatures", StepOutcome.ABSENT),
            ("not tried", "the model called no tool this time"),
        ),
        (StepResult("thinking", StepOutcome.ABSENT), ("none shown", "")),
        (StepResult("something new", GOOD), ("", "")),
        (StepResult("something new", FAULT), ("", "")),
    ],
)
def test_descriptions_of_the_findings(trial: StepResult, expected: tuple[str, str]) -> None:
    assert step_result_text(trial) == expected


def test_an_error_is_shown_as_its_text() -> None:
    what, hint = step_result_text(
        StepResult("models", StepOutcome.FAILED, error=Unauthorized("nope"))
    )
    assert what == "The service refused the key. nope"
    assert "key" in hint


def test_every_step_has_a_title() -> None:
    assert set(STEP_IDS) <= set(TITLES)
    assert step_title("vision") == "Pictures"
    assert step_title("new") == "new"


def test_every_advice_has_a_reason() -> None:
    reasons = {advice_text(Advice("", why)) for why in AdviceReason}
    assert len(reasons) == len(AdviceReason)
