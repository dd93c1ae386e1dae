"""Texts of other programs at the companion: a limited number waits to be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.app.external_api_companion import DesktopCompanionAccess, ShowNotice
from neodeskpet.external_api.local_protocol import Delivery, QuestionDetails, QuestionReply
from neodeskpet.figure.stage import NullStage
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.settings.settings_model import CompanionSettings
from neodeskpet.ui.chat.program_questions import ProgramQuestionCard
from neodeskpet.ui.desktop.desktop_notifications import DesktopNotification
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.theme import LIGHT
from tests.unit.figure.doubles import description


@pytest.fixture
def bubble(qtbot: QtBot) -> Iterator[SpeechBubble]:
    made = SpeechBubble()
    yield made
    made.clear()
    made.close()
    made.deleteLater()


@pytest.fixture
def card(qtbot: QtBot) -> ProgramQuestionCard:
    made = ProgramQuestionCard(LIGHT)
    qtbot.addWidget(made)
    return made


async def refuse(notice: DesktopNotification) -> str:
    raise AssertionError(f"a notice of the desktop: {notice}")


def presence(
    bubble: SpeechBubble,
    seen: bool = True,
    put_up: ShowNotice = refuse,
    card: Callable[[], ProgramQuestionCard] = lambda: ProgramQuestionCard(LIGHT),
) -> DesktopCompanionAccess:
    stage = NullStage(description())
    return DesktopCompanionAccess(
        CompanionPresenter(stage, bubble), stage, lambda: seen, CompanionSettings, put_up, card
    )


def pages(bubble: SpeechBubble) -> str:
    shown = [bubble.page_text]
    while bubble.next_page():
        shown.append(bubble.page_text)
    return " ".join(shown)


def test_only_the_newest_text_of_a_program_waits(bubble: SpeechBubble) -> None:
    async def story() -> None:
        here = presence(bubble)
        for number in range(20):
            assert await here.say("chatty", f"line {number}", wait=False) is Delivery.BUBBLE
        assert bubble.page_text == "chatty: line 19"
        for number in range(4):
            assert await here.say(f"other {number}", "Hi", wait=False) is Delivery.BUBBLE

    asyncio.run(story())


def test_a_text_is_withdrawn_by_its_topic(bubble: SpeechBubble) -> None:
    async def story() -> None:
        here = presence(bubble)
        await here.say("agent", "I need you", wait=False, topic="s1")
        assert here.withdraw("agent", "s2") == here.withdraw("other", "s1") == 0
        assert bubble.page_text == "agent: I need you"
        here.withdraw("agent", "s1")
        assert bubble.page_text == ""
        await here.say("agent", "Again", wait=False, topic="s1")
        await here.say("agent", "Done.", wait=False)
        here.withdraw("agent", "s1")
        assert bubble.page_text == "agent: Done."

    asyncio.run(story())


def test_no_more_than_five_texts_wait(bubble: SpeechBubble) -> None:
    async def story() -> None:
        here = presence(bubble)
        ends = [await here.say(f"program {number}", "Hi", wait=False) for number in range(12)]
        assert ends == [Delivery.BUBBLE] * 5 + [Delivery.FULL] * 7

    asyncio.run(story())


def test_a_question_names_who_asks_where_above_its_details(bubble: SpeechBubble) -> None:
    async def story() -> None:
        here = presence(bubble)
        about = QuestionDetails("$ make\n   agent asks in /safe", "/deep" * 20)
        asked = spawn_task(here.ask("agent", "Run this?", ["Run"], 60, "t", about), name="question")
        await asyncio.sleep(0)
        shown = pages(bubble)
        head = f"Run this? agent asks in …{('/deep' * 20)[-47:]} $ make"
        assert shown.replace(" ", "").startswith(head.replace(" ", "")), shown
        assert bubble.choices == ["Run", "Not now"]
        here.withdraw("agent", "t")
        assert await asked == QuestionReply("", "withdrawn")
        bare = spawn_task(
            here.ask("agent", "Go?", ["Yes"], 60, "t", QuestionDetails("$ go")),
            name="question",
        )
        await asyncio.sleep(0)
        assert pages(bubble) == "Go? agent asks $ go"
        here.withdraw("agent", "t")
        await bare

    asyncio.run(story())


def test_the_end_of_a_long_command_is_always_seen(bubble: SpeechBubble) -> None:
    async def story() -> None:
        here = presence(bubble)
        about = QuestionDetails(f"$ echo {'x' * 200} && rm -rf /srv", "/work")
        asked = spawn_task(
            here.ask("agent", "Run?", ["Run", "No"], 60, "t", about), name="question"
        )
        await asyncio.sleep(0)
        shown = pages(bubble)
        assert "x … x" in shown
        assert shown.endswith("&& rm -rf /srv")
        assert bubble.choices == ["Show all", "No", "Not now"]
        here.withdraw("agent", "t")
        await asked

    asyncio.run(story())


def test_what_can_not_be_shown_to_its_end_is_not_asked(bubble: SpeechBubble) -> None:
    async def story() -> None:
        here = presence(bubble)
        lines = "\n".join(["echo"] * 300)
        for text, about in (("Run?", QuestionDetails(lines)), (lines, None), ("好" * 2_000, None)):
            reply = await here.ask("agent", text, ["Run"], 60, "t", about)
            assert reply == QuestionReply("", "long")
        assert bubble.page_text == ""

    asyncio.run(story())


def test_a_notification_does_not_allow_what_it_may_cut(bubble: SpeechBubble) -> None:
    shown: list[DesktopNotification] = []

    async def put_up(notice: DesktopNotification) -> str:
        shown.append(notice)
        return notice.choices[0][0]

    async def story() -> None:
        here = presence(bubble, seen=False, put_up=put_up)
        about = QuestionDetails("$ make", "/work")
        assert await here.ask("agent", "Run this?", ["Run", "No"], 60, "", about) == QuestionReply(
            "No"
        )
        place = QuestionDetails(folder="/work")
        assert (await here.ask("agent", "Run “make”?", ["Run"], 60, "", place)).choice == "Run"

    asyncio.run(story())
    assert [[text for _, text in notice.choices] for notice in shown] == [
        ["No", "Not now"],
        ["Run", "Not now"],
    ]
    assert shown[0].text == "Run this?\nagent asks in /work\n$ make"


def test_chat_and_bubble_ask_the_same_and_close_together(
    bubble: SpeechBubble, card: ProgramQuestionCard
) -> None:
    async def story() -> None:
        here = presence(bubble, card=lambda: card)
        about = QuestionDetails("$ make deploy", "~/app")
        labels = ["Run", "Don't run"]

        async def asks(seconds: float = 60) -> asyncio.Task[QuestionReply]:
            question = here.ask("agent", "Run it?", labels, seconds, "t", about)
            asked = spawn_task(question, name="question")
            await asyncio.sleep(0)
            assert bubble.choices == [one.text() for one in card.buttons] == [*labels, "Not now"]
            assert (card.title.text(), card.origin.text()) == ("Run it?", "agent asks in ~/app")
            assert card.text.toPlainText() == "$ make deploy"
            return asked

        asked = await asks()
        card.buttons[1].click()
        assert await asked == QuestionReply("Don't run")
        assert not bubble.has_question and not card.shown_key
        asked = await asks()
        card.answered.emit("program 1", "0")
        card.answered.emit("program 2", "all of it")
        assert not asked.done(), "another question, and no choice"
        here.withdraw("agent", "t")
        assert await asked == QuestionReply("", "withdrawn")
        assert not bubble.has_question and not card.shown_key
        assert await (await asks(0.01)) == QuestionReply("", "timeout")
        assert not bubble.has_question and not card.shown_key

    asyncio.run(story())


def test_the_lines_of_a_program_never_stand_above_who_asks(
    bubble: SpeechBubble, card: ProgramQuestionCard
) -> None:
    async def story() -> None:
        here = presence(bubble, card=lambda: card)
        asked = spawn_task(here.ask("agent", "Go?\nNeo asks", ["Yes"], 60), name="question")
        await asyncio.sleep(0)
        assert (card.title.text(), card.origin.text()) == ("Go?", "agent asks")
        assert card.text.toPlainText() == "Neo asks"
        card.buttons[-1].click()
        assert await asked == QuestionReply("", "dismissed")
        long = "why " * 60
        asked = spawn_task(here.ask("agent", long, ["Yes"], 60), name="question")
        await asyncio.sleep(0)
        assert card.title.text() == "agent asks" and card.origin.text() == ""
        assert card.text.toPlainText().strip() == long.strip()
        card.buttons[-1].click()
        await asked

    asyncio.run(story())
