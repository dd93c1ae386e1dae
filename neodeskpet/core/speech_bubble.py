"""The contents of a speech bubble, their order and duration. No window, no font, no clock.
Questions come first, then notices, then the reply. A page stays as long as the voice speaks it,
otherwise for a reading time.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Protocol

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
        """Speak the text after the present one; return False if the voice is off or broken.
        `is_reply`: it is part of a reply, not a notice or a remark.
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


MOST_PAGES = 12
"""Longer texts are shown only in the chat."""

_CLAUSE_END = re.compile(r"(?<=[，；：、])|(?<=[,;:])(?=\s)")
"""A place where a reader pauses within a sentence."""

LineBreaker = Callable[[str], list[str]]
"""Breaks a text into lines of the width of the bubble."""


class SpeechPages:
    """A text that grows by sentences and is read page by page.

    A sentence stays on one page if it fits, so that no page has a single last word. A line that is
    spoken by itself (`end_line`) gets its own pages.
    """

    def __init__(
        self, breaks: LineBreaker, lines_per_page: int, tail: str = "", *, sign: str = ""
    ) -> None:
        self.sign = sign
        """The icon before the words, "" for none."""
        self._breaks = breaks
        self._per_page = lines_per_page
        self._tail = tail
        self._pages: list[list[str]] = []
        self._faces: dict[int, str] = {}
        self._line = 0  # the first page of the current line
        self._closed = True  # the next text begins a page
        self._open = ""
        self.full = False
        """No more text is accepted."""
        self.page = 0
        self.ended = False

    @property
    def pages(self) -> int:
        return max(1, len(self._pages))

    @property
    def empty(self) -> bool:
        return not self._pages

    @property
    def last_page(self) -> bool:
        return self.page >= self.pages - 1

    @property
    def lines(self) -> list[str]:
        """The lines of the current page."""
        return [line.rstrip() for line in self._pages[self.page]] if self._pages else []

    @property
    def text(self) -> str:
        """The current page as one text, for the reading time and screen readers."""
        return " ".join(self.lines)

    @property
    def expression(self) -> str:
        """The expression of the current page, "" for none."""
        return self._faces.get(self.page, "")

    def add(self, sentence: str) -> None:
        """Add a sentence, with the space or line break before it. Text beyond MOST_PAGES is left
        out, and a text that says where the rest is ends the last page.
        """
        if self.full:
            return
        if self._closed:
            self._turn_over(sentence.lstrip())
            return
        text = self._open + sentence
        whole, last = self._pages[-1][:-1], self._pages[-1][-1]
        # Only the last line changes, so each of thousands of short sentences costs one line.
        lines = (
            [*whole, *self._broken(last + sentence)]
            if text.isascii() and self._open.endswith(last)  # otherwise the font may differ
            else self._broken(text)
        )
        if len(lines) <= self._per_page:
            self._pages[-1], self._open = lines, text
        else:
            self._turn_over(sentence.lstrip())

    def end_line(self, face: str) -> bool:
        """End the current line, which is said with this expression ("" for none). Return whether it
        has any text.
        """
        pages = range(self._line, len(self._pages))
        if face:
            self._faces.update(dict.fromkeys(pages, face))
        self._line, self._closed = len(self._pages), True
        return bool(pages)

    def next_page(self) -> bool:
        """Go to the next page; False when this is the last."""
        if self.last_page:
            return False
        self.page += 1
        return True

    def _turn_over(self, text: str) -> None:
        """Begin a page with `text`. A text that needs several pages is divided between its clauses;
        a longer clause is spread evenly over pages.
        """
        lines = self._broken(text)
        if not lines:
            return
        if len(self._pages) >= MOST_PAGES:
            self.close()
            return
        self._closed = False
        parts = [lines] if len(lines) <= self._per_page else self._divided(text, len(lines))
        for part in parts:
            count = -(-len(part) // self._per_page)
            share = -(-len(part) // count)
            self._pages += [part[at : at + share] for at in range(0, len(part), share)]
        self._open = "".join(self._pages[-1])
        if len(self._pages) > MOST_PAGES:
            del self._pages[MOST_PAGES:]
            self.close()

    def _divided(self, text: str, lines: int) -> list[list[str]]:
        """Divide a text that has so many lines between its clauses into parts of about a page
        each. Return the lines of each part; a clause of several pages is one part.
        """
        share = -(-lines // -(-lines // self._per_page))
        parts: list[list[str]] = []
        begun, shown = "", list[str]()
        for clause in _CLAUSE_END.split(text):
            longer = self._broken(begun + clause)
            if shown and (len(shown) >= share or len(longer) > self._per_page):
                parts.append(shown)
                if len(parts) > MOST_PAGES:
                    return parts
                begun, longer = "", self._broken(clause.lstrip())
            begun, shown = (begun + clause).lstrip(), longer
        return [*parts, shown] if shown else parts

    def close(self) -> None:
        """Accept no more text; the last page says where the rest is."""
        if self.full:
            return
        self.full = True
        end = self._broken(self._tail)
        last = self._pages[-1][: self._per_page - len(end)] if self._pages else []
        self._pages[-1:] = [last + end]

    def _broken(self, text: str) -> list[str]:
        lines = self._breaks(text) if text.strip() else []
        return [line for line in lines if line.strip()]


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

    @property
    def buttons(self) -> tuple[tuple[str, str], ...]:
        """The choices that are shown on the current page."""
        return self.choices if self.speech.last_page or not self.choices_on_last_page else ()


class BubbleQueue:
    """Shows messages in order. `express` gets the expression of each line when the line begins: if
    the voice speaks it, with its first sound. The methods with `now` may begin a page.
    """

    def __init__(
        self, express: Callable[[str], None] = lambda face: None, voice: Voice | None = None
    ) -> None:
        self._express = express
        self._voice = voice or NoVoice()
        self._questions: list[BubbleMessage] = []
        self._notices: deque[BubbleMessage] = deque()
        self._reply: BubbleMessage | None = None
        self._page: tuple[BubbleMessage, int] | None = None  # the page that is shown
        self._text = ""  # its text that was already processed
        self._face = ""  # its expression that was already shown
        self._until = 0.0
        self._spoken = False  # the voice is speaking the page
        self._heard = False  # its sound has begun
        self._held = False
        self._away = False

    @property
    def current(self) -> BubbleMessage | None:
        """The current message."""
        if self._questions:
            return self._questions[-1]
        if self._notices:
            return self._notices[0]
        reply = self._reply
        return reply if reply is not None and not reply.speech.empty else None

    @property
    def reply(self) -> BubbleMessage | None:
        """The current reply, which may still be empty."""
        return self._reply

    @property
    def is_asking(self) -> bool:
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
        self._reply = BubbleMessage(speech)
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
        """Show this message before the reply continues."""
        if saying.speech.empty:
            saying.on_dismissed()
            return
        self._notices.append(saying)
        self._settle(now)

    def ask(self, saying: BubbleMessage, now: float) -> None:
        """Show a question until `withdraw`; it replaces one with the same key."""
        self._questions = [one for one in self._questions if one.key != saying.key]
        if not saying.speech.empty:
            self._questions.append(saying)
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
        if self._notices:
            self._notices.popleft()
        else:
            self._reply = None
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
        """Set whether the pointer is over the bubble; its page then stays."""
        if self._held and not on:
            self._until = max(self._until, now + SECONDS_AFTER_HOLD)
        self._held = on

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
        speech = present.speech
        if self._page is None:
            self._until = now + reading_seconds(speech.text)
            self._speak(speech.text, present)
        elif speech.text != self._text:
            grown = speech.text[len(self._text) :]
            latest = max(self._until, now) + extra_seconds(grown)
            self._until = min(latest, now + LONGEST_READING_SECONDS)
            self._speak(grown, present)
        self._page, self._text = page, speech.text
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
