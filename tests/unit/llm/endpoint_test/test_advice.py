from __future__ import annotations

import pytest

from neodeskpet.core.errors import (
    RequestRefused,
    ServiceFailed,
    StreamBroken,
    ToolsUnsupported,
)
from neodeskpet.llm.endpoint_test.endpoint_advice import (
    AdviceReason,
    StepOutcome,
    StepResult,
    advise,
    suggested_mode,
)

STREAMS = StepResult("streaming", StepOutcome.GOOD)


def test_without_steps_nothing_is_known() -> None:
    assert advise([]).mode == ""
    assert advise([STREAMS]).mode == "auto"
    assert advise([STREAMS]).vision is None


@pytest.mark.parametrize(
    ("tools", "mode", "why"),
    [
        (StepResult("tools", StepOutcome.GOOD), "auto", AdviceReason.WORKS),
        (StepResult("tools", StepOutcome.FAULT), "text", AdviceReason.NOT_CALLED),
        (
            StepResult("tools", StepOutcome.FAULT, facts={"broken": 1}),
            "text",
            AdviceReason.BROKEN_ARGUMENTS,
        ),
        (
            StepResult("tools", StepOutcome.FAILED, error=ToolsUnsupported()),
            "text",
            AdviceReason.REFUSED,
        ),
        (StepResult("tools", StepOutcome.FAILED, error=ServiceFailed()), "", AdviceReason.UNKNOWN),
    ],
)
def test_tools_decide_the_mode(tools: StepResult, mode: str, why: AdviceReason) -> None:
    advice = advise([STREAMS, tools])
    assert (advice.mode, advice.why) == (mode, why)
    assert advice.dialect == ("tool_request" if mode == "text" else "")
    assert suggested_mode([STREAMS, tools]) == mode


def test_a_reply_in_one_piece_is_sufficient() -> None:
    broken = StepResult("streaming", StepOutcome.FAILED, error=StreamBroken())
    assert advise([broken]).why is AdviceReason.NOTHING_WORKS
    advice = advise([broken, StepResult("whole", StepOutcome.GOOD)])
    assert (advice.mode, advice.streaming) == ("auto", False)


def test_the_advice_contains_only_measured_values() -> None:
    assert advise([STREAMS]).measured == {"tools": True, "streaming": True}
    refused = ServiceFailed()
    trials = [
        STREAMS,
        StepResult("tools", StepOutcome.GOOD),
        StepResult("parallel", StepOutcome.FAULT),
        StepResult("thinking", StepOutcome.ABSENT),
        StepResult("vision", StepOutcome.FAILED, error=refused),
    ]
    assert advise(trials).measured == {"tools": True, "streaming": True}
    trials[2:] = [
        StepResult("parallel", StepOutcome.GOOD),
        StepResult("thinking", StepOutcome.GOOD),
        StepResult("vision", StepOutcome.FAILED, error=RequestRefused(status=400)),
    ]
    assert advise(trials).measured == {
        "tools": True,
        "streaming": True,
        "parallel": True,
        "thinking": True,
        "vision": False,
    }
    trials[2] = StepResult("parallel", StepOutcome.FAULT, facts={"broken": 1})
    assert advise(trials).parallel is False
