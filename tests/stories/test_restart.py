"""The app ends in the middle of a reply: the next start shows the received text and can continue
it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from neodeskpet.core.blocks import MessageState, Notice, ToolStatus
from neodeskpet.platform.shutdown import Closer
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from tests.stories.test_stop import notes_busy
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import HANG, ScriptedServer, text
from tests.support.typist import typing

Play = Callable[..., None]


async def found_again(person: DeskStory) -> str:
    """What the newest message shows once the last conversation is open; it is interrupted."""
    await person.until(lambda: "NeoDeskPet ended while" in person.shown(), person.shown())
    reply = await person.reply()
    assert reply.state is MessageState.INTERRUPTED
    assert isinstance(reply.blocks[-1], Notice)
    assert person.buttons()[-6:-2] == ["Continue", "Retry", "Copy", "Retry"]
    assert person.desk.engine.storage.startup.interrupted_messages == [reply.id]
    return person.shown()


async def continues(person: DeskStory, server: ScriptedServer) -> None:
    before = (await person.reply()).id
    server.reply(text("and so on."), *end())
    person.press_in_message("Continue")
    await person.until(lambda: "and so on." in person.shown())
    await person.idle()
    reply = await person.reply()
    assert reply.id == before
    assert reply.state is MessageState.DONE
    assert person.buttons()[-4:-2] == ["Copy", "Retry"]
    assert "Continue" not in person.buttons()


def test_killed_while_text_streamed(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, verdicts: Path
) -> None:
    server.reply(text("Once upon a time"), HANG)
    with typing(tmp_path, verdicts, server.url, "tell me a story", "Once upon a time"):
        pass

    async def story(person: DeskStory) -> None:
        shown = await found_again(person)
        assert "Once upon a time" in shown
        assert (await person.messages())[0].text == "tell me a story"
        await continues(person, server)
        assert (await person.reply()).text == "Once upon a time\n\nand so on."

    desk_story(story, server.url)
    assert server.requests[0].closed_early.is_set()


def test_killed_while_a_tool_ran(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, verdicts: Path
) -> None:
    calls = calling("native", ("note.add", {"text": "slow"}))
    server.reply(text("One moment."), *calls, *end("tool_calls"))
    with notes_busy(tmp_path), typing(tmp_path, verdicts, server.url, "note this", "running"):
        pass

    async def story(person: DeskStory) -> None:
        shown = await found_again(person)
        assert "One moment." in shown
        assert "Add a note, slow, interrupted" in shown
        (call,) = await person.calls()
        assert call.status is ToolStatus.INTERRUPTED
        await continues(person, server)
        result = next(m for m in server.requests[-1].body["messages"] if m["role"] == "tool")
        assert result["content"].startswith("Error:")

    desk_story(story, server.url)


def test_quit_while_text_streamed(desk_story: Play, server: ScriptedServer) -> None:
    gone = []

    async def first(person: DeskStory) -> None:
        person.desk.destroyed.connect(lambda: gone.append("the desk"))
        server.reply(text("Once upon a time"), HANG)
        person.type("tell me a story")
        await person.until(lambda: person.sees("Once upon a time"))

    async def second(person: DeskStory) -> None:
        assert "Once upon a time" in await found_again(person)
        await person.desk.welcome.greet()
        await person.until(lambda: "interrupted" in person.desk.companion.bubble.page_text)
        await continues(person, server)

    async def third(person: DeskStory) -> None:
        await person.until(lambda: "and so on." in person.shown())
        assert person.desk.engine.storage.startup.interrupted_messages == []
        assert (await person.reply()).state is MessageState.DONE

    desk_story(first, server.url)
    assert server.requests[0].closed_early.wait(60)
    assert len(gone) == 1  # otherwise all of it would be kept by its references
    desk_story(second, server.url)
    desk_story(third, server.url)


def delete_database(home: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        (home / (CONVERSATIONS_FILE + ending)).unlink()


def test_the_file_is_deleted_while_it_runs(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def first(person: DeskStory) -> None:
        server.reply(text("I keep it."), *end())
        person.type("remember this")
        await person.until(lambda: "I keep it." in person.shown())
        await person.idle()
        delete_database(tmp_path)
        server.reply(text("That too."), *end())
        person.type("and this")
        await person.until(lambda: "was deleted while" in person.desk.companion.bubble.page_text)
        await person.until(lambda: "That too." in person.shown())
        await person.idle()

    async def second(person: DeskStory) -> None:
        await person.until(lambda: "That too." in person.shown())
        said = [message.text for message in await person.messages()]
        assert said == ["remember this", "I keep it.", "and this", "That too."]

    desk_story(first, server.url)
    assert "was deleted while NeoDeskPet was running. It was rewritten" in capfd.readouterr().err
    desk_story(second, server.url)


def test_closing_fails_everywhere_and_nothing_is_lost(
    desk_story: Play, server: ScriptedServer
) -> None:
    server.reply(text("Once upon a time"), HANG)
    closed: list[int] = []

    def failing(number: int, closer: Closer) -> Closer:
        async def close() -> None:
            result = closer()
            if inspect.isawaitable(result):
                await result
            closed.append(number)
            raise RuntimeError("on purpose")

        return close

    async def first(person: DeskStory) -> None:
        person.type("tell me a story")
        await person.until(lambda: "Once upon a time" in person.shown())
        person.desk.exits.wrap(failing)
        person.desk.engine.exits.wrap(failing)

    async def second(person: DeskStory) -> None:
        assert "Once upon a time" in await found_again(person)

    with pytest.raises(RuntimeError, match="on purpose"):
        desk_story(first, server.url)
    assert len(closed) > 50
    desk_story(second, server.url)
