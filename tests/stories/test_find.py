"""Finding: words in the open conversation and in all of them, and a day; in both languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.language import set_language
from neodeskpet.ui.chat.find.search_results import RESULT_ROLE
from tests.support.desk import DeskStory
from tests.support.sseserver import HANG, ScriptedServer, text

Play = Callable[..., None]
DAY = 86_400.0
BEGIN = datetime(2026, 3, 1, 12).timestamp()
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


async def remembers(person: DeskStory, title: str, said: Sequence[str], begin: float) -> str:
    """An earlier conversation, one message an hour; the user's first."""
    store = person.desk.engine.storage.store
    info = await store.create_conversation(title)
    for at, words in enumerate(said):
        role = Role.ASSISTANT if at % 2 else Role.USER
        moment = begin + at * 3600
        block = (Text(0, 0, words),)
        message = Message(f"{title} {at}", role, block, MessageState.DONE, moment, moment)
        await store.add_message(info.id, message)
    return info.id


async def opens(person: DeskStory, conversation: str) -> None:
    await person.desk.engine.chat.open(conversation)
    await person.desk.chat.presenter.open_at(conversation)
    person.desk.show_chat()


async def indexed(person: DeskStory) -> None:
    finder = person.desk.engine.memory.search_indexer
    await person.until(lambda: not finder.is_behind, "the index lags behind")


def counted(person: DeskStory) -> str:
    return person.desk.chat.window.find_bar.count.text()


def found(person: DeskStory) -> list[str]:
    """The rows of the results: titles begin with "#"."""
    results = person.desk.chat.window.sidebar.results
    rows = [results.index(at, 0).data(RESULT_ROLE) for at in range(results.rowCount())]
    return [row.text if row.hit else f"# {row.text}" for row in rows]


def marked(person: DeskStory) -> str:
    """The text at the present result."""
    view = person.desk.chat.view
    here = view.scene.marks.current
    assert here is not None
    item, number = here
    document = view.scene.documents.get(item)
    start, stop = view.scene.marks.match_positions(item, document)[number]
    return document.text_between(start, stop)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_words_of_the_open_conversation(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    answer = (
        "A **mount**ain is high.\n\n| what | where |\n|---|---|\n| mountain | north |\n\n"
        "```python\nmountain = 1\n```\n"
    )

    async def story(person: DeskStory) -> None:
        said = ["the first mountain", *(f"word {at}" for at in range(299)), "and?", answer]
        await opens(person, await remembers(person, "high", said, BEGIN))
        await indexed(person)
        window, bar = person.desk.chat.window, person.desk.chat.window.find_bar
        QTest.keyClick(window, Qt.Key.Key_F, CONTROL)
        assert bar.field.hasFocus()
        QTest.keyClicks(bar.field, "Mountain")
        await person.until(lambda: counted(person).endswith("/4"), "not all are counted")
        await person.until(lambda: person.desk.chat.view.scene.marks.current is not None)
        assert counted(person) == "2/4" and marked(person) == "mountain"
        for which in ("3/4", "4/4", "1/4"):  # the last one is followed by the first
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            await person.until(lambda w=which: counted(person) == w, f"{which} isn't reached")
        await person.until(lambda: person.desk.chat.view.scene.marks.current is not None)
        assert marked(person) == "mountain"
        await person.until(lambda: "the first mountain" in visible(person), "it isn't in sight")
        QTest.keyClick(bar.field, Qt.Key.Key_Return, SHIFT)
        await person.until(lambda: counted(person) == "4/4")

        # while a reply streams, which grows meanwhile; Esc closes the bar, not the turn
        server.reply(text("One more mountain"), text(" and a mountain"), HANG)
        person.type("go on")
        await person.until(lambda: counted(person).endswith("/6"), "what streams isn't counted")
        QTest.keyClick(bar.field, Qt.Key.Key_Escape)
        assert not bar.isVisible() and person.desk.engine.chat.running
        assert not person.desk.chat.view.scene.marks.needle
        QTest.keyClick(window.composer.field, Qt.Key.Key_Escape)
        await person.idle()

    desk_story(story, server.url, settings={"appearance": {"language": language}})


def visible(person: DeskStory) -> str:
    view = person.desk.chat.view
    items = (view.column.item(place) for place in view.scroller.visible_places())
    return "\n".join(item.accessible_text for item in items if item is not None)


def test_folded_code_unfolds_at_a_result(desk_story: Play) -> None:
    code = "\n".join(f"line_{at} = {at}" for at in range(200))

    async def story(person: DeskStory) -> None:
        said = ["show it", f"```python\n{code}\nneedle = 1\n```", "thanks", "welcome"]
        await opens(person, await remembers(person, "code", said, BEGIN))
        bar = person.desk.chat.window.find_bar
        QTest.keyClick(person.desk.chat.window, Qt.Key.Key_F, CONTROL)
        QTest.keyClicks(bar.field, "needle")
        await person.until(lambda: counted(person) == "1/1")
        await person.until(lambda: "needle = 1" in visible(person), "it stays folded")
        QTest.keyClicks(bar.field, "zzz")
        await person.until(lambda: counted(person) == "0/0")
        assert not bar.after.isEnabled()

    desk_story(story)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_words_in_all_conversations(desk_story: Play, language: str) -> None:
    async def story(person: DeskStory) -> None:
        long = ["hello", *(f"so {at}" for at in range(200))]
        long[21] = "we saw a **moun**tain lake"
        lake = await remembers(person, "Summer", long, BEGIN)
        await remembers(person, "Mountain hut", ["soup", "is hot"], BEGIN + 90 * DAY)
        await remembers(person, "Winter", ["the mountain is white"], BEGIN + 200 * DAY)
        store = person.desk.engine.storage.store
        await store.add_version(
            lake,
            Message("v", Role.ASSISTANT, (Text(0, 0, "no"),), MessageState.DONE, BEGIN),
            beside="Summer 199",
        )
        await indexed(person)
        person.desk.show_chat()
        side, view = person.desk.chat.window.sidebar, person.desk.chat.view
        QTest.keyClick(person.desk.chat.window, Qt.Key.Key_F, CONTROL | SHIFT)
        assert side.search.hasFocus()
        QTest.keyClicks(side.search, "moun")
        await person.until(lambda: len(found(person)) == 5, "not all is found")
        assert found(person) == [
            "# Mountain hut",
            "# Winter",
            "the mountain is white",
            "# Summer",
            "we saw a mountain lake",
        ]
        row = side.results.index(4, 0).data(RESULT_ROLE)
        assert [row.text[start:stop] for start, stop in row.marks] == ["moun"]
        assert row.speaker == person.desk.engine.storage.personas.current.name

        QTest.keyClick(side.search, Qt.Key.Key_Down)
        assert side.found.hasFocus()
        QTest.keyClick(side.found, Qt.Key.Key_Down)
        QTest.keyClick(side.found, Qt.Key.Key_Down)
        QTest.keyClick(side.found, Qt.Key.Key_Return)
        await person.until(lambda: "mountain lake" in visible(person), "it isn't shown")
        await person.until(lambda: view.scene.marks.current is not None)
        assert marked(person) == "moun" and view.hasFocus()

        # a result in another version is shown there
        side.search.setText("so 199")
        await person.until(lambda: len(found(person)) == 2)
        QTest.keyClick(side.search, Qt.Key.Key_Return)
        await person.until(lambda: "so 199" in visible(person), "the version isn't shown")

        # deleted messages aren't found
        await store.delete_conversation(lake)
        await indexed(person)
        side.search.setText("lake")
        await person.until(lambda: found(person) == [], "it is still found")
        QTest.keyClick(side.search, Qt.Key.Key_Escape)
        assert not side.list.isHidden() and side.found.isHidden()

    desk_story(story, settings={"appearance": {"language": language}})


def test_chinese_words_and_a_day(desk_story: Play, qapp: QApplication) -> None:
    async def story(person: DeskStory) -> None:
        set_language("zh_CN")
        person.desk.chat.window.retranslate()
        said = ["我家的猫咪喜欢晒太阳", *(f"第{at}天" for at in range(100)), "再见"]
        here = await remembers(person, "日记", said, BEGIN)
        await indexed(person)
        await opens(person, here)
        window = person.desk.chat.window
        side, view = window.sidebar, person.desk.chat.view
        window.show_sidebar(True)
        side.search.setText("猫")
        await person.until(lambda: len(found(person)) == 2)
        side.search.setText("欢晒太")
        await person.until(lambda: "欢晒太" in side.search.text() and len(found(person)) == 2)
        QTest.keyClick(side.search, Qt.Key.Key_Return)
        await person.until(lambda: "猫咪" in visible(person))
        await person.until(lambda: view.scene.marks.current is not None)
        assert marked(person) == "欢晒太"
        bar = window.find_bar
        assert bar.isVisible() and bar.field.placeholderText() == "在本对话中查找"

        # a day, typed and chosen
        window.date_requested.emit()
        await person.until(window.dates.isVisible)
        QTest.keyClicks(window.dates.field, "no day")
        QTest.keyClick(window.dates.field, Qt.Key.Key_Return)
        assert window.dates.isVisible()
        window.dates.field.setText("2026年3月4日")
        QTest.keyClick(window.dates.field, Qt.Key.Key_Return)
        assert not window.dates.isVisible()
        await person.until(lambda: "第59天" in visible(person), "the day isn't shown")
        assert view.scene.focused_message == "日记 60"
        window.date_requested.emit()
        await person.until(window.dates.isVisible)
        window.dates.calendar.clicked.emit(QDate(2026, 3, 1))
        await person.until(lambda: "猫咪" in visible(person))

    desk_story(story)
