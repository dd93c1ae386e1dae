"""Which tools ask."""

import pytest

from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.tools.approval import ApprovalPolicy, tools_that_ask

SPECS = [ToolSpec(risk.value, "", risk=risk) for risk in Risk]
ALL = frozenset(risk.value for risk in Risk)


@pytest.mark.parametrize(
    ("policy", "asking"),
    [
        (ApprovalPolicy(), {"write", "run"}),
        (ApprovalPolicy(ask_before_every_change=True), {"own", "write", "run"}),
        (ApprovalPolicy(always_allowed=ALL), {"run"}),
        (ApprovalPolicy(always_allowed=ALL, ask_before_every_change=True), {"run"}),
        (ApprovalPolicy(always_allowed=frozenset({"other"})), {"write", "run"}),
    ],
)
def test_the_policy(policy: ApprovalPolicy, asking: set[str]) -> None:
    assert tools_that_ask(SPECS, policy) == asking
