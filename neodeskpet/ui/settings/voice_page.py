"""The settings page of voice: how the companion speaks and listens, with a sample, a test of the
microphone, and the installation of the offline voice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QProgressBar, QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.settings.wake_word_row import WakeWordPort, WakeWordRow
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import ComboBox, SegmentedControl
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.voice.wake_word import RECORDED

SECTION = "voice"
_STEPS = 1000
_MEGA = 1_000_000


class OfflineVoicePort(Protocol):
    """The speech models that can be installed on this computer. Sizes are approximate."""

    download_bytes: int
    disk_bytes: int

    @property
    def installed(self) -> bool: ...

    async def install(self, on_progress: Callable[[float], object]) -> None:
        """Download and install; `on_progress` gets the share that is done, from 0 to 1. Cancel the
        task to cancel it. Raises KnownError.
        """
        ...

    async def remove(self) -> None:
        """Raises KnownError."""
        ...


class VoicePort(WakeWordPort, Protocol):
    """What the page needs of sound devices and voice services. Coroutines raise KnownError; cancel
    their tasks to end them.
    """

    offline: OfflineVoicePort | None
    local_address: str
    """The address value that selects the recognizer on this computer."""

    async def list_devices(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return the names of the speakers and of the microphones."""
        ...

    def voices(self, speak: str) -> Sequence[tuple[str, str]]:
        """Return the voices known for this choice of `speak`: their ids and their names."""
        ...

    async def play_sample(self, text: str) -> None:
        """Speak `text`; return when it was played."""
        ...

    async def test_microphone(self, on_level: Callable[[float], object]) -> str:
        """Listen for some seconds; `on_level` gets the loudness, from 0 to 1. Return the words."""
        ...


class VoicePage(SettingsPage):
    def __init__(
        self, section: SectionInfo, port: SettingsPort, voice: VoicePort, theme: Theme
    ) -> None:
        self.voice_port = voice
        self._work = TaskRunner("voice page", failed=lambda error: None, changed=self._show_work)
        self._devices: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._known = False
        super().__init__(section, port, theme)

    def build(self) -> None:
        infos = {info.name: info for info in self.section.settings}
        self.add_field(infos["speak"])
        self._build_offline()
        self._build_voice()
        for name in ("speed", "pitch", "volume"):
            self.add_field(infos[name])
        self.speaker = self._device_choice("output_device")
        self.speaker_row = SettingsRow(self.theme, self.speaker, stack="speaker device 扬声器 设备")
        self.add_row(self.speaker_row)
        self.add_field(infos["listen"])
        self.add_field(infos["wake_word"])
        self.wake_word_row = WakeWordRow(self.theme, self.voice_port)
        self.add_row(self.wake_word_row)
        self._build_recognizer()
        self.add_field(infos["send_at_once"])
        self._build_microphone()
        self.privacy = PlainLabel()
        self.add_notice(self.privacy)
        self.add_fields([info for info in self.section.settings if info.folded])
        self._show_relevant()

    def retranslate(self) -> None:
        super().retranslate()
        self.offline_row.set_texts(tr("Offline voice"))
        self.offline_row.set_note(self._offline_note())
        self.voice_row.title.setText(tr("Voice name"))
        self.voice.setAccessibleName(tr("Voice name"))
        self.wake_word_row.retranslate()
        self.recognizer_row.title.setText(tr("Recognition"))
        self.recognizer.set_options([("", tr("By a service")), ("local", tr("On this computer"))])
        self.recognizer.set_name(tr("Recognition"))
        self.speaker_row.title.setText(tr("Speaker"))
        self.speaker.setAccessibleName(tr("Speaker"))
        self.microphone_row.title.setText(tr("Microphone"))
        self.microphone.setAccessibleName(tr("Microphone"))
        self.level.setAccessibleName(tr("Loudness of the microphone"))
        self._show_devices()
        self._show_relevant()
        self._show_work()

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if section in (SECTION, "service"):
            self._show_relevant()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for choice in (self.voice, self.speaker, self.microphone):
            choice.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._work.start_once("devices", self._list_devices)

    async def aclose(self) -> None:
        await super().aclose()
        await self.wake_word_row.aclose()
        await self._work.aclose()

    # Rows

    def _build_voice(self) -> None:
        self.voice = ComboBox(self.theme, editable=True)
        self.sample = QPushButton()
        self.voice_row = SettingsRow(
            self.theme,
            self.voice,
            self.sample,
            stack="voice speaker sample 音色 嗓音 试听",
            wide=True,
        )
        self.voice.chosen.connect(partial(self._change, "voice"))
        self.voice.typed.connect(partial(self._change, "voice"))
        self.sample.clicked.connect(self._toggle_sample)
        self.add_row(self.voice_row)

    def _build_offline(self) -> None:
        self.install = QPushButton()
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.progress.setTextVisible(False)
        self.progress.hide()
        self.offline_row = SettingsRow(
            self.theme, self.install, stack="offline install local 离线 安装 本机"
        )
        self.offline_row.below.setAlignment(Qt.AlignmentFlag(0))
        self.offline_row.below.addWidget(self.progress, 1)
        self.install.clicked.connect(self._toggle_installation)
        self.add_row(self.offline_row)

    def _build_recognizer(self) -> None:
        self.recognizer = SegmentedControl((("", ""), ("local", "")))
        self.recognizer_row = SettingsRow(
            self.theme, self.recognizer, stack="recognition local offline 识别 离线"
        )
        self.recognizer.chosen.connect(self._choose_recognizer)
        self.add_row(self.recognizer_row)

    def _choose_recognizer(self, value: str) -> None:
        self._change("listen_address", self.voice_port.local_address if value else "")

    def _build_microphone(self) -> None:
        self.microphone = self._device_choice("input_device")
        self.test = QPushButton()
        self.level = QProgressBar()
        self.level.setRange(0, _STEPS)
        self.level.setTextVisible(False)
        self.level.hide()
        self.microphone_row = SettingsRow(
            self.theme, self.microphone, self.test, stack="microphone device test 麦克风 设备 测试"
        )
        self.microphone_row.below.setAlignment(Qt.AlignmentFlag(0))
        self.microphone_row.below.addWidget(self.level, 1)
        self.test.clicked.connect(self._toggle_test)
        self.add_row(self.microphone_row)

    def _device_choice(self, name: str) -> ComboBox:
        made = ComboBox(self.theme)
        made.chosen.connect(partial(self._change, name))
        return made

    def _change(self, name: str, value: str) -> None:
        try:
            self.port.change(SECTION, name, value)
        except KnownError as error:
            self.fields["speak"].set_error(format_error(error))

    # Devices

    async def _list_devices(self) -> None:
        self._devices = await self.voice_port.list_devices()
        self._known = True
        self._show_devices()

    def _show_devices(self) -> None:
        rows = (
            (self.speaker, self.speaker_row, "output_device", self._devices[0]),
            (self.microphone, self.microphone_row, "input_device", self._devices[1]),
        )
        for choice, row, name, devices in rows:
            present = str(self.port.value(SECTION, name))
            options = [("", tr("The system's default")), *((one, one) for one in devices)]
            missing = bool(present) and present not in devices
            if missing:
                options.append((present, present))
            choice.set_options(options)
            choice.set_value(present)
            lost = self._known and missing
            none = self._known and not devices
            row.set_error(
                tr("It is not connected.") if lost else tr("None is connected.") if none else ""
            )

    # Actions

    def _toggle_sample(self) -> None:
        self._work.toggle("sample", self._play_sample)

    async def _play_sample(self) -> None:
        self.voice_row.set_error("")
        try:
            await self.voice_port.play_sample(tr("Hello! This is how I sound."))
        except KnownError as error:
            self.voice_row.set_error(format_error(error))

    def _toggle_test(self) -> None:
        self._work.toggle("test", self._test_microphone)

    async def _test_microphone(self) -> None:
        self.microphone_row.set_error("")
        self.microphone_row.set_note(tr("Say something…"))
        self.level.setValue(0)
        loudest = 0.0

        def show_level(level: float) -> None:
            nonlocal loudest
            loudest = max(loudest, level)
            self.level.setValue(round(level * _STEPS))

        try:
            words = await self.voice_port.test_microphone(show_level)
        except KnownError as error:
            self.microphone_row.set_note("")
            self.microphone_row.set_error(format_error(error))
            return
        if words:
            self.microphone_row.set_note(tr("It heard: “{words}”", words=words))
        elif loudest:
            self.microphone_row.set_note(tr("It heard sound, but no words."))
        else:
            self.microphone_row.set_note(tr("It heard nothing. Is the microphone muted?"))

    def _toggle_installation(self) -> None:
        offline = self.voice_port.offline
        if offline is None:
            return
        if offline.installed and not self._work.busy("install"):
            self._work.start_once("remove", self._remove)
        else:
            self._work.toggle("install", self._install)

    async def _install(self) -> None:
        offline = self.voice_port.offline
        assert offline is not None
        self.offline_row.set_error("")
        self.progress.setValue(0)
        try:
            await offline.install(lambda share: self.progress.setValue(round(share * _STEPS)))
        except KnownError as error:
            self.offline_row.set_error(format_error(error))

    async def _remove(self) -> None:
        offline = self.voice_port.offline
        assert offline is not None
        try:
            await offline.remove()
        except KnownError as error:
            self.offline_row.set_error(format_error(error))

    # What is shown

    def _show_work(self) -> None:
        playing, testing = self._work.busy("sample"), self._work.busy("test")
        installing, removing = self._work.busy("install"), self._work.busy("remove")
        self.sample.setText(tr("Stop") if playing else tr("Play a sample"))
        self.test.setText(tr("Stop") if testing else tr("Test microphone"))
        self.level.setVisible(testing)
        self.progress.setVisible(installing)
        offline = self.voice_port.offline
        installed = offline is not None and offline.installed
        self.install.setEnabled(not removing)
        self.install.setText(
            tr("Cancel") if installing else tr("Remove") if installed else tr("Install")
        )
        self.install.setAccessibleName(
            tr("Remove the offline voice") if installed else tr("Install the offline voice")
        )
        self.offline_row.set_note(self._offline_note())

    def _offline_note(self) -> str:
        offline = self.voice_port.offline
        if offline is None:
            return ""
        disk = str(round(offline.disk_bytes / _MEGA))
        if offline.installed:
            return tr("Installed; it takes {disk} MB on the disk.", disk=disk)
        return tr(
            "{download} MB to download, {disk} MB on the disk. It works without a network then.",
            download=str(round(offline.download_bytes / _MEGA)),
            disk=disk,
        )

    def _show_relevant(self) -> None:
        speak = str(self.port.value(SECTION, "speak"))
        listen = str(self.port.value(SECTION, "listen"))
        recognizer = str(self.port.value(SECTION, "listen_address"))
        local = self.voice_port.local_address
        offline = self.voice_port.offline
        wanted = speak == "local" or (listen != "off" and recognizer == local)
        self.offline_row.set_relevant(offline is not None and wanted)
        self.voice_row.set_relevant(speak != "off")
        named = speak in ("local", "service")
        self.voice.setVisible(named)
        options = list(self.voice_port.voices(speak))
        chosen = str(self.port.value(SECTION, "voice"))
        if speak == "local":
            options.insert(0, ("", tr("The usual one")))
            chosen = chosen if chosen in dict(options) else ""
        # A service has voices that are not listed; the offline voice has none.
        self.voice.set_editable(speak != "local")
        self.voice.set_options(options)
        self.voice.set_value(chosen)
        self.fields["speed"].set_relevant(named)
        for row in (self.fields["pitch"], self.fields["volume"], self.speaker_row):
            row.set_relevant(speak != "off")
        for name in ("remarks", "quiet_hours"):
            self.fields[name].set_relevant(speak != "off")
        for name in ("address", "model"):
            self.fields[name].set_relevant(speak == "service")
        self.fields["send_at_once"].set_relevant(listen == "push_to_talk")
        word = str(self.port.value(SECTION, "wake_word"))
        self.fields["wake_word"].set_relevant(listen == "wake_word")
        self.wake_word_row.set_relevant(listen == "wake_word" and word == RECORDED)
        self.microphone_row.set_relevant(listen != "off")
        self.recognizer_row.set_relevant(listen != "off")
        self.recognizer.set_value("local" if recognizer == local else "")
        self.fields["listen_language"].set_relevant(listen != "off")
        for name in ("listen_address", "listen_model"):
            self.fields[name].set_relevant(listen != "off" and recognizer != local)
        self.privacy.setText(self._privacy_text(speak, listen, recognizer))

    def _privacy_text(self, speak: str, listen: str, recognizer: str) -> str:
        chat = str(self.port.value("service", "base_url"))
        texts = []
        if speak == "service":
            address = str(self.port.value(SECTION, "address")) or chat
            texts.append(tr("The text that is spoken is sent to {host}.", host=_host(address)))
        if listen != "off" and recognizer != self.voice_port.local_address:
            host = _host(recognizer or chat)
            texts.append(tr("Recordings of your speech are sent to {host}.", host=host))
        texts = texts or [tr("Nothing of it leaves this computer.")]
        return " ".join((*texts, tr("No recording is kept.")))


def _host(address: str) -> str:
    """Return the host of an address, or a text to show if there is none."""
    try:
        return urlsplit(address).hostname or tr("the service that you enter")
    except ValueError:
        return address
