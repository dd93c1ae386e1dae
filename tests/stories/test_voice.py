"""The user speaks to the companion and interrupts it, in the real windows, with recorded devices
and services on loopback.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.core.blocks import Notice, Role
from neodeskpet.core.errors import SpeechInterrupted
from neodeskpet.core.transcript import INTERRUPTED_TEXT
from neodeskpet.core.voice.ports import FRAME_MS
from neodeskpet.ui.chat.composer.dictation import DictationState
from neodeskpet.ui.chat.items.user_message import READ_ACTION
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sounds import LoudnessJudge, OpenInput, PlayedOutput, speaker, tone
from tests.support.speech_server import SpeechServer
from tests.support.sseserver import ScriptedServer, text
from tests.support.transcription_server import TranscriptionServer

Play = Callable[..., None]
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def words() -> Iterator[TranscriptionServer]:
    made = TranscriptionServer()
    yield made
    made.close()


def listening(person: DeskStory, words: TranscriptionServer, **values: object) -> None:
    desk = person.desk
    desk.voice.listening.make_microphone = lambda _device: OpenInput(tone(5000, 0.5))
    for name, value in {
        "listen": "push_to_talk",
        "listen_address": words.url,
        **values,
    }.items():
        desk.engine.settings.change("voice", name, value)


def click_figure(person: DeskStory) -> None:
    pet = person.desk.companion.pet
    spot = QPointF(pet.width() / 2, pet.height() / 2)
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        QApplication.sendEvent(
            pet, QMouseEvent(kind, spot, pet.mapToGlobal(spot), LEFT, LEFT, NONE)
        )


def test_spoken_text_is_put_into_the_composer_and_corrected(
    desk_story: Play, server: ScriptedServer, words: TranscriptionServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        composer, sign = desk.chat.window.composer, desk.voice.sign
        assert composer.dictation.isHidden()
        listening(person, words)
        desk.show_chat()
        assert composer.dictation.isVisible()
        person.click(composer.dictation)
        await person.until(sign.isVisible, "no sign that the microphone is open")
        assert desk.chat.window.screen().availableGeometry().contains(sign.frameGeometry())
        assert composer.dictation.state is DictationState.LISTENING
        person.click(composer.dictation)
        await person.until(lambda: composer.draft() == "Hello there.", "no words came")
        assert not sign.isVisible()
        composer.insert(" You!")
        server.reply(text("Hi."), *end())
        QTest.keyClick(composer.field, Qt.Key.Key_Return)
        await person.idle()
        assert (await person.messages())[0].text == "Hello there. You!"

        # The hot key, for the quick message line, which sends at once
        words.body = '{"text": "How are you?"}'
        desk.engine.settings.change("voice", "send_at_once", True)
        desk.chat.window.hide()
        desk.voice.talk()
        await person.until(desk.quick_message.line.isVisible, "the line didn't come")
        await person.until(sign.isVisible, "no sign that the microphone is open")
        server.reply(text("Fine."), *end())
        desk.voice.talk()
        await person.until(lambda: not desk.quick_message.line.isVisible(), "it wasn't sent")
        await person.until(lambda: desk.engine.chat.running, "nothing was sent")
        await person.idle()
        assert [m.text for m in await person.messages() if m.role is Role.USER][1] == "How are you?"

        # The icon closes the microphone, and a failing service gives its reason
        words.status, words.body = 400, '{"error": {"message": "The model is not loaded."}}'
        desk.voice.talk()
        await person.until(sign.isVisible, "no sign that the microphone is open")
        QTest.mouseClick(sign, LEFT)
        await person.until(lambda: not sign.isVisible(), "the microphone is still open")
        desk.voice.talk()
        await person.until(sign.isVisible, "no sign that the microphone is open")
        desk.voice.talk()
        await person.until(
            lambda: "not loaded" in desk.companion.bubble.page_text, desk.companion.bubble.page_text
        )

    desk_story(story, server.url)


def test_a_locked_screen_closes_the_microphone(
    desk_story: Play, server: ScriptedServer, words: TranscriptionServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.voice.listening.make_judge = lambda: (LoudnessJudge(), FRAME_MS)
        listening(person, words, listen="hands_free")
        desk.voice.listening.make_microphone = lambda _device: OpenInput()
        await person.until(desk.voice.sign.isVisible, "no sign that the microphone is open")
        desk.conditions.screen_lock.note(True)
        await person.until(lambda: not desk.voice.sign.isVisible(), "the microphone is still open")
        desk.conditions.screen_lock.note(False)
        await person.until(desk.voice.sign.isVisible, "it does not listen again")
        desk.voice.talk()
        await person.until(lambda: not desk.voice.sign.isVisible(), "the microphone is still open")
        desk.conditions.screen_lock.note(True)
        desk.conditions.screen_lock.note(False)
        assert not desk.voice.sign.isVisible(), "it was closed before"

    desk_story(story, server.url)


def test_dictation_into_the_search_field(
    desk_story: Play, server: ScriptedServer, words: TranscriptionServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        listening(person, words)
        desk.show_chat()
        search = desk.chat.window.sidebar.search
        desk.chat.window.show_sidebar(True)
        search.setFocus()
        await person.until(search.hasFocus, "the field took no focus")
        desk.voice.talk()
        await person.until(desk.voice.sign.isVisible, "no sign that the microphone is open")
        desk.voice.talk()
        await person.until(lambda: search.text() == "Hello there.", search.text())
        assert desk.chat.window.composer.draft() == ""

    desk_story(story, server.url)


@pytest.mark.parametrize("way", ["escape", "hot key", "click"])
def test_it_is_silenced_at_once(desk_story: Play, server: ScriptedServer, way: str) -> None:
    output = PlayedOutput()

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.companion.speech.make_output = speaker(output)
        desk.engine.settings.change("voice", "speak", "chirp")
        desk.engine.settings.change("voice", "quiet_hours", False)
        desk.chat.window.hide()
        desk.companion.pet.show()
        await desk.companion.pet.wait_until_loaded()
        touched: list[str] = []
        desk.companion.pet.touched.connect(touched.append)
        server.reply(text("This is a long answer that nobody wants to hear to its end."), *end())
        desk.chat.presenter.send("Tell me", [])
        await person.until(
            lambda: desk.companion.speech.mouth_level is not None, "it doesn't speak"
        )
        await person.idle()
        output.clock.advance(0.2)
        output.take()
        stopped = output.clock.now
        match way:
            case "escape":
                desk.quick_message.line.present()
                await person.until(desk.quick_message.line.composer.field.hasFocus)
                QTest.keyClick(desk.quick_message.line.composer.field, Qt.Key.Key_Escape)
            case "hot key":
                desk.voice.silence()
            case _:
                click_figure(person)
        output.clock.advance(1.0)
        rest = output.take()
        assert not any(rest), f"it went on after {stopped}"
        assert desk.companion.speech.mouth_level is None
        assert touched == []
        assert "nobody wants to hear" in desk.companion.bubble.page_text, "the text stays"

    desk_story(story, server.url, pet=True)


def test_hidden_it_is_silent_and_the_text_stays_in_the_chat(
    desk_story: Play, server: ScriptedServer
) -> None:
    output = PlayedOutput(step=0.005)
    answer = "First of all, there are many kinds of tea. The second sentence follows. " * 4

    async def story(person: DeskStory) -> None:
        desk = person.desk
        speech = desk.companion.speech
        speech.make_output = speaker(output)
        desk.engine.settings.change("voice", "speak", "chirp")
        desk.engine.settings.change("voice", "quiet_hours", False)
        desk.engine.settings.change("voice", "remarks", False)
        desk.chat.window.hide()
        desk.companion.pet.show()
        await desk.companion.pet.wait_until_loaded()
        server.reply(text(answer), *end())
        desk.chat.presenter.send("Tell me about tea", [])
        await person.until(lambda: "many kinds" in speech.heard, "it doesn't speak")
        await person.idle()
        desk.menu.toggle_pet()
        assert not speech.is_audible
        output.clock.advance(0.05)
        before = len(output.recorded)
        output.clock.advance(1.0)
        output.take()
        assert not any(output.recorded[before:])
        assert (await person.messages())[-1].text == answer.strip()

    desk_story(story, server.url, pet=True)


def test_hands_free_the_user_interrupts_a_reply(
    desk_story: Play, server: ScriptedServer, words: TranscriptionServer
) -> None:
    output = PlayedOutput(step=0.01)
    words.body = '{"text": "Wait, stop."}'
    answer = "First of all, there are many kinds of tea. " * 8

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.companion.speech.make_output = speaker(output)
        desk.engine.settings.change("voice", "speak", "chirp")
        desk.engine.settings.change("voice", "quiet_hours", False)
        desk.companion.pet.show()
        await desk.companion.pet.wait_until_loaded()
        server.reply(text(answer), *end())
        desk.chat.presenter.send("Tell me about tea", [])
        await person.until(lambda: "many kinds" in desk.companion.speech.heard, "it doesn't speak")
        await person.idle()
        judge = LoudnessJudge()
        desk.voice.listening.make_judge = lambda: (judge, FRAME_MS)
        server.reply(text("I am quiet."), *end())
        listening(person, words, listen="hands_free")
        await person.until(lambda: words.paths, "nothing was recognized")
        assert "many kinds" in desk.companion.bubble.page_text, "the text stays"
        await person.until(lambda: len(server.requests) == 2, "nothing was sent")
        await person.idle()

        _mine, whole, mark, again, _ = await person.messages()
        assert whole.text == answer.strip(), "the store keeps all of it"
        (notice,) = mark.blocks
        assert isinstance(notice, Notice)
        assert notice.code == SpeechInterrupted.code
        assert again.text == "Wait, stop."
        kept = answer[: int(notice.params["kept"])]
        assert "many kinds" in kept
        assert len(kept) < len(answer) / 2
        sent = json.dumps(server.requests[-1].body, ensure_ascii=False)
        assert kept in sent
        assert answer.strip() not in sent
        assert sent.count(INTERRUPTED_TEXT) == 1

    desk_story(story, server.url, pet=True)


def test_a_message_is_read_aloud_although_speaking_is_off(
    desk_story: Play, server: ScriptedServer
) -> None:
    output = PlayedOutput(step=0.01)
    speech_server = SpeechServer()
    speech_server.pieces = [b"\1\0" * 24_000]

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.companion.speech.make_output = speaker(output)
        desk.engine.settings.change("voice", "address", speech_server.url)
        server.reply(text("Hello **you**.\n\n```\ncode\n```\n\nBye, and see you soon."), *end())
        person.type("Hi")
        await person.idle()
        assert speech_server.requests == []
        reply = await person.reply()
        desk.chat.view.action_requested.emit(reply.id, READ_ACTION)
        await person.until(lambda: len(speech_server.requests) == 3, "it isn't read")
        assert [body["input"] for _, _, body in speech_server.requests] == [
            "Hello you.",
            "Code.",
            "Bye, and see you soon.",
        ]
        await person.until(lambda: not desk.companion.speech.is_speaking, "it never ends")
        desk.chat.view.action_requested.emit(reply.id, READ_ACTION)
        assert desk.companion.speech.is_speaking
        desk.chat.view.action_requested.emit(reply.id, READ_ACTION)
        assert not desk.companion.speech.is_speaking, "the second request ends it"

    try:
        desk_story(story, server.url)
    finally:
        speech_server.close()
