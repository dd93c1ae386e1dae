"""Which calls ask."""

import pytest

from neodeskpet.core.approval import CAREFUL, ApprovalPolicy
from neodeskpet.core.toolspec import Risk, ToolSpec

SPECS = [ToolSpec(risk.value, "", risk=risk) for risk in Risk]
ALL = frozenset(risk.value for risk in Risk)


@pytest.mark.parametrize(
    ("policy", "asking"),
    [
        (CAREFUL, {"write", "run"}),
        (ApprovalPolicy(ask_before_every_change=True), {"own", "write", "run"}),
        (ApprovalPolicy(always_allowed=ALL), {"run"}),
        (ApprovalPolicy(always_allowed=ALL, ask_before_every_change=True), {"run"}),
        (ApprovalPolicy(always_allowed=frozenset({"other"})), {"write", "run"}),
    ],
)
def test_the_policy(policy: ApprovalPolicy, asking: set[str]) -> None:
    assert {spec.name for spec in SPECS if policy.asks(spec, {})} == asking
