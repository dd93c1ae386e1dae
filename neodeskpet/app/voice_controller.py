"""Connects voice with the windows: the microphone button of each composer, the hot keys, the sign
at the figure, the fields that get spoken text, and the actions that silence the companion.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from shiboken6 import isValid

from neodeskpet.app.sign_controllers import LazySign
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.conversation.chat import Chat
from neodeskpet.core.blocks import Message, Role, Text
from neodeskpet.core.errors import KnownError, SpeechInterrupted
from neodeskpet.core.markdown.plain_sentences import BlockNames, SentenceSplitter
from neodeskpet.core.voice.heard_text import cut_at_heard
from neodeskpet.language import tr
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.dictation import DictationState
from neodeskpet.ui.desktop.work_area import work_areas
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import nearest_screen
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme

if TYPE_CHECKING:
    from neodeskpet.app.listening import CompanionListening
    from neodeskpet.core.voice.listening import Phase
    from neodeskpet.ui.pet.figure_signs import MicrophoneSign

_HEARD_CHARS = 40
"""Characters of the last heard words in a notice."""
_STATES = {
    "CLOSED": DictationState.READY,
    "ASLEEP": DictationState.READY,
    "WAITING": DictationState.LISTENING,
    "HEARING": DictationState.LISTENING,
    "RECOGNIZING": DictationState.RECOGNIZING,
}
"""The texts of the states, by the name of the phase."""


@dataclass(frozen=True, slots=True)
class VoiceWindows:
    """What voice uses of the windows. `chosen_composer` shows and returns the composer that gets
    spoken text while no field has the focus; `send` sends a message; `stop_reply` stops a running
    reply; `mark_interrupted` stores where the reply was interrupted.
    """

    pet: PetWindow
    composers: tuple[Composer, ...]
    chosen_composer: Callable[[], Composer]
    send: Callable[[str], None]
    is_running: Callable[[], bool]
    stop_reply: Callable[[], None]
    mark_interrupted: Callable[[str], Coroutine[Any, Any, None]]
    show_message: Callable[[str], None]
    show_error: Callable[[KnownError], None]


class VoiceController(QObject):
    """An `app.listening.ListeningView`. Listening and the sign are created when listening is
    switched on.
    """

    hearing_changed = Signal()
    """`hearing_since` has changed."""

    def __init__(
        self,
        settings: SettingsStore,
        speech: CompanionSpeech,
        make_listening: Callable[[VoiceController], CompanionListening],
        windows: VoiceWindows,
        theme: Theme,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._speech = speech
        self._windows = windows
        self._order = asyncio.Lock()
        """The place of an interruption is stored before the next message is sent."""
        self._phase = "CLOSED"
        self.hearing_since: float | None = None
        """The time since the user's words are recorded; None while they aren't."""
        self._work = TaskRunner("voice", failed=windows.show_error)
        self._make_listening = make_listening
        self._listening: CompanionListening | None = None
        self._sign = LazySign(self._create_sign, theme)
        self._speaks = False
        self._listened = False
        """Whether it listened when the screen was locked."""
        self._composers: list[Composer] = []
        self._target: Composer | None = None
        """The composer that gets the words of this utterance; None: `_field` gets them."""
        self._field: QWidget | None = None
        for composer in windows.composers:
            self._add_composer(composer)
        windows.pet.anchored.connect(self._place_sign)
        windows.pet.visibleChanged.connect(self._place_sign)
        windows.pet.on_click = self._silence_by_click
        self._end = settings.subscribe(self._on_setting)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._app = app
        app.focusChanged.connect(self._on_focus)
        speech.on_active = self._set_speaks

    async def aclose(self) -> None:
        self._end()
        self._app.removeEventFilter(self)
        self._app.focusChanged.disconnect(self._on_focus)
        self._windows.pet.anchored.disconnect(self._place_sign)
        self._windows.pet.visibleChanged.disconnect(self._place_sign)
        if self._listening is not None:
            await self._listening.aclose()
        await self._work.aclose()
        self._sign.close()

    @property
    def listening(self) -> CompanionListening:
        if self._listening is None:
            self._listening = self._make_listening(self)
        return self._listening

    @property
    def sign(self) -> MicrophoneSign:
        return self._sign.window

    def _create_sign(self, theme: Theme) -> MicrophoneSign:
        from neodeskpet.ui.pet.figure_signs import MicrophoneSign

        sign = MicrophoneSign(theme)
        sign.clicked.connect(self._cancel)
        return sign

    @property
    def hearing_level(self) -> float:
        """How loud the user is now (0 to 1)."""
        return self._listening.level if self._listening is not None else 0.0

    def cancel_listening(self) -> None:
        """Close the microphone; nothing is recognized."""
        self._cancel()

    def start(self) -> None:
        """Listen if the settings say so."""
        if self._mode != "off":
            self.listening.start()

    @property
    def is_listening(self) -> bool:
        """Whether it listens to the user; waiting for the wake word isn't that."""
        return self._phase not in ("CLOSED", "ASLEEP")

    def set_theme(self, theme: Theme) -> None:
        self._sign.set_theme(theme)

    def retranslate(self) -> None:
        if self._sign.created is not None:
            self._sign.created.retranslate()

    def set_shape_mask(self, on: bool) -> None:
        """Set whether the sign's window is cut to its shape, for desktops without a compositor."""
        self._sign.set_shape_mask(on)

    @property
    def _mode(self) -> str:
        return self._settings.settings.voice.listen

    def talk(self) -> None:
        """Handle the hot key, which starts and ends listening."""
        if self._phase == "HEARING" and self._mode == "push_to_talk":
            self.listening.end_talk()
            return
        focused = QApplication.focusWidget()
        self._begin(focused if _is_writable(focused) else None)

    def silence(self) -> None:
        """End the spoken reply; its text stays."""
        self._speech.silence()

    def set_locked(self, locked: bool) -> None:
        """Follow the screen: while it is locked, nothing is spoken and the microphone is closed."""
        self._speech.hold(locked)
        if locked:
            self._listened = self._phase != "CLOSED"
            if self._listening is not None:
                self._listening.cancel()
        elif self._listened:
            self.listening.start()

    def read_aloud(self, markdown: str) -> None:
        """Read a message aloud; a second call ends that."""
        blocks = BlockNames(tr("Code."), tr("A table."), tr("A formula."))
        sentences = SentenceSplitter("", tr("(formula)"), blocks)
        self._speech.read_aloud([*sentences.feed(markdown), *sentences.end()])

    def _set_speaks(self, active: bool) -> None:
        self._speaks = active
        self._watch_escape()

    @property
    def _takes_words(self) -> bool:
        """Whether it records what the user says after a key or the microphone button."""
        return self._phase == "HEARING" and self._mode == "push_to_talk"

    def _watch_escape(self) -> None:
        """Filter the events of the app only around speech: each of them takes time."""
        if self._speaks or self._takes_words:
            self._app.installEventFilter(self)
        else:
            self._app.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """At Esc, close the microphone if words are recorded, which is all that the key does then;
        else silence the companion. That key also keeps its other effects while a reply runs.
        """
        if (
            event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
            or not isinstance(event, QKeyEvent)
            or event.key() != Qt.Key.Key_Escape
        ):
            return False
        if self._takes_words:
            # Accepted, so that no shortcut takes the key before it comes as a key press.
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self._cancel()
            return True
        if self._speech.is_speaking:
            self._speech.silence()
            return not self._windows.is_running()
        return False

    # app.listening.ListeningView

    def show_phase(self, phase: Phase) -> None:
        self._phase = phase.name
        self._show_state()
        self._watch_escape()
        is_heard = self._phase == "HEARING"
        if is_heard is not (self.hearing_since is not None):
            self.hearing_since = time.monotonic() if is_heard else None
            self.hearing_changed.emit()

    def show_microphone(self, is_open: bool) -> None:
        self.sign.setVisible(is_open)
        self._place_sign()

    def show_text(self, text: str, is_final: bool) -> None:
        if self.listening.mode.stays_open:
            if is_final:
                self._work.start("send", partial(self._send, text))
            return
        composer = self._target
        if composer is not None and not isValid(composer):  # editing of the message has ended
            composer = self._target = self._windows.chosen_composer()
        if composer is None:
            if is_final and self._field is not None and isValid(self._field):
                _insert(self._field, text)
            return
        composer.show_dictated(text, is_final=is_final)
        if is_final and self._settings.settings.voice.send_at_once:
            composer.submit()

    def mark_interrupted(self) -> None:
        if self._speech.is_reading:
            return
        if self._windows.is_running():
            self._windows.stop_reply()
        self._work.start("mark", partial(self._mark, self._speech.heard))

    def show_nothing_heard(self) -> None:
        if self.listening.mode.stays_open:
            return
        text = tr("No words were recognized.")
        if self._target is not None and isValid(self._target):
            self._target.attachments.show_message(text)
        else:
            self._windows.show_message(text)

    def show_error(self, error: KnownError) -> None:
        self._windows.show_error(error)

    async def _send(self, text: str) -> None:
        async with self._order:
            self._windows.send(text)

    async def _mark(self, heard: str) -> None:
        async with self._order:
            await self._windows.mark_interrupted(heard)

    # The windows

    def _begin(self, field: QWidget | None) -> None:
        """Listen for `field`; None: for the default composer."""
        self._field = field
        if self._mode == "off":
            return
        if self._mode == "push_to_talk":
            composer = _composer_of(field)
            if field is None:
                composer = self._windows.chosen_composer()
            self._target = composer
        self.listening.talk()

    def _add_composer(self, composer: Composer) -> None:
        if composer in self._composers:
            return
        self._composers.append(composer)
        composer.destroyed.connect(lambda: self._composers.remove(composer))
        composer.dictation_requested.connect(lambda: self._begin(composer.field))
        composer.dictation.ended.connect(self._end_talk)
        composer.dictation.cancelled.connect(self._cancel)
        composer.dictation.show_state(self._state())

    def _end_talk(self) -> None:
        if self.listening.mode.stays_open:
            self._cancel()
        else:
            self.listening.end_talk()

    def _cancel(self) -> None:
        self.listening.cancel()

    def _state(self) -> DictationState:
        if self._mode == "off":
            return DictationState.OFF
        return _STATES[self._phase]

    def _show_state(self) -> None:
        for composer in self._composers:
            composer.dictation.show_state(self._state())

    def _on_setting(self, section: str, name: str, value: object) -> None:
        if (section, name) == ("voice", "listen"):
            self.start()
            self._show_state()

    def _on_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        """Use the composer of a message that is being edited."""
        composer = _composer_of(now)
        if composer is not None:
            self._add_composer(composer)

    def _silence_by_click(self) -> bool:
        if not self._speech.is_speaking:
            return False
        self._speech.silence()
        return True

    def _place_sign(self) -> None:
        if self._sign.created is None:
            return
        from neodeskpet.ui.pet.figure_signs import sign_position

        pet = self._windows.pet
        figure = pet.placement.figure_rect() if pet.isVisible() else None
        room = nearest_screen(figure or QRect(), work_areas())
        self._sign.created.move(sign_position(figure, pet.placement.head_rect(), room))


class StoredMessages(Protocol):
    async def history(self, conversation_id: str) -> Sequence[Message]:
        """Return the last messages, oldest first. Raises StoreError."""
        ...


async def mark_interrupted(chat: Chat, store: StoredMessages, heard: str) -> None:
    """Store in the open conversation that its last reply was interrupted after `heard`. Raises
    StoreError.
    """
    await chat.wait_idle()
    info = chat.conversation
    if info is None:
        return
    for message in reversed(await store.history(info.id)):
        texts = [block.text for block in message.blocks if isinstance(block, Text)]
        if message.role is Role.ASSISTANT and texts:
            kept = cut_at_heard("".join(texts), heard)
            notice = SpeechInterrupted(
                message=message.id, kept=str(len(kept)), heard=heard[-_HEARD_CHARS:]
            )
            await chat.add_notice(notice, key=message.id)
            return


def _composer_of(widget: QWidget | None) -> Composer | None:
    while widget is not None and not isinstance(widget, Composer):
        widget = widget.parentWidget()
    return widget


def _is_writable(widget: QWidget | None) -> bool:
    if isinstance(widget, QLineEdit):
        return not widget.isReadOnly() and widget.echoMode() is QLineEdit.EchoMode.Normal
    return isinstance(widget, QTextEdit | QPlainTextEdit) and not widget.isReadOnly()


def _insert(widget: QWidget, text: str) -> None:
    if isinstance(widget, QLineEdit):
        widget.insert(text)
    elif isinstance(widget, QTextEdit | QPlainTextEdit):
        widget.insertPlainText(text)
