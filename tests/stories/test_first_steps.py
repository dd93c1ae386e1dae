"""The first half minute at the figure, by mouse and by keyboard alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.app.first_run import GUIDE_DONE_KEY
from neodeskpet.app.first_steps_controller import FirstStepsController
from neodeskpet.app.later_offers import STATE_KEY
from neodeskpet.core.blocks import Role
from neodeskpet.llm.endpoint_test.endpoint_tester import list_models
from neodeskpet.llm.http_transcriber import wav_bytes
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.ui.first_steps import Step
from neodeskpet.ui.settings.field_controls import SegmentedFieldControl
from neodeskpet.ui.settings.settings_ports import LocalModelServer
from neodeskpet.ui.settings.voice_page import VoicePage
from neodeskpet.ui.theme import LIGHT
from neodeskpet.voice.local_voice import KOKORO
from neodeskpet.voice.synthesizers.kokoro import KokoroEngine
from neodeskpet.voice.synthesizers.kokoro_child import TONE_ENGINE
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sounds import PlayedOutput, speaker
from tests.support.sseserver import Reply, Request, ScriptedServer, text
from tests.unit.voice.test_local_voice import fill

Play = Callable[..., None]


class OfflineVoice:
    """An installer of the offline voice that downloads nothing."""

    download_bytes = disk_bytes = 1_000_000
    installed = False

    async def install(self, on_progress: Callable[[float], object]) -> None:
        self.installed = True

    async def remove(self) -> None:
        self.installed = False


async def begin(person: DeskStory) -> FirstStepsController:
    desk = person.desk
    desk.chat.window.hide()
    await desk.companion.pet.wait_until_loaded()
    await person.until(
        lambda: desk.companion.pet.description is not None and desk.companion.pet.isExposed()
    )
    await desk.welcome.greet()
    steps = desk.first_run.steps
    assert steps is not None and steps.bubble.step is Step.LANGUAGE
    screen = desk.companion.pet.screen().availableGeometry()
    assert screen.contains(steps.bubble.frameGeometry())
    assert not steps.bubble.geometry().intersects(desk.companion.pet.placement.head_rect())
    return steps


def steps_of(
    person: DeskStory,
    told: FirstStepsController,
    find: Callable[[], Awaitable[Sequence[LocalModelServer]]],
    remember: Callable[[str], Awaitable[None]],
) -> FirstStepsController:
    """Return first steps of the test's own, with these servers on this computer."""
    desk = person.desk
    return FirstStepsController(
        desk.engine,
        desk.companion.pet,
        LIGHT,
        told._service,
        find,
        remember,
        lambda _text: None,
        ("Neo", "mira"),
    )


async def ended(person: DeskStory) -> None:
    store = person.desk.engine.storage.store
    await person.until(lambda: person.desk.first_run.steps is not None)
    for _ in range(200):
        await store.flush()
        if await store.get_state(GUIDE_DONE_KEY) and await store.get_state(STATE_KEY):
            return
    raise AssertionError("the first steps aren't over")


def test_by_mouse_in_five_clicks(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        bubble = (await begin(person)).bubble
        assert bubble.title == "Hi, I'm Neo!"
        clicks = 0

        def press(name: str) -> None:
            nonlocal clicks
            person.click(person.button(name, bubble))
            clicks += 1

        press("English")
        assert desk.engine.settings.settings.appearance.language == "en"
        assert bubble.field is not None
        bubble.field.setText("Mira")
        press("That's me")
        assert bubble.title == "Mira, how shall I think?"
        press("Without a model")
        assert bubble.step is Step.TRY
        assert [button.accessibleName() for button in bubble.buttons] == [
            "Tea in 5 minutes",
            "Make a note: buy pears",
            "Dance!",
            "Speak aloud…",
        ]
        press("Tea in 5 minutes")
        assert clicks == 4 and not bubble.isVisible()
        await person.idle()
        assert [timer.label.casefold() for timer in await desk.engine.notebook.timers.timers()] == [
            "tea"
        ]
        said = await person.messages()
        assert [one.role for one in said] == [Role.USER, Role.ASSISTANT]
        facts = await desk.engine.memory.store.facts.list_facts()
        assert any("Mira" in fact.text for fact in facts)
        await ended(person)

    desk_story(story, pet=True)


def test_by_keyboard_alone_and_in_chinese(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        steps = await begin(person)
        bubble = steps.bubble

        def press(key: Qt.Key) -> None:
            QTest.keyClick(QApplication.focusWidget() or bubble, key)

        await person.until(bubble.isActiveWindow, "it has no keyboard")
        press(Qt.Key.Key_2)
        assert desk.engine.settings.settings.appearance.language == "zh_CN"
        assert bubble.step is Step.NAME and bubble.title == "怎么称呼你？"
        press(Qt.Key.Key_Escape)
        assert bubble.step is Step.SERVICE
        press(Qt.Key.Key_1)
        assert bubble.step is Step.KEY and bubble.field is not None
        assert bubble.field.hasFocus()
        bubble.field.setText("sk-abcdefghijklmnopqrst")
        assert len(bubble.buttons) == 4, "the form of the key doesn't identify its service"
        bubble.field.setText("")
        assert not bubble.buttons
        press(Qt.Key.Key_Escape)
        assert bubble.step is Step.TRY
        press(Qt.Key.Key_3)
        assert not bubble.isVisible()
        await ended(person)

    desk_story(story, pet=True)


def test_skip_all_and_the_chat_end_them(desk_story: Play) -> None:
    async def first(person: DeskStory) -> None:
        bubble = (await begin(person)).bubble
        person.desk.show_chat()
        assert not bubble.isVisible(), "the chat begins with its own first steps"
        await person.until(person.desk.first_run.guide.isVisible)

    async def second(person: DeskStory) -> None:
        await person.desk.engine.storage.store.set_state("seen", None)
        bubble = (await begin(person)).bubble
        person.click(person.button("Skip all", bubble))
        await ended(person)

    async def third(person: DeskStory) -> None:
        await person.desk.engine.storage.store.set_state("seen", None)
        person.desk.chat.window.hide()
        await person.desk.welcome.greet()
        assert person.desk.first_run.steps is None, "nothing is asked twice"

    desk_story(first, pet=True)
    desk_story(second, pet=True)
    desk_story(third, pet=True)


@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_a_server_on_this_computer_is_offered_first_and_used_with_one_key(
    desk_story: Play, server: ScriptedServer, code: str
) -> None:
    server.pages["/v1/models"] = {"data": [{"id": "nomic-embed"}, {"id": "qwen3:8b"}]}
    url = f"{server.url.removesuffix('/v1')}/v1"

    async def story(person: DeskStory) -> None:
        desk, told = person.desk, await begin(person)
        told.bubble.hide()

        async def find() -> list[LocalModelServer]:
            return [
                LocalModelServer(
                    "Ollama",
                    url,
                    tuple(
                        await list_models(
                            desk.engine.models.client, PROTOCOLS["openai"], ModelOptions(url, "")
                        )
                    ),
                )
            ]

        async def remember(_fact: str) -> None:
            raise AssertionError("no name was given")

        steps = steps_of(person, told, find, remember)
        bubble = steps.bubble
        steps.start()
        await person.until(bubble.isActiveWindow, "it has no keyboard")

        def press(key: Qt.Key) -> None:
            QTest.keyClick(QApplication.focusWidget() or bubble, key)

        first = desk.engine.settings.settings.appearance.language in ("", "en", "system")
        press(Qt.Key.Key_1 if (code == "en") is first else Qt.Key.Key_2)
        press(Qt.Key.Key_Escape)
        assert bubble.step is Step.SERVICE
        offered = {"en": "Ollama, right here", "zh_CN": "Ollama"}[code]
        await person.until(
            lambda: any(offered in one.accessibleName() for one in bubble.buttons), "not found"
        )
        await person.until(lambda: bubble.buttons[0].hasFocus(), "Enter wouldn't take it")
        press(Qt.Key.Key_Return)
        assert bubble.step is Step.TRY
        service = desk.engine.settings.settings.service
        assert (service.base_url, service.model) == (url, "qwen3:8b")
        second = {"en": "Remember that I love pears", "zh_CN": "梨"}[code]
        assert second in bubble.buttons[1].accessibleName(), "it can do that with a model"
        await steps.aclose()

    desk_story(story, pet=True)


@pytest.mark.parametrize("way", ["service", "local"])
def test_from_a_fresh_start_to_a_spoken_answer(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, way: str
) -> None:
    """Four clicks with an OpenAI-compatible service, five with the offline voice. Typing and Enter
    are no clicks.
    """
    output = PlayedOutput(step=0.01)
    sound = b"\x00\x20\x00\xe0" * 6000

    def inspect(request: Request) -> Reply | None:
        if not request.path.endswith("/audio/speech"):
            return None
        return Reply([wav_bytes(sound)], content_type="audio/wav")

    server.inspect = inspect

    async def story(person: DeskStory) -> None:
        desk, told = person.desk, await begin(person)
        told.bubble.hide()
        clicks = 0

        async def find() -> list[LocalModelServer]:
            return [LocalModelServer("LocalAI", server.url, ("qwen3:8b",))]

        async def remember(_fact: str) -> None:
            """The name isn't kept."""

        def press(widget: QWidget) -> None:
            nonlocal clicks
            QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
            clicks += 1

        steps = steps_of(person, told, find, remember)
        steps.voice_requested.connect(told.voice_requested)
        bubble = steps.bubble
        steps.start()
        press(person.button("English", bubble))
        assert bubble.field is not None
        QTest.keyClick(bubble.field, Qt.Key.Key_Return)
        await person.until(lambda: bool(steps._servers), "no server was found")
        press(person.button("LocalAI, right here", bubble))
        press(person.button("Speak aloud…", bubble))
        window = desk.side_windows.settings
        await person.until(window.isVisible, "the settings aren't shown")
        page = window.pages["voice"]
        assert isinstance(page, VoicePage)
        await person.until(page.isVisible, "not at voice")
        speak = page.fields["speak"].control
        assert isinstance(speak, SegmentedFieldControl)
        offline = OfflineVoice()
        page.voice_port.offline = offline
        press(speak.segments.button(way))
        if way == "local":
            press(page.install)
            await person.until(lambda: offline.installed, "not installed")
            fill(tmp_path / "extra", KOKORO)
            engine = KokoroEngine(TONE_ENGINE, extra=tmp_path / "extra")
            desk.companion.speech._services.local._kokoro = engine
        assert clicks == {"service": 4, "local": 5}[way]

        desk.companion.speech.make_output = speaker(output)
        desk.engine.settings.change("voice", "quiet_hours", False)
        server.reply(text("Hello, Mira."), *end())
        desk.quick_message.toggle()
        field = desk.quick_message.line.composer.field
        await person.until(field.hasFocus, "the line took no focus")
        QTest.keyClicks(field, "Hi")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await person.until(lambda: "Mira" in desk.companion.speech.heard, "nothing is heard")
        output.take()
        assert any(output.recorded)
        await person.idle()
        await steps.aclose()

    desk_story(story, server.url, pet=True)
