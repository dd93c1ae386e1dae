"""The queue of the speech bubble, on a simulated clock."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.speech_bubble import (
    CHOICE_SECONDS,
    LAST_PAGE_EXTRA_SECONDS,
    LONGEST_READING_SECONDS,
    SECONDS_AFTER_HOLD,
    VOICE_PAUSE_SECONDS,
    BubbleMessage,
    BubbleQueue,
    BubbleRank,
    NoVoice,
    extra_seconds,
    reading_seconds,
)
from neodeskpet.core.speech_pages import PillKind, SpeechPages, pill
from tests.unit.core.test_speech import breaks


@dataclass
class Voice:
    """A voice that speaks the given text while it is on."""

    on: bool = True
    spoken: list[str] = field(default_factory=list)

    def speak(self, words: str, *, is_reply: bool) -> bool:
        if self.on:
            self.spoken.append(words)
        return self.on

    def stop(self) -> None:
        self.spoken.append("(cut)")


class Scene:
    def __init__(self, voice: Voice | None = None) -> None:
        self.now = 0.0
        self.faces: list[str] = []
        self.gone: list[str] = []
        self.queue = BubbleQueue(self.faces.append, voice)

    def speech(self, text: str = "", *, ended: bool = False) -> SpeechPages:
        speech = SpeechPages(breaks, 3)
        for line in text.split("|") if text else ():
            speech.add(line)
            speech.end_line("")
        speech.ended = ended
        return speech

    def say(self, text: str) -> None:
        def gone() -> None:
            self.gone.append(text)

        self.queue.say(BubbleMessage(self.speech(text, ended=True), gone), self.now)

    def ask(self, text: str, key: str = "q", rank: BubbleRank = BubbleRank.QUESTION) -> None:
        saying = BubbleMessage(
            self.speech(text, ended=True),
            key=key,
            choices=(("y", "Yes"),),
            asks=True,
            rank=rank,
        )
        self.queue.ask(saying, self.now)

    def line(self, text: str, face: str = "") -> None:
        self.queue.add([text], self.now)
        self.queue.end_line(face, self.now)

    @property
    def shown(self) -> str:
        present = self.queue.current
        return present.speech.text if present is not None else ""

    def wait(self) -> float:
        """Advance the clock until the queue continues; return the time."""
        due = self.queue.due
        assert due is not None
        self.queue.tick(due - 0.01)
        took, self.now = due - self.now, due
        self.queue.tick(self.now)
        return took


def test_lines_play_one_after_another_with_their_expressions() -> None:
    scene = Scene()
    scene.queue.start_reply(scene.speech(), 0.0)
    assert scene.queue.due is None
    scene.line("Hello", "smile")
    scene.line("there")
    scene.line("Bye", "wink")
    assert (scene.shown, scene.faces) == ("Hello", ["smile"])
    assert scene.wait() == reading_seconds("Hello")
    assert (scene.shown, scene.faces) == ("there", ["smile"])
    scene.wait()
    assert (scene.shown, scene.faces) == ("Bye", ["smile", "wink"])
    assert scene.queue.due is None, "more text may come"
    scene.queue.end_reply(scene.now)
    assert scene.wait() == pytest.approx(reading_seconds("Bye") + LAST_PAGE_EXTRA_SECONDS)
    assert scene.queue.current is None
    assert scene.queue.reply is None


def test_the_expression_of_a_spoken_line_is_shown_with_its_first_sound() -> None:
    scene = Scene(Voice())
    scene.queue.start_reply(scene.speech(), 0.0)
    scene.line("Hello", "smile")
    scene.line("Bye", "wink")
    assert scene.faces == [], "the sound isn't ready yet"
    scene.queue.voice_started()
    assert scene.faces == ["smile"]
    scene.queue.voice_finished(1.0)
    scene.now = 1.0
    scene.wait()
    assert (scene.shown, scene.faces) == ("Bye", ["smile"])
    scene.queue.voice_started()
    assert scene.faces == ["smile", "wink"]


def test_a_voice_that_fails_does_not_keep_the_expression_back() -> None:
    scene = Scene(Voice())
    scene.queue.voice_started()
    scene.queue.start_reply(scene.speech(), 0.0)
    scene.line("Hello", "smile")
    scene.queue.voice_finished(0.5)
    assert scene.faces == ["smile"]


def test_an_expression_that_comes_while_its_line_is_heard_is_shown_at_once() -> None:
    scene = Scene(Voice())
    scene.queue.start_reply(scene.speech(), 0.0)
    scene.queue.add(["Hello"], 0.0)
    scene.queue.voice_started()
    assert scene.faces == []
    scene.queue.end_line("smile", 0.1)
    assert scene.faces == ["smile"]


def test_a_page_that_grows_is_shown_longer() -> None:
    scene = Scene()
    scene.queue.start_reply(scene.speech(), 0.0)
    scene.queue.add(["One."], 0.0)
    scene.now = 60.0
    scene.queue.add([" Two."], scene.now)
    scene.queue.end_reply(scene.now)
    assert scene.wait() == pytest.approx(extra_seconds(" Two.") + LAST_PAGE_EXTRA_SECONDS)
    scene.queue.start_reply(scene.speech(), scene.now)
    scene.queue.add(["字" * 10], scene.now)
    for _ in range(10):
        scene.queue.add(["字"], scene.now)
    assert scene.queue.due is None
    scene.queue.end_reply(scene.now)
    assert scene.queue.due is not None
    assert scene.queue.due <= scene.now + LONGEST_READING_SECONDS + LAST_PAGE_EXTRA_SECONDS


def test_an_expression_without_text_is_shown_at_once() -> None:
    scene = Scene()
    scene.queue.end_line("lost", 0.0)
    scene.queue.add(["lost"], 0.0)
    scene.queue.end_reply(0.0)
    scene.queue.start_reply(scene.speech(), 0.0)
    scene.queue.end_line("smile", 0.0)
    scene.queue.end_line("", 0.0)
    assert scene.faces == ["smile"]
    scene.queue.end_reply(0.0)
    assert scene.queue.reply is None


def test_a_late_expression_is_shown_with_the_line_that_is_read() -> None:
    scene = Scene()
    scene.queue.start_reply(scene.speech(), 0.0)
    scene.queue.add(["Hi."], 0.0)
    assert scene.faces == []
    scene.queue.end_line("smile", 1.0)
    assert scene.faces == ["smile"]


def test_a_click_shows_the_next_page_and_the_last_one_closes() -> None:
    scene = Scene()
    scene.say("one|two")
    assert scene.queue.next_page(0.0)
    assert scene.shown == "two"
    assert scene.queue.due == reading_seconds("two") + LAST_PAGE_EXTRA_SECONDS
    assert not scene.queue.next_page(0.0)
    scene.queue.dismiss(0.0)
    assert scene.gone == ["one|two"]
    scene.queue.dismiss(0.0)
    assert not scene.queue.next_page(0.0)


def test_a_held_page_stays_and_has_time_afterwards() -> None:
    scene = Scene()
    scene.say("one|two")
    scene.queue.set_held(False, 0.0)
    scene.queue.set_held(True, 1.0)
    assert scene.queue.held
    assert scene.queue.due is None
    scene.queue.tick(1000.0)
    assert scene.shown == "one"
    scene.queue.set_held(False, 1000.0)
    assert scene.queue.due == 1000.0 + SECONDS_AFTER_HOLD


def test_stopping_clears_everything_but_questions() -> None:
    scene = Scene()
    scene.queue.start_reply(scene.speech(), 0.0)
    scene.line("reply")
    scene.say("one")
    scene.say("two")
    scene.say("")
    assert scene.gone == [""]
    scene.ask("May I?")
    scene.queue.clear(0.0)
    assert scene.gone == ["", "one", "two"]
    assert scene.shown == "May I?"
    assert scene.queue.due is None, "a question waits for an answer"
    scene.queue.dismiss(0.0)
    assert scene.queue.is_asking
    scene.queue.withdraw("q", 0.0)
    assert scene.queue.current is None


def test_the_order_is_question_timer_notice_reply_remark() -> None:
    scene = Scene()
    remark = BubbleMessage(scene.speech("remark", ended=True), rank=BubbleRank.REMARK)
    scene.queue.say(remark, 0.0)
    assert scene.shown == "remark"
    scene.queue.start_reply(scene.speech(), 0.0)
    assert scene.shown == "remark", "the reply has no text yet"
    scene.line("reply", "smile")
    assert (scene.shown, scene.queue.waiting) == ("reply", 1)
    scene.say("notice")
    assert scene.shown == "notice"
    scene.ask("old tea", "tea", rank=BubbleRank.TIMER)
    scene.ask("pie", "pie", rank=BubbleRank.TIMER)
    assert scene.shown == "pie", "it is the one that rings"
    scene.ask("May I?", "a")
    scene.ask("tart", "tart", rank=BubbleRank.TIMER)
    assert (scene.shown, scene.queue.waiting) == ("May I?", 6)
    shown = []
    for key in ("a", "tart", "pie", "tea"):
        scene.queue.withdraw(key, 0.0)
        shown.append(scene.shown)
    assert shown == ["tart", "pie", "old tea", "notice"]
    scene.now = 50.0
    scene.queue.dismiss(scene.now)
    assert (scene.shown, scene.queue.waiting) == ("reply", 1)
    assert scene.faces == ["smile", "smile"], "it is shown again"
    scene.queue.dismiss(scene.now)
    assert (scene.shown, scene.queue.waiting) == ("remark", 0)


def test_the_newest_question_is_first_and_an_updated_one_keeps_its_place() -> None:
    scene = Scene()
    scene.ask("old", "a")
    scene.ask("new", "b")
    assert scene.shown == "new"
    scene.ask("older", "a")
    assert scene.shown == "new"
    scene.ask("newer", "b")
    assert scene.shown == "newer"
    scene.ask("", "b")
    assert (scene.shown, scene.queue.waiting) == ("older", 0)


def test_nothing_is_shown_in_place_of_a_question_that_is_pointed_at() -> None:
    """A button must not become another one below the pointer."""
    scene = Scene()
    scene.ask("tea", "tea", rank=BubbleRank.TIMER)
    scene.queue.set_held(True, 0.0)
    scene.ask("May I?", "a")
    assert (scene.shown, scene.queue.waiting) == ("tea", 1)
    scene.ask("more tea", "tea", rank=BubbleRank.TIMER)
    assert scene.shown == "more tea"
    scene.queue.set_held(False, 1.0)
    assert scene.shown == "May I?"


def test_a_question_that_is_seen_in_the_chat_is_not_shown() -> None:
    scene = Scene()
    scene.say("notice")
    scene.ask("May I?", "a")
    scene.queue.set_elsewhere(["a"], 0.0)
    assert (scene.shown, scene.queue.waiting) == ("notice", 0)
    assert scene.queue.is_asking
    scene.queue.set_elsewhere([], 0.0)
    assert scene.shown == "May I?"


def test_the_voice_gets_only_what_is_new() -> None:
    voice = Voice()
    scene = Scene(voice)
    table = pill(PillKind.TABLE, "T")
    scene.queue.start_reply(SpeechPages(breaks, 5), 0.0)
    for sentence in ("字" * 14, "。再说", f"\n{table}"):
        scene.queue.add([sentence], 0.0)
    assert voice.spoken == ["字" * 14, "。再说", f" {table}"]


def test_a_closed_text_ends_with_other_words() -> None:
    voice = Voice()
    queue = BubbleQueue(voice=voice)
    speech = SpeechPages(breaks, 2, "the rest")
    queue.start_reply(speech, 0.0)
    queue.add(["one two 3 four five"], 0.0)
    speech.close()
    queue.add([""], 0.0)
    assert voice.spoken == ["one two 3 four five", "the rest"]
    assert speech.text == "one two 3 the rest"


def test_buttons_of_a_long_question_come_with_its_last_page() -> None:
    scene = Scene()
    saying = BubbleMessage(
        scene.speech("one|two"),
        key="q",
        choices=(("y", "Yes"),),
        choices_on_last_page=True,
        asks=True,
    )
    scene.queue.ask(saying, 0.0)
    assert saying.buttons == ()
    scene.queue.next_page(0.0)
    assert saying.buttons == (("y", "Yes"),)


def test_a_notice_with_choices_passes_and_can_be_withdrawn() -> None:
    scene = Scene()
    gone: list[str] = []
    for key in ("a", "b"):
        saying = BubbleMessage(
            scene.speech(key, ended=True),
            lambda key=key: gone.append(key),
            key,
            (("w", "Why?"),),  # type: ignore[misc]
        )
        scene.queue.say(saying, 0.0)
    assert scene.queue.due is not None
    scene.queue.withdraw("a", 0.0)
    assert (scene.shown, gone) == ("b", ["a"])
    assert scene.wait() == reading_seconds("b") + CHOICE_SECONDS
    assert gone == ["a", "b"]


def test_a_hidden_bubble_waits_and_starts_again() -> None:
    scene = Scene()
    scene.queue.set_shown(False, 0.0)
    scene.say("one|two")
    assert scene.queue.due is None
    scene.queue.set_shown(True, 100.0)
    assert scene.queue.due == 100.0 + reading_seconds("one")


def test_the_voice_sets_the_pace_while_it_speaks() -> None:
    voice = Voice()
    scene = Scene(voice)
    scene.queue.voice_finished(0.0)
    scene.queue.start_reply(scene.speech(), 0.0)
    scene.queue.add(["One."], 0.0)
    scene.queue.add([" Two."], 0.0)
    scene.queue.end_line("", 0.0)
    scene.line("Three")
    scene.queue.end_reply(0.0)
    assert voice.spoken == ["One.", " Two."]
    assert scene.queue.due is None
    scene.queue.voice_finished(7.0)
    assert scene.queue.due == 7.0 + VOICE_PAUSE_SECONDS
    scene.queue.tick(8.0)
    assert voice.spoken[-1] == "Three"
    voice.on = False
    scene.say("a notice")
    assert voice.spoken[-1] == "(cut)", "it was in between"
    assert scene.queue.due == reading_seconds("a notice") + LAST_PAGE_EXTRA_SECONDS, (
        "the voice is off, so the text is read"
    )


def test_the_time_depends_on_the_length() -> None:
    assert reading_seconds("ok") < reading_seconds("字" * 40) < reading_seconds("字" * 80)
    assert reading_seconds("word " * 10_000) == LONGEST_READING_SECONDS
    assert 2 * reading_seconds("字" * 30) > reading_seconds("letters, " * 12)
    NoVoice().stop()


ACTS = st.one_of(
    st.tuples(st.just("begin"), st.just("")),
    st.tuples(st.just("line"), st.sampled_from(["a", "one two three four five", ""])),
    st.tuples(
        st.sampled_from(
            ["end_reply", "next_page", "dismiss", "clear", "withdraw", "voice_finished"]
        ),
        st.just(""),
    ),
    st.tuples(st.sampled_from(["say", "ask"]), st.sampled_from(["x", "x|y", ""])),
    st.tuples(st.sampled_from(["set_held", "set_shown"]), st.sampled_from(["", "on"])),
    st.tuples(st.just("wait"), st.sampled_from(["1", "9"])),
)


def act(scene: Scene, name: str, value: str) -> None:
    queue, now = scene.queue, scene.now
    match name:
        case "begin":
            queue.start_reply(scene.speech(), now)
        case "line":
            scene.line(value, "smile")
        case "say":
            scene.say(value)
        case "ask":
            scene.ask(value)
        case "set_held" | "set_shown":
            getattr(queue, name)(bool(value), now)
        case "withdraw":
            queue.withdraw("q", now)
        case "wait":
            scene.now += float(value)
            queue.tick(scene.now)
        case _:
            getattr(queue, name)(now)


@given(st.lists(ACTS, max_size=40), st.booleans())
def test_everything_is_shown_in_the_end(acts: list[tuple[str, str]], voiced: bool) -> None:
    """The queue never hangs, and each notice is reported closed once."""
    scene = Scene(Voice(on=voiced))
    said = 0
    for name, value in acts:
        said += name == "say"
        act(scene, name, value)
        present = scene.queue.current
        assert present is None or not present.speech.empty
    scene.queue.set_held(False, scene.now)
    scene.queue.set_shown(True, scene.now)
    scene.queue.withdraw("q", scene.now)
    scene.queue.end_reply(scene.now)
    for _ in range(200):
        scene.queue.voice_finished(scene.now)
        if scene.queue.due is None:
            break
        scene.now = max(scene.now, scene.queue.due)
        scene.queue.tick(scene.now)
    assert scene.queue.current is None
    assert len(scene.gone) == said


def _speech(text: str) -> SpeechPages:
    speech = SpeechPages(breaks, 3)
    speech.add(text)
    speech.close()
    return speech


def test_a_text_that_waited_too_long_is_dropped() -> None:
    gone: list[str] = []
    queue = BubbleQueue()
    queue.say(BubbleMessage(_speech("Welcome back!")), 0.0)
    queue.say(BubbleMessage(_speech("Done."), lambda: gone.append("late"), latest=20.0), 1.0)
    queue.say(BubbleMessage(_speech("Now."), lambda: gone.append("in time"), latest=500.0), 1.0)
    queue.dismiss(30.0)
    assert gone == ["late"]
    assert queue.current is not None
    assert queue.current.speech.text == "Now."


def test_a_text_that_began_in_time_stays() -> None:
    queue = BubbleQueue()
    queue.say(BubbleMessage(_speech("Done."), latest=20.0), 1.0)
    queue.say(BubbleMessage(_speech("More.")), 60.0)
    assert queue.current is not None
    assert queue.current.speech.text == "Done."
