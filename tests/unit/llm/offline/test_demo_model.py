"""The demonstration: two turns that show everything, with real tools, in both languages."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.language import set_language
from neodeskpet.llm.offline import DemoModel, demo_model
from neodeskpet.toolkit.toolbox import Toolbox
from tests.unit.llm.offline.talking import Talk


def play(dialect: str, language: str) -> tuple[Talk, DemoModel]:
    made: list[DemoModel] = []

    def make(toolbox: Toolbox) -> DemoModel:
        made.append(demo_model(language, toolbox.specs, delay=0))
        return made[0]

    return Talk(dialect, make), made[0]


@pytest.mark.parametrize("dialect", ["native", "tool_request"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_both_turns(dialect: str, language: str) -> None:
    talk, model = play(dialect, language)
    assert model.label == "Demo script"
    first, second = (talk.say(words) for words in model.prompts)

    assert first.shape[:4] == ["thinking", "text", "live2d.expression", "text"]
    assert [name for name, _ in first.calls] == [
        "live2d.expression",
        "time.now",
        "note.add",
        "live2d.motion",
    ]
    assert "**15:00**" in first.text
    assert "\n- " in first.text

    assert [name for name, _ in second.calls] == [
        "live2d.expression",
        "timer.set",
        "calc.evaluate",
        "live2d.expression",
    ]
    assert "**24.2**" in second.text
    assert "```python\n" in second.text
    assert ("demo script" in second.text) or ("演示脚本" in second.text)
    assert all(card.status == "success" for card in [*first.cards, *second.cards])
    assert talk.body.acts == ["smile", "Wave", "wink", "love"]
    assert len(asyncio.run(talk.timers.timers())) == 1
    assert len(asyncio.run(talk.notes.search([], 9))) == 1


def test_it_reports_failures_and_works_without_tools() -> None:
    talk, model = play("native", "en")
    talk.asks, talk.approval = frozenset({"note.add", "timer.set"}), False
    first, second = (talk.say(words) for words in model.prompts)
    assert "All right, I won't do it." in first.text
    assert "kept a note" not in first.text
    assert "The reminder is set" not in second.text
    assert "**24.2**" in second.text

    talk, model = play("native", "en")
    talk.off |= {"time.now", "note.add", "timer.set", "calc.evaluate", "live2d.expression"}
    first, second = (talk.say(words) for words in model.prompts)
    assert first.calls == [("live2d.motion", {"group": "Wave"})]
    assert second.calls == []


def test_the_language_is_that_of_the_interface_unless_named() -> None:
    assert demo_model().prompts == demo_model("en").prompts
    assert demo_model("xx").prompts == demo_model("en").prompts
    set_language("zh_CN")
    try:
        assert demo_model().prompts == demo_model("zh_CN").prompts
    finally:
        set_language("en")
