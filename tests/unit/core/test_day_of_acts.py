"""A day of use, call by call: few questions, and no change without permission.

`day_of_acts.json` is a written day: 200 calls of a user with a diary, a report, some code and three
servers of tools. A call with an `answer` is one that must ask, and how the user answers; one with
`allowed_by` is covered by the "always" of the call with that number. Both were written with the
day, not by the code under test.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from neodeskpet.core.approval import ApprovalPolicy
from neodeskpet.core.grant_scope import Grant, ScopeKind
from neodeskpet.core.toolspec import Risk, ToolSpec

DAY: list[dict[str, Any]] = json.loads(Path(__file__).with_name("day_of_acts.json").read_text())
CHANGING = {"write", "run"}
ASKING = {*CHANGING, "private"}


def spec_of(act: dict[str, Any]) -> ToolSpec:
    scope = {argument: ScopeKind(reach) for argument, reach in act.get("scope", {}).items()}
    source = act.get("source", "app")
    return ToolSpec(act["tool"], "", risk=Risk(act["risk"]), scope=scope, source=source)


def answer(policy: ApprovalPolicy, act: dict[str, Any]) -> list[Grant]:
    """The result of the user's answer, from the choices of the card."""
    offered = policy.offers(spec_of(act), act["arguments"])
    return [one for one in offered if act["answer"] == ("within" if one.bounds else "always")]


def test_the_day_is_mixed() -> None:
    kinds = Counter(act["risk"] for act in DAY)
    assert len(DAY) == 200
    assert sum(kinds[risk] for risk in CHANGING) == 60
    assert kinds["read"] + kinds["private"] >= 50
    assert len({act.get("source") for act in DAY}) == 4
    for act in DAY:
        first = DAY[act["allowed_by"]] if "allowed_by" in act else None
        assert first is None or (first["tool"] == act["tool"] and "answer" in first)


def test_few_questions_and_no_change_without_permission() -> None:
    grants: list[Grant] = []
    asked: list[int] = []
    for number, act in enumerate(DAY):
        policy = ApprovalPolicy(tuple(grants))
        if policy.asks(spec_of(act), act["arguments"]):
            asked.append(number)
            given = answer(policy, act) if "answer" in act else []
            assert given or act.get("answer") in ("once", "deny"), (number, act)
            grants += given
        elif act["risk"] in ASKING:
            assert "allowed_by" in act, (number, act)
    assert asked == [number for number, act in enumerate(DAY) if "answer" in act]
    assert len(asked) <= len(DAY) * 0.2
