"""The contents of a speech bubble, their order (`BubbleRank`) and duration. No window, no font, no
clock. A page stays as long as the voice speaks it, otherwise for a reading time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from math import inf
from typing import Protocol

from neodeskpet.core.speech_pages import SpeechPages, readable_text

_CJK = 0x2E80
_CJK_SECONDS, _OTHER_SECONDS = 0.13, 0.05
"""Seconds for each character: about 460 Chinese characters or 230 English words a minute."""
_BEFORE = 0.6
"""Seconds until the user starts to read."""
_SHORTEST, LONGEST_READING_SECONDS = 1.8, 12.0


def extra_seconds(text: str) -> float:
    """Return the reading time of `text` for a user who is already reading."""
    wide = sum(ord(character) >= _CJK for character in text)
    return min(LONGEST_READING_SECONDS, wide * _CJK_SECONDS + (len(text) - wide) * _OTHER_SECONDS)


def reading_seconds(text: str) -> float:
    """Return the reading time of `text`."""
    return min(LONGEST_READING_SECONDS, max(_SHORTEST, _BEFORE + extra_seconds(text)))


class Voice(Protocol):
    """Speaks the text of the bubble. It calls `BubbleQueue.voice_started` with the first sound and
    `BubbleQueue.voice_finished` when it is done.
    """

    def speak(self, words: str, *, is_reply: bool) -> bool:
        """Speak the text, which may contain pills, after the present one; return False if the voice
        is off or broken. `is_reply`: it is part of a reply, not a notice or a remark.
        """
        ...

    def stop(self) -> None:
        """Stop at once; `voice_finished` isn't called for the rest."""
        ...


class NoVoice:
    """A voice that speaks nothing."""

    def speak(self, words: str, *, is_reply: bool) -> bool:
        return False

    def stop(self) -> None:
        """Do nothing."""


LAST_PAGE_EXTRA_SECONDS = 2.0
"""Seconds that the last page stays after its reading time."""
CHOICE_SECONDS = 10.0
"""The same for a message with choices."""
SECONDS_AFTER_HOLD = 1.0
"""Minimum seconds that a page stays after it was held."""
VOICE_PAUSE_SECONDS = 0.3
"""Seconds between the spoken texts of two pages."""


def no_callback() -> None:
    """The default callback; does nothing."""


class BubbleRank(IntEnum):
    """The order of the contents, the first one shown first. A notice answers what the user has just
    done, or reports a failure; a remark can wait.
    """

    QUESTION = 0
    TIMER = 1
    NOTICE = 2
    REPLY = 3
    REMARK = 4


@dataclass(frozen=True, slots=True)
class BubbleKeyboard:
    """How a message is used by keyboard and read by screen readers. `first_choice` gets the focus
    first: a harmless answer; by default the first one. `dismiss_choice` is given by the command
    "Dismiss" to a question; without it the question waits. `in_chat`: the chat reads it out as well
    while it is shown.
    """

    first_choice: str = ""
    dismiss_choice: str = ""
    in_chat: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BubbleMessage:
    """A message of the bubble. `on_dismissed` is called after it was read or dismissed. With a
    `key` it may have `choices` (id, text), shown on the last page only if `choices_on_last_page`. A
    message that `asks` stays until it is withdrawn.
    """

    speech: SpeechPages
    on_dismissed: Callable[[], None] = no_callback
    key: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    choices_on_last_page: bool = False
    asks: bool = False
    latest: float = inf
    """The latest time to begin; after that the message is dropped."""
    keyboard: BubbleKeyboard = BubbleKeyboard()
    rank: BubbleRank = BubbleRank.NOTICE

    @property
    def buttons(self) -> tuple[tuple[str, str], ...]:
        """The choices that are shown on the current page."""
        return self.choices if self.speech.last_page or not self.choices_on_last_page else ()


class BubbleQueue:
    """Shows messages in the order of their ranks. Within a rank the newest question is first, but
    notices and remarks are in the order in which they came.

    `express` gets the expression of each line when the line begins: if the voice speaks it, with
    its first sound. The methods with `now` may begin a page.
    """

    def __init__(
        self, express: Callable[[str], None] = lambda face: None, voice: Voice | None = None
    ) -> None:
        self._express = express
        self._voice = voice or NoVoice()
        self._questions: list[BubbleMessage] = []
        self._notices: deque[BubbleMessage] = deque()
        self._elsewhere: frozenset[str] = frozenset()  # keys of questions that the chat shows
        self._reply: BubbleMessage | None = None
        self._page: tuple[BubbleMessage, int] | None = None  # the page that is shown
        self._text = ""  # its text that was already processed
        self._face = ""  # its expression that was already shown
        self._until = 0.0
        self._spoken = False  # the voice is speaking the page
        self._heard = False  # its sound has begun
        self._held = False
        self._pinned: BubbleMessage | None = None  # held, with buttons
        self._away = False

    @property
    def current(self) -> BubbleMessage | None:
        """The current message."""
        return next(iter(self._in_order()), None)

    @property
    def waiting(self) -> int:
        """The number of messages that are shown after the current one."""
        return max(0, len(self._in_order()) - 1)

    def _in_order(self) -> list[BubbleMessage]:
        asked = [one for one in reversed(self._questions) if one.key not in self._elsewhere]
        reply = self._reply
        replies = [reply] if reply is not None and not reply.speech.empty else []
        messages = [*asked, *self._notices, *replies]
        return sorted(messages, key=lambda one: (one is not self._pinned, one.rank))

    @property
    def reply(self) -> BubbleMessage | None:
        """The current reply, which may still be empty."""
        return self._reply

    @property
    def is_asking(self) -> bool:
        """Whether a question is open, in the bubble or in the chat."""
        return bool(self._questions)

    @property
    def held(self) -> bool:
        return self._held

    @property
    def due(self) -> float | None:
        """The time of the next `tick`; None if a tick would change nothing."""
        present = self.current
        if present is None or present.asks or self._held or self._away or self._spoken:
            return None
        if not present.speech.last_page:
            return self._until
        linger = CHOICE_SECONDS if present.choices else LAST_PAGE_EXTRA_SECONDS
        return self._until + linger if present.speech.ended else None

    # Messages

    def start_reply(self, speech: SpeechPages, now: float) -> None:
        """Start a reply; the rest of the previous one is dropped."""
        self._reply = BubbleMessage(speech, rank=BubbleRank.REPLY)
        self._settle(now)

    def add(self, sentences: Iterable[str], now: float) -> None:
        """Add sentences to the reply."""
        if self._reply is not None:
            for sentence in sentences:
                self._reply.speech.add(sentence)
            self._settle(now)

    def end_line(self, face: str, now: float) -> None:
        """End the current line of the reply, with this expression ("" for none)."""
        if self._reply is None:
            return
        if not self._reply.speech.end_line(face) and face:
            self._express(face)  # there is no text to wait for
        self._settle(now)

    def end_reply(self, now: float) -> None:
        """End the reply."""
        if self._reply is not None:
            self._reply.speech.ended = True
            if self._reply.speech.empty:
                self._reply = None
            self._settle(now)

    def say(self, saying: BubbleMessage, now: float) -> None:
        """Show a notice or a remark when it is its turn."""
        if saying.speech.empty:
            saying.on_dismissed()
            return
        self._notices.append(saying)
        self._settle(now)

    def ask(self, saying: BubbleMessage, now: float) -> None:
        """Show a question until `withdraw`. It replaces one with the same key at its place."""
        keys = [one.key for one in self._questions]
        place = keys.index(saying.key) if saying.key in keys else len(keys)
        if self._pinned is not None and self._pinned.key == saying.key:
            self._pinned = saying
        self._questions = [one for one in self._questions if one.key != saying.key]
        if not saying.speech.empty:
            self._questions.insert(place, saying)
        self._settle(now)

    def set_elsewhere(self, keys: Iterable[str], now: float) -> None:
        """Set the questions that the user sees in the chat: they aren't shown here."""
        self._elsewhere = frozenset(keys)
        self._settle(now)

    def withdraw(self, key: str, now: float) -> None:
        """Remove an answered question or notice. Idempotent."""
        self._questions = [one for one in self._questions if one.key != key]
        gone = [one for one in self._notices if one.key == key]
        self._notices = deque(one for one in self._notices if one.key != key)
        self._settle(now)
        for saying in gone:
            saying.on_dismissed()

    def clear(self, now: float) -> None:
        """Drop the notices and the reply. Questions stay."""
        left, self._notices = self._notices, deque()
        self._reply = None
        self._settle(now)
        for saying in left:
            saying.on_dismissed()

    # Progress

    def tick(self, now: float) -> None:
        """Go to the next page or message if it is time."""
        if self.due is not None and now >= self.due and not self.next_page(now):
            self.dismiss(now)

    def next_page(self, now: float) -> bool:
        """Show the next page at once; return False if this is the last."""
        present = self.current
        if present is None or not present.speech.next_page():
            return False
        self._settle(now)
        return True

    def dismiss(self, now: float) -> None:
        """Dismiss the current message, unless it asks."""
        present = self.current
        if present is None or present.asks:
            return
        if present is self._reply:
            self._reply = None
        else:
            self._notices.remove(present)
        self._settle(now)
        present.on_dismissed()

    def voice_started(self) -> None:
        """Record that the voice is heard: the expression of the page is shown now."""
        if self._spoken:
            self._heard = True
            self._show_expression()

    def voice_finished(self, now: float) -> None:
        """Record that the voice has spoken all its text, or failed."""
        if self._spoken:
            self._spoken = False
            self._until = now + VOICE_PAUSE_SECONDS
            self._show_expression()

    def set_held(self, on: bool, now: float) -> None:
        """Set whether the pointer is over the bubble; its page then stays. Nothing else is shown in
        place of a message with buttons, which the user may be about to press.
        """
        if self._held and not on:
            self._until = max(self._until, now + SECONDS_AFTER_HOLD)
        self._held = on
        shown = self.current
        self._pinned = shown if on and shown is not None and shown.choices else None
        self._settle(now)

    def set_shown(self, on: bool, now: float) -> None:
        """Set whether the bubble is visible. A hidden page waits and begins again."""
        self._away = not on
        self._settle(now)

    def _expire(self, now: float) -> None:
        """Drop the notices that waited too long."""
        begun = self._page[0] if self._page is not None else None
        late = [one for one in self._notices if one is not begun and now > one.latest]
        if late:
            self._notices = deque(one for one in self._notices if one not in late)
            for saying in late:
                saying.on_dismissed()

    def _settle(self, now: float) -> None:
        """Begin the current page, or process the text that was added to it."""
        self._expire(now)
        present = None if self._away else self.current
        page = (present, present.speech.page) if present is not None else None
        if page is None or page != self._page:
            self._leave()
        if present is None or present.asks:
            return
        text = present.speech.marked_text
        if self._page is None:
            self._until = now + reading_seconds(readable_text(text))
            self._speak(text, present)
        elif text != self._text:
            grown = _new_part(self._text, text)
            latest = max(self._until, now) + extra_seconds(readable_text(grown))
            self._until = min(latest, now + LONGEST_READING_SECONDS)
            self._speak(grown, present)
        self._page, self._text = page, text
        self._show_expression()

    def _show_expression(self) -> None:
        """Show the expression of the page, unless the voice is about to speak the page."""
        if self._page is None or (self._spoken and not self._heard):
            return
        expression = self._page[0].speech.expression
        if expression != self._face:
            self._face = expression
            self._express(expression)

    def _leave(self) -> None:
        if self._page is not None and self._spoken:
            self._voice.stop()
        self._page, self._text, self._face = None, "", ""
        self._spoken = self._heard = False

    def _speak(self, words: str, message: BubbleMessage) -> None:
        is_reply = message is self._reply
        self._spoken = self._voice.speak(words, is_reply=is_reply) or self._spoken


def _new_part(before: str, text: str) -> str:
    """Return what is new in a text. It starts with the text before, unless it was closed."""
    pairs = enumerate(zip(before, text, strict=False))
    return text[next((at for at, (old, new) in pairs if old != new), len(before)) :]
