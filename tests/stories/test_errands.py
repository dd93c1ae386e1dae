"""Background prompts, and tools that decide whether the model continues, in all four dialects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

import pytest

from neodeskpet.conversation.background_prompts import BackgroundPrompt, reminder_prompt
from neodeskpet.core.blocks import MessageState
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.toolkit.schema_tool import SchemaTool, schema_tool
from tests.stories.test_apps import DIALECTS, how, says, told
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import Part, Request, ScriptedServer, text

Play = Callable[..., None]


class ToolCollection:
    """A source like a memory: storing returns an id, reading ends the turn."""

    name = label = "shelf"

    def __init__(self) -> None:
        def put(arguments: Mapping[str, object], _progress: object) -> ToolResult:
            return ToolResult(json.dumps({"id": "abc123"}), {"id": "abc123"})

        def show(arguments: Mapping[str, object], _progress: object) -> ToolResult:
            return ToolResult(f"shown {arguments}", continue_=False)

        schema = {"type": "object", "properties": {"id": {"type": "string"}}}
        self._tools = [
            schema_tool(ToolSpec("shelf.put", "Put it there.", schema, risk=Risk.READ), put),
            schema_tool(ToolSpec("shelf.show", "Show it.", schema, risk=Risk.READ), show),
        ]

    def tools(self) -> list[SchemaTool]:
        return self._tools

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


def calls(
    dialect: str, *made: tuple[str, Mapping[str, object]], said: str = ""
) -> tuple[Part, ...]:
    """A reply in which a model says something and makes these calls."""
    if dialect == "tool_call":
        entries = [{"window_id": "tools", "action_id": n, "params": a} for n, a in made]
        block = f"{said}<tool_call>{json.dumps({'calls': entries})}</tool_call>"
    elif dialect == "tool_tag":
        tags = "".join(
            f"<tool><name>{name}</name><arguments>{json.dumps(given)}</arguments></tool>"
            for name, given in made
        )
        block = f"<messages><item>{said}</item>{tags}</messages>"
    else:
        mode = "text" if dialect == "tool_request" else "native"
        return (*([text(said)] if said else []), *calling(mode, *made), *end())
    return (*(text(letter) for letter in block), *end())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_result_decides_whether_the_model_continues(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    async def story(person: DeskStory) -> None:
        person.desk.engine.tools.toolbox.add(ToolCollection())
        both = (("shelf.put", {"id": "x"}), ("shelf.show", {"id": "x"}))
        server.reply(*calls(dialect, *both, said="I keep it."))
        server.reply(*calls(dialect, ("shelf.show", {"id": "abc123"}), said="Here it is."))
        person.type("keep this")
        await person.until(lambda: len(server.requests) == 2, "no second round")
        await says(person, "Here it is.")
        reply = await person.reply()
        # the last one ended it
        assert (reply.state, len(server.requests)) == (MessageState.DONE, 2)
        assert "abc123" in _all(server.requests[1])
        if dialect == "tool_tag":
            assert "<tools_results><continue>true</continue>" in told(server.requests[1])
        assert [call.continue_ for call in await person.calls()] == [True, False, False]
        assert not any(mark in person.shown() for mark in ("tool_call", "TOOL_REQUEST", "<item"))

        server.reply(text("You're welcome."), *end())
        person.type("thanks")
        await says(person, "You're welcome.")
        if dialect == "tool_tag":
            assert "<tools_results><continue>false</continue>" in told(server.requests[2])

    desk_story(story, server.url, **how(dialect))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_background_prompt_has_no_history_and_no_tools_and_fails_silently(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    async def story(person: DeskStory) -> None:
        errands = person.desk.engine.models.background_prompts
        person.desk.engine.tools.toolbox.add(ToolCollection())
        server.reply(text("Hello!"), *end())
        person.type("good morning")
        await says(person, "Hello!")
        shown = person.shown()

        server.reply(*calls(dialect, ("shelf.put", {}), said="Tea time."))
        server.reply(text("Tea is ready."), *end())
        outcome = await errands.run(reminder_prompt("make tea"))
        asked, again = server.requests[1:]
        assert outcome is not None and outcome.success
        assert "Tea is ready." in outcome.text and "<" not in outcome.text
        assert [call.ok for call in outcome.calls] == [False]
        assert "good morning" not in _all(asked) and "It is no chat" in _all(asked)
        assert "shelf" not in _all(asked) and "tools" not in asked.body
        assert "No tools are available now" in _all(again)

        server.reply(*calls(dialect, ("shelf.put", {}), said="So: "))
        server.reply(text("Kept."), *end())
        allowed = BackgroundPrompt("keep", "keep it", tools=frozenset({"shelf.put"}))
        outcome = await errands.run(allowed)
        assert outcome is not None and [call.ok for call in outcome.calls] == [True]

        server.reply({"error": {"message": "no such model"}}, status=404)
        outcome = await errands.run(reminder_prompt("water the plants"))
        assert outcome is not None and outcome.state is MessageState.FAILED
        assert [run.failure for run in errands.runs] == [outcome.error.code, "", ""]  # type: ignore[union-attr]
        assert person.shown() == shown  # nothing of all that is in the chat

    desk_story(story, server.url, **how(dialect))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chat_has_its_wrapper_and_a_background_prompt_another(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    """The wrapper of the user's words is only in requests, and sent messages stay the same."""

    async def story(person: DeskStory) -> None:
        server.reply(text("Hello!"), *end())
        person.type("good morning")
        await says(person, "Hello!")
        server.reply(text("It is ready."), *end())
        await person.desk.engine.models.background_prompts.run(reminder_prompt("make tea"))
        server.reply(text("Well."), *end())
        person.type("how are you?")
        await says(person, "Well.")

        first, errand, second = server.requests
        *_, said = first.body["messages"]
        assert said["role"] == "user"
        when = r"\d{4}-\d\d-\d\d \w{3} \d\d:\d\d"
        assert re.match(rf"⟦person: {when}⟧\ngood morning\n⟦/person⟧", said["content"])
        assert "is between ⟦person: …⟧" in first.body["messages"][0]["content"]
        assert "⟦person" not in _all(errand) and "no chat" in _all(errand)
        assert "Don't ask whether you should set a reminder" in _all(errand)
        again = [m for m in second.body["messages"] if m["role"] != "system"]
        assert again[0] == said, "sent messages are sent unchanged"
        assert re.match(rf"⟦person: {when}⟧\nhow are you", again[-1]["content"])

        kept = [message.text for message in await person.messages()]
        assert kept == ["good morning", "Hello!", "how are you?", "Well."]
        assert "⟦" not in person.shown()

    desk_story(story, server.url, **how(dialect))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_messages_that_do_not_fit_are_summarised(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    """The system text is in each request once, and contains the summary of earlier messages."""
    long = "字" * 7_000

    async def story(person: DeskStory) -> None:
        chat, summaries = person.desk.engine.chat, person.desk.engine.memory.summaries
        for number in range(3):
            server.reply(text(f"Answer {number}."), *end())
            if number == 2:
                server.reply(text("They spoke of signs."), *end())
            chat.send(f"question {number} {long}")
            await says(person, f"Answer {number}.")
            await summaries.wait_idle()
        asked = server.requests[-1]
        assert "question 0" in _all(asked) and "question 2" not in _all(asked)
        server.reply(text("So it is."), *end())
        chat.send(f"question 3 {long}")
        await says(person, "So it is.")
        await summaries.wait_idle()
        last = server.requests[4]
        roles = [message["role"] for message in last.body["messages"]]
        assert roles.count("system") == 1
        assert "They spoke of signs." in last.body["messages"][0]["content"]
        sent = str(last.body["messages"][1:])  # the memory may recall more in the system text
        assert "question 0" not in sent and "question 3" in sent
        assert "They spoke of signs." not in person.shown()

    desk_story(story, server.url, **how(dialect))


def _all(request: Request) -> str:
    return json.dumps(request.body, ensure_ascii=False)
