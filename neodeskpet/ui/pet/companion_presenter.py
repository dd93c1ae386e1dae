"""What joins the turn to the body: pose, lips and bubble follow the events of a reply.

The companion decides nothing about the turn; it only shows it. `join(pet, bubble)` fits it to the
real window.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import QGuiApplication

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import Block, MessageState, Notice, Text, Thinking, ToolStatus, ToolUse
from neodeskpet.core.markdown.splitter import open_fence
from neodeskpet.core.tool_result import ApprovalText, ShownDiff
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from neodeskpet.core.wire import CueKind, CueReached
from neodeskpet.figure.lipsync import LipSync
from neodeskpet.figure.poses import Pose
from neodeskpet.figure.stage import Stage
from neodeskpet.language import tr, translate_code, with_tool_title
from neodeskpet.ui.chat.approval import ApprovalInfo, NoApprovalInfo, grant_button_text
from neodeskpet.ui.formatting import answer_labels, question_fact, question_thing, question_title
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import nearest_screen
from neodeskpet.ui.pet.speech_bubble import SpeechBubble

FIGURE_TOOL_PREFIX = "live2d."
"""Tools that move the companion itself; they are seen anyway, so they are no work."""
LISTENING_SECONDS = 6.0
ASKING_SECONDS = 10.0
"""How long it looks at the person after a turn that paused."""

C = TypeVar("C", bound=Enum)


class SoundingVoice(Protocol):
    """The voice that speaks the bubble's text, seen from the mouth."""

    @property
    def mouth_level(self) -> float | None:
        """How far the mouth is open by the sound that is played (0 to 1); None while none is."""
        ...

    def begin_reply(self) -> None:
        """A reply starts."""
        ...


class _SilentVoice:
    """No sound: the mouth follows the written vowels."""

    mouth_level = None

    def begin_reply(self) -> None:
        """Do nothing."""


_CALL = "call "
_NOTICE = "told "
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
    """`clock` has to be the one of the stage's frames."""

    chat_requested = Signal()
    """The bubble was clicked: the person wants to see or answer."""
    answered = Signal(str, str)
    """What was asked by `ask`, and the choice; "" for a click on its words."""
    approved = Signal(str, int, object)
    """A call that asks (message and block), and the person's `ConsentAnswer`."""

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
        self._mouth_open = False
        self._message = ""
        self._kinds: dict[int, type[Block]] = {}
        self._asked: dict[int, ApprovalText | None] = {}  # calls that wait for the person
        self._consent: ApprovalInfo = NoApprovalInfo()
        self._held: set[str] = set()  # questions that keep it looking at the person
        self._trouble = ""
        self._fell_short = False  # the model declined, or its last call failed
        self._posed = Pose.IDLE
        self._calm_at = 0.0
        self._lent = False  # whether the pose is that of another program
        self._present = True
        bubble.activated.connect(self.chat_requested)
        bubble.expression_requested.connect(self._express)
        bubble.answered.connect(self._answer)

    @property
    def is_busy(self) -> bool:
        """Whether a turn is followed now."""
        return bool(self._message)

    @property
    def has_question(self) -> bool:
        """Whether a question waits, behind which a greeting would be stale."""
        return self._bubble.has_question

    @property
    def has_open_call(self) -> bool:
        """Whether a tool waits for the user's permission."""
        return any(key.startswith(_CALL) for key in self._held)

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        """Events of turns, in order, each with its message's id."""
        for message_id, event in batch:
            self._see(message_id, event)

    def set_tool_titles(self, title: Callable[[str], str]) -> None:
        """What people call a tool, in the language of now, by its name."""
        self._title = title

    def set_voice(self, voice: SoundingVoice) -> None:
        """The mouth follows the sound of `voice` while there is any."""
        self._sound = voice

    def set_approval_info(self, consent: ApprovalInfo) -> None:
        """Who knows what "always" could mean for a call."""
        self._consent = consent

    def show_listening(self) -> None:
        """The person types: look up and listen, for a few seconds after the last key."""
        self._calm_at = self._clock() + LISTENING_SECONDS
        if not self.is_busy:
            self._pose(Pose.LISTENING)

    def show_notice(self, text: str) -> None:
        """Say a whole notice (Markdown): a timer rings, a greeting."""
        self._bubble.show_notice(text)
        self._voice(text)

    def show_sticky_notice(self, text: str) -> None:
        """Say a notice (Markdown) that stays, over whatever is asked, until all of it was seen."""
        self._bubble.ask(f"{_NOTICE}{text}", text, (("seen", tr("All right")),), whole=True)
        self._voice(text)

    def show_external_notice(
        self, text: str, sign: str, gone: Callable[[], None], *, key: str, seconds: float
    ) -> None:
        """Say what another program has to say (plain text); `gone` is called when it was read, was
        taken back by `settle(key)`, or had to wait longer than so many `seconds`.
        """
        self._bubble.show_notice(text, sign=sign, plain=True, gone=gone, key=key, seconds=seconds)
        self._voice(text)

    def show_remark(self, key: str, text: str, choices: Sequence[tuple[str, str]]) -> None:
        """Say something by itself (plain text), to which there are answers while it is there."""
        self._bubble.withdraw(key)
        self._bubble.show_notice(text, plain=True, key=key, choices=choices)
        self._voice(text)

    def ask_external(
        self, key: str, text: str, choices: Sequence[tuple[str, str]], sign: str
    ) -> None:
        """Ask what another program asks (plain text), until `settle(key)`. The buttons come with
        its last page.
        """
        self._held.add(key)
        self._bubble.ask(key, text, choices, sign=sign, plain=True, whole=True)
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
    ) -> None:
        """Ask (Markdown) and look at the person until `settle(key)`. `choices` are buttons: an id
        and its text. Also while hidden.
        """
        self._held.add(key)
        self._bubble.ask(key, text, choices, sign=sign)
        self._pose(Pose.ASKING)

    def withdraw(self, key: str) -> None:
        """The question needs no answer any more. Idempotent."""
        self._bubble.withdraw(key)
        if key in self._held:
            self._held.discard(key)
            if not self._held and not self.is_busy and self._posed is Pose.ASKING:
                self._pose(Pose.IDLE)

    def show_pose(self, pose: Pose, seconds: float) -> bool:
        """Show a mood for so long; not while a turn, or a question, has the body."""
        if self.is_busy or self._held:
            return False
        self._pose(pose)
        self._calm_at = self._clock() + seconds
        self._lent = True
        return True

    def greet(self, text: str) -> None:
        """Wave and say hello."""
        self._pose(Pose.GREETING)
        self.show_notice(text)

    def greet_with_question(self, key: str, text: str, choices: Sequence[tuple[str, str]]) -> None:
        """The same for somebody new, with buttons, until `settle(key)`."""
        self._pose(Pose.GREETING)
        self._bubble.ask(key, text, choices)

    def set_visible(self, present: bool) -> None:
        """Whether the companion is to be seen. Away, it says notices only."""
        self._present = present
        if not present:
            self._bubble.clear()

    def advance(self, now: float) -> None:
        """A frame is due."""
        self._move_lips(now)
        passing = self._lent or self._posed in (Pose.LISTENING, Pose.ASKING)
        if passing and not self.is_busy and now >= self._calm_at and not self._held:
            self._pose(Pose.IDLE)

    # The turn

    def _see(self, message_id: str, event: TurnEvent) -> None:
        if isinstance(event, TurnStarted):
            self._start(message_id)
        elif message_id != self._message:
            return
        elif isinstance(event, TurnEnded):
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

    def _start(self, message_id: str) -> None:
        self._message = message_id
        self._kinds.clear()
        self._settle_calls()
        self._trouble = ""
        self._fell_short = False
        self._lips.stop()
        if self._present:
            self._bubble.start_reply()
        self._sound.begin_reply()
        self._pose(Pose.THINKING)

    def _end(self, state: MessageState) -> None:
        self._settle_calls()
        self._message = ""
        self._lips.end(self._clock())
        if self._present:
            self._bubble.end_reply()
        if state is MessageState.CANCELLED:
            self._lips.stop()
            self._bubble.clear()
        elif self._trouble and self._present:
            self._bubble.show_notice(self._trouble)
        self._calm_at = self._clock() + ASKING_SECONDS
        pose = _END_POSES[state]
        if pose is Pose.HAPPY and self._fell_short:
            pose = Pose.SORRY
        self._pose(Pose.ASKING if self._held else pose)

    def _restart(self, start: int) -> None:
        """A failed round is tried again: what it said is taken back."""
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
            self._trouble = translate_code(block.code, with_tool_title(block.params, self._title))[
                0
            ]

    def _grow(self, index: int, text: str) -> None:
        if self._kinds.get(index) is Text:
            self._speak(text)

    def _end_line(self, face: str) -> None:
        """A line that is said by itself is complete: its expression comes when it is said."""
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
            self._pose(Pose.WORKING)
        elif block.status.ended:
            self._fell_short = block.status is not ToolStatus.SUCCESS
            self._pose(Pose.THINKING)

    def _change_text(self, block: Text, *, ended: bool) -> None:
        """It has ended, or goes on in the code in which it was cut: that isn't said either."""
        fence = "" if ended else open_fence(block.text)
        if fence:
            self._kinds[block.index] = Text
        if self._present and (ended or fence):
            self._bubble.add_text("\n\n" if ended else f"{fence}\n")

    def _ask(self, call: ToolUse) -> None:
        """Until the person decides, here or in the chat: a click on the words opens it there. What
        can't be read whole here is decided there.
        """
        if call.index in self._asked:
            if self._asked[call.index] == call.question:
                return
            # The tool has described the call in the meantime.
            self.withdraw(_call_key(self._message, call.index))
        self._asked[call.index] = call.question
        asked = question_title(call, self._title(call.name))
        text = _question_text(asked, call)
        grants = self._consent.grants(call)[:1]
        yes, keep = answer_labels(call)
        no = (ConsentAnswer.DENY.value, keep)
        choices = [
            (ConsentAnswer.ONCE.value, yes),
            *((ConsentAnswer.for_grant(grant).value, grant_button_text(grant)) for grant in grants),
            no,
        ]
        final = call.question is not None and call.question.undoable is False
        changes_file = isinstance(call.shown, ShownDiff) and call.shown.path
        if call.flow is not None or final or changes_file:  # it is read and answered there
            text = asked
            choices = [(_OPEN, tr("Look at it in the chat")), no]
        elif not text or not self._bubble.fits(text, sign="info"):
            text = tr("{question} There is more to it: please decide in the chat.", question=asked)
            choices = [(_OPEN, tr("Open chat")), no]
        key = _call_key(self._message, call.index)
        self._held.add(key)
        self._bubble.ask(key, text, choices, sign="info", plain=True)
        self._pose(Pose.ASKING)

    def _settle_calls(self) -> None:
        for index in list(self._asked):
            self.withdraw(_call_key(self._message, index))
        self._asked.clear()

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

    # The body

    def _express(self, name: str) -> None:
        """A name that the model on stage doesn't have moves nothing."""
        known = self._stage.expressions()
        face = next((one for one in known if one.casefold() == name.casefold()), None)
        if face is not None:
            self._stage.express(face)

    def _pose(self, pose: Pose) -> None:
        self._lent = False
        if pose is not self._posed or pose not in (Pose.SPEAKING, Pose.LISTENING):
            self._posed = pose
            self._stage.pose(pose)

    def _move_lips(self, now: float) -> None:
        level, vowel = self._sound.mouth_level, ""
        if level is None:  # silent: the written vowels move the mouth
            speaking = self._lips.speaking(now)
            level, vowel = self._lips.level(now), self._lips.vowel(now)
        else:
            speaking = True
            self._lips.stop()  # written words that are spoken don't move the mouth a second time
        if speaking or self._mouth_open:
            self._mouth_open = speaking
            self._stage.speak(level, vowel)


def parse_answer(kind: type[C], choice: str) -> C | None:
    """The answer of `kind` that a button's id names; None for a click on the words ("") and for
    anything that is no answer.
    """
    return next((one for one in kind if one.value == choice), None)


def _call_key(message: str, index: int) -> str:
    return f"{_CALL}{message} {index}"


_LONG = 2_000
"""Characters of arguments, as the model wrote them, that no bubble holds."""


def _question_text(asked: str, call: ToolUse) -> str:
    """The question with all that the call touches; "" if that is far too much for a bubble."""
    if len(call.raw_arguments) > _LONG:
        return ""
    return "\n".join(filter(None, (asked, question_thing(call), question_fact(call))))


def connect_window(pet: PetWindow, bubble: SpeechBubble) -> CompanionPresenter:
    """The companion of the real window: frames move the lips, the bubble keeps beside it."""
    companion = CompanionPresenter(pet, bubble)

    def stand() -> None:
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        figure = pet.placement.figure_rect()
        screen = nearest_screen(figure, screens) if screens else QRect(0, 0, 800, 600)
        if pet.isVisible():
            # Of one that peeks from behind the screen's edge what is seen counts.
            mouth, head = pet.placement.mouth_point(), pet.placement.head_rect() & screen
            if not head.isEmpty():
                mouth.setX(max(head.left(), min(head.right(), mouth.x())))
            bubble.place_beside(figure & screen, mouth, screen, head)
        else:
            bubble.place_in_corner(screen)

    def show_or_hide(visible: bool) -> None:
        companion.set_visible(visible)
        stand()

    pet.advanced.connect(companion.advance)
    pet.anchored.connect(stand)
    pet.ready.connect(stand)
    pet.visibleChanged.connect(show_or_hide)
    show_or_hide(pet.isVisible())
    return companion
