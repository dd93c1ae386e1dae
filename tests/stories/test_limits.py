"""A limit on an endless model pauses the reply, says so, and lets the user continue it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neodeskpet.core.blocks import MessageState, Notice
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, finish, text

Play = Callable[..., None]
MODES = ("native", "text")


async def pause(
    person: DeskStory, words: str, state: MessageState = MessageState.LIMITED
) -> Notice:
    """The notice of a reply that paused, or ended in `state`."""
    await person.until(lambda: words in person.shown(), person.shown())
    await person.idle()
    reply = await person.reply()
    assert reply.state is state
    found = reply.blocks[-1]
    assert isinstance(found, Notice)
    assert person.buttons()[-5:-2] == ["Continue", "Copy", "Retry"]
    return found


async def goes_on(person: DeskStory, server: ScriptedServer) -> None:
    before = await person.reply()
    server.reply(text("That is all."), *end())
    person.press_in_message("Continue")
    await person.until(lambda: "That is all." in person.shown())
    await person.idle()
    reply = await person.reply()
    assert reply.id == before.id
    assert reply.state is MessageState.DONE
    assert reply.blocks[: len(before.blocks) - 1] == before.blocks[:-1]


@pytest.mark.parametrize("mode", MODES)
def test_the_same_call_three_times(desk_story: Play, server: ScriptedServer, mode: str) -> None:
    same = calling(mode, ("note.search", {"query": "key"}))

    async def story(person: DeskStory) -> None:
        for _ in range(3):
            server.reply(*same, *end("tool_calls"))
        person.type("where is my key?")
        found = await pause(person, "Search the notes was called 3 times in a row")
        assert found.code == "repeated_call"
        assert [c.status for c in await person.calls()] == ["success", "success", "cancelled"]
        assert len(server.requests) == 3
        await goes_on(person, server)

    desk_story(story, server.url, mode)


@pytest.mark.parametrize("rounds", [12, 2])
def test_a_reply_that_does_not_end_within_its_rounds_fails(
    desk_story: Play, server: ScriptedServer, rounds: int
) -> None:
    async def story(person: DeskStory) -> None:
        for number in range(rounds):
            sums = calling("native", ("calc.evaluate", {"expression": f"{number}+1"}))
            server.reply(*sums, *end("tool_calls"))
        person.type("count")
        words = f"The reply is not finished after {rounds} rounds of tool calls."
        assert (await pause(person, words, MessageState.FAILED)).code == "round_limit"
        assert [c.status for c in await person.calls()] == ["success"] * rounds
        await goes_on(person, server)

    # Twelve is the default.
    settings = {} if rounds == 12 else {"mode": {"max_rounds": rounds}}
    desk_story(story, server.url, settings=settings)


def test_the_number_of_calls(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        sums = [("calc.evaluate", {"expression": f"{n}+1"}) for n in range(3)]
        server.reply(*calling("native", *sums), *end("tool_calls"))
        person.type("count")
        assert (await pause(person, "Paused after 2 tool calls")).code == "call_limit"
        statuses = [c.status for c in await person.calls()]
        assert statuses == ["success", "success", "cancelled"]
        await goes_on(person, server)

    desk_story(story, server.url, settings={"mode": {"max_calls": 2}})


def test_the_length_of_a_reply(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("A very long"), finish("length"), *end()[1:])
        person.type("write a book")
        assert (await pause(person, "length limit")).code == "length_limit"
        await goes_on(person, server)
        assert (await person.reply()).text == "A very long\n\nThat is all."

    desk_story(story, server.url)
