"""Every fault of a service: the message says what happened, keeps the received text, and offers an
action.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from neodeskpet.core.blocks import MessageState, Notice, Text, ToolStatus
from tests.support.desk import DeskStory
from tests.support.replies import block, calling, end
from tests.support.sseserver import CUT, HANG, RESET, Part, ScriptedServer, error, text, tool_call

Play = Callable[..., None]
MODES = ("native", "text")
LATER = {"Retry-After": "300"}


@dataclass(frozen=True)
class Fault:
    """What the service sends, and what the user reads; `buttons` besides "Copy" and "Retry" below
    the message.
    """

    code: str
    parts: tuple[Part, ...]
    load_text: str
    buttons: tuple[str, ...]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def said(words: str) -> dict[str, object]:
    return {"error": {"message": words}}


TOOLLESS = ("Send without tools", "Switch to text mode")

AT_ONCE = {
    "html": Fault(
        "bad_reply",
        ("<html><body>Bad gateway</body></html>",),
        "as JSON. Raw response: <html><body>",
        ("Retry", "Open settings"),
    ),
    "empty": Fault("bad_reply", (b"",), "The answer is empty.", ("Retry", "Open settings")),
    "prose": Fault("bad_reply", ("Hello there",), "Hello there", ("Retry", "Open settings")),
    "key": Fault(
        "unauthorized",
        (said("bad key"),),
        "refused the key.",
        ("Open settings", "Retry", "Details"),
        401,
    ),
    "address": Fault(
        "not_found",
        (said("no such model"),),
        "doesn't know this address or model.",
        ("Open settings", "Retry", "Details"),
        404,
    ),
    "pause": Fault(
        "rate_limited",
        (said("slow down"),),
        "Rate limited: the service got too many requests.",
        ("Retry", "Details"),
        429,
        LATER,
    ),
    "failure": Fault(
        "tools_doubted",
        (said("boom"),),
        "with tools (status 500)",
        TOOLLESS,
        500,
        LATER,
    ),
    "request": Fault(
        "tools_doubted",
        (said("bad temperature"),),
        "with tools (status 422)",
        TOOLLESS,
        422,
    ),
}

HALF_WAY = {
    "half a chunk": Fault(
        "stream_broken",
        (CUT,),
        "stopped before it was complete",
        ("Continue", "Retry", "Details"),
    ),
    "reset": Fault(
        "stream_broken", (RESET,), "stopped before it was complete", ("Continue", "Retry")
    ),
    "early end": Fault(
        "stream_broken", (), "stopped before it was complete", ("Continue", "Retry")
    ),
    "error object": Fault(
        "reply_error",
        (error("overloaded"),),
        "in the middle of the reply. overloaded",
        ("Continue", "Retry"),
    ),
    "stall": Fault("stream_broken", (HANG,), "No data for 5 s.", ("Continue", "Retry")),
}


async def notice(person: DeskStory) -> Notice:
    """The open notice at the end of the reply."""
    await person.until(
        lambda: person.desk.engine.chat.running or person.desk.chat.view.access.messages()
    )
    await person.idle()
    reply = await person.reply()
    assert reply.state is MessageState.FAILED
    found = reply.blocks[-1]
    assert isinstance(found, Notice)
    assert not found.resolved
    return found


def offered(person: DeskStory) -> tuple[str, ...]:
    """The buttons of the notice: those of the message itself come after them."""
    buttons = person.buttons()
    assert buttons[-4:] == ["Copy", "Retry", "What happened in this turn", "More…"]
    return tuple(buttons[:-4])


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_fault_instead_of_a_reply(desk_story: Play, server: ScriptedServer, name: str) -> None:
    fault = AT_ONCE[name]

    async def story(person: DeskStory) -> None:
        server.reply(*fault.parts, status=fault.status, headers=fault.headers)
        person.type("hello")
        await person.until(lambda: fault.load_text in person.shown(), person.shown())
        assert (await notice(person)).code == fault.code
        assert offered(person) == fault.buttons
        assert len(server.requests) == 1
        before = (await person.reply()).id

        server.reply(text("Now it works."), *end())
        person.press_in_message("Retry" if "Retry" in fault.buttons else TOOLLESS[0])
        await person.until(lambda: "Now it works." in person.shown())
        await person.idle()
        reply = await person.reply()
        assert reply.id == before
        assert reply.state is MessageState.DONE
        assert [type(b) for b in reply.blocks] == [Text]

    desk_story(story, server.url)


@pytest.mark.parametrize(
    ("name", "way"), [*((name, "Continue") for name in HALF_WAY), ("reset", "Retry")]
)
def test_a_fault_in_the_middle_of_the_text(
    desk_story: Play, server: ScriptedServer, name: str, way: str
) -> None:
    fault = HALF_WAY[name]

    async def story(person: DeskStory) -> None:
        server.reply(text("The first half"), *fault.parts)
        person.type("tell me both halves")
        await person.until(lambda: fault.load_text in person.shown(), person.shown())
        assert (await notice(person)).code == fault.code
        assert offered(person) == fault.buttons
        assert (await person.reply()).text == "The first half"
        assert len(server.requests) == 1
        before = (await person.reply()).id

        server.reply(text("and the second."), *end())
        person.press_in_message(way)
        await person.until(lambda: "and the second." in person.shown())
        await person.idle()
        reply = await person.reply()
        assert reply.id == before
        assert reply.state is MessageState.DONE
        kept = {"Continue": "The first half\n\nand the second.", "Retry": "and the second."}
        assert reply.text == kept[way]
        asked = [m.get("content") for m in server.requests[-1].body["messages"]]
        assert ("The first half" in asked) == (way == "Continue")
        assert fault.load_text not in person.shown() or way == "Continue"

    desk_story(story, server.url, settings={"service": {"stall_timeout": 5}})


@pytest.mark.parametrize("mode", MODES)
def test_cut_off_arguments_are_never_run(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    cut: Part = (
        tool_call("note_add", '{"text": "ha', "a")
        if mode == "native"
        else text(block("note.add", {"text": "half a note"})[:-40])
    )

    async def story(person: DeskStory) -> None:
        server.reply(text("I note it."), cut, RESET)
        person.type("note this")
        await person.until(lambda: "stopped before" in person.shown())
        await notice(person)
        (call,) = await person.calls()
        assert call.status is ToolStatus.INTERRUPTED
        assert "interrupted" in person.shown()
        assert "TOOL" not in person.shown()
        before = (await person.reply()).id

        server.reply(*calling(mode, ("note.add", {"text": "whole"})), *end("tool_calls"))
        server.reply(text("Noted."), *end())
        person.press_in_message("Continue")
        await person.until(lambda: "Noted." in person.shown())
        await person.idle()
        reply = await person.reply()
        assert reply.id == before
        assert reply.state is MessageState.DONE
        assert [c.status for c in await person.calls()] == ["interrupted", "success"]
        server.reply(*calling(mode, ("note.search", {"query": ""})), *end("tool_calls"))
        server.reply(text("One."), *end())
        person.type("which notes are there?")
        await person.until(lambda: "One." in person.shown())
        await person.idle()
        (search,) = await person.calls()
        assert search.output.count('"text"') == 1
        assert "whole" in search.output

    desk_story(story, server.url, mode)


def test_retry_repeats_the_last_round_and_no_tool_runs_twice(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*calling("native", ("note.add", {"text": "once"})), *end("tool_calls"))
        server.reply(text("I have noted"), RESET)
        person.type("note this")
        await person.until(lambda: "stopped before" in person.shown())
        await notice(person)
        server.reply(text("It is noted."), *end())
        person.press_in_message("Retry")
        await person.until(lambda: "It is noted." in person.shown())
        await person.idle()
        assert (await person.reply()).text == "It is noted."
        assert [c.status for c in await person.calls()] == [ToolStatus.SUCCESS]
        assert [m["role"] for m in server.requests[-1].body["messages"]] == [
            "system",
            "user",
            "assistant",
            "tool",
        ]

    desk_story(story, server.url)


def test_a_passing_fault_is_retried_by_itself(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(said("slow down"), status=429, headers={"Retry-After": "1"})
        server.reply(text("Here I am."), *end())
        person.type("hello")
        await person.until(lambda: "Attempt 2 follows in 1 s" in person.shown())
        await person.until(lambda: "Here I am." in person.shown())
        await person.idle()
        reply = await person.reply()
        assert reply.state is MessageState.DONE
        assert [type(b) for b in reply.blocks] == [Text]
        assert "Attempt" not in person.shown()

    desk_story(story, server.url)


def test_no_server_at_the_address(desk_story: Play) -> None:
    with ScriptedServer() as gone:
        address = gone.url

    async def story(person: DeskStory) -> None:
        person.type("hello")
        await person.until(lambda: "can't be reached" in person.shown(), person.shown())
        assert (await notice(person)).code == "unreachable"
        assert offered(person) == ("Retry", "Open settings", "Details")
        person.press_in_message("Open settings")
        assert person.desk.side_windows.settings.isVisible()
        assert person.desk.side_windows.settings.section() == "service"

    desk_story(story, address)
