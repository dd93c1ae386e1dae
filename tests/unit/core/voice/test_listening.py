"""Listening and barge-in as transcripts: events, and the commands that follow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.voice.listening import (
    Command,
    Commands,
    ListeningState,
    ListenMode,
    Phase,
    RecognizedText,
)

FRAME_MS = 10


def play(state: ListeningState, script: str) -> list[str]:
    """Each line of `script` is an event; `speech 40` and `quiet 700` are milliseconds of frames.
    The result names the commands with the milliseconds of frames at which they came.
    """
    log: list[str] = []
    now = 0

    def note(commands: Commands) -> None:
        log.extend(
            f"{now} said {one.text}" if isinstance(one, RecognizedText) else f"{now} {one.name}"
            for one in commands
        )

    for line in script.split("; "):
        word, _, rest = line.partition(" ")
        if word in ("speech", "quiet"):
            for _ in range(int(rest) // FRAME_MS):
                now += FRAME_MS
                note(state.frame(word == "speech"))
        elif word == "recognized":
            note(state.recognized(rest))
        else:
            note(getattr(state, word)())
    return log


def hands_free() -> ListeningState:
    return ListeningState(ListenMode.HANDS_FREE, FRAME_MS)


def push_to_talk() -> ListeningState:
    return ListeningState(ListenMode.PUSH_TO_TALK, FRAME_MS)


def test_a_sentence_without_hands() -> None:
    state = hands_free()
    assert play(state, "start; quiet 100; speech 1000; quiet 700; recognized Hello") == [
        "0 OPEN_MICROPHONE",
        "110 START_RECORDING",
        "1340 RECOGNIZE_EARLY",
        "1800 RECOGNIZE",
        "1800 said Hello",
    ]
    assert state.phase is Phase.WAITING


def test_a_short_sound_is_discarded() -> None:
    assert play(hands_free(), "start; speech 200; quiet 50") == [
        "0 OPEN_MICROPHONE",
        "10 START_RECORDING",
        "210 DISCARD_RECORDING",
    ]


def test_a_pause_within_a_sentence_does_not_end_it() -> None:
    assert play(hands_free(), "start; speech 500; quiet 690; speech 100; quiet 690")[1:] == [
        "10 START_RECORDING",
        "740 RECOGNIZE_EARLY",
        "1200 DROP_EARLY",
        "1530 RECOGNIZE_EARLY",
    ]


def test_a_very_short_pause_begins_no_recognition() -> None:
    assert play(hands_free(), "start; speech 500; quiet 230; speech 100; quiet 230")[1:] == [
        "10 START_RECORDING"
    ]


def test_barge_in_with_words() -> None:
    script = "start; speaking_started; speech 800; quiet 700; recognized Wait"
    assert play(hands_free(), script) == [
        "0 OPEN_MICROPHONE",
        "10 START_RECORDING",
        "20 DUCK",
        "140 STOP_SPEAKING",
        "140 RESTORE_VOLUME",
        "1040 RECOGNIZE_EARLY",
        "1500 RECOGNIZE",
        "1500 MARK_INTERRUPTED",
        "1500 said Wait",
    ]


def test_barge_in_without_words_goes_on_from_the_start_of_the_sentence() -> None:
    log = play(hands_free(), "start; speaking_started; speech 300; quiet 700; recognized   ")
    assert log[-2:] == ["1000 RECOGNIZE", "1000 RESUME_SENTENCE"]


def test_a_cough_while_it_speaks_only_ducks() -> None:
    log = play(hands_free(), "start; speaking_started; speech 120; quiet 200")
    assert log == [
        "0 OPEN_MICROPHONE",
        "10 START_RECORDING",
        "20 DUCK",
        "290 DISCARD_RECORDING",
        "290 RESTORE_VOLUME",
    ]


def test_a_short_pause_does_not_end_an_interruption() -> None:
    log = play(hands_free(), "start; speaking_started; speech 60; quiet 120; speech 10")
    assert log[-2:] == ["190 STOP_SPEAKING", "190 RESTORE_VOLUME"]


def test_single_frames_do_not_duck() -> None:
    log = play(hands_free(), "start; speaking_started; " + "; ".join(["speech 10; quiet 10"] * 20))
    assert not any("DUCK" in line for line in log)


def test_the_end_of_speaking_restores_the_volume() -> None:
    log = play(hands_free(), "start; speaking_started; speech 30; speaking_ended")
    assert log[-1] == "30 RESTORE_VOLUME"


def test_push_to_talk_interrupts_at_once() -> None:
    state = push_to_talk()
    script = "speaking_started; key_pressed; speech 500; quiet 900; key_released; recognized Hi"
    assert play(state, script) == [
        "0 STOP_SPEAKING",
        "0 OPEN_MICROPHONE",
        "0 START_RECORDING",
        "1400 CLOSE_MICROPHONE",
        "1400 RECOGNIZE",
        "1400 MARK_INTERRUPTED",
        "1400 said Hi",
    ]
    assert state.phase is Phase.CLOSED


def test_push_to_talk_without_words_goes_on_speaking() -> None:
    log = play(push_to_talk(), "speaking_started; key_pressed; key_released; recognized ")
    assert log[-1] == "0 RESUME_SENTENCE"


def test_a_lost_device_or_switching_off_discards_what_was_heard() -> None:
    assert play(hands_free(), "start; speech 300; stop")[-2:] == [
        "300 DISCARD_RECORDING",
        "300 CLOSE_MICROPHONE",
    ]
    assert play(hands_free(), "start; speech 20; stop")[-2:] == [
        "20 DISCARD_RECORDING",
        "20 CLOSE_MICROPHONE",
    ]
    assert play(push_to_talk(), "speaking_started; key_pressed; stop")[-3:] == [
        "0 DISCARD_RECORDING",
        "0 CLOSE_MICROPHONE",
        "0 RESUME_SENTENCE",
    ]
    assert play(push_to_talk(), "key_pressed; key_released; stop")[2:] == [
        "0 CLOSE_MICROPHONE",
        "0 RECOGNIZE",
    ]
    assert play(hands_free(), "start; speaking_started; speech 20; stop")[-1] == "20 RESTORE_VOLUME"


@pytest.mark.parametrize("mode", ListenMode)
def test_events_of_another_mode_do_nothing(mode: ListenMode) -> None:
    state = ListeningState(mode, FRAME_MS)
    script = "stop; speech 500; quiet 900; key_released; recognized Hi"
    assert play(state, script) == []
    if mode is not ListenMode.PUSH_TO_TALK:
        assert play(state, "key_pressed") == []
    if mode not in (ListenMode.HANDS_FREE, ListenMode.WAKE_WORD):
        assert play(state, "start") == []


def wake_word() -> ListeningState:
    return ListeningState(ListenMode.WAKE_WORD, FRAME_MS)


def test_after_the_wake_word_one_utterance_is_recognized() -> None:
    state = wake_word()
    script = "start; speech 900; quiet 900; woken; quiet 300; speech 900; quiet 700; recognized Hi"
    assert play(state, script) == [
        "0 OPEN_MICROPHONE",
        "2110 START_RECORDING",
        "3240 RECOGNIZE_EARLY",
        "3700 RECOGNIZE",
        "3700 said Hi",
    ]
    assert state.phase is Phase.ASLEEP
    assert play(state, "speech 900; quiet 900") == []


def test_after_the_wake_word_without_speech_it_sleeps_again() -> None:
    state = wake_word()
    play(state, "start; woken; quiet 4900")
    assert state.phase is Phase.WAITING
    play(state, "speech 10; quiet 4990")
    assert state.phase is Phase.WAITING
    assert play(state, "quiet 10") == []
    assert state.phase is Phase.ASLEEP


def test_only_the_wake_word_interrupts_in_its_mode() -> None:
    state = wake_word()
    assert play(state, "start; speaking_started; speech 2000")[1:] == []
    assert play(state, "woken") == ["0 STOP_SPEAKING"]
    assert play(state, "quiet 5000") == ["5000 RESUME_SENTENCE"]
    play(state, "speaking_started; woken; speech 500; quiet 700")
    assert play(state, "recognized Stop") == ["0 MARK_INTERRUPTED", "0 said Stop"]


def test_a_wake_word_while_it_hears_changes_nothing() -> None:
    assert play(wake_word(), "start; woken; speech 500; woken; quiet 700; woken; recognized ") == [
        "0 OPEN_MICROPHONE",
        "10 START_RECORDING",
        "740 RECOGNIZE_EARLY",
        "1200 RECOGNIZE",
    ]


def test_frames_while_it_recognizes_are_ignored() -> None:
    log = play(hands_free(), "start; speech 300; quiet 700; speech 900; recognized Hi")
    assert log[-2:] == ["1000 RECOGNIZE", "1900 said Hi"]


EVENTS = st.lists(
    st.sampled_from(
        (
            *("start", "stop", "key_pressed", "key_released", "woken"),
            *("speaking_started", "speaking_ended"),
            *("speech 50", "speech 300", "quiet 50", "quiet 800", "quiet 6000"),
            *("recognized Hi", "recognized "),
        )
    ),
    max_size=40,
)


@given(st.sampled_from(ListenMode), EVENTS)
def test_every_schedule_leaves_microphone_and_recording_closed(
    mode: ListenMode, events: list[str]
) -> None:
    """Commands come in pairs, and `stop` closes and discards all that is open."""
    state = ListeningState(mode, FRAME_MS)
    log = play(state, "; ".join([*events, "stop"]))
    is_open = recording = early = ducked = False
    for line in log:
        match line.split(" ", 1)[1]:
            case Command.OPEN_MICROPHONE.name:
                assert not is_open
                is_open = True
            case Command.CLOSE_MICROPHONE.name:
                assert is_open
                is_open = False
            case Command.START_RECORDING.name:
                assert is_open
                assert not recording
                recording = True
            case Command.RECOGNIZE_EARLY.name:
                assert recording
                assert not early
                early = True
            case Command.DROP_EARLY.name:
                assert early
                early = False
            case Command.DISCARD_RECORDING.name | Command.RECOGNIZE.name:
                assert recording
                recording = early = False
            case Command.DUCK.name:
                assert not ducked
                ducked = True
            case Command.RESTORE_VOLUME.name:
                assert ducked
                ducked = False
    assert not (is_open or recording or ducked)
    assert state.phase is Phase.CLOSED
