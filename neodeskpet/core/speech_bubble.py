"""What a speech bubble shows, in which order and for how long: without a window, a font or a clock.
Questions come first, then notices, then the reply. A page stays for as long as the voice speaks
it, otherwise for a reading time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Protocol

_CJK = 0x2E80
_CJK_SECONDS, _OTHER_SECONDS = 0.13, 0.05
"""For a character: some 460 Chinese characters a minute, or 230 English words."""
_BEFORE = 0.6
"""Until the eyes are there."""
_SHORTEST, LONGEST_READING_SECONDS = 1.8, 12.0


def extra_seconds(text: str) -> float:
    """How long a person takes for `text` who is reading already."""
    wide = sum(ord(character) >= _CJK for character in text)
    return min(LONGEST_READING_SECONDS, wide * _CJK_SECONDS + (len(text) - wide) * _OTHER_SECONDS)


def reading_seconds(text: str) -> float:
    """How long a person takes for `text`."""
    return min(LONGEST_READING_SECONDS, max(_SHORTEST, _BEFORE + extra_seconds(text)))


class Voice(Protocol):
    """Speaks what the bubble shows. What it has spoken is told to `BubbleQueue.heard`."""

    def speak(self, words: str) -> bool:
        """Speak these after what is being spoken; False if it doesn't (it is off, or broken)."""
        ...

    def stop(self) -> None:
        """Be silent at once; `heard` isn't called for what was cut off."""
        ...


class NoVoice:
    """The voice of those that have none."""

    def speak(self, words: str) -> bool:
        return False

    def stop(self) -> None:
        """It never began."""


MOST_PAGES = 12
"""What is longer is for the chat, not for a bubble."""

LineBreaker = Callable[[str], list[str]]
"""Text in the lines that it takes, as wide as the bubble."""


class SpeechPages:
    """Grows by sentences and is read page by page.

    A sentence stands on one page if a page can hold it, so that no page has a lonely last word.
    What was said as a line of its own (`end_line`) has its pages for itself.
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
        self._line = 0  # the page on which the present line began
        self._closed = True  # what comes begins a page
        self._open = ""
        self.full = False
        """Nothing more is taken in."""
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
        """The lines of the present page."""
        return [line.rstrip() for line in self._pages[self.page]] if self._pages else []

    @property
    def text(self) -> str:
        """The present page as one text, for reading time and screen readers."""
        return " ".join(self.lines)

    @property
    def expression(self) -> str:
        """The expression of the present page, "" for none."""
        return self._faces.get(self.page, "")

    def add(self, sentence: str) -> None:
        """One more sentence, with the space or line break before it. What is beyond MOST_PAGES is
        left out, and `tail` (a word about where the rest is) ends the last page.
        """
        if self.full:
            return
        if self._closed:
            self._turn_over(sentence.lstrip())
            return
        text = self._open + sentence
        whole, last = self._pages[-1][:-1], self._pages[-1][-1]
        # It changes the last line alone, so each of thousands of tiny sentences costs one line.
        lines = (
            [*whole, *self._broken(last + sentence)]
            if text.isascii() and self._open.endswith(last)  # else the font may be another one
            else self._broken(text)
        )
        if len(lines) <= self._per_page:
            self._pages[-1], self._open = lines, text
        else:
            self._turn_over(sentence.lstrip())

    def end_line(self, face: str) -> bool:
        """What was added since the last line is one, said with this expression ("" for none).
        Whether there are words to say.
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
        """Begin a page with `text`; what is longer than a page is shared evenly among several."""
        lines = self._broken(text)
        if not lines:
            return
        if len(self._pages) >= MOST_PAGES:
            self.close()
            return
        self._closed = False
        count = -(-len(lines) // self._per_page)
        share = -(-len(lines) // count)
        self._pages += [lines[at : at + share] for at in range(0, len(lines), share)]
        self._open = "".join(self._pages[-1])
        if len(self._pages) > MOST_PAGES:
            del self._pages[MOST_PAGES:]
            self.close()

    def close(self) -> None:
        """Take in no more: the last page says where the rest is."""
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
"""Seconds the last page stays beyond its time."""
CHOICE_SECONDS = 10.0
"""Instead, where there is something to choose."""
SECONDS_AFTER_HOLD = 1.0
"""Seconds a page stays at least after it was held."""
VOICE_PAUSE_SECONDS = 0.3
"""Seconds between what the voice speaks of one page and of the next."""


def no_callback() -> None:
    """Nobody waits for it."""


@dataclass(frozen=True, slots=True, eq=False)
class BubbleMessage:
    """Something that is said. `gone` is called once it was read or put away. With a `key` it may
    have `choices` (id, text); those of a `whole` one come with its last page. What `asks` stays
    until it is withdrawn.
    """

    speech: SpeechPages
    on_dismissed: Callable[[], None] = no_callback
    key: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    choices_on_last_page: bool = False
    asks: bool = False
    latest: float = inf
    """When it begins at the latest; later it isn't said any more."""

    @property
    def buttons(self) -> tuple[tuple[str, str], ...]:
        """The choices there are on this page."""
        return self.choices if self.speech.last_page or not self.choices_on_last_page else ()


class BubbleQueue:
    """`express` is given the expression of each line when it begins. The methods that take `now`
    may begin a page.
    """

    def __init__(
        self, express: Callable[[str], None] = lambda face: None, voice: Voice | None = None
    ) -> None:
        self._express = express
        self._voice = voice or NoVoice()
        self._questions: list[BubbleMessage] = []
        self._notices: deque[BubbleMessage] = deque()
        self._reply: BubbleMessage | None = None
        self._page: tuple[BubbleMessage, int] | None = None  # the one that is being read
        self._text = ""  # of it, as far as it was taken account of
        self._face = ""  # of it, as far as it was shown
        self._until = 0.0
        self._spoken = False  # the voice has it, and isn't done
        self._held = False
        self._away = False

    @property
    def current(self) -> BubbleMessage | None:
        """What is said now."""
        if self._questions:
            return self._questions[-1]
        if self._notices:
            return self._notices[0]
        reply = self._reply
        return reply if reply is not None and not reply.speech.empty else None

    @property
    def reply(self) -> BubbleMessage | None:
        """The reply that is followed, which may have said nothing yet."""
        return self._reply

    @property
    def is_asking(self) -> bool:
        return bool(self._questions)

    @property
    def held(self) -> bool:
        return self._held

    @property
    def due(self) -> float | None:
        """When to `tick`; None while that would change nothing."""
        present = self.current
        if present is None or present.asks or self._held or self._away or self._spoken:
            return None
        if not present.speech.last_page:
            return self._until
        linger = CHOICE_SECONDS if present.choices else LAST_PAGE_EXTRA_SECONDS
        return self._until + linger if present.speech.ended else None

    # What is said

    def start_reply(self, speech: SpeechPages, now: float) -> None:
        """A reply starts; what was left of the last one goes."""
        self._reply = BubbleMessage(speech)
        self._settle(now)

    def add(self, sentences: Iterable[str], now: float) -> None:
        """The reply goes on."""
        if self._reply is not None:
            for sentence in sentences:
                self._reply.speech.add(sentence)
            self._settle(now)

    def end_line(self, face: str, now: float) -> None:
        """What the reply said last is a line of its own, with this expression ("" for none)."""
        if self._reply is None:
            return
        if not self._reply.speech.end_line(face) and face:
            self._express(face)  # it has no words to wait for
        self._settle(now)

    def end_reply(self, now: float) -> None:
        """The reply is over."""
        if self._reply is not None:
            self._reply.speech.ended = True
            if self._reply.speech.empty:
                self._reply = None
            self._settle(now)

    def say(self, saying: BubbleMessage, now: float) -> None:
        """Say this before the reply goes on."""
        if saying.speech.empty:
            saying.on_dismissed()
            return
        self._notices.append(saying)
        self._settle(now)

    def ask(self, saying: BubbleMessage, now: float) -> None:
        """Ask until `withdraw`; one of the same key is replaced."""
        self._questions = [one for one in self._questions if one.key != saying.key]
        if not saying.speech.empty:
            self._questions.append(saying)
        self._settle(now)

    def withdraw(self, key: str, now: float) -> None:
        """It was answered. Idempotent."""
        self._questions = [one for one in self._questions if one.key != key]
        gone = [one for one in self._notices if one.key == key]
        self._notices = deque(one for one in self._notices if one.key != key)
        self._settle(now)
        for saying in gone:
            saying.on_dismissed()

    def clear(self, now: float) -> None:
        """Say no more. Questions stay."""
        left, self._notices = self._notices, deque()
        self._reply = None
        self._settle(now)
        for saying in left:
            saying.on_dismissed()

    # Going on

    def tick(self, now: float) -> None:
        """Go on if it is time."""
        if self.due is not None and now >= self.due and not self.next_page(now):
            self.dismiss(now)

    def next_page(self, now: float) -> bool:
        """The next page, at once; False when this is the last."""
        present = self.current
        if present is None or not present.speech.next_page():
            return False
        self._settle(now)
        return True

    def dismiss(self, now: float) -> None:
        """Put away what is said now, unless it asks."""
        present = self.current
        if present is None or present.asks:
            return
        if self._notices:
            self._notices.popleft()
        else:
            self._reply = None
        self._settle(now)
        present.on_dismissed()

    def voice_finished(self, now: float) -> None:
        """The voice has spoken all that it was given."""
        if self._spoken:
            self._spoken = False
            self._until = now + VOICE_PAUSE_SECONDS

    def set_held(self, on: bool, now: float) -> None:
        """Whether somebody points at it to read: it waits."""
        if self._held and not on:
            self._until = max(self._until, now + SECONDS_AFTER_HOLD)
        self._held = on

    def set_shown(self, on: bool, now: float) -> None:
        """Whether it is shown at all: what nobody sees waits, and begins anew."""
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
        """Begin the page that is there now, or take account of what it has grown by."""
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
            self._speak(speech.text)
        elif speech.text != self._text:
            grown = speech.text[len(self._text) :]
            latest = max(self._until, now) + extra_seconds(grown)
            self._until = min(latest, now + LONGEST_READING_SECONDS)
            self._speak(grown)
        self._page, self._text = page, speech.text
        if speech.expression != self._face:
            self._face = speech.expression
            self._express(speech.expression)

    def _leave(self) -> None:
        if self._page is not None and self._spoken:
            self._voice.stop()
        self._page, self._text, self._face, self._spoken = None, "", "", False

    def _speak(self, words: str) -> None:
        self._spoken = self._voice.speak(words) or self._spoken
