"""Scripts, played round by round."""

from __future__ import annotations

from neodeskpet.llm.offline.request import Ask, Result
from neodeskpet.llm.offline.scripts import Act, Lead, Say, Script, Use, perform, use

ENGLISH = Ask("", chinese=False)


def two_tools() -> Script:
    yield Lead("one ")
    yield Act("face", {})
    first = yield from use("a", x=1)
    yield Say(f"got {first.output} ")
    second = yield from use("b")
    yield Say(f"then {second.output}")


def test_a_script_is_played_round_by_round() -> None:
    face, a, b = Result("face", "ok"), Result("a", "A"), Result("b", "B")
    assert perform(ENGLISH, [two_tools()], []) == [
        Lead("one "),
        Act("face", {}),
        Use("a", {"x": 1}),
    ]
    assert perform(ENGLISH, [two_tools()], [[face, a]]) == [Say("got A "), Use("b", {})]
    assert perform(ENGLISH, [two_tools()], [[face, a], [b]]) == [Say("then B")]
    assert perform(ENGLISH, [two_tools()], [[face, a], [b], []]) == []


def test_a_gesture_that_failed_is_told_in_the_round_after() -> None:
    face = Result("face", "The person didn't allow this call.", ok=False)
    steps = perform(ENGLISH, [two_tools()], [[face, Result("a", "A")]])
    assert steps[0] == Say("All right, I won't do it.")
    steps = perform(ENGLISH, [two_tools()], [[face, Result("a", "A")], [Result("b", "B")]])
    assert steps == [Say("then B")]


def test_several_scripts_share_the_results_in_order() -> None:
    steps = perform(ENGLISH, [two_tools(), two_tools()], [])
    assert [type(step) for step in steps] == [Lead, Act, Use, Act, Use]
    results = [Result("face", ""), Result("a", "1"), Result("face", ""), Result("a", "2")]
    steps = perform(ENGLISH, [two_tools(), two_tools()], [results])
    said = [step.text for step in steps if isinstance(step, Say)]
    assert said == ["got 1 ", "\n\n", "got 2 "]
