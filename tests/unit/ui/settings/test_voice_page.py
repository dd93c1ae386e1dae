"""The page of the voice, with a scripted port."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.voice.ports import NoAudioDevice
from neodeskpet.ui.settings.voice_page import VoicePage
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import live_settings, section


class Offline:
    download_bytes = 322_000_000
    disk_bytes = 620_000_000

    def __init__(self) -> None:
        self.installed = False
        self.goes_on = asyncio.Event()
        self.fails = False

    async def install(self, on_progress: Callable[[float], object]) -> None:
        if self.fails:
            raise NoAudioDevice(device="x")
        on_progress(0.5)
        await self.goes_on.wait()
        self.installed = True

    async def remove(self) -> None:
        self.installed = False


class Port:
    local_address = "local:voice"

    def __init__(self) -> None:
        self.offline: Offline | None = Offline()
        self.outputs: Sequence[str] = ("Headphones", "Speakers")
        self.inputs: Sequence[str] = ("Headset",)
        self.samples: list[str] = []
        self.stopped = 0
        self.words = "Hello"
        self.level = 0.4
        self.missing = False
        self.has_wake_word = False
        self.heard = asyncio.Event()

    async def record_wake_word(self, on_next: Callable[[int, int], object]) -> None:
        if self.missing:
            raise NoAudioDevice(device="x")
        on_next(2, 3)
        await self.heard.wait()
        self.has_wake_word = True

    async def list_devices(self) -> tuple[Sequence[str], Sequence[str]]:
        return self.outputs, self.inputs

    def voices(self, speak: str) -> Sequence[tuple[str, str]]:
        service = (("alloy", "alloy"), ("nova", "nova"))
        local = (("am_michael", "Michael (American English, male)"),)
        return {"service": service, "local": local}.get(speak, ())

    async def play_sample(self, text: str) -> None:
        if self.missing:
            raise NoAudioDevice(device="x")
        self.samples.append(text)
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped += 1

    async def test_microphone(self, on_level: Callable[[float], object]) -> str:
        if self.missing:
            raise NoAudioDevice(device="x")
        on_level(self.level)
        await asyncio.sleep(0)
        return self.words


_NARROW = 420
"""The width of the page in a narrow window."""


class Scene:
    def __init__(self, qtbot: QtBot, home: Path) -> None:
        self.settings = live_settings(home)
        self.port = Port()
        self.page = VoicePage(section("voice"), self.settings, self.port, LIGHT)
        self.settings.subscribe(lambda card, name, _value: self.page.setting_changed(card, name))
        qtbot.addWidget(self.page)
        self.page.set_theme(LIGHT)
        self.page.retranslate()

    def change(self, **values: object) -> None:
        for name, value in values.items():
            self.settings.change("voice", name, value)

    def shown(self) -> set[str]:
        rows = {
            **self.page.fields,
            "voice": self.page.voice_row,
            "offline": self.page.offline_row,
            "speaker": self.page.speaker_row,
            "microphone": self.page.microphone_row,
            "recognizer": self.page.recognizer_row,
            "recorded name": self.page.wake_word_row,
        }
        return {name for name, row in rows.items() if row.isVisible()}


@pytest.fixture
def scene(qtbot: QtBot, tmp_path: Path) -> Scene:
    return Scene(qtbot, tmp_path)


def tell(scene: Scene, story: Callable[[], object]) -> None:
    """Show the page while a loop runs; `story` is a coroutine function."""

    async def run() -> None:
        scene.page.show()
        await settle()
        await story()  # type: ignore[misc]
        await scene.page.aclose()
        scene.page.hide()

    play(run())


def test_only_useful_rows_are_shown(scene: Scene) -> None:
    async def story() -> None:
        assert scene.shown() == {"speak", "listen"}
        assert (
            scene.page.privacy.text() == "Nothing of it leaves this computer. No recording is kept."
        )
        scene.change(speak="chirp")
        assert scene.shown() == {"speak", "voice", "pitch", "volume", "speaker", "listen"}
        assert not scene.page.voice.isVisible()
        scene.change(speak="local", listen="push_to_talk")
        assert scene.shown() == {
            *("speak", "offline", "voice", "speed", "pitch", "volume", "speaker"),
            *("listen", "recognizer", "send_at_once", "microphone"),
        }
        assert scene.page.voice.isVisible()
        voice = scene.page.voice
        assert not voice.isEditable() and voice.currentText() == "The usual one"
        voice.setCurrentIndex(1)
        voice.activated.emit(1)
        assert scene.settings.value("voice", "voice") == "am_michael"
        assert voice.currentText() == "Michael (American English, male)"
        scene.page.resize(_NARROW, 700)
        await settle()
        assert voice.shows_whole_text

    tell(scene, story)


def test_it_says_what_is_sent_to_services(scene: Scene) -> None:
    async def story() -> None:
        scene.change(speak="service", listen="push_to_talk", address="https://voice.example/v1")
        text = scene.page.privacy.text()
        assert "The text that is spoken is sent to voice.example." in text
        assert "Recordings of your speech are sent to the service that you enter." in text
        scene.change(listen_address="tcp://ear.example:10300")
        assert "Recordings of your speech are sent to ear.example." in scene.page.privacy.text()
        scene.change(listen_address="local:voice", speak="local")
        assert "Nothing of it leaves" in scene.page.privacy.text()

    tell(scene, story)


def test_devices_are_chosen_and_a_lost_one_is_named(scene: Scene) -> None:
    async def story() -> None:
        scene.change(speak="chirp", listen="push_to_talk")
        assert scene.page.speaker.count() == 3
        scene.page.speaker.chosen.emit("Speakers")
        assert scene.settings.value("voice", "output_device") == "Speakers"
        scene.port.outputs, scene.port.inputs = ("Headphones",), ()
        scene.page.hide()
        scene.page.show()
        await settle()
        assert scene.page.speaker.value() == "Speakers"
        assert scene.page.speaker_row.error_label.text() == "It is not connected."
        assert scene.page.microphone_row.error_label.text() == "None is connected."

    tell(scene, story)


def test_a_sample_is_played_and_stopped(scene: Scene) -> None:
    async def story() -> None:
        scene.change(speak="service")
        assert scene.page.sample.text() == "Play a sample"
        scene.page.sample.click()
        await settle()
        assert scene.port.samples == ["Hello! This is how I sound."]
        assert scene.page.sample.text() == "Stop"
        scene.page.sample.click()
        await settle()
        assert scene.port.stopped == 1
        scene.port.missing = True
        scene.page.sample.click()
        await settle()
        assert "no such audio device" in scene.page.voice_row.error_label.text()

    tell(scene, story)


def test_a_voice_is_chosen_or_typed(scene: Scene) -> None:
    async def story() -> None:
        scene.change(speak="service")
        scene.page.voice.chosen.emit("nova")
        assert scene.settings.value("voice", "voice") == "nova"
        scene.change(speak="local")
        scene.change(speak="service")
        edit = scene.page.voice.lineEdit()
        assert edit is not None and edit.text() == "nova"
        edit.clear()
        QTest.keyClicks(edit, "my-own")
        QTest.keyClick(edit, Qt.Key.Key_Return)
        assert scene.settings.value("voice", "voice") == "my-own"
        assert scene.page.voice.value() == "my-own"

    tell(scene, story)


@pytest.mark.parametrize(
    ("words", "level", "note"),
    [
        ("Hello", 0.4, "It heard: “Hello”"),
        ("", 0.4, "It heard sound, but no words."),
        ("", 0.0, "It heard nothing. Is the microphone muted?"),
    ],
)
def test_the_microphone_is_tested(scene: Scene, words: str, level: float, note: str) -> None:
    async def story() -> None:
        scene.change(listen="push_to_talk")
        scene.port.words, scene.port.level = words, level
        scene.page.test.click()
        await settle()
        assert scene.page.microphone_row.note.text() == note
        assert scene.page.level.value() == round(level * 1000)
        scene.port.missing = True
        scene.page.test.click()
        await settle()
        assert scene.page.microphone_row.note.text() == ""
        assert "no such audio device" in scene.page.microphone_row.error_label.text()

    tell(scene, story)


def test_the_offline_voice_is_installed_with_its_size_and_removed(scene: Scene) -> None:
    offline = scene.port.offline
    assert offline is not None

    async def story() -> None:
        page = scene.page
        scene.change(speak="local")
        assert "322 MB to download, 620 MB on the disk" in page.offline_row.note.text()
        page.install.click()
        await settle()
        assert page.progress.value() == 500
        assert page.install.text() == "Cancel"
        page.install.click()
        await settle()
        assert page.install.text() == "Install"
        offline.fails = True
        page.install.click()
        await settle()
        assert page.offline_row.error_label.text()
        offline.fails = False
        offline.goes_on.set()
        page.install.click()
        await settle()
        assert page.install.text() == "Remove"
        assert page.offline_row.note.text() == "Installed; it takes 620 MB on the disk."
        page.install.click()
        await settle()
        assert not offline.installed

    tell(scene, story)


def test_the_recognizer_on_this_computer_is_chosen(scene: Scene) -> None:
    async def story() -> None:
        scene.change(listen="push_to_talk")
        scene.page.recognizer.chosen.emit("local")
        assert scene.settings.value("voice", "listen_address") == "local:voice"
        assert scene.page.recognizer.value() == "local"
        assert "offline" in scene.shown()
        scene.page.recognizer.chosen.emit("")
        assert scene.settings.value("voice", "listen_address") == ""

    tell(scene, story)


def test_a_wake_word_is_chosen_or_recorded(scene: Scene) -> None:
    async def story() -> None:
        scene.change(listen="wake_word")
        assert scene.shown() == {"speak", "listen", "wake_word", "recognizer", "microphone"}
        scene.change(wake_word="recorded")
        assert "recorded name" in scene.shown()
        row = scene.page.wake_word_row
        assert row.note.text() == "You say the name three times. Two or three syllables work best."
        scene.port.missing = True
        row.record.click()
        await settle()
        assert "no such audio device" in row.error_label.text()
        scene.port.missing = False
        row.record.click()
        await settle()
        assert row.note.text() == "Say the name now (2 of 3)…"
        assert (row.record.text(), row.error_label.text()) == ("Stop", "")
        scene.port.heard.set()
        await settle()
        assert row.note.text() == "Recorded. Only its features are stored, not the sound."
        assert row.record.text() == "Record"

    tell(scene, story)


def test_without_the_port_nothing_is_offered(scene: Scene) -> None:
    async def story() -> None:
        scene.port.offline = None
        scene.change(speak="local")
        assert "offline" not in scene.shown()

    tell(scene, story)
