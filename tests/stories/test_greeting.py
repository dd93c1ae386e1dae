"""No greeting at every start: an introduction once, later a line after some hours away."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from neodeskpet.conversation.chat_events import ChatErrorOccurred
from neodeskpet.conversation.remark_texts import GREETING_LINES
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.errors import MessageNotFound
from neodeskpet.core.proactive import Detection, UserPresence
from neodeskpet.figure.poses import Pose
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.storage_errors import StoreFull
from tests.support.desk import DeskStory

Play = Callable[..., None]
QUIET = {"companion": {"quiet": True}}


async def away(person: DeskStory, seconds: float) -> None:
    """As if the app had been closed that long ago."""
    await person.desk.engine.storage.store.set_state("seen", str(time.time() - seconds))


async def said(person: DeskStory) -> str:
    await person.desk.engine.storage.store.set_state("rough.told", "1")  # another story
    person.desk.companion.bubble.clear()
    await person.desk.welcome.greet()
    return person.desk.companion.bubble.page_text


def test_it_introduces_itself_once(desk_story: Play) -> None:
    async def first(person: DeskStory) -> None:
        assert "I'm Neo" in await said(person)

        bubble = person.desk.companion.bubble
        assert "notes" in bubble.page_text
        assert bubble.choices == ["Show me", "Later"]
        person.desk.chat.window.close()
        (show, _later) = [one for one in bubble.findChildren(QPushButton) if one.isVisible()]
        show.click()
        assert person.desk.chat.window.isVisible()
        assert not bubble.is_speaking
        await person.until(person.desk.first_run.guide.isVisible, "the guide isn't offered")

    async def second(person: DeskStory) -> None:
        assert await said(person) == ""

    desk_story(first)
    desk_story(second)


def test_an_error_comes_after_the_introduction(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        bubble = person.desk.companion.bubble
        assert "I'm Neo" in await said(person)
        person.desk.chat.presenter.on_chat_event(ChatErrorOccurred(MessageNotFound()))
        assert "no longer exists" in bubble.page_text
        (seen,) = [one for one in bubble.findChildren(QPushButton) if one.isVisible()]
        seen.click()
        assert bubble.choices == ["Show me", "Later"]

    desk_story(story)


def test_the_introduction_ends_with_the_first_message(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        bubble = person.desk.companion.bubble
        assert "I'm Neo" in await said(person)
        person.desk.chat.window.hide()
        person.desk.quick_message.line.submitted.emit("what is 6*7?", [])
        await person.until(lambda: not bubble.has_question, "the introduction hides the reply")

    desk_story(story)


def test_a_full_disk_is_reported_until_it_was_seen(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        bubble = person.desk.companion.bubble
        person.desk.chat.presenter.on_chat_event(
            ChatErrorOccurred(StoreFull("database or disk is full"))
        )
        while bubble.choices != ["OK"]:
            assert bubble.is_speaking
            QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
        assert "Free some space." in bubble.page_text

    desk_story(story, settings={"companion": {"bubble": False}})


def test_a_line_after_hours_and_never_the_same(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        await said(person)
        person.desk.companion.presenter.withdraw("introduction")
        lines = set()
        for _ in GREETING_LINES["long"]:
            await away(person, 5 * 86_400)
            lines.add(await said(person))
        assert lines == set(GREETING_LINES["long"])
        await away(person, 5 * 86_400)
        assert await said(person) == "", "all were said this month"

    desk_story(story)


def test_a_quiet_companion_says_nothing(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        await away(person, 86_400)
        assert await said(person) == ""

    desk_story(story, settings=QUIET)


async def talked(file: Path) -> None:
    """A conversation of an earlier run."""
    store = await SqliteStore.open(file)
    info = await store.create_conversation("before")
    for number in range(100):
        words = Text(0, 0, f"{number} {'words and more ' * 200}")
        message = Message(f"m{number}", Role.USER, (words,), MessageState.DONE, 0.0, 1.0)
        await store.add_message(info.id, message)
    await store.aclose()


def test_damage_found_before_the_figure_appears_is_reported(
    desk_story: Play, tmp_path: Path
) -> None:
    file = tmp_path / CONVERSATIONS_FILE
    asyncio.run(talked(file))
    with file.open("r+b") as out:
        out.seek(file.stat().st_size // 2 // 4096 * 4096)
        out.write(b"\xa5" * 4096)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.engine.storage.store.set_state("rough.told", "1")
        await desk.welcome.greet()
        await person.until(
            lambda: "was damaged" in desk.companion.bubble.page_text, "nothing is told"
        )
        (info,) = await desk.engine.storage.store.conversations()
        assert len(await desk.engine.storage.store.heads(info.id)) > 90

    desk_story(story, settings=QUIET)


def test_data_of_a_newer_version_is_reported_and_the_user_is_not_greeted_as_new(
    desk_story: Play, tmp_path: Path
) -> None:
    async def first(person: DeskStory) -> None:
        await said(person)

    async def older(person: DeskStory) -> None:
        told = await said(person)
        assert "newer version" in told
        assert "I'm Neo" not in told
        assert person.desk.companion.bubble.choices == ["OK"]

    desk_story(first)
    (file,) = tmp_path.rglob(CONVERSATIONS_FILE)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("INSERT INTO migrations VALUES ('999-later', 0)")
    before = file.read_bytes()
    desk_story(older)
    assert file.read_bytes() == before


def test_it_says_nothing_before_it_appears(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        assert desk.companion.pet.isVisible()
        await desk.wait_for_figure()
        assert desk.companion.pet.description is not None

    desk_story(story, pet=True)


def test_quitting_before_does_not_wait_for_it(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        stood: list[object] = []
        person.desk.companion.pet.ready.connect(stood.append)
        person.desk.quit()
        await person.desk.wait_for_figure()
        assert not stood

    desk_story(story, pet=True)


def test_on_return_there_is_a_greeting_but_not_during_a_film(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.companion.bubble.clear()
        full = UserPresence(0.0, Detection.YES, Detection.NO)
        await desk.welcome.greet_again(full)
        desk.engine.settings.change("companion", "welcome_back", False)
        await desk.welcome.greet_again(UserPresence(0.0, Detection.NO, Detection.NO))
        assert desk.companion.bubble.page_text == ""
        desk.engine.settings.change("companion", "welcome_back", True)
        desk.companion.pet.user_returned.emit()
        await person.until(lambda: bool(desk.companion.bubble.page_text), "no word")

    desk_story(story, pet=True)


def test_it_wakes_slowly_before_it_waves(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        desk.companion.bubble.clear()
        desk.companion.pet.pose(Pose.GROGGY)
        desk.companion.pet.user_returned.emit()
        await asyncio.sleep(0.6)
        assert (
            desk.companion.pet.current_pose is Pose.GROGGY and desk.companion.bubble.page_text == ""
        )
        desk.companion.pet.pose(Pose.IDLE)
        await person.until(lambda: bool(desk.companion.bubble.page_text), "no word")
        assert desk.companion.pet.current_pose is Pose.GREETING

    desk_story(story, pet=True)


def test_a_welcome_does_not_wait_behind_a_question(desk_story: Play) -> None:
    """It would be said when that is answered, hours later."""

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.companion.bubble.clear()
        desk.companion.bubble.ask("key", "Shall we?", (("yes", "Yes"),))
        await desk.welcome.greet_again(UserPresence(0.0, Detection.NO, Detection.NO))
        desk.companion.bubble.withdraw("key")
        assert desk.companion.bubble.page_text == ""

    desk_story(story, pet=True)
