"""Texts of other programs at the companion: a limited number waits to be read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.app.external_api_companion import DesktopCompanionAccess
from neodeskpet.external_api.local_protocol import Delivery
from neodeskpet.figure.stage import NullStage
from neodeskpet.settings.settings_model import CompanionSettings
from neodeskpet.ui.desktop.desktop_notifications import DesktopNotification
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from tests.unit.figure.doubles import description


@pytest.fixture
def bubble(qtbot: QtBot) -> Iterator[SpeechBubble]:
    made = SpeechBubble()
    yield made
    made.clear()
    made.close()
    made.deleteLater()


async def refuse(notice: DesktopNotification) -> str:
    raise AssertionError(f"a notice of the desktop: {notice}")


def presence(bubble: SpeechBubble) -> DesktopCompanionAccess:
    stage = NullStage(description())
    return DesktopCompanionAccess(
        CompanionPresenter(stage, bubble), stage, lambda: True, CompanionSettings, refuse
    )


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
