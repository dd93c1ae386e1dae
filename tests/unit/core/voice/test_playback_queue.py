"""Samples of an older generation are never played."""

from __future__ import annotations

import random
from array import array

from neodeskpet.core.voice.playback_queue import PlaybackQueue

SCHEDULES = 10_000


def test_no_sample_of_an_older_generation_is_played() -> None:
    chance = random.Random(102)
    for _ in range(SCHEDULES):
        _check_schedule(chance)


def _check_schedule(chance: random.Random) -> None:
    """Each generation's samples are its number plus one."""
    queue = PlaybackQueue()
    newest = 0
    for _ in range(chance.randrange(40)):
        match chance.choice(("add", "add", "take", "take", "stop")):
            case "add":
                generation = max(0, newest + chance.randrange(-2, 3))
                pcm = array("h", [generation + 1] * chance.randrange(40)).tobytes()
                assert queue.add(generation, pcm) == (generation >= newest)
                newest = max(newest, generation)
            case "take":
                count = chance.randrange(30)
                taken = array("h", queue.take(count))
                assert len(taken) == count
                assert set(taken) <= {0, newest + 1}
            case "stop":
                newest = queue.stop()
                assert queue.is_empty
        assert queue.generation == newest


def test_pieces_are_played_in_order_and_counted() -> None:
    queue = PlaybackQueue()
    queue.add(0, array("h", [1, 2, 3]).tobytes() + b"\7")
    queue.add(0, array("h", [4]).tobytes())
    assert array("h", queue.take(2)).tolist() == [1, 2]
    assert array("h", queue.waiting).tolist() == [3, 4]
    assert array("h", queue.take(4)).tolist() == [3, 4, 0, 0]
    assert queue.played == 4
    assert queue.waiting == b""
    queue.volume = 0.5
    queue.add(0, array("h", [10, -10]).tobytes())
    assert array("h", queue.take(2)).tolist() == [5, -5]
