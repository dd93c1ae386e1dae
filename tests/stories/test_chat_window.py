"""The acceptance cases in the real windows: text, tools, gestures during a reply, both modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from neodeskpet.core.blocks import MessageState, Notice, ToolStatus
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.turn_events import BlockChanged, BlockEnded, BlockStarted, TurnEvent
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import (
    HOLD,
    ScriptedServer,
    text,
    thinking,
)

Play = Callable[..., None]
MODES = ("native", "text")


class Watch:
    """Keeps every event and every text that the view showed."""

    def __init__(self, story: DeskStory) -> None:
        self.events: list[TurnEvent] = []
        self.shown: list[str] = []
        self._view = story.desk.chat.view
        story.desk.chat.bridge.add_view(self)

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        for message_id, event in batch:
            self.events.append(event)
            self.shown.append(self._view.message_text(message_id))

    def statuses(self, index: int) -> list[ToolStatus]:
        """The states of the card at block `index` in order."""
        seen: list[ToolStatus] = []
        for event in self.events:
            if isinstance(event, BlockStarted | BlockChanged | BlockEnded):
                status = getattr(event.block, "status", None)
                if event.block.index == index and status and status not in seen[-1:]:
                    seen.append(status)
        return seen


@pytest.mark.parametrize("mode", MODES)
def test_plain_text_is_painted_from_the_first_token(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        reply = server.reply(text("你好"), HOLD, text("，世界"), HOLD, *end())
        person.type("hello")
        await person.until(lambda: person.sees("你好"), "the first token wasn't painted")
        assert reply.sent == 1
        reply.release()
        await person.until(lambda: person.sees("你好，世界"))
        reply.release()
        await person.idle()
        assert (await person.reply()).state is MessageState.DONE
        assert [m.role for m in await person.messages()] == ["user", "assistant"]

    desk_story(story, server.url, mode)


@pytest.mark.parametrize("mode", MODES)
def test_one_tool(desk_story: Play, server: ScriptedServer, mode: str) -> None:
    async def story(person: DeskStory) -> None:
        watch = Watch(person)
        server.reply(text("Let me see."), *calling(mode, ("time.now", {})), *end("tool_calls"))
        server.reply(text("It is late."), *end())
        person.type("what time is it?")
        await person.until(lambda: len(server.requests) == 2)
        await person.idle()
        (call,) = await person.calls()
        assert call.name == "time.now"
        assert call.status is ToolStatus.SUCCESS
        assert watch.statuses(call.index) == ["writing", "queued", "running", "success"]
        assert await person.texts() == ["Let me see.", "It is late."]
        assert (await person.reply()).usage is not None
        assert not [said for said in watch.shown if "<<" in said or "TOOL_REQ" in said]

    desk_story(story, server.url, mode)


@pytest.mark.parametrize("mode", MODES)
def test_several_tools_in_several_rounds(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        both = calling(mode, ("calc.evaluate", {"expression": "6*7"}), ("note.add", {"text": "x"}))
        server.reply(thinking("Two things."), *both, *end("tool_calls"))
        server.reply(*calling(mode, ("note.search", {"query": "x"})), *end("tool_calls"))
        server.reply(text("All done."), *end())
        person.type("do three things")
        await person.until(lambda: len(server.requests) == 3)
        await person.idle()
        reply = await person.reply()
        assert [c.name for c in await person.calls()] == [
            "calc.evaluate",
            "note.add",
            "note.search",
        ]
        assert all(c.status is ToolStatus.SUCCESS for c in await person.calls())
        assert reply.thinking == "Two things."
        assert reply.text == "All done."

    desk_story(story, server.url, mode)


@pytest.mark.parametrize("mode", MODES)
def test_the_figure_acts_in_the_middle_of_a_reply(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        pet = person.desk.companion.pet
        await person.until(lambda: not pet.portrait(8).isNull(), "the figure didn't load")
        changed: list[str] = []
        person.desk.companion.pet.expression_changed.connect(changed.append)
        face = calling(mode, ("live2d.expression", {"name": "love"}))
        after = text(" and on I talk")
        reply = server.reply(text("Look: "), *face, after, HOLD, *end("tool_calls"))
        person.type("smile!")
        await person.until(lambda: "love" in changed, "no face while the reply streamed")
        assert len(server.requests) == 1
        reply.release()
        await person.idle()
        assert len(server.requests) == 1  # gestures with text end a reply
        (call,) = await person.calls()
        assert call.status is ToolStatus.SUCCESS

    desk_story(story, server.url, mode, pet=True)


def test_a_cue_in_the_text_moves_the_figure_and_is_never_visible(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await person.until(lambda: not person.desk.companion.pet.portrait(8).isNull(), "no figure")
        changed: list[str] = []
        person.desk.companion.pet.expression_changed.connect(changed.append)
        reply = server.reply(text("你好！[表"), text("情:love] 再见"), HOLD, *end())
        person.type("hi")
        await person.until(lambda: "love" in changed, "no face while the reply streamed")
        assert "[" not in person.shown()
        reply.release()
        await person.idle()
        assert (await person.reply()).text == "你好！ 再见"

    desk_story(story, server.url, "native", pet=True)


@pytest.mark.parametrize("mode", ["native", "auto"])
def test_an_endpoint_without_tools_offers_text_mode_and_never_changes_by_itself(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        refusal = {"error": {"message": "tools is not supported by this model"}}
        server.reply(refusal, status=400)
        person.type("what is 6*7?")
        await person.until(lambda: person.desk.engine.chat.running)
        await person.idle()
        (notice,) = (await person.reply()).blocks
        assert isinstance(notice, Notice)
        assert notice.code == "tools_unsupported"
        assert Action.SWITCH_TO_TEXT in notice.actions
        assert len(server.requests) == 1
        assert person.desk.engine.settings.settings.mode.mode == mode

        server.reply(*calling("text", ("calc.evaluate", {"expression": "6*7"})), *end())
        server.reply(text("42"), *end())
        before = (await person.reply()).id
        await person.act(Action.SWITCH_TO_TEXT)
        await person.idle()
        reply = await person.reply()
        assert reply.id == before
        assert reply.state is MessageState.DONE
        assert reply.text == "42"
        assert "tools" not in server.requests[-1].body
        assert person.desk.engine.settings.settings.mode.mode == "text"

    desk_story(story, server.url, mode)
