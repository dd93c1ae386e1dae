"""Shows turns on the companion: pose, lips and bubble follow the events of a reply.

It doesn't influence the turn. `connect_window(pet, bubble)` connects it to the real window.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtCore import QObject, QRect, Signal

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import Block, MessageState, Notice, Text, Thinking, ToolStatus, ToolUse
from neodeskpet.core.markdown.plain_sentences import plain_text
from neodeskpet.core.markdown.splitter import open_fence
from neodeskpet.core.speech_bubble import BubbleKeyboard, BubbleRank
from neodeskpet.core.speech_pages import MOST_PAGES
from neodeskpet.core.tool_result import ApprovalText, ShownDiff
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from neodeskpet.core.wire import CueKind, CueReached, DescriptionAnnounced, PictureDescribed
from neodeskpet.figure.lipsync import LipSync
from neodeskpet.figure.poses import Pose
from neodeskpet.figure.stage import Stage
from neodeskpet.language import tr, translate_code, with_tool_title
from neodeskpet.language.approval_text import (
    answer_labels,
    question_fact,
    question_subject,
    question_title,
)
from neodeskpet.ui.desktop.work_area import work_areas
from neodeskpet.ui.formatting import looking_text
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import nearest_screen
from neodeskpet.ui.pet.speech_bubble import SpeechBubble

if TYPE_CHECKING:
    from neodeskpet.figure.figure_state import FigureActivity

FIGURE_TOOL_PREFIX = "live2d."
"""Tools that move the companion itself; they are visible anyway and don't show the working pose."""
LISTENING_SECONDS = 6.0
ASKING_SECONDS = 10.0
"""Seconds it looks at the user after a turn that paused."""

C = TypeVar("C", bound=Enum)


class SoundingVoice(Protocol):
    """The voice that speaks the bubble's text, as needed for the mouth."""

    @property
    def mouth_level(self) -> float | None:
        """Return how far the mouth is open for the played sound (0 to 1); None while nothing is
        played.
        """
        ...

    def begin_reply(self) -> None:
        """Prepare for a reply."""
        ...

    def end_reply(self) -> None:
        """Note that the text of the reply is complete."""
        ...


class ChatSight(Protocol):
    """What the user sees in the chat."""

    @property
    def is_shown(self) -> bool:
        """Whether the chat is shown."""
        ...

    def sees_message(self, message_id: str) -> bool: ...

    def sees_end(self, message_id: str) -> bool:
        """Whether the end of a message, where its notices are, is visible."""
        ...

    def sees_card(self, message_id: str, index: int) -> bool:
        """Whether the card of a tool call can be read and answered."""
        ...

    def sees_program_question(self, key: str) -> bool:
        """Whether the user is in the chat, where the question of another program is shown."""
        ...


class _NoChat:
    """No chat that could be seen."""

    is_shown = False

    def sees_message(self, message_id: str) -> bool:
        return False

    def sees_end(self, message_id: str) -> bool:
        return False

    def sees_card(self, message_id: str, index: int) -> bool:
        return False

    def sees_program_question(self, key: str) -> bool:
        return False


class _SilentVoice:
    """No sound: the mouth follows the vowels of the text."""

    mouth_level = None

    def begin_reply(self) -> None:
        """Do nothing."""

    def end_reply(self) -> None:
        """Do nothing."""


_CALL = "call "
_NOTICE = "told "
_LOOKING = -1
"""The place of the description of pictures among the running tools."""
_OPEN = "open"
"""The button of a question that is decided in the chat."""

_END_POSES = {
    MessageState.DONE: Pose.HAPPY,
    MessageState.LIMITED: Pose.ASKING,
    MessageState.CANCELLED: Pose.IDLE,
    MessageState.FAILED: Pose.SORRY,
    MessageState.INTERRUPTED: Pose.SORRY,
    MessageState.RUNNING: Pose.IDLE,
}


class CompanionPresenter(QObject):
    """`clock` must be the clock of the stage's frames."""

    chat_requested = Signal()
    """The bubble was clicked: open the chat."""
    answered = Signal(str, str)
    """The key of a question of `ask`, and the choice; "" for a click on the text."""
    approved = Signal(str, int, object)
    """A call that asks for permission (message id, block index), and the `ConsentAnswer`."""
    activity_changed = Signal()
    """`activity` has changed."""

    def __init__(
        self,
        stage: Stage,
        bubble: SpeechBubble,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._stage = stage
        self._bubble = bubble
        self._clock = clock
        self._title: Callable[[str], str] = lambda name: name
        self._lips = LipSync()
        self._sound: SoundingVoice = _SilentVoice()
        self._chat: ChatSight = _NoChat()
        self._reply = ""  # the message that the bubble shows
        self._seen = (False, frozenset[str](), False)
        self._mouth_open = False
        self._message = ""
        self._kinds: dict[int, type[Block]] = {}
        self._asked: dict[int, ApprovalText | None] = {}  # calls that wait for permission
        self._titles: dict[str, str] = {}  # the open questions by their keys, the newest last
        self._running: dict[int, tuple[str, float]] = {}  # titles and starts of running work
        self._thinking_since: float | None = None
        self._held: set[str] = set()  # open questions: it looks at the user
        self._external: set[str] = set()  # those of other programs
        self._error = ""
        self._fell_short = False  # the model declined, or its last call failed
        self._posed = Pose.IDLE
        self._calm_at = 0.0
        self._pose_is_external = False  # the pose was set by another program
        self._present = True
        self._greeting: Callable[[], None] | None = None  # shows the open question of a greeting
        self._greeting_key = ""
        self._is_asleep = False
        bubble.activated.connect(self.chat_requested)
        bubble.expression_requested.connect(self._express)
        bubble.answered.connect(self._answer)

    @property
    def is_busy(self) -> bool:
        """Whether a turn is being shown."""
        return bool(self._message)

    @property
    def has_question(self) -> bool:
        """Whether a question is open; a greeting behind it would be outdated."""
        return self._bubble.has_question

    @property
    def needs_answer(self) -> bool:
        """Whether a tool or another program waits for the user's answer."""
        return bool(self._external) or any(key.startswith(_CALL) for key in self._held)

    @property
    def activity(self) -> FigureActivity | None:
        """What the turn does now; None while it does nothing that lasts."""
        if not (self._titles or self._running or self._thinking_since is not None):
            return None
        from neodeskpet.figure.figure_state import FigureActivity

        tool, since = next(iter(self._running.values()), ("", 0.0))
        question = next(reversed(self._titles.values()), "")
        return FigureActivity(question, tool, since, thinking_since=self._thinking_since)

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        """Show events of turns, in order, each with its message's id."""
        for message_id, event in batch:
            self._see(message_id, event)

    async def wait_for_bubble(self) -> bool:
        """Wait until the bubble is gone; return False at once if it isn't shown."""
        if not self._bubble.isVisible():
            return False
        gone = asyncio.Event()
        self._bubble.finished.connect(gone.set)
        try:
            await gone.wait()
        finally:
            self._bubble.finished.disconnect(gone.set)
        return True

    def set_tool_titles(self, title: Callable[[str], str]) -> None:
        """Set the function that returns the display name of a tool in the current language."""
        self._title = title

    def set_voice(self, voice: SoundingVoice) -> None:
        """Let the mouth follow the sound of `voice`."""
        self._sound = voice

    def set_chat(self, chat: ChatSight) -> None:
        """Set what tells whether the user sees a reply or a question in the chat; call
        `update_seen_in_chat` after a change there.
        """
        self._chat = chat
        self.update_seen_in_chat()

    @property
    def open_calls(self) -> list[tuple[str, int]]:
        """The calls that wait for the user's permission: message id and block index."""
        return [(self._message, index) for index in self._asked]

    def set_avoided_areas(self, covered: Iterable[QRect], kept: Iterable[QRect]) -> None:
        """Set the areas of the app's windows, for the bubble as in `set_avoided_areas`."""
        self._bubble.set_avoided_areas(covered, kept)

    def update_seen_in_chat(self) -> None:
        """Leave to the chat what the user sees there."""
        chat = self._chat
        calls = {_call_key(*call) for call in self.open_calls if chat.sees_card(*call)}
        keys = frozenset(calls | set(filter(chat.sees_program_question, self._external)))
        reply = bool(self._reply) and chat.sees_message(self._reply)
        seen = (reply, keys, chat.is_shown)
        if seen != self._seen:
            self._seen = seen
            self._bubble.set_seen_in_chat(reply=reply, questions=keys, chat_shown=chat.is_shown)

    def show_listening(self) -> None:
        """Show that it listens, until some seconds after the user's last key."""
        self._calm_at = self._clock() + LISTENING_SECONDS
        if not self.is_busy:
            self._pose(Pose.LISTENING)

    def show_notice(self, text: str, rank: BubbleRank = BubbleRank.NOTICE) -> None:
        """Show a complete notice (Markdown), such as a greeting, when it is its turn."""
        self._bubble.show_notice(text, rank=rank)
        self._voice(text)

    def show_sticky_notice(self, text: str) -> None:
        """Show a notice (Markdown) above all questions until the user has seen all of it."""
        self._bubble.ask(
            f"{_NOTICE}{text}",
            text,
            (("seen", tr("OK")),),
            whole=True,
            keyboard=BubbleKeyboard(dismiss_choice="seen"),
        )
        self._voice(text)

    def show_external_notice(
        self, text: str, sign: str, gone: Callable[[], None], *, key: str, seconds: float
    ) -> None:
        """Show a notice of another program (plain text). `gone` is called after it was read, was
        withdrawn by `withdraw(key)`, or had to wait longer than `seconds`.
        """
        self._bubble.show_notice(
            text,
            sign=sign,
            plain=True,
            gone=gone,
            key=key,
            seconds=seconds,
            rank=BubbleRank.REMARK,
        )
        self._voice(text)

    def show_remark(self, key: str, text: str, choices: Sequence[tuple[str, str]]) -> None:
        """Show a proactive remark (plain text) with choices while it is shown."""
        self._bubble.withdraw(key)
        self._bubble.show_notice(text, plain=True, key=key, choices=choices, rank=BubbleRank.REMARK)
        self._voice(text)

    def can_show_all(self, text: str, sign: str) -> bool:
        """Whether a plain text can be read to its end in the bubble."""
        return self._bubble.fits(text, sign=sign, pages=MOST_PAGES)

    def ask_external(
        self,
        key: str,
        text: str,
        choices: Sequence[tuple[str, str]],
        sign: str,
        *,
        whole: bool = True,
    ) -> None:
        """Ask a question of another program (plain text) until `withdraw(key)`. The buttons are
        shown with its last page, if it is `whole`; the last choice postpones the answer.
        """
        self._held.add(key)
        self._external.add(key)
        self._titles[key] = _first_line(text)
        self.update_seen_in_chat()
        later = choices[-1][0] if choices else ""
        keyboard = BubbleKeyboard(first_choice=later, dismiss_choice=later, in_chat=True)
        self._bubble.ask(key, text, choices, sign=sign, plain=True, whole=whole, keyboard=keyboard)
        self._pose(Pose.ASKING)

    def _voice(self, text: str) -> None:
        self._lips.feed(text, self._clock())
        self._lips.end(self._clock())
        self._move_lips(self._clock())

    def ask(
        self,
        key: str,
        text: str,
        choices: Sequence[tuple[str, str]] = (),
        *,
        sign: str = "",
        dismiss_choice: str = "",
        rank: BubbleRank = BubbleRank.QUESTION,
    ) -> None:
        """Ask (Markdown) and look at the user until `withdraw(key)`. `choices` are buttons: an id
        and its text; the command "Dismiss" gives the answer `dismiss_choice`. Works while hidden,
        too. A `rank` of a notice waits in the bubble like a question, but isn't one: it needs no
        answer.
        """
        is_notice = rank is BubbleRank.NOTICE
        if not is_notice:
            self._held.add(key)
        if rank is BubbleRank.QUESTION:
            self._titles[key] = _first_line(plain_text(text))
        keyboard = BubbleKeyboard(dismiss_choice=dismiss_choice)
        self._bubble.ask(key, text, choices, sign=sign, keyboard=keyboard, rank=rank)
        if not is_notice:
            self._pose(Pose.ASKING)

    def withdraw(self, key: str) -> None:
        """Remove the question. Idempotent."""
        self._bubble.withdraw(key)
        was_held = key in self._held
        self._held.discard(key)
        self._external.discard(key)
        if self._titles.pop(key, None) is not None:
            self.activity_changed.emit()
        if key == self._greeting_key:
            self._greeting, self._greeting_key = None, ""
        if was_held and not self._held and not self.is_busy and self._posed is Pose.ASKING:
            self._pose(Pose.IDLE)

    def show_pose(self, pose: Pose, seconds: float) -> bool:
        """Show a pose for `seconds`; return False while a turn or a question uses the figure."""
        if self.is_busy or self._held:
            return False
        self._pose(pose)
        self._calm_at = self._clock() + seconds
        self._pose_is_external = True
        return True

    def greet(self, text: str) -> None:
        """Wave, and show a greeting."""
        self._pose(Pose.GREETING)
        self.show_notice(text)

    def greet_with_question(
        self, key: str, text: str, choices: Sequence[tuple[str, str]], *, dismiss_choice: str
    ) -> None:
        """Greet a new user with buttons, until `withdraw(key)`."""
        self._pose(Pose.GREETING)
        keyboard = BubbleKeyboard(dismiss_choice=dismiss_choice)
        self._greeting = partial(self._bubble.ask, key, text, choices, keyboard=keyboard)
        self._greeting_key = key
        self._greeting()

    def set_visible(self, present: bool) -> None:
        """Set whether the companion is visible. While hidden it only shows notices."""
        self._present = present
        if not present:
            self._bubble.clear()

    def set_asleep(self, asleep: bool) -> None:
        """Set whether the figure sleeps: it says nothing in its sleep. An unanswered greeting is
        shown again when it wakes.
        """
        if asleep is self._is_asleep:
            return
        self._is_asleep = asleep
        if asleep and self._greeting is not None:
            self._bubble.withdraw(self._greeting_key)
        elif asleep and not self.is_busy:
            self._bubble.dismiss()
        elif self._greeting is not None:
            self._greeting()

    def advance(self, now: float) -> None:
        """Update for a new frame."""
        self._move_lips(now)
        passing = self._pose_is_external or self._posed in (Pose.LISTENING, Pose.ASKING)
        if passing and not self.is_busy and now >= self._calm_at and not self._held:
            self._pose(Pose.IDLE)

    # Turn

    def _see(self, message_id: str, event: TurnEvent) -> None:
        if isinstance(event, TurnStarted):
            self._start(message_id)
            return
        if message_id != self._message:
            return
        self._follow_description(event)
        if isinstance(event, TurnEnded):
            self._end(event.state)
        elif isinstance(event, TextAppended):
            self._grow(event.index, event.text)
        elif isinstance(event, BlockStarted):
            self._open(event.block)
        elif isinstance(event, BlockChanged | BlockEnded):
            self._change(event.block, ended=isinstance(event, BlockEnded))
        elif isinstance(event, BlocksRemoved):
            self._restart(event.start)
        elif isinstance(event, CueReached) and event.kind is CueKind.LINE:
            self._end_line(event.name)

    def _follow_description(self, event: TurnEvent) -> None:
        """Show that pictures are described for a model that can't see."""
        if isinstance(event, DescriptionAnnounced):
            self._running[_LOOKING] = (looking_text(event.count).rstrip("…"), self._clock())
            self._pose(Pose.WORKING)
            return
        ends = isinstance(event, PictureDescribed | ModelChosen | BlockStarted)
        if ends and self._running.pop(_LOOKING, None) is not None:
            self._pose(Pose.THINKING)

    def _start(self, message_id: str) -> None:
        self._message = self._reply = message_id
        self._kinds.clear()
        self._settle_calls()
        self._error = ""
        self._fell_short = False
        self._lips.stop()
        if self._present:
            self._bubble.start_reply()
            self.update_seen_in_chat()
        self._sound.begin_reply()
        self._pose(Pose.THINKING)

    def _end(self, state: MessageState) -> None:
        self._settle_calls()
        self._message = ""
        self._lips.end(self._clock())
        if self._present:
            self._bubble.end_reply()
        self._sound.end_reply()
        if state is MessageState.CANCELLED:
            self._lips.stop()
            self._bubble.clear()
        elif self._error and self._present and not self._chat.sees_end(self._reply):
            self._bubble.show_notice(self._error)
        self._calm_at = self._clock() + ASKING_SECONDS
        pose = _END_POSES[state]
        if pose is Pose.HAPPY and self._fell_short:
            pose = Pose.SORRY
        self._pose(Pose.ASKING if self._held else pose)

    def _restart(self, start: int) -> None:
        """Remove the text of a failed round, which is retried."""
        self._settle_calls()
        self._kinds = {index: kind for index, kind in self._kinds.items() if index < start}
        self._lips.stop()
        if self._present:
            self._bubble.start_reply()
        self._pose(Pose.THINKING)

    def _open(self, block: Block) -> None:
        self._kinds[block.index] = type(block)
        if isinstance(block, Text):
            self._fell_short = self._fell_short or block.refusal
            self._speak(block.text)
        elif isinstance(block, Thinking):
            self._pose(Pose.THINKING)
        elif isinstance(block, ToolUse):
            self._change(block, ended=False)
        elif isinstance(block, Notice):
            self._error = translate_code(block.code, with_tool_title(block.params, self._title))[0]

    def _grow(self, index: int, text: str) -> None:
        if self._kinds.get(index) is Text:
            self._speak(text)

    def _end_line(self, face: str) -> None:
        """Complete a line with its own expression, which is shown together with the line."""
        if self._present:
            self._bubble.end_line(face)
        else:
            self._express(face)

    def _change(self, block: Block, *, ended: bool) -> None:
        if isinstance(block, Text):
            self._change_text(block, ended=ended)
        if not isinstance(block, ToolUse) or block.name.startswith(FIGURE_TOOL_PREFIX):
            return
        if block.status is ToolStatus.ASKING:
            self._ask(block)
            return
        if block.index in self._asked:
            del self._asked[block.index]
            self.withdraw(_call_key(self._message, block.index))
        if block.status is ToolStatus.RUNNING:
            self._running.setdefault(block.index, (self._title(block.name), self._clock()))
            self._pose(Pose.WORKING)
        elif block.status.ended:
            self._running.pop(block.index, None)
            self._fell_short = block.status is not ToolStatus.SUCCESS
            self._pose(Pose.THINKING)

    def _change_text(self, block: Text, *, ended: bool) -> None:
        """Handle a text block that ended or continues within a code block, which isn't
        shown here.
        """
        fence = "" if ended else open_fence(block.text)
        if fence:
            self._kinds[block.index] = Text
        if self._present and (ended or fence):
            self._bubble.add_text("\n\n" if ended else block.text[block.text.rfind(fence) :])

    def _ask(self, call: ToolUse) -> None:
        """Ask for permission until the user decides, here or in the chat: the title, one fact, and
        the same two answers. A click on the text opens the chat, and so does the third button. What
        can't be undone, changes a file, follows untrusted text, or doesn't fit is decided there.
        """
        if call.index in self._asked and self._asked[call.index] == call.question:
            return  # otherwise the tool has described the call meanwhile
        self._asked[call.index] = call.question
        asked = question_title(call, self._title(call.name))
        text = _question_text(asked, call)
        yes, keep = answer_labels(call)
        no = (ConsentAnswer.DENY.value, keep)
        choices = [(ConsentAnswer.ONCE.value, yes), no, (_OPEN, tr("Chat"))]
        final = call.question is not None and call.question.undoable is False
        changes_file = isinstance(call.shown, ShownDiff) and call.shown.path
        elsewhere = call.flow is not None or final or changes_file
        if elsewhere or not text or not self._bubble.fits(text, sign="info"):
            text = asked
            choices = [(_OPEN, tr("Look at it in the chat"))]
        key = _call_key(self._message, call.index)
        self._held.add(key)
        self._titles[key] = asked
        self.update_seen_in_chat()
        keyboard = BubbleKeyboard(first_choice=ConsentAnswer.DENY.value, in_chat=True)
        self._bubble.ask(key, text, choices, sign="info", plain=True, keyboard=keyboard)
        self._pose(Pose.ASKING)

    def _settle_calls(self) -> None:
        for index in list(self._asked):
            self.withdraw(_call_key(self._message, index))
        self._asked.clear()
        self._running.clear()

    def _answer(self, key: str, choice: str) -> None:
        if key.startswith(_NOTICE):
            self._bubble.withdraw(key)
        elif not key.startswith(_CALL):
            self.answered.emit(key, choice)
        elif choice in ("", _OPEN):
            self.chat_requested.emit()
        else:
            _, message, index = key.split(" ")
            answer = parse_answer(ConsentAnswer, choice) or ConsentAnswer.DENY
            self.approved.emit(message, int(index), answer)

    def _speak(self, text: str) -> None:
        if not text:
            return
        now = self._clock()
        if self._present:
            self._lips.feed(text, now)
            self._bubble.add_text(text)
        self._pose(Pose.SPEAKING)
        if self._present:
            self._move_lips(now)

    # Figure

    def _express(self, name: str) -> None:
        """Show an expression; an unknown name is ignored."""
        known = self._stage.expressions()
        face = next((one for one in known if one.casefold() == name.casefold()), None)
        if face is not None:
            self._stage.express(face)

    def _pose(self, pose: Pose) -> None:
        self._pose_is_external = False
        changes = pose is not self._posed
        if changes or pose not in (Pose.SPEAKING, Pose.LISTENING):
            self._posed = pose
            self._stage.pose(pose)
        if pose is not Pose.THINKING:
            self._thinking_since = None
        elif changes or self._thinking_since is None:
            self._thinking_since = self._clock()
        if changes or pose in (Pose.ASKING, Pose.WORKING, Pose.THINKING):
            self.activity_changed.emit()

    def _move_lips(self, now: float) -> None:
        level, vowel = self._sound.mouth_level, ""
        if level is None:  # no sound: the vowels of the text move the mouth
            speaking = self._lips.speaking(now)
            level, vowel = self._lips.level(now), self._lips.vowel(now)
        else:
            speaking = True
            self._lips.stop()  # spoken text doesn't move the mouth twice
        if speaking or self._mouth_open:
            self._mouth_open = speaking
            self._stage.speak(level, vowel)


def parse_answer(kind: type[C], choice: str) -> C | None:
    """Return the member of `kind` that a button's id names; None for a click on the text ("") and
    for unknown ids.
    """
    return next((one for one in kind if one.value == choice), None)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _call_key(message: str, index: int) -> str:
    return f"{_CALL}{message} {index}"


_LONG = 2_000
"""Characters of raw arguments above which a call never fits into a bubble."""


def _question_text(asked: str, call: ToolUse) -> str:
    """Return the question with one fact: whether the call can be undone, otherwise what it touches;
    "" if that is far too long for a bubble.
    """
    fact = question_fact(call)
    if not fact and len(call.raw_arguments) > _LONG:
        return ""
    return "\n".join(filter(None, (asked, fact or question_subject(call))))


def connect_window(pet: PetWindow, bubble: SpeechBubble) -> CompanionPresenter:
    """Return a companion connected to the real window: frames move the lips, and the bubble follows
    the figure.
    """
    companion = CompanionPresenter(pet, bubble)

    def stand() -> None:
        screens = work_areas()
        figure = pet.placement.figure_rect()
        screen = nearest_screen(figure, screens) if screens else QRect(0, 0, 800, 600)
        if pet.isVisible():
            # While the figure peeks from behind the screen's edge, only its visible part counts.
            mouth, head = pet.placement.mouth_point(), pet.placement.face_rect() & screen
            if not head.isEmpty():
                mouth.setX(max(head.left(), min(head.right(), mouth.x())))
            bubble.place_beside(figure & screen, mouth, screen, head)
        else:
            bubble.place_in_corner(screen)

    def look_at_figure(now: float) -> None:
        companion.advance(now)
        companion.set_asleep(pet.current_pose is Pose.ASLEEP)
        if bubble.isVisible() and pet.update_face():
            stand()

    def show_or_hide(visible: bool) -> None:
        companion.set_visible(visible)
        stand()

    pet.advanced.connect(look_at_figure)
    pet.anchored.connect(stand)
    pet.ready.connect(stand)
    pet.visibleChanged.connect(show_or_hide)
    show_or_hide(pet.isVisible())
    return companion
