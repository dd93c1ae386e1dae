from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

import neodeskpet
from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import MessageState, Notice, Text, Thinking, ToolStatus, ToolUse
from neodeskpet.core.i18n import Reason
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.core.tool_result import ApprovalText
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from neodeskpet.core.wire import CueKind, CueReached, DescriptionAnnounced, PictureDescribed
from neodeskpet.figure.poses import Pose
from neodeskpet.figure.stage import NullStage
from neodeskpet.language import set_language, tr
from neodeskpet.notebook.appointment_tools import RUN_SPEC
from neodeskpet.ui.pet.companion_presenter import (
    ASKING_SECONDS,
    LISTENING_SECONDS,
    CompanionPresenter,
    connect_window,
    parse_answer,
)
from neodeskpet.ui.pet.dropped_files import DropChoice
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.theme import LIGHT
from tests.unit.figure.doubles import description
from tests.unit.ui.pet.conftest import Theatre, heard


class Scene:
    """A companion with a fake figure, a bubble, and a simulated clock."""

    def __init__(self) -> None:
        self.now = 100.0
        self.stage = NullStage(description())
        self.bubble = SpeechBubble()
        self.bubble.place_beside(
            QRect(700, 600, 200, 340), QPoint(800, 700), QRect(0, 0, 1600, 1200)
        )
        self.companion = CompanionPresenter(self.stage, self.bubble, clock=lambda: self.now)

    def play(self, *events: TurnEvent, message: str = "m") -> None:
        self.companion.apply([(message, event) for event in events])

    @property
    def poses(self) -> list[object]:
        return [entry[1] for entry in self.stage.commands if entry[0] == "pose"]

    @property
    def levels(self) -> list[object]:
        return [entry[1] for entry in self.stage.commands if entry[0] == "speak"]


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    made = Scene()
    yield made
    made.bubble.clear()
    made.bubble.close()
    made.bubble.deleteLater()


def call(status: ToolStatus, name: str = "files.write", index: int = 1) -> ToolUse:
    return ToolUse(index, 0, "c", name, status=status)


def test_a_plain_reply(scene: Scene) -> None:
    scene.play(TurnStarted("m"), RoundStarted(0), BlockStarted(Text(0, 0, "你好")))
    assert scene.companion.is_busy
    scene.play(TextAppended(0, "！我是 Neo。"), BlockEnded(Text(0, 0, "你好！我是 Neo。")))
    scene.play(TurnEnded(MessageState.DONE, 1.0))
    assert scene.poses == [Pose.THINKING, Pose.SPEAKING, Pose.HAPPY]
    assert scene.bubble.page_text == "你好！我是 Neo。"
    assert not scene.companion.is_busy


def test_it_is_not_happy_after_a_refusal_or_a_failed_call(scene: Scene) -> None:
    refusal = Text(0, 0, "I don't understand that.", refusal=True)
    scene.play(TurnStarted("m"), BlockStarted(refusal), TurnEnded(MessageState.DONE, 1.0))
    assert scene.poses[-1] is Pose.SORRY
    failed = call(ToolStatus.ERROR)
    scene.play(TurnStarted("n"), BlockStarted(call(ToolStatus.RUNNING)), message="n")
    scene.play(BlockEnded(failed), TurnEnded(MessageState.DONE, 1.0), message="n")
    assert scene.poses[-1] is Pose.SORRY
    scene.play(TurnStarted("o"), BlockEnded(failed), message="o")
    scene.play(BlockEnded(call(ToolStatus.SUCCESS)), TurnEnded(MessageState.DONE, 1.0), message="o")
    assert scene.poses[-1] is Pose.HAPPY


def test_the_expression_of_a_line_comes_with_it(scene: Scene) -> None:
    def worn() -> list[object]:
        return [entry[1] for entry in scene.stage.commands if entry[0] == "express"]

    first, last = CueReached(CueKind.LINE, "Smile"), CueReached(CueKind.LINE, "sad")
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "Hi")), first)
    scene.play(TextAppended(0, "\n\nthere"), CueReached(CueKind.LINE, "nobody's"))
    scene.play(TextAppended(0, "\n\nBye"), last, TurnEnded(MessageState.DONE, 1.0))
    assert scene.bubble.page_text == "Hi"
    assert worn() == ["smile"]
    QTest.mouseClick(scene.bubble, Qt.MouseButton.LeftButton)
    QTest.mouseClick(scene.bubble, Qt.MouseButton.LeftButton)
    assert scene.bubble.page_text == "Bye"
    assert worn() == ["smile", "sad"]
    scene.companion.set_visible(False)
    scene.play(TurnStarted("n"), message="n")
    scene.play(BlockStarted(Text(0, 0, "Hi")), first, message="n")
    assert worn() == ["smile", "sad", "smile"], "hidden, it doesn't wait to be read"


def test_tools_and_questions(scene: Scene) -> None:
    scene.play(
        TurnStarted("m"),
        BlockStarted(Thinking(0, 0, "hm")),
        BlockStarted(call(ToolStatus.WRITING)),
        BlockChanged(call(ToolStatus.ASKING)),
    )
    assert scene.poses[-1] is Pose.ASKING
    assert "files.write" in scene.bubble.page_text
    scene.play(BlockChanged(call(ToolStatus.ASKING)))
    wanted = heard(scene.companion.chat_requested)
    scene.companion.advance(scene.now + 3600)
    QTest.mouseClick(scene.bubble, Qt.MouseButton.LeftButton)
    assert len(wanted) == 1, "a click shows the question in the chat"
    assert "files.write" in scene.bubble.page_text, "it asks until it is answered"
    assert scene.poses[-1] is Pose.ASKING
    scene.play(BlockChanged(call(ToolStatus.RUNNING)))
    assert not scene.bubble.is_speaking
    assert scene.poses[-1] is Pose.WORKING
    scene.play(BlockEnded(call(ToolStatus.SUCCESS)))
    assert scene.poses[-1] is Pose.THINKING


def test_gestures_do_not_count_as_work(scene: Scene) -> None:
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "Hi")))
    scene.play(BlockStarted(call(ToolStatus.RUNNING, "live2d.motion")))
    assert scene.poses == [Pose.THINKING, Pose.SPEAKING]


def test_thinking_is_never_spoken(scene: Scene) -> None:
    scene.play(TurnStarted("m"), BlockStarted(Thinking(0, 0, "secret. ")))
    scene.play(TextAppended(0, "more. secrets. "))
    assert not scene.bubble.is_speaking
    assert scene.levels == []


@pytest.mark.parametrize(
    ("state", "pose"),
    [
        (MessageState.CANCELLED, Pose.IDLE),
        (MessageState.LIMITED, Pose.ASKING),
        (MessageState.FAILED, Pose.SORRY),
        (MessageState.INTERRUPTED, Pose.SORRY),
    ],
)
def test_other_ends(scene: Scene, state: MessageState, pose: Pose) -> None:
    scene.play(TurnStarted("m"), TurnEnded(state, 1.0))
    assert scene.poses[-1] is pose


def test_the_pose_after_a_pause_ends(scene: Scene) -> None:
    scene.play(TurnStarted("m"), TurnEnded(MessageState.LIMITED, 1.0))
    scene.companion.advance(scene.now + ASKING_SECONDS / 2)
    assert scene.poses[-1] is Pose.ASKING
    scene.companion.advance(scene.now + ASKING_SECONDS)
    assert scene.poses[-1] is Pose.IDLE


def test_a_question_waits_for_its_answer(scene: Scene) -> None:
    scene.play(TurnStarted("m"), BlockChanged(call(ToolStatus.ASKING)))
    scene.companion.advance(scene.now + 10 * ASKING_SECONDS)
    assert scene.poses[-1] is Pose.ASKING


def test_a_failure_is_reported(scene: Scene) -> None:
    scene.play(TurnStarted("m"), BlockStarted(Notice(0, 0, "unreachable", detail="[Errno 111]")))
    scene.play(TurnEnded(MessageState.FAILED, 1.0))
    assert scene.bubble.page_text == "The model service can't be reached."


def test_a_failure_that_the_chat_shows_is_not_repeated(scene: Scene) -> None:
    scene.companion.set_chat(Sight(messages=("m",)))
    scene.play(TurnStarted("m"), BlockStarted(Notice(0, 0, "unreachable")))
    scene.play(TurnEnded(MessageState.FAILED, 1.0))
    assert not scene.bubble.is_speaking and not scene.bubble.isVisible()


def test_a_failure_names_a_tool_by_its_title(scene: Scene) -> None:
    scene.companion.set_tool_titles({"note.add": "Add a note"}.__getitem__)
    paused = Notice(0, 0, "repeated_call", {"tool": "note.add", "count": "3"})
    scene.play(TurnStarted("m"), BlockStarted(paused), TurnEnded(MessageState.LIMITED, 1.0))
    assert "Add a note was called 3 times" in scene.bubble.page_text


def test_stop_silences_it(scene: Scene) -> None:
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "One. Two. Three")))
    scene.play(TurnEnded(MessageState.CANCELLED, 1.0))
    assert not scene.bubble.is_speaking
    scene.companion.advance(scene.now)
    assert scene.levels[-1] == 0.0


def test_the_text_of_a_failed_round_is_removed(scene: Scene) -> None:
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "Wrong. ")), BlocksRemoved(0))
    scene.play(TextAppended(0, "ghost. "))
    assert not scene.bubble.is_speaking
    scene.play(BlockStarted(Text(0, 0, "Right. ")))
    assert scene.bubble.page_text == "Right."


def test_rounds_are_paragraphs(scene: Scene) -> None:
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "First")), BlockEnded(Text(0, 0, "First")))
    scene.play(BlockStarted(Text(2, 1, "Second. ")), TurnEnded(MessageState.DONE, 1.0))
    assert scene.bubble.page_text == "First Second."


def test_other_messages_are_not_followed(scene: Scene) -> None:
    scene.play(TurnStarted("m"))
    scene.play(BlockStarted(Text(0, 0, "Ghost. ")), message="other")
    scene.play(TurnEnded(MessageState.FAILED, 1.0), message="other")
    assert scene.poses == [Pose.THINKING]
    assert not scene.bubble.is_speaking


def test_the_lips_move_with_the_text_and_close(scene: Scene) -> None:
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "你好你好")))
    for _ in range(60):
        scene.now += 0.03
        scene.companion.advance(scene.now)
    assert max(scene.levels) > 0.4  # type: ignore[type-var,operator]
    assert scene.levels[-1] == 0.0
    before = len(scene.levels)
    scene.companion.advance(scene.now + 1.0)
    assert len(scene.levels) == before, "a closed mouth needs no commands"


class Voice:
    """A voice whose sound opens the mouth to `mouth_level`."""

    def __init__(self) -> None:
        self.mouth_level: float | None = None
        self.replies = 0

    def begin_reply(self) -> None:
        self.replies += 1

    def end_reply(self) -> None:
        """The text doesn't move the mouth."""


def test_the_lips_move_with_the_sound_and_close_within_two_frames_of_a_stop(scene: Scene) -> None:
    voice = Voice()
    scene.companion.set_voice(voice)
    scene.play(TurnStarted("m"))
    voice.mouth_level = 0.0
    scene.play(BlockStarted(Text(0, 0, "你好你好你好你好")))
    for level in (0.0, 0.2, 0.9, 0.4):
        voice.mouth_level = level
        scene.now += 0.03
        scene.companion.advance(scene.now)
    assert scene.levels[-4:] == [0.0, 0.2, 0.9, 0.4]
    voice.mouth_level = None
    for _ in range(2):
        scene.now += 0.03
        scene.companion.advance(scene.now)
    assert scene.levels[-1] == 0.0, "the written vowels don't continue"
    assert voice.replies == 1


def test_it_listens_while_the_user_types(scene: Scene) -> None:
    scene.companion.show_listening()
    scene.companion.show_listening()
    assert scene.poses == [Pose.LISTENING]
    scene.now += LISTENING_SECONDS + 0.1
    scene.companion.advance(scene.now)
    assert scene.poses[-1] is Pose.IDLE


def test_typing_does_not_disturb_a_turn(scene: Scene) -> None:
    scene.play(TurnStarted("m"))
    scene.companion.show_listening()
    assert scene.poses == [Pose.THINKING]


def test_it_greets(scene: Scene) -> None:
    scene.companion.greet("Hello! I am **Neo**.")
    assert scene.poses == [Pose.GREETING]
    assert scene.bubble.page_text == "Hello! I am Neo."


def test_hidden_it_shows_notices_only(scene: Scene) -> None:
    scene.companion.set_visible(False)
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "One. Two. ")))
    assert scene.levels == [], "no moving mouth is visible"
    scene.play(TurnEnded(MessageState.DONE, 1.0))
    assert not scene.bubble.is_speaking
    scene.companion.show_notice("Your tea is ready!")
    assert scene.bubble.is_speaking


def test_important_notices_are_shown_over_a_question_until_they_were_seen(scene: Scene) -> None:
    answered = heard(scene.companion.answered)
    scene.companion.greet_with_question(
        "hello", "Shall I show you?", (("guide", "Show me"),), dismiss_choice="guide"
    )
    scene.companion.show_sticky_notice("It was written by a newer version.")
    scene.now += 3600
    scene.companion.advance(scene.now)
    assert scene.bubble.page_text == "It was written by a newer version."
    answers(scene)["OK"].click()
    assert scene.bubble.page_text == "Shall I show you?"
    assert answered == []


def test_a_sleeping_figure_says_nothing_and_greets_again_when_it_wakes(scene: Scene) -> None:
    scene.companion.greet_with_question(
        "hello", "Shall I show you?", (("guide", "Show me"),), dismiss_choice="guide"
    )
    scene.companion.set_asleep(True)
    assert not scene.bubble.is_speaking
    scene.companion.set_asleep(False)
    assert scene.bubble.page_text == "Shall I show you?"
    scene.companion.withdraw("hello")
    scene.companion.set_asleep(True)
    scene.companion.set_asleep(False)
    assert not scene.bubble.is_speaking, "it was answered"


def test_the_greeting_closes_when_the_figure_falls_asleep_and_a_question_stays(
    scene: Scene,
) -> None:
    scene.companion.show_notice("Good evening!")
    scene.companion.set_asleep(True)
    assert not scene.bubble.is_speaking
    scene.companion.set_asleep(False)
    scene.companion.ask("q", "Delete it?", (("yes", "Delete"),))
    scene.companion.set_asleep(True)
    assert scene.bubble.page_text == "Delete it?"


def test_a_click_on_the_last_page_requests_the_chat(scene: Scene, qtbot: QtBot) -> None:
    scene.companion.show_notice("Hello!")
    with qtbot.waitSignal(scene.companion.chat_requested):
        QTest.mouseClick(scene.bubble, Qt.MouseButton.LeftButton)


def test_connected_to_the_window(theatre: Theatre) -> None:
    bubble = SpeechBubble()
    pet = theatre.pet
    pet.placement.move_feet_to(QPoint(800, 900))
    companion = connect_window(pet, bubble)
    companion.show_notice("Hello! " * 3)
    head = pet.placement.head_rect()
    theatre.until(lambda: bubble.isVisible() and not bubble.geometry().intersects(head))
    before = bubble.geometry()
    pet.placement.move_feet_to(QPoint(600, 900))
    theatre.until(lambda: bubble.geometry().left() < before.left())
    pet.hide()
    theatre.until(lambda: not bubble.is_speaking)
    companion.show_notice("Still here.")
    assert bubble.is_speaking
    pet.show()
    theatre.wait(0.05)
    bubble.clear()
    bubble.close()


def test_a_question_keeps_its_pose_until_it_is_answered(scene: Scene) -> None:
    told = heard(scene.companion.answered)
    scene.companion.ask("tea", "Tea is ready", (("done", "Done"), ("later", "Snooze 5 min")))
    scene.companion.show_notice("Hello!")
    scene.companion.set_visible(False)
    scene.companion.advance(scene.now + 3600)
    assert scene.bubble.page_text == "Tea is ready"
    assert scene.bubble.choices == ["Done", "Snooze 5 min"]
    assert scene.poses == [Pose.ASKING]
    later = scene.bubble.findChildren(QPushButton)[1]
    QTest.mouseClick(later, Qt.MouseButton.LeftButton)
    assert told == [("tea", "later")]
    scene.companion.withdraw("tea")
    scene.companion.withdraw("tea")
    assert scene.bubble.choices == []
    assert scene.poses[-1] is Pose.IDLE


def test_a_notice_that_waits_is_no_question(scene: Scene) -> None:
    choices = (("done", "OK"), ("open", "Show the costs"))
    scene.companion.ask("budget", "4 of 5 USD are spent", choices, rank=BubbleRank.NOTICE)
    assert scene.bubble.page_text == "4 of 5 USD are spent"
    assert (scene.companion.activity, scene.bubble.shows_question, scene.poses) == (None, False, [])
    scene.companion.ask("tea", "Tea?")
    activity = scene.companion.activity
    assert activity is not None and activity.question == "Tea?"
    assert scene.bubble.page_text == "Tea?"
    scene.companion.withdraw("tea")
    assert scene.bubble.page_text == "4 of 5 USD are spent" and scene.bubble.choices


def test_the_description_of_pictures_is_work(scene: Scene) -> None:
    scene.play(TurnStarted("m"), DescriptionAnnounced(2))
    activity = scene.companion.activity
    assert activity is not None
    assert (activity.tool, activity.tool_since) == ("Looking at 2 pictures", scene.now)
    scene.play(PictureDescribed("d", "A red kettle"))
    activity = scene.companion.activity
    assert activity is not None and (activity.tool, activity.thinking_since) == ("", scene.now)
    scene.play(BlockStarted(Text(0, 0, "A kettle.")), TurnEnded(MessageState.DONE, 1.0))
    assert scene.companion.activity is None
    assert scene.poses[:3] == [Pose.THINKING, Pose.WORKING, Pose.THINKING]


def test_a_reply_ends_and_the_question_stays(scene: Scene) -> None:
    scene.companion.ask("tea", "Tea is ready")
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "Hi.")), TurnEnded(MessageState.DONE, 1.0))
    assert scene.poses[-1] is Pose.ASKING
    assert scene.bubble.page_text == "Tea is ready"
    scene.companion.withdraw("tea")
    assert scene.bubble.page_text == "Hi."


def asking(**arguments: object) -> BlockChanged:
    return BlockChanged(replace(call(ToolStatus.ASKING), arguments=arguments))


def answers(scene: Scene) -> dict[str, QPushButton]:
    buttons = scene.bubble.findChildren(QPushButton)
    return {one.text(): one for one in buttons if not one.isHidden()}


@pytest.mark.parametrize(
    ("button", "choice"),
    [
        ("Allow", ConsentAnswer.ONCE),
        ("Don't allow", ConsentAnswer.DENY),
    ],
)
def test_the_user_answers_at_the_figure(scene: Scene, button: str, choice: ConsentAnswer) -> None:
    given: list[tuple[str, int, ConsentAnswer]] = []
    scene.companion.approved.connect(lambda *answer: given.append(answer))
    scene.play(TurnStarted("m"), asking(path="/home/docs/a`b`\u202e"))
    assert "/home/docs/a`b`\\u202e" in scene.bubble.page_text.replace(" ", "")
    answers(scene)[button].click()
    assert given == [("m", 1, choice)]
    assert scene.poses[-1] is Pose.ASKING


def titles() -> list[str]:
    """The titles of the app's tools in their declarations."""
    called = re.compile(r'title=N_\("([^"…]+)"\)')
    sources = Path(neodeskpet.__file__).parent.rglob("*.py")
    found = {title for file in sources for title in called.findall(file.read_text("utf-8"))}
    # No user calls that: it is how a due one is reported.
    return sorted(found - {tr(RUN_SPEC.title)})


READS = {
    "Add a note": ("Add a note?", "添加笔记？"),
    "Calculate": ("Calculate?", "计算？"),
    "Move a file to the trash": ("Move a file to the trash?", "把文件移到回收站？"),
    "Run a command": ("Run a command?", "运行命令？"),
    "Use an app": ("Use an app?", "使用应用？"),
}


def test_the_question_reads_well_for_each_tool_in_both_languages(scene: Scene) -> None:
    assert len(titles()) > 30
    assert set(READS) <= set(titles())
    for number, title in enumerate(titles()):
        for language in ("en", "zh_CN"):
            set_language(language)
            try:
                shown = tr(title)
                scene.companion.set_tool_titles(lambda _name, shown=shown: shown)  # type: ignore[misc]
                message = f"{language} {number}"
                scene.play(TurnStarted(message), asking(), message=message)
                said = scene.bubble.page_text
            finally:
                set_language("en")
            expected = READS.get(title, ("", ""))[language != "en"]
            assert not expected or said == expected
            if language == "en":
                # A question that begins with the verb.
                assert said == f"{title}?"
                assert title.split()[0] in VERBS
            else:
                assert said == f"{shown}？"
                assert shown != title


VERBS = frozenset(
    (
        "Add",
        "Calculate",
        "Cancel",
        "Change",
        "Check",
        "Clear",
        "Correct",
        "Delete",
        "Edit",
        "Find",
        "Forget",
        "List",
        "Look",
        "Make",
        "Move",
        "Open",
        "Play",
        "Put",
        "Read",
        "Pause",
        "Remember",
        "Resume",
        "Run",
        "Search",
        "Set",
        "Show",
        "Tick",
        "Use",
        "Write",
    )
)
"""A title that begins with another word may not read well as a question: check it in both
languages.
"""


def test_a_foreign_tool_is_asked_about_by_its_name(scene: Scene) -> None:
    scene.play(TurnStarted("m"), asking())
    assert scene.bubble.page_text == "Use “files.write”?"


def test_a_call_that_can_not_be_shown_completely_is_allowed_only_in_the_chat(
    scene: Scene, qtbot: QtBot
) -> None:
    scene.play(TurnStarted("m"), asking(path="/home/docs/a", text="line\n" * 80))
    assert set(answers(scene)) == {"Look at it in the chat"}
    with qtbot.waitSignal(scene.companion.chat_requested):
        answers(scene)["Look at it in the chat"].click()


def test_one_fact_is_enough_for_the_bubble(scene: Scene) -> None:
    title = Reason("Delete the note “{name}”?", {"name": "PIN"})
    asked = ApprovalText(title, "PIN: 4921", verb="Delete", keep="Keep it")
    question = replace(call(ToolStatus.ASKING), arguments={"id": 1}, question=asked)
    scene.play(TurnStarted("m"), BlockChanged(question))
    assert scene.bubble.page_text == "Delete the note “PIN”? Can be undone"
    assert scene.bubble.choices == ["Delete", "Keep it", "Chat"]
    final = replace(question, question=replace(asked, undoable=False))
    scene.play(BlockChanged(final))
    assert scene.bubble.page_text == "Delete the note “PIN”?"
    assert scene.bubble.choices == ["Look at it in the chat"]


def test_a_mood_of_another_program_ends_and_never_replaces_the_state_of_a_turn(
    scene: Scene,
) -> None:
    assert scene.companion.show_pose(Pose.WORKING, 60.0)
    assert scene.poses[-1] is Pose.WORKING
    scene.companion.advance(scene.now + 59)
    assert scene.poses[-1] is Pose.WORKING
    scene.companion.advance(scene.now + 61)
    assert scene.poses[-1] is Pose.IDLE
    scene.play(TurnStarted("m"), RoundStarted(1))
    assert not scene.companion.show_pose(Pose.HAPPY, 60.0)
    scene.play(TurnEnded(MessageState.DONE, 1.0))
    scene.companion.ask("q", "Well?")
    assert not scene.companion.show_pose(Pose.HAPPY, 60.0)
    scene.companion.withdraw("q")
    assert scene.companion.show_pose(Pose.WORKING, 60.0)


def test_of_continued_code_only_its_name_and_the_text_after_it_are_shown(scene: Scene) -> None:
    cut = Text(0, 0, "```python\nprint(")
    scene.play(TurnStarted("m", resumed=True), BlockChanged(cut), TextAppended(0, "1)\n"))
    assert "1" not in scene.bubble.page_text
    scene.play(TextAppended(0, "```\n\nThat was it."), TurnEnded(MessageState.DONE, 1.0))
    assert scene.bubble.page_text == "python, 1 line That was it."


@pytest.mark.parametrize("unknown", ["", "Wear", "withn", "wear ", "nope"])
def test_an_answer_that_was_not_offered_is_ignored(unknown: str) -> None:
    assert parse_answer(DropChoice, unknown) is None
    assert parse_answer(ConsentAnswer, unknown) is None
    assert parse_answer(DropChoice, "wear") is DropChoice.USE_FIGURE


def test_the_answers_are_not_cut_at_double_text_size(scene: Scene) -> None:
    scene.bubble.set_theme(LIGHT.sized(28))
    scene.play(TurnStarted("m"), asking(path="a"))
    for button in answers(scene).values():
        assert button.height() >= button.fontMetrics().height()


@dataclass
class Sight:
    """What the user sees in a chat."""

    is_shown: bool = True
    messages: tuple[str, ...] = ()
    cards: tuple[tuple[str, int], ...] = ()
    questions: tuple[str, ...] = ()

    def sees_message(self, message_id: str) -> bool:
        return message_id in self.messages

    def sees_end(self, message_id: str) -> bool:
        return message_id in self.messages

    def sees_card(self, message_id: str, index: int) -> bool:
        return (message_id, index) in self.cards

    def sees_program_question(self, key: str) -> bool:
        return key in self.questions


def test_what_is_seen_in_the_chat_is_left_to_it(scene: Scene, qtbot: QtBot) -> None:
    chat = Sight(messages=("m",), cards=(("m", 1),))
    scene.companion.set_chat(chat)
    scene.play(TurnStarted("m"), BlockStarted(Text(0, 0, "Let me see. ")))
    assert scene.bubble.page_text == "Let me see."
    assert not scene.bubble.isVisible()
    scene.play(BlockStarted(call(ToolStatus.ASKING)))
    assert scene.companion.open_calls == [("m", 1)]
    assert not scene.bubble.isVisible() and scene.bubble.has_question
    chat.cards = ()
    scene.companion.update_seen_in_chat()
    assert scene.bubble.shows_question, "the card was scrolled away"
    scene.play(BlockChanged(call(ToolStatus.RUNNING)))
    assert scene.companion.open_calls == []
    qtbot.waitUntil(lambda: not scene.bubble.isVisible())
    chat.messages = ()
    scene.companion.update_seen_in_chat()
    assert scene.bubble.isVisible(), "the reply was scrolled away"


def test_a_question_of_a_program_is_left_to_the_chat_while_the_user_is_there(
    scene: Scene, qtbot: QtBot
) -> None:
    chat = Sight(questions=("p",))
    scene.companion.set_chat(chat)
    assert not scene.companion.needs_answer
    scene.companion.ask_external("p", "Run “make”?", (("0", "Run"), ("later", "Not now")), "plug")
    assert scene.companion.needs_answer, "the menu leads to it"
    assert not scene.bubble.isVisible() and scene.bubble.has_question
    chat.questions = ()
    scene.companion.update_seen_in_chat()
    assert scene.bubble.shows_question and scene.bubble.choices == ["Run", "Not now"]
    scene.companion.withdraw("p")
    assert not scene.companion.needs_answer
    qtbot.waitUntil(lambda: not scene.bubble.isVisible())
