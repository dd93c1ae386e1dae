"""A day of use, act by act: few questions, and nothing changes that nobody allowed.

`day_of_acts.json` is a written day: 200 acts of a person with a diary, a report, some code and
three servers of tools. An act with an `answer` is one that must ask, and what the user says then;
one with `allowed_by` is the n-th act's "always". Both were set down with the day, not by the code
that is tested.
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
    """What the user's answer gives, of what the card offers."""
    offered = policy.offers(spec_of(act), act["arguments"])
    return [one for one in offered if act["answer"] == ("within" if one.bounds else "always")]


def test_the_day_is_a_mixed_one() -> None:
    kinds = Counter(act["risk"] for act in DAY)
    assert len(DAY) == 200
    assert sum(kinds[risk] for risk in CHANGING) == 60
    assert kinds["read"] + kinds["private"] >= 50
    assert len({act.get("source") for act in DAY}) == 4
    for act in DAY:
        first = DAY[act["allowed_by"]] if "allowed_by" in act else None
        assert first is None or (first["tool"] == act["tool"] and "answer" in first)


def test_few_questions_and_no_change_unasked() -> None:
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
