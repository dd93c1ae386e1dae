"""The companion as other programs can use it: bubble, figure, and notifications of the desktop.

Texts of programs are plain text with an icon of their own and the program's name. In quiet mode
nothing of them is shown; where no bubble can be shown, a notification of the desktop replaces it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Slot

from neodeskpet.core.errors import KnownError
from neodeskpet.external_api.local_protocol import Delivery, QuestionDetails, QuestionReply
from neodeskpet.figure.poses import Pose
from neodeskpet.language import tr
from neodeskpet.settings.settings_model import CompanionSettings
from neodeskpet.tools.builtin.live2d import FigureControls
from neodeskpet.ui.chat.program_questions import ProgramQuestion, ProgramQuestionCard
from neodeskpet.ui.desktop.desktop_notifications import DesktopNotification
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.task_runner import TaskRunner

_log = logging.getLogger(__name__)

PROGRAM_ICON = "plug"
_MAX_UNREAD = 5
"""The largest number of unread texts of programs."""
_MAX_QUESTIONS, _MAX_PER_PROGRAM = 8, 3
_ANSWER_LATER, _ANSWER_WITHDRAWN = "later", "withdrawn"
_SHOW_ALL = "all"
"""The button that shows a shortened question as a whole."""
_MOST_LINES, _LINES_BEFORE, _LINES_AFTER = 6, 3, 2
_MOST_IN_LINE = 72
_MOST_OF_FOLDER = 48
_MOST_IN_TITLE = 160
"""Characters of a question's first line above which the card shows it as text, not as title."""
_MAX_MOOD_AGE = 120.0
"""Seconds that a text may wait in the queue; an older one is dropped."""
_MOOD_SECONDS = {
    **dict.fromkeys((Pose.WORKING, Pose.THINKING), 1800.0),
    **dict.fromkeys((Pose.ASKING, Pose.LISTENING), 120.0),
    **dict.fromkeys((Pose.HAPPY, Pose.SORRY, Pose.SURPRISED, Pose.SHY, Pose.ANNOYED), 20.0),
    **dict.fromkeys((Pose.GREETING, Pose.IDLE), 20.0),
}
"""How many seconds each pose lasts unless another one follows."""

ShowNotice = Callable[[DesktopNotification], Coroutine[Any, Any, str]]
"""Shows a notification of the desktop; returns the answer to it, "" for none."""


@dataclass(frozen=True, slots=True)
class _OpenQuestion:
    program: str
    topic: str
    answer: asyncio.Future[str]
    whole: str
    buttons: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _QuestionText:
    """The texts of a question: all of it, and a short form, which may be the same; and its parts
    for the chat: the title, who asks, and the rest.
    """

    whole: str
    short: str
    title: str
    origin: str
    details: str


def _key_of(who: str) -> str:
    """Return the key of the program's last text."""
    return f"said by {who}"


class DesktopCompanionAccess(QObject):
    """A `external_api.local_protocol.CompanionAccess`. `seen` returns whether the figure is
    visible, `companion_settings` the current settings, `card` the card of the chat, which asks the
    same as the bubble.
    """

    def __init__(
        self,
        companion: CompanionPresenter,
        body: FigureControls,
        seen: Callable[[], bool],
        companion_settings: Callable[[], CompanionSettings],
        put_up: ShowNotice,
        card: Callable[[], ProgramQuestionCard],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._companion = companion
        self._body = body
        self._seen = seen
        self._companion_settings = companion_settings
        self._put_up = put_up
        self._make_card = card
        self._card: ProgramQuestionCard | None = None
        self._notices = TaskRunner("notices of programs", failed=self._on_notice_failed)
        self._numbers = itertools.count(1)
        self._unread = 0
        self._open: dict[str, _OpenQuestion] = {}
        self._topics: dict[str, str] = {}
        """The topic of the last text of each program."""
        companion.answered.connect(self._answered)

    def stop(self) -> None:
        """Stop following changes."""
        self._notices.cancel_all()

    async def say(self, who: str, text: str, *, wait: bool, topic: str = "") -> Delivery:
        if self._companion_settings().quiet:
            return Delivery.QUIET
        if not (self._seen() and self._companion_settings().bubble):
            return await self.notify(who, "", text)
        if self._unread >= _MAX_UNREAD:
            return Delivery.FULL
        read: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def mark_read() -> None:
            self._unread -= 1
            if not read.done():
                read.set_result(None)

        words = tr("{name}: {text}", name=who, text=text)
        key = _key_of(who)
        self._topics[who] = topic
        self._companion.withdraw(key)  # the newest text replaces waiting ones of the same program
        self._unread += 1
        self._companion.show_external_notice(
            words, PROGRAM_ICON, mark_read, key=key, seconds=_MAX_MOOD_AGE
        )
        if wait:
            await read
        return Delivery.BUBBLE

    async def ask(
        self,
        who: str,
        question: str,
        choices: Sequence[str],
        seconds: float,
        topic: str = "",
        details: QuestionDetails | None = None,
    ) -> QuestionReply:
        if self._companion_settings().quiet:
            return QuestionReply("", "quiet")
        if len(self._open) >= _MAX_QUESTIONS or self._open_questions_of(who) >= _MAX_PER_PROGRAM:
            return QuestionReply("", "full")
        text = _question_text(who, question, details)
        if not self._companion.can_show_all(text.whole, PROGRAM_ICON):
            return QuestionReply("", "long")
        key = f"program {next(self._numbers)}"
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        numbered = ((str(number), choice) for number, choice in enumerate(choices))
        buttons = (*numbered, (_ANSWER_LATER, tr("Not now")))
        self._open[key] = _OpenQuestion(who, topic, answer, text.whole, buttons)
        has_details = details is not None and bool(details.text)
        guarded = len(choices) if details is None else 1
        asked = ProgramQuestion(key, text.title, text.origin, text.details, buttons, guarded)
        self._show_in_chat(asked)
        if text.short == text.whole:
            self._companion.ask_external(key, text.whole, buttons, PROGRAM_ICON)
        else:
            first = (_SHOW_ALL, tr("Show all"))
            shown = (first, *buttons[1:])
            self._companion.ask_external(key, text.short, shown, PROGRAM_ICON, whole=False)
        if not self._seen():
            # A desktop may cut the text of a notification: a question with details can be answered
            # with its first choice only in the bubble, which shows all of the text.
            offered = buttons[1:] if has_details else buttons
            said = text.short if details is not None else question
            self._show(key, DesktopNotification(who, said, offered))
        try:
            async with asyncio.timeout(seconds):
                chosen = await answer
        except TimeoutError:
            return QuestionReply("", "timeout")
        finally:
            del self._open[key]
            self._notices.cancel_task(key)
            self._companion.withdraw(key)
            if self._card is not None:
                self._card.withdraw(key)
        if chosen in (_ANSWER_LATER, _ANSWER_WITHDRAWN):
            return QuestionReply("", "dismissed" if chosen == _ANSWER_LATER else "withdrawn")
        return QuestionReply(choices[int(chosen)])

    def withdraw(self, who: str, topic: str) -> int:
        found = [one for one in self._open.values() if (one.program, one.topic) == (who, topic)]
        for one in found:
            if not one.answer.done():
                one.answer.set_result(_ANSWER_WITHDRAWN)
        if topic and self._topics.get(who) == topic:
            del self._topics[who]
            self._companion.withdraw(_key_of(who))
        return len(found)

    async def notify(self, who: str, title: str, text: str) -> Delivery:
        if self._companion_settings().quiet:
            return Delivery.QUIET
        heading = f"{who} · {title}" if title else who
        self._notices.start(
            "notice", partial(self._put_up, DesktopNotification(heading, text, sticky=False))
        )
        return Delivery.NOTICE

    # The figure

    def expressions(self) -> Sequence[str]:
        return self._body.expressions()

    def motions(self) -> Mapping[str, int]:
        return self._body.motions()

    def express(self, name: str) -> bool:
        if self._is_quiet():
            return False
        self._body.express(name)
        return True

    def play(self, group: str, index: int | None) -> bool:
        if self._is_quiet():
            return False
        self._body.play(group, index)
        return True

    def moods(self) -> Sequence[str]:
        return [pose.value for pose in _MOOD_SECONDS]

    def show_mood(self, mood: str) -> bool:
        pose = Pose(mood)
        return not self._is_quiet() and self._companion.show_pose(pose, _MOOD_SECONDS[pose])

    def _is_quiet(self) -> bool:
        return self._companion_settings().quiet or not self._seen()

    # Answers

    def _show_in_chat(self, question: ProgramQuestion) -> None:
        if self._card is None:
            self._card = self._make_card()
            self._card.answered.connect(self._answered)
        self._card.show_question(question)

    def _open_questions_of(self, who: str) -> int:
        return sum(one.program == who for one in self._open.values())

    def _show(self, key: str, notice: DesktopNotification) -> None:
        """Show a notification until the question is answered in any place."""

        async def ask() -> None:
            self._answered(key, await self._put_up(notice))

        self._notices.start(key, ask)

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        """Store an answer; a click on the text alone is none."""
        asked = self._open.get(key)
        if asked is not None and choice == _SHOW_ALL:
            self._companion.ask_external(key, asked.whole, asked.buttons, PROGRAM_ICON)
            return
        known = choice == _ANSWER_LATER or choice.isdecimal()
        if asked is not None and known and not asked.answer.done():
            asked.answer.set_result(choice)

    def _on_notice_failed(self, error: KnownError) -> None:
        _log.warning("A notification of a program can't be shown: %s", error)


def _question_text(who: str, question: str, details: QuestionDetails | None) -> _QuestionText:
    """Return the texts of a question. The line that says who asks stands above the program's
    details, so that no text of the program can pretend to be that line.
    """
    origin = tr("{name} asks", name=who)
    if details is None:
        words = tr("{name} asks: {question}", name=who, question=question)
        title, _, rest = question.partition("\n")
        return _QuestionText(words, words, *_heading(title, origin, rest.strip("\n")))
    folder = details.folder
    if len(folder) > _MOST_OF_FOLDER:
        folder = "…" + folder[1 - _MOST_OF_FOLDER :]
    if folder:
        origin = tr("{name} asks in {folder}", name=who, folder=folder)
    head = f"{question}\n{origin}"
    heading = _heading(question, origin, details.text)
    if not details.text:
        return _QuestionText(head, head, *heading)
    return _QuestionText(f"{head}\n{details.text}", f"{head}\n{_shortened(details.text)}", *heading)


def _heading(title: str, origin: str, rest: str) -> tuple[str, str, str]:
    """Return the parts of a question for the card. A title that is too long stands in the text."""
    if len(title) <= _MOST_IN_TITLE:
        return title, origin, rest
    return origin, "", f"{title}\n{rest}".rstrip("\n")


def _shortened(text: str) -> str:
    """Return at most six lines of a text: its beginning and its end. Long lines are cut in the
    middle.
    """
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        left_out = len(lines) - _LINES_BEFORE - _LINES_AFTER
        marker = tr("… + {count} lines", count=str(left_out))
        lines = [*lines[:_LINES_BEFORE], marker, *lines[-_LINES_AFTER:]]
    return "\n".join(map(_shortened_line, lines))


def _shortened_line(line: str) -> str:
    if len(line) <= _MOST_IN_LINE:
        return line
    half = (_MOST_IN_LINE - 3) // 2
    return f"{line[:half]} … {line[-half:]}"
