"""What one trial of an endpoint found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from neodeskpet.core.errors import LlmError


class StepOutcome(StrEnum):
    """FAULT works, but not as it should. ABSENT is no fault: the model doesn't do it, or the trial
    came to nothing.
    """

    GOOD = "good"
    FAULT = "fault"
    FAILED = "failed"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class StepResult:
    """One thing that was tried. `error` is set when it failed. `seconds` and `count` mean: time to
    answer and number of models (models); time to the first token and pieces a second (streaming);
    time to the whole and number of things that were echoed (signatures), or of a vector's numbers
    (vectors). `facts` are details for
    reports, as JSON.
    """

    id: str
    outcome: StepOutcome
    seconds: float = 0.0
    count: float = 0.0
    error: LlmError | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
