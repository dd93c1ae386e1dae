"""The bridge: nothing is lost or reordered within a block; the first text and the ends of blocks
are shown at once.
"""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState, Text, Thinking, ToolStatus, ToolUse, Usage
from neodeskpet.core.turn.message_draft import MessageDraft
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.core.wire import RetryAnnounced
from neodeskpet.ui.bridge import FRAME_MS, MAX_CHARS_PER_FRAME, SAVING_HZ, Bridge

FRAME = FRAME_MS / 1000


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Screen:
    """Needs `cost` seconds for a batch."""

    def __init__(self, clock: Clock, cost: float = 0.0) -> None:
        self.batches: list[list[TurnEvent]] = []
        self._clock = clock
        self.cost = cost

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        self.batches.append([event for _, event in batch])
        self._clock.now += self.cost


def started(clock: Clock, screen: Screen) -> Bridge:
    bridge = Bridge([screen], clock=clock)
    bridge.on_turn_event("m", TurnStarted("m"))
    bridge.on_turn_event("m", BlockStarted(Text(0, 0, "")))
    screen.batches.clear()
    return bridge


def test_the_first_text_is_shown_before_see_returns(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    bridge.on_turn_event("m", TextAppended(0, "Hel"))
    assert screen.batches == [[TextAppended(0, "Hel")]]
    assert bridge.is_idle


def test_later_text_waits_for_the_frame_and_is_combined(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    for piece in ("Hel", "lo ", "you", "!"):
        bridge.on_turn_event("m", TextAppended(0, piece))
    assert screen.batches == [[TextAppended(0, "Hel")]]
    qtbot.waitUntil(lambda: len(screen.batches) == 2)
    assert screen.batches[1] == [TextAppended(0, "lo you!")]
    assert bridge.is_idle


def test_text_after_a_pause_does_not_wait(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    bridge.on_turn_event("m", TextAppended(0, "a"))
    clock.now += 2 * FRAME
    bridge.on_turn_event("m", TextAppended(0, "b"))
    assert screen.batches[-1] == [TextAppended(0, "b")]


def test_edges_are_passed_at_once_with_pending_text(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    call = ToolUse(1, 0, "c", "note.add")
    running = ToolUse(1, 0, "c", "note.add", status=ToolStatus.RUNNING)
    for event in (
        TextAppended(0, "a"),
        TextAppended(0, "b"),
        BlockStarted(call),
        ArgumentsAppended(1, "{"),
        ArgumentsAppended(1, "}"),
        BlockChanged(running),
        BlockEnded(ToolUse(1, 0, "c", "note.add", status=ToolStatus.SUCCESS)),
    ):
        bridge.on_turn_event("m", event)
    assert [len(batch) for batch in screen.batches] == [1, 2, 2, 1]
    assert screen.batches[2] == [ArgumentsAppended(1, "{}"), BlockChanged(running)]


def test_hundreds_of_edges_at_once_wait_for_the_frame(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    screen.cost = 0.01
    calls = [BlockStarted(ToolUse(index, 0, "c", "time.now")) for index in range(1, 300)]
    for event in calls:
        bridge.on_turn_event("m", event)
    assert len(screen.batches) == 1
    qtbot.waitUntil(lambda: bridge.is_idle)
    assert [event for batch in screen.batches for event in batch] == calls
    bridge.on_turn_event("m", BlockEnded(ToolUse(1, 0, "c", "time.now", status=ToolStatus.SUCCESS)))
    bridge.on_turn_event("m", TurnEnded(MessageState.DONE, 5.0))
    assert isinstance(screen.batches[-1][-1], TurnEnded)


def test_the_end_of_a_long_text_waits_for_the_loop(qtbot: QtBot) -> None:
    """Each portion is costly: two of them in one call would block the interface twice as long."""
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    screen.cost = 0.022
    text = "x" * 4 * MAX_CHARS_PER_FRAME
    bridge.on_turn_event("m", TextAppended(0, text))
    bridge.on_turn_event("m", BlockEnded(Text(0, 0, text)))
    bridge.on_turn_event("m", TurnEnded(MessageState.DONE, 5.0))
    assert len(screen.batches) == 1
    bridge.flush()
    assert isinstance(screen.batches[-1][-1], TurnEnded)


def test_progress_waits_and_only_the_newest_counts(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)

    def progress(share: float) -> BlockChanged:
        call = ToolUse(1, 0, "c", "x", status=ToolStatus.RUNNING, progress=share)
        return BlockChanged(call)

    for share in (0.0, 0.1, 0.2, 0.3):
        bridge.on_turn_event("m", progress(share))
    assert screen.batches == [[progress(0.0)]]
    bridge.flush()
    assert screen.batches[1] == [progress(0.3)]


def test_a_costly_flush_makes_the_next_one_wait_longer(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    assert bridge.interval == FRAME
    screen.cost = 0.1
    bridge.on_turn_event("m", TextAppended(0, "a"))
    assert round(bridge.interval, 6) == 0.3
    screen.cost = 0.0
    bridge.on_turn_event("m", TextAppended(0, "b"))
    bridge.flush()
    assert bridge.interval == FRAME


def shown_in_a_second(clock: Clock, screen: Screen, bridge: Bridge) -> int:
    """Deltas come every millisecond; Qt's timers play no part."""
    begun, before = clock.now, len(screen.batches)
    while clock.now < begun + 1:
        bridge.on_turn_event("m", TextAppended(0, "a"))
        clock.now += 0.001
    return len(screen.batches) - before


def test_a_frame_is_measured_from_the_beginning_of_a_flush(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock, cost=0.004)
    assert 60 <= shown_in_a_second(clock, screen, started(clock, screen)) <= 72


def test_showing_takes_a_third_of_the_time_at_most(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock, cost=0.02)
    assert 15 <= shown_in_a_second(clock, screen, started(clock, screen)) <= 17


def test_it_follows_the_screen_and_saves_battery(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    rates = []
    for hertz in (120.0, 60.0, SAVING_HZ, 0.0):
        bridge.set_rate(hertz)
        clock.now += 1
        rates.append(shown_in_a_second(clock, screen, bridge))
    fast, usual, saving, unknown = rates
    assert fast > 110
    assert 60 <= usual == unknown <= 72
    assert 29 <= saving <= 31


def test_round_and_usage_wait_retry_and_end_do_not(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    bridge.on_turn_event("m", RoundStarted(1))
    bridge.on_turn_event("m", UsageChanged(Usage(1, 2)))
    assert screen.batches == []
    bridge.on_turn_event("m", RetryAnnounced(1, 2.0, "unreachable"))
    bridge.on_turn_event("m", TurnEnded(MessageState.DONE, 5.0))
    assert [len(batch) for batch in screen.batches] == [3, 1]


def test_removed_text_is_not_combined_with_later_text(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    screen.cost = 1.0
    bridge.on_turn_event("m", TextAppended(0, "a"))
    screen.batches.clear()
    bridge.on_turn_event("m", TextAppended(0, "b"))
    clock.now += 3.0
    bridge.on_turn_event("m", BlocksRemoved(0))
    bridge.on_turn_event("m", BlockStarted(Thinking(0, 0, "")))
    assert screen.batches[0] == [TextAppended(0, "b"), BlocksRemoved(0)]


def text_of(screen: Screen) -> str:
    events = [event for batch in screen.batches for event in batch]
    return "".join(event.text for event in events if isinstance(event, TextAppended))


def test_a_long_text_is_shown_in_portions_and_its_end_after_it(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    text = "".join(str(number) for number in range(MAX_CHARS_PER_FRAME))
    bridge.on_turn_event("m", TextAppended(0, text))
    bridge.on_turn_event("m", BlockEnded(Text(0, 0, text)))
    bridge.on_turn_event("m", TurnEnded(MessageState.DONE, 5.0))
    assert not bridge.is_idle
    assert TurnEnded(MessageState.DONE, 5.0) not in screen.batches[-1]
    qtbot.waitUntil(lambda: bridge.is_idle)
    longest = [
        sum(len(event.text) for event in batch if isinstance(event, TextAppended))
        for batch in screen.batches
    ]
    assert max(longest) == MAX_CHARS_PER_FRAME
    assert text_of(screen) == text
    assert screen.batches[-1][-1] == TurnEnded(MessageState.DONE, 5.0)


def test_flush_passes_a_long_text_completely(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    bridge.on_turn_event("m", TextAppended(0, "x" * 5 * MAX_CHARS_PER_FRAME))
    bridge.flush()
    assert len(text_of(screen)) == 5 * MAX_CHARS_PER_FRAME
    assert bridge.is_idle


def test_dropped_events_are_not_shown(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    bridge.on_turn_event("m", TextAppended(0, "x" * 5 * MAX_CHARS_PER_FRAME))
    bridge.run_when_shown(lambda: pytest.fail("done"))
    before = len(screen.batches)
    bridge.discard()
    assert bridge.is_idle
    bridge.flush()
    assert len(screen.batches) == before


def test_callbacks_after_a_text_run_when_it_is_shown(qtbot: QtBot) -> None:
    clock = Clock()
    screen = Screen(clock)
    bridge = started(clock, screen)
    done: list[str] = []
    bridge.on_turn_event("m", TextAppended(0, "short"))
    bridge.run_when_shown(lambda: done.append(text_of(screen)))
    assert done == ["short"]
    bridge.on_turn_event("m", TextAppended(0, "x" * 9 * MAX_CHARS_PER_FRAME))
    bridge.run_when_shown(lambda: done.append(f"{len(text_of(screen))} shown"))
    bridge.on_turn_event("n", TurnStarted("n"))
    bridge.on_turn_event("n", BlockStarted(Text(0, 0, "")))
    bridge.on_turn_event("n", TextAppended(0, "and"))
    bridge.on_turn_event("n", TextAppended(0, " more"))
    bridge.run_when_shown(lambda: done.append("the end"))
    assert len(done) == 1
    qtbot.waitUntil(lambda: bridge.is_idle)
    assert done == ["short", f"{9 * MAX_CHARS_PER_FRAME + 5} shown", "the end"]
    assert screen.batches[-1][-1] == TextAppended(0, "and more")


appends = st.tuples(st.integers(0, 3), st.text(max_size=5))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(appends | st.just(None), max_size=60))
def test_blocks_are_the_same_after_the_bridge(
    qtbot: QtBot, script: list[tuple[int, str] | None]
) -> None:
    """Whatever is combined, applying the batches gives the same blocks. None is a pause."""
    clock = Clock()
    screen = Screen(clock)
    bridge = Bridge([screen], clock=clock)
    blocks = [Text(0, 0, ""), ToolUse(1, 0, "c", "t"), Thinking(2, 0, ""), Text(3, 0, "")]
    wanted = MessageDraft(blocks)
    for block in blocks:
        bridge.on_turn_event("m", BlockStarted(block))
    for step in script:
        if step is None:
            clock.now += 1
            continue
        index, text = step
        wanted.append(index, text)
        grown = ArgumentsAppended(1, text) if index == 1 else TextAppended(index, text)
        bridge.on_turn_event("m", grown)
    bridge.on_turn_event("m", TurnEnded(MessageState.DONE, 1.0))
    shown = MessageDraft()
    for event in [event for batch in screen.batches for event in batch]:
        match event:
            case BlockStarted(block=block):
                shown.add(block)
            case TextAppended(index=index, text=text) | ArgumentsAppended(index=index, json=text):
                shown.append(index, text)
            case _:
                assert isinstance(event, TurnEnded)
    assert shown.blocks() == wanted.blocks()


def test_it_says_whether_something_streams(qtbot: QtBot) -> None:
    clock = Clock()
    bridge = Bridge([Screen(clock)], clock=clock)
    assert not bridge.is_streaming, "nothing has come yet"
    bridge.on_turn_event("m", TurnStarted("m"))
    assert bridge.is_streaming
    clock.now += 0.4
    assert bridge.is_streaming, "between two pieces of a slow reply"
    clock.now += 0.2
    assert not bridge.is_streaming
