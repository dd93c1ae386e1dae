"""Scripts, played round by round."""

from __future__ import annotations

from neodeskpet.llm.offline.request_reader import OfflineRequest, ToolAnswer
from neodeskpet.llm.offline.scripts import (
    Lead,
    Say,
    Script,
    UseTool,
    UseWithoutWaiting,
    play_script,
    use,
)

ENGLISH = OfflineRequest("", chinese=False)


def two_tools() -> Script:
    yield Lead("one ")
    yield UseWithoutWaiting("face", {})
    first = yield from use("a", x=1)
    yield Say(f"got {first.output} ")
    second = yield from use("b")
    yield Say(f"then {second.output}")


def test_a_script_is_played_round_by_round() -> None:
    face, a, b = ToolAnswer("face", "ok"), ToolAnswer("a", "A"), ToolAnswer("b", "B")
    assert play_script(ENGLISH, [two_tools()], []) == [
        Lead("one "),
        UseWithoutWaiting("face", {}),
        UseTool("a", {"x": 1}),
    ]
    assert play_script(ENGLISH, [two_tools()], [[face, a]]) == [Say("got A "), UseTool("b", {})]
    assert play_script(ENGLISH, [two_tools()], [[face, a], [b]]) == [Say("then B")]
    assert play_script(ENGLISH, [two_tools()], [[face, a], [b], []]) == []


def test_a_failed_gesture_is_reported_in_the_next_round() -> None:
    face = ToolAnswer("face", "The user didn't allow this call.", ok=False)
    steps = play_script(ENGLISH, [two_tools()], [[face, ToolAnswer("a", "A")]])
    assert steps[0] == Say("All right, I won't do it.")
    steps = play_script(
        ENGLISH, [two_tools()], [[face, ToolAnswer("a", "A")], [ToolAnswer("b", "B")]]
    )
    assert steps == [Say("then B")]


def test_several_scripts_share_the_results_in_order() -> None:
    steps = play_script(ENGLISH, [two_tools(), two_tools()], [])
    assert [type(step) for step in steps] == [
        Lead,
        UseWithoutWaiting,
        UseTool,
        UseWithoutWaiting,
        UseTool,
    ]
    results = [
        ToolAnswer("face", ""),
        ToolAnswer("a", "1"),
        ToolAnswer("face", ""),
        ToolAnswer("a", "2"),
    ]
    steps = play_script(ENGLISH, [two_tools(), two_tools()], [results])
    said = [step.text for step in steps if isinstance(step, Say)]
    assert said == ["got 1 ", "\n\n", "got 2 "]
