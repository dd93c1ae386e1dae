"""The main user stories on every protocol, with doubles that refuse requests as the real services
do.

The requirements of a provider (`tests/support/providers`) are checked on every request: order of
roles, pairs of calls and results, signatures and sealed reasoning sent back, schemas, fields,
headers. Most stories use the engine without a window; the last ones use the real window.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from neodeskpet.app.run_options import RunOptions
from neodeskpet.core.blocks import Message, MessageState, ToolStatus, ToolUse
from neodeskpet.core.errors import Action
from neodeskpet.core.tool_settings import ToolRule
from neodeskpet.core.toolspec import Mode
from tests.support.desk import DeskStory
from tests.support.notebook import notes_busy
from tests.support.providers import PROVIDERS
from tests.support.providers.provider import Call, ProviderServer, Say, Step, Think
from tests.support.replies import bare, block
from tests.support.services import (
    CONFIG,
    VARIABLE,
    Talk,
    calls,
    leave_wreck,
    notices,
    offer,
    talk_story,
)
from tests.support.sseserver import CUT, HANG, HOLD, RESET
from tests.support.toolsource import ToolServer

Play = Callable[..., None]
SUM = Call("calc_evaluate", {"expression": "6*7"})
NOTE = Call("note_add", {"text": "milk"})
TIME = Call("time_now")
ROUNDS: tuple[tuple[Step, ...], ...] = (
    (Think("What is asked? A sum and the time."), Say("Let me see."), SUM, TIME),
    (Think("Now the note."), NOTE, Call("note_search", {"query": "milk"})),
    (Think("Once more."), Say("Nearly there."), Call("calc_evaluate", {"expression": "1+1"})),
)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")  # The variable that a story sets is reset after it.


@pytest.fixture(params=sorted(PROVIDERS))
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProviderServer]:
    """A service that enforces its provider's rules; none may have been broken."""
    with ProviderServer(PROVIDERS[request.param]()) as running:
        offer(tmp_path, [running])
        yield running
        assert running.refusals == []


async def goes_on(talk: Talk, server: ProviderServer) -> None:
    """The next message is accepted and answered."""
    server.speak(Think("A greeting."), Say("Here I am."))
    reply = await talk.say("are you there?")
    assert (reply.state, reply.text) == (MessageState.DONE, "Here I am.")
    assert bare(server.provider.said(server.requests[-1].body)[-1]).endswith("are you there?")


def test_plain_text(tmp_path: Path, server: ProviderServer) -> None:
    async def story(talk: Talk) -> None:
        server.speak(Think("A greeting."), Say("Hello, 你好."))
        reply = await talk.say("hello")
        assert (reply.thinking, reply.text) == ("A greeting.", "Hello, 你好.")
        assert reply.state is MessageState.DONE
        await goes_on(talk, server)

    talk_story(tmp_path, story)


def test_one_tool(tmp_path: Path, server: ProviderServer) -> None:
    async def story(talk: Talk) -> None:
        server.speak(Say("Let me see."), SUM)
        server.speak(Say("It is 42."))
        reply = await talk.say("what is six times seven?")
        assert calls(reply) == [("calc.evaluate", "success")]
        assert reply.text == "Let me see.\n\nIt is 42."
        await goes_on(talk, server)

    talk_story(tmp_path, story)


@pytest.mark.parametrize("mode", ["native", "text"])
def test_a_background_task_ends_and_is_reported(
    tmp_path: Path, server: ProviderServer, mode: str
) -> None:
    """The end of the first one wakes the companion; the second one, which ended by then, is
    reported with the user's message.
    """

    async def story(talk: Talk) -> None:
        talk.engine.tools.toolbox.add(ToolServer("mine").add("dig", "gold", mode=Mode.ASYNC))
        # It is called again after its own text was read: the user says that it only reads.
        spec = talk.engine.tools.toolbox.spec("dig")
        assert spec is not None
        rule = ToolRule(forms=(spec.form,), reads_only=True)
        talk.engine.settings.change("mode", "tool_rules", {spec.id: rule})
        talk.engine.tools.task_announcer.start()
        dig = Call("dig") if mode == "native" else Say(block("dig", {}))
        server.speak(Think("In the ground."), Say("Let me see. "), dig)
        server.speak(Say("It digs."))
        server.speak(Think("At last."), Say("There is gold."))
        await talk.say("dig")
        await talk.engine.tools.tasks.wait_idle()
        reply = await talk.reaches(shows("There is gold."))
        assert [one.output for one in reply.blocks if isinstance(one, ToolUse)] == ["gold"]
        await talk.engine.tools.task_announcer.wait_idle()

        talk.engine.settings.change("mode", "task_end", "next")
        server.speak(dig)
        server.speak(Say("It digs again."))
        await talk.say("once more")
        await talk.engine.tools.tasks.wait_idle()
        await talk.engine.tools.task_announcer.wait_idle()
        await goes_on_after(talk, server, told="gold")
        await goes_on(talk, server)

    talk_story(tmp_path, story, {"mode": {"mode": mode}})


async def goes_on_after(talk: Talk, server: ProviderServer, told: str) -> None:
    """The next message is accepted and answered, and `told` is sent to the model with it."""
    server.speak(Think("A greeting."), Say("Here I am."))
    reply = await talk.say("are you there?")
    assert (reply.state, reply.text) == (MessageState.DONE, "Here I am.")
    words = "\n".join(server.provider.said(server.requests[-1].body)[-2:])
    assert "are you there?" in words
    assert told in words


def test_three_rounds_of_parallel_tools_with_thinking(
    tmp_path: Path, server: ProviderServer
) -> None:
    async def story(talk: Talk) -> None:
        for steps in ROUNDS:
            server.speak(*steps)
        server.speak(Think("All done."), Say("It is done."))
        reply = await talk.say("do all of it")
        assert [state for _, state in calls(reply)] == ["success"] * 5
        assert reply.text == "Let me see.\n\nNearly there.\n\nIt is done."
        assert len(server.requests) == 4
        for number in range(4):
            await goes_on(talk, server)
            assert len(server.requests) == 5 + number

    talk_story(tmp_path, story, {"mode": {"parallel_tools": True}})


def test_the_figure_acts_in_the_middle_of_a_reply(tmp_path: Path, server: ProviderServer) -> None:
    async def story(talk: Talk) -> None:
        smile = Call("live2d_expression", {"name": "smile"})
        first = server.speak(Think("Be nice."), Say("Look!"), smile, Say("And"), HOLD, SUM)
        server.speak(Say("Nice."))
        talk.engine.chat.send("smile")
        acted = await talk.reaches(lambda reply: "success" in dict(calls(reply)).values())
        assert acted.state is MessageState.RUNNING, "it acts while the reply still streams"
        first.release()
        reply = await talk.ended()
        assert [state for _, state in calls(reply)] == ["success", "success"]
        await goes_on(talk, server)

    talk_story(tmp_path, story)


def test_the_figure_acts_although_nothing_follows(tmp_path: Path, server: ProviderServer) -> None:
    async def story(talk: Talk) -> None:
        smile = Call("live2d_expression", {"name": "smile"})
        first = server.speak(Say("Look!"), smile, HOLD)
        talk.engine.chat.send("smile")
        acted = await talk.reaches(lambda reply: "success" in dict(calls(reply)).values())
        assert acted.state is MessageState.RUNNING, "it acts while the reply still streams"
        first.release()
        reply = await talk.ended()
        assert (calls(reply), reply.state) == (
            [("live2d.expression", "success")],
            MessageState.DONE,
        )
        await goes_on(talk, server)

    talk_story(tmp_path, story)


SAYS = {
    "openai": lambda body: body.get("reasoning_effort"),
    "openai-responses": lambda body: body["reasoning"].get("effort"),
    "anthropic": lambda body: body.get("thinking", {}).get("budget_tokens"),
    "gemini": lambda body: body["generationConfig"]["thinkingConfig"].get("thinkingLevel"),
}
"""What a request says about thinking."""
SAID = {
    None: {"openai": None, "openai-responses": None, "anthropic": 10_000, "gemini": None},
    "on": {"openai": None, "openai-responses": None, "anthropic": 10_000, "gemini": None},
    "off": {
        "openai": "minimal",
        "openai-responses": "minimal",
        "anthropic": None,
        "gemini": "minimal",
    },
    "high": {"openai": "high", "openai-responses": "high", "anthropic": 24_576, "gemini": "high"},
}


@pytest.mark.parametrize("asked", SAID)
def test_thinking_is_on_and_can_be_set_for_a_run(
    tmp_path: Path, server: ProviderServer, asked: Any
) -> None:
    async def story(talk: Talk) -> None:
        server.speak(Say("Hello."))
        assert (await talk.say("hello")).state is MessageState.DONE
        body = server.requests[-1].body
        name = server.provider.name
        assert SAYS[name](body) == SAID[asked][name]
        assert body.get("stream", "alt=sse" in server.requests[-1].path) is True

    offer(tmp_path, [server], effort=None)
    talk_story(tmp_path, story, options=RunOptions(thinking=asked))


def test_streaming_can_be_switched_off_for_a_run(tmp_path: Path, server: ProviderServer) -> None:
    async def story(talk: Talk) -> None:
        server.speak(Say("Hello."))
        assert (await talk.say("hello")).text == "Hello."
        asked = server.requests[-1]
        assert not asked.body.get("stream", "alt=sse" in asked.path)

    talk_story(tmp_path, story, options=RunOptions(stream=False))


def test_tools_are_refused_and_the_offer_is_accepted(
    tmp_path: Path, server: ProviderServer
) -> None:
    async def story(talk: Talk) -> None:
        server.fail("This model does not support tools.", 400)
        reply = await talk.say("what is six times seven?")
        assert notices(reply) == ["tools_unsupported"]
        words = block("calc.evaluate", {"expression": "6*7"})
        server.speak(Think("As text, then."), Say(f"Let me see.\n{words}"))
        server.speak(Say("It is 42."))
        reply = await talk.act(Action.SWITCH_TO_TEXT)
        assert calls(reply) == [("calc.evaluate", "success")]
        assert reply.text == "Let me see.\n\nIt is 42."
        assert all("tools" not in request.body for request in server.requests[1:])
        await goes_on(talk, server)

    talk_story(tmp_path, story)


@pytest.mark.parametrize("mode", ["auto", "native"])
def test_tools_are_ignored_silently_and_the_offer_is_accepted(
    tmp_path: Path, server: ProviderServer, mode: str
) -> None:
    async def story(talk: Talk) -> None:
        server.speak(Say("Sorry, I can't call any tools."))
        assert notices(await talk.say("set a timer")) == []
        server.speak(Say("抱歉，我无法调用工具。"))
        reply = await talk.say("what is six times seven?")
        assert (reply.state, notices(reply)) == (MessageState.DONE, ["tools_ignored"])
        words = block("calc.evaluate", {"expression": "6*7"})
        server.speak(Say(f"Let me see.\n{words}"))
        server.speak(Say("It is 42."))
        reply = await talk.act(Action.SWITCH_TO_TEXT)
        assert calls(reply) == [("calc.evaluate", "success")]
        assert ["tools" in request.body for request in server.requests[:3]] == [True, True, False]

    talk_story(tmp_path, story, {"mode": {"mode": mode}})


@pytest.mark.parametrize("status", [400, 422, 501])
def test_auto_asks_what_to_do_and_remembers_it_for_the_service(
    tmp_path: Path, server: ProviderServer, status: int
) -> None:
    async def story(talk: Talk) -> None:
        server.fail("Bad request.", status)
        reply = await talk.say("hello")
        assert (reply.state, notices(reply)) == (MessageState.FAILED, ["tools_doubted"])
        assert len(server.requests) == 1
        server.speak(Say("Hello."))
        reply = await talk.act(Action.SEND_WITHOUT_TOOLS)
        assert (reply.state, reply.text) == (MessageState.DONE, "Hello.")
        server.speak(Say("Still here."))
        reply = await talk.say("and now?")
        assert reply.text == "Still here."
        assert ["tools" in request.body for request in server.requests] == [True, False, False]

    talk_story(tmp_path, story, {"mode": {"mode": "auto"}})


def test_auto_switches_one_service_to_text_mode(tmp_path: Path, server: ProviderServer) -> None:
    async def story(talk: Talk) -> None:
        server.fail("Bad request.", 400)
        await talk.say("hello")
        words = block("calc.evaluate", {"expression": "6*7"})
        server.speak(Say(f"Let me see.\n{words}"))
        server.speak(Say("It is 42."))
        reply = await talk.act(Action.SWITCH_TO_TEXT)
        assert calls(reply) == [("calc.evaluate", "success")]
        assert notices(reply) == []

    talk_story(tmp_path, story, {"mode": {"mode": "auto"}})


@pytest.mark.parametrize("mode", ["auto", "native"])
def test_a_refusal_is_never_followed_by_another_request(
    tmp_path: Path, server: ProviderServer, mode: str
) -> None:
    async def story(talk: Talk) -> None:
        server.fail("Bad request.", 400)
        reply = await talk.say("hello")
        assert notices(reply) == ["tools_doubted" if mode == "auto" else "request_refused"]
        assert len(server.requests) == 1

    talk_story(tmp_path, story, {"mode": {"mode": mode}})


def shows(words: str) -> Callable[[Message], bool]:
    return lambda reply: words in reply.text


STOPS: dict[str, tuple[tuple[Step, ...], Callable[[Message], bool]]] = {
    "text": ((Think("Hm."), Say("Once upon a time"), HANG), shows("time")),
    "thinking": ((Think("Hm, this takes"), HANG), lambda reply: bool(reply.thinking)),
    "arguments": (
        (Think("Hm."), Say("I note it."), SUM, Call("note_add", half='{"text": "half'), HANG),
        lambda reply: "note.add" in dict(calls(reply)),
    ),
    "tool": (
        (Think("Hm."), Say("One moment."), NOTE, TIME),
        lambda reply: ("note.add", "running") in calls(reply),
    ),
}


@pytest.mark.parametrize("where", STOPS)
def test_stop_and_the_next_message(tmp_path: Path, server: ProviderServer, where: str) -> None:
    steps, there = STOPS[where]

    async def story(talk: Talk) -> None:
        server.speak(*steps)
        with notes_busy(tmp_path):
            talk.engine.chat.send("go")
            await talk.reaches(there)
            reply = await talk.stop()
        assert reply.state is MessageState.CANCELLED
        assert {s for _, s in calls(reply)} <= {"cancelled", "success"}
        await goes_on(talk, server)
        server.speak(Think("Again."), SUM)
        await goes_on(talk, server)

    talk_story(tmp_path, story)


@pytest.mark.parametrize("where", ["arguments", "tool"])
def test_killed_and_started_again(tmp_path: Path, server: ProviderServer, where: str) -> None:
    """The next start finds the data folder as it was in the middle of the turn; there the reply is
    continued, and in another copy a new message is sent.
    """
    steps, there = STOPS[where]
    wrecks = [tmp_path / "continue", tmp_path / "next"]

    async def die(talk: Talk) -> None:
        server.speak(*ROUNDS[0])
        server.speak(*steps)
        with notes_busy(tmp_path):
            talk.engine.chat.send("go")
            await talk.reaches(there)
            leave_wreck(tmp_path, *wrecks)
            await talk.stop()

    async def go_on(talk: Talk) -> None:
        assert notices(await talk.reply()) == ["interrupted"]
        server.speak(Think("Where was I?"), SUM)
        server.speak(Say("That is all."))
        reply = await talk.act(Action.CONTINUE)
        assert reply.state is MessageState.DONE
        assert reply.text.endswith("That is all.")
        await goes_on(talk, server)

    async def talk_on(talk: Talk) -> None:
        assert notices(await talk.reply()) == ["interrupted"]
        await goes_on(talk, server)

    talk_story(tmp_path, die)
    talk_story(wrecks[0], go_on)
    talk_story(wrecks[1], talk_on)


BREAKS: dict[str, tuple[Step, ...]] = {
    "text": (Think("Hm."), Say("It all began"), RESET),
    "arguments": (Think("Hm."), SUM, Call("note_add", half='{"text": "half'), CUT),
    "thinking": (Think("Hm, let me"), CUT),
}


@pytest.mark.parametrize(
    ("where", "action"),
    [
        ("text", Action.CONTINUE),
        ("arguments", Action.CONTINUE),
        ("thinking", Action.CONTINUE),
        ("arguments", Action.RETRY),
    ],
)
def test_a_broken_stream_is_continued(
    tmp_path: Path, server: ProviderServer, where: str, action: Action
) -> None:
    async def story(talk: Talk) -> None:
        server.speak(*ROUNDS[0])
        server.speak(*BREAKS[where])
        reply = await talk.say("go")
        assert notices(reply) == ["stream_broken"]
        assert ("note.add", "success") not in calls(reply)
        server.speak(Think("On we go."), SUM, TIME)
        server.speak(Say("That is all."))
        reply = await talk.act(action)
        assert reply.state is MessageState.DONE
        assert reply.text.endswith("That is all.")
        await goes_on(talk, server)

    talk_story(tmp_path, story)


def test_begun_on_one_protocol_and_continued_on_others(tmp_path: Path) -> None:
    """Each protocol's thoughts, signatures and ids are in the history of all the others."""
    with ExitStack() as stack:
        servers = [stack.enter_context(ProviderServer(PROVIDERS[name]())) for name in PROVIDERS]

        async def story(talk: Talk) -> None:
            for server in servers * 2:
                offer(tmp_path, servers, server.provider.name)
                server.speak(*ROUNDS[0])
                server.speak(Think("And then."), Say("It is done."))
                reply = await talk.say("do it")
                assert (notices(reply), server.refusals) == ([], [])
                assert reply.model == server.provider.name

        offer(tmp_path, servers)
        talk_story(tmp_path, story)
        for server in servers:
            assert len(server.provider.said(server.requests[-1].body)) > len(servers)


@pytest.mark.parametrize("first", PROVIDERS)
def test_broken_on_one_protocol_and_continued_on_others(tmp_path: Path, first: str) -> None:
    """The round whose calls another protocol made is continued by each of the others, after an
    error and after a stop.
    """
    with ExitStack() as stack:
        servers = {n: stack.enter_context(ProviderServer(PROVIDERS[n]())) for n in PROVIDERS}
        everyone = list(servers.values())

        async def story(talk: Talk) -> None:
            for name in [n for n in servers if n != first]:
                offer(tmp_path, everyone, first)
                servers[first].speak(*ROUNDS[0])
                servers[first].speak(Think("Hm."), CUT)
                assert notices(await talk.say("go")) == ["stream_broken"]
                offer(tmp_path, everyone, name)
                await gone_on(talk, servers[name], talk.act(Action.CONTINUE))
                offer(tmp_path, everyone, first)
                servers[first].speak(*STOPS["tool"][0])
                with notes_busy(tmp_path):
                    talk.engine.chat.send("go")
                    await talk.reaches(STOPS["tool"][1])
                    await talk.stop()
                offer(tmp_path, everyone, name)
                await gone_on(talk, servers[name], talk.say("and now?"))

        async def gone_on(talk: Talk, server: ProviderServer, ends: Awaitable[Message]) -> None:
            server.speak(Think("Well."), SUM)
            server.speak(Say("It is done."))
            reply = await ends
            assert (notices(reply), server.refusals) == ([], [])
            assert reply.text.endswith("It is done.")

        offer(tmp_path, everyone)
        talk_story(tmp_path, story)


def test_in_the_window(desk_story: Play, server: ProviderServer) -> None:
    """Thinking, parallel tools and gestures over several rounds in one message, a stop in the
    middle of the text, and the next message.
    """

    async def story(person: DeskStory) -> None:
        await person.until(person.desk.companion.pet.expressions, "the figure has no names")
        smile = Call("live2d_expression", {"name": "smile"})
        server.speak(Think("A sum and the time."), Say("Let me see."), smile, SUM, TIME)
        server.speak(Think("Now the note."), NOTE, Call("note_search", {"query": "milk"}))
        server.speak(Say("It is done."))
        person.type("do all of it")
        await person.until(lambda: "It is done." in person.shown(), "no end came")
        await person.idle()
        assert [call.status for call in await person.calls()] == [ToolStatus.SUCCESS] * 5
        assert await person.texts() == ["Let me see.", "It is done."]
        server.speak(Think("Hm."), Say("Once upon a time"), HANG)
        person.type("a story")
        await person.until(lambda: person.sees("time"))
        person.press(Qt.Key.Key_Escape)
        await person.idle()
        server.speak(Think("Well."), Say("Here I am."))
        person.type("are you there?")
        await person.until(lambda: "Here I am." in person.shown())
        await person.idle()
        assert (await person.reply()).state is MessageState.DONE

    desk_story(story, mode=None)


def test_in_the_window_the_message_names_the_answering_model(
    desk_story: Play, tmp_path: Path
) -> None:
    """The first of the chain refuses every key; the rest comes from the second, on another
    protocol, and the last line of the message says so, also when it is opened again.
    """
    with (
        ProviderServer(PROVIDERS["openai"]()) as first,
        ProviderServer(PROVIDERS["anthropic"]()) as second,
    ):
        offer(tmp_path, [first, second])
        config = json.loads((tmp_path / CONFIG).read_text("utf-8"))
        config["tiers"] = {"complex": ["openai", "anthropic"]}
        config["purposes"] = {"chat": "complex"}
        (tmp_path / CONFIG).write_text(json.dumps(config), encoding="utf-8")

        async def story(person: DeskStory) -> None:
            first.fail("No more money", 402)
            second.speak(Think("A sum."), Say("Let me see."), SUM)
            second.speak(Say("It is 42."))
            person.type("what is six times seven?")
            await person.until(lambda: "It is 42." in person.shown(), "no end came")
            await person.idle()
            assert (await person.reply()).model == "anthropic"
            assert "anthropic · 2 rounds" in person.shown()

        async def again(person: DeskStory) -> None:
            await person.until(lambda: "anthropic · 2 rounds" in person.shown())

        desk_story(story, mode=None)
        desk_story(again, mode=None)
        assert second.refusals == []
