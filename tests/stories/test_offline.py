"""Without any service: the offline helper answers in the real windows, with real tools."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neodeskpet.core.blocks import MessageState, ToolStatus
from tests.support.desk import DeskStory

Play = Callable[..., None]
MODES = ("native", "text")

TALKS = {
    "en": (
        ("hello!", "live2d.motion", ""),
        ("what is 6*7?", "calc.evaluate", "42"),
        ("note: buy milk", "note.add", "milk"),
        ("show my notes", "note.search", "buy milk"),
        ("remind me in 10 minutes to drink water", "timer.set", "drink water"),
        ("smile!", "live2d.expression", ""),
        ("what time is it?", "time.now", ":"),
    ),
    "zh_CN": (
        ("你好！", "live2d.motion", ""),
        ("6乘以7等于多少？", "calc.evaluate", "42"),
        ("记一下：买牛奶", "note.add", "牛奶"),
        ("我的笔记", "note.search", "买牛奶"),
        ("10分钟后提醒我喝水", "timer.set", "喝水"),
        ("笑一个！", "live2d.expression", ""),
        ("现在几点？", "time.now", ":"),
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("language", TALKS)
def test_it_talks_and_uses_its_tools(desk_story: Play, language: str, mode: str) -> None:
    async def story(person: DeskStory) -> None:
        await person.until(person.desk.companion.pet.expressions, "the figure has no names")
        for said, tool, shown in TALKS[language]:
            person.type(said)
            await person.until(lambda: person.desk.engine.chat.running, said)
            await person.idle()
            reply = await person.reply()
            assert reply.state is MessageState.DONE, said
            assert reply.text, said
            calls = await person.calls()
            assert tool in [call.name for call in calls], said
            assert all(call.status is ToolStatus.SUCCESS for call in calls), said
            assert shown in reply.text
            assert "TOOL_REQUEST" not in person.shown()
            chinese = any("一" <= letter <= "鿿" for letter in reply.text)
            assert chinese == (language == "zh_CN"), reply.text
        assert [timer.label for timer in await person.desk.engine.notebook.timers.timers()]

    desk_story(story, mode=mode, settings={"appearance": {"language": language}})


def test_it_says_what_it_is(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        person.type("are you an AI?")
        await person.until(lambda: person.desk.engine.chat.running)
        await person.idle()
        assert "no language model" in (await person.reply()).text.replace("not a", "no").lower()
        assert "Offline helper" in person.desk.chat.window.header.model_button.toolTip()

    desk_story(story)


def test_the_first_steps_come_once(desk_story: Play) -> None:
    async def first(person: DeskStory) -> None:
        desk = person.desk
        desk.show_chat()
        await person.until(lambda: desk.first_run.guide.isVisible(), "no guide")
        assert not desk.chat.view.isVisible()
        await person.until(lambda: desk.first_run.guide.again.isVisible(), "it looks for ever")
        person.click(desk.first_run.guide.stay)
        await person.until(lambda: not desk.first_run.guide.isVisible(), "the guide stays")
        await person.until(desk.chat.window.welcome.isVisible, "nothing says how to begin")

    async def second(person: DeskStory) -> None:
        person.desk.show_chat()
        person.type("hello")
        await person.until(lambda: person.desk.engine.chat.running)
        await person.idle()
        assert not person.desk.first_run.guide.isVisible()
        assert person.desk.chat.view.isVisible()

    desk_story(first)
    desk_story(second)


def test_a_user_who_writes_at_once_needs_no_first_steps(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        person.desk.show_chat()
        await person.until(lambda: person.desk.first_run.guide.isVisible(), "no guide")
        person.type("hello")
        await person.until(lambda: person.desk.chat.view.isVisible(), "the reply is hidden")
        await person.idle()
        assert person.shown()

    desk_story(story)


def test_a_service_given_for_this_run_needs_none(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        person.desk.show_chat()
        await person.idle()
        assert not person.desk.first_run.guide.isVisible()
        assert "test-model" in person.desk.chat.window.header.model_button.toolTip()

    desk_story(story, "http://127.0.0.1:9/v1")
