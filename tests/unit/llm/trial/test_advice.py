from __future__ import annotations

import pytest

from neodeskpet.core.errors import (
    RequestRefused,
    ServiceFailed,
    StreamBroken,
    ToolsUnsupported,
)
from neodeskpet.llm.trial.advice import Why, advise, propose
from neodeskpet.llm.trial.result import Outcome, Trial

STREAMS = Trial("streaming", Outcome.GOOD)


def test_nothing_tried_is_nothing_known() -> None:
    assert advise([]).mode == ""
    assert advise([STREAMS]).mode == "auto"
    assert advise([STREAMS]).vision is None


@pytest.mark.parametrize(
    ("tools", "mode", "why"),
    [
        (Trial("tools", Outcome.GOOD), "auto", Why.WORKS),
        (Trial("tools", Outcome.FAULT), "text", Why.NOT_CALLED),
        (Trial("tools", Outcome.FAULT, facts={"broken": 1}), "text", Why.BROKEN_ARGUMENTS),
        (Trial("tools", Outcome.FAILED, error=ToolsUnsupported()), "text", Why.REFUSED),
        (Trial("tools", Outcome.FAILED, error=ServiceFailed()), "", Why.UNKNOWN),
    ],
)
def test_tools_decide_the_mode(tools: Trial, mode: str, why: Why) -> None:
    advice = advise([STREAMS, tools])
    assert (advice.mode, advice.why) == (mode, why)
    assert advice.dialect == ("tool_request" if mode == "text" else "")
    assert propose([STREAMS, tools]) == mode


def test_a_reply_in_one_piece_is_enough() -> None:
    broken = Trial("streaming", Outcome.FAILED, error=StreamBroken())
    assert advise([broken]).why is Why.NOTHING_WORKS
    advice = advise([broken, Trial("whole", Outcome.GOOD)])
    assert (advice.mode, advice.streaming) == ("auto", False)


def test_what_was_measured_and_nothing_else() -> None:
    assert advise([STREAMS]).measured == {"tools": True, "streaming": True}
    refused = ServiceFailed()
    trials = [
        STREAMS,
        Trial("tools", Outcome.GOOD),
        Trial("parallel", Outcome.FAULT),
        Trial("thinking", Outcome.ABSENT),
        Trial("vision", Outcome.FAILED, error=refused),
    ]
    assert advise(trials).measured == {"tools": True, "streaming": True}
    trials[2:] = [
        Trial("parallel", Outcome.GOOD),
        Trial("thinking", Outcome.GOOD),
        Trial("vision", Outcome.FAILED, error=RequestRefused(status=400)),
    ]
    assert advise(trials).measured == {
        "tools": True,
        "streaming": True,
        "parallel": True,
        "thinking": True,
        "vision": False,
    }
    trials[2] = Trial("parallel", Outcome.FAULT, facts={"broken": 1})
    assert advise(trials).parallel is False
