"""Costs are shown below each reply, for a conversation and for a month; a budget warns once; a
meter shows what was left out of the request.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from neodeskpet.language import set_language, tr
from tests.support.desk import DeskStory
from tests.support.noon import noon
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, done, finish, text, usage

__all__ = ["noon"]
pytestmark = pytest.mark.usefixtures("noon")
"""Sums are of a day and of a month: none ends here."""

Play = Callable[..., None]
LONG = "字" * 7_000
SUMMED = "In the place of the first {count} messages the model was sent a summary of them."


def offer(
    home: Path, server: ScriptedServer, *, context: int = 200_000, priced: bool = True
) -> None:
    model = {"endpoint": "shop", "id": "fine-model", "context": context}
    if priced:
        model["prices"] = {"input": 2.0, "output": 10.0, "currency": "USD"}
    endpoint = {"name": "shop", "protocol": "openai", "base_url": server.url}
    document = {"endpoints": [endpoint], "models": [model], "purposes": {"chat": "fine-model"}}
    (home / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")


async def ask(
    person: DeskStory, server: ScriptedServer, words: str, tokens: int, written: int = 100_000
) -> None:
    server.reply(text(f"About {words[:8]}."), finish("stop"), usage(tokens, written), done())
    person.desk.engine.chat.send(words)
    await person.until(lambda: f"About {words[:8]}." in person.shown(), "no answer")
    await person.idle()


async def open_meter(person: DeskStory) -> list[str]:
    popover = person.desk.chat.context_meter.popover
    person.click(person.desk.chat.window.header.context)
    await person.until(popover.isVisible, "the meter tells nothing")
    return popover.texts()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_message_a_conversation_and_a_month(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    offer(tmp_path, server)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        set_language(language)
        desk.show_chat()
        await ask(person, server, "cats", 500_000)
        assert "600,000" in person.shown() and "$2.00" in person.shown()
        await ask(person, server, "dogs", 500_000)
        told = "\n".join(await open_meter(person))
        assert "1,200,000" in told and "$4.00" in told
        assert tr("Nothing: the model read the whole conversation.") in told

        window = desk.side_windows.spending
        person.click(desk.chat.context_meter.popover.costs)
        await person.until(lambda: "$4.00" in window.total_label.text(), window.total_label.text())
        ((day, *numbers),) = window.rows()
        assert day and numbers[:3] == ["2", "1,000,000", "200,000"] and numbers[4] == "$4.00"
        person.click(window.views.button("models"))
        assert [row[0] for row in window.rows()] == ["fine-model"]
        person.click(window.views.button("conversations"))
        info = desk.engine.chat.conversation
        assert info is not None and [row[1] for row in window.rows()] == ["2"]

        # Costs are kept, and the month before was free
        await desk.engine.storage.store.delete_conversation(info.id)
        person.click(window.previous_button)
        none = tr("There were no requests in this month.")
        await person.until(lambda: window.total_label.text() == none, window.total_label.text())
        person.click(window.next_button)
        await person.until(lambda: "$4.00" in window.total_label.text(), window.total_label.text())
        assert window.rows()[0][0] == tr("(A deleted conversation)")

    desk_story(story, settings={"service": {"titles": False}})


def test_without_a_known_price_there_is_a_dash(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    offer(tmp_path, server, priced=False)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.show_chat()
        await ask(person, server, "cats", 500_000)
        assert (await open_meter(person))[-1].endswith(" · —")
        person.click(desk.chat.context_meter.popover.costs)
        await person.until(lambda: bool(desk.side_windows.spending.rows()), "no rows")
        assert desk.side_windows.spending.rows()[0][-1] == "—"

    desk_story(story, settings={"service": {"titles": False}})


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_budget_warns_once_at_80_and_once_at_100_and_stops_nothing(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    offer(tmp_path, server)

    async def story(person: DeskStory) -> None:
        desk, bubble = person.desk, person.desk.companion.bubble
        set_language(language)

        def asks() -> bool:
            return tr("Show the costs") in bubble.choices

        desk.side_windows.show_settings("spending")
        field = desk.side_windows.settings.pages["spending"].fields["budget"]
        entry = field.control.entry
        entry.setText("a lot")
        entry.editingFinished.emit()
        await person.until(lambda: bool(field.error_label.text()), "any words are a budget")
        entry.setText("5 USD")
        entry.editingFinished.emit()
        await person.until(lambda: desk.notifiers.budget.budget() is not None, "no budget")
        desk.side_windows.settings.close()
        desk.show_chat()
        await ask(person, server, "cats", 500_000)
        assert not asks()
        await ask(person, server, "dogs", 500_000)  # 4 of 5
        await person.until(lambda: asks(), "no word at 80 %")
        desk.companion.presenter.answered.emit("budget", "done")
        assert not asks()
        await ask(person, server, "fish", 0)  # 5 of 5
        await person.until(lambda: asks(), "no word at 100 %")
        desk.companion.presenter.answered.emit("budget", "open")
        window = desk.side_windows.spending
        await person.until(
            lambda: "100 %" in window.budget_label.text(), window.budget_label.text()
        )
        await ask(person, server, "mice", 0)  # it continues silently
        await person.until(
            lambda: "120 %" in window.budget_label.text(), window.budget_label.text()
        )
        assert not asks()

    async def next_start(person: DeskStory) -> None:
        await person.until(
            lambda: "120 %" in person.desk.notifiers.budget.summary_line(), "not looked at"
        )
        await person.desk.engine.storage.store.get_state("x")
        assert not person.desk.companion.bubble.choices

    plain = {"service": {"titles": False}}
    desk_story(story, settings=plain)
    desk_story(next_start, settings={**plain, "spending": {"budget": "5 USD"}})


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_meter_says_what_was_left_out(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    offer(tmp_path, server, context=40_000)

    async def story(person: DeskStory) -> None:
        desk, header = person.desk, person.desk.chat.window.header
        set_language(language)
        desk.show_chat()
        for number in range(2):
            await ask(person, server, f"{number} {LONG}", 1, 1)
        assert header.context.icon().isNull()
        await ask(person, server, f"2 {LONG}", 1, 1)
        server.reply(text("They spoke of signs."), *end())
        await desk.engine.memory.summaries.wait_idle()
        await person.until(lambda: not header.context.icon().isNull(), "nothing is said to lack")
        words = "Of 5 earlier messages" if language == "en" else "5"
        lines = await open_meter(person)
        assert any(words in line for line in lines), lines
        assert words in header.context.accessibleName()
        person.click(desk.chat.context_meter.popover.account)
        await person.until(desk.side_windows.inspector.isVisible, "what happened isn't shown")

        # The next request has a summary of them instead
        desk.show_chat()
        await ask(person, server, "and then", 1, 1)
        await person.until(lambda: header.context.icon().isNull(), "it still lacks something")
        lines = await open_meter(person)
        summed = [tr(SUMMED, count=str(count)) for count in range(2, 6)]
        assert any(line.removeprefix("• ") in summed for line in lines), lines

    desk_story(story, settings={"service": {"titles": False}})
