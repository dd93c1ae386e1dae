from __future__ import annotations

from neodeskpet.llm.endpoint_test.endpoint_advice import StepOutcome, StepResult


def test_a_test_that_only_has_an_outcome() -> None:
    trial = StepResult("tools", StepOutcome.GOOD)
    assert (trial.seconds, trial.count, trial.error, dict(trial.facts)) == (0.0, 0.0, None, {})
