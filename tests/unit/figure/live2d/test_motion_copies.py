from __future__ import annotations

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.live2d.guarded_model import MotionCopies

WAVE: Motion = ("Wave", 0)
NOD: Motion = ("Nod", 0)
FADES = {WAVE: 0.3, NOD: 0.3}


def started(copies: MotionCopies, motion: Motion) -> int | None:
    """Return the copy that was started, None if none is free."""
    copy = copies.free(motion)
    if copy is not None:
        copies.start(motion, copy)
        copies.update(0.03)
    return copy


def test_a_repeated_motion_uses_its_other_copy() -> None:
    copies = MotionCopies(FADES)
    assert started(copies, WAVE) == 0
    assert started(copies, WAVE) == 1


def test_a_third_start_at_once_finds_none_free() -> None:
    copies = MotionCopies(FADES)
    assert [started(copies, WAVE) for _ in range(3)] == [0, 1, None]


def test_a_copy_is_free_again_when_it_has_faded_out() -> None:
    copies = MotionCopies(FADES)
    started(copies, WAVE)
    started(copies, WAVE)
    copies.update(0.25)
    assert copies.free(WAVE) is None
    copies.update(0.75)
    assert copies.free(WAVE) == 0, "it was replaced a second ago"
    copies.start(WAVE, 0)
    assert copies.free(WAVE) is None, "the other copy fades out only now"


def test_a_copy_that_is_not_replaced_stays_in_use() -> None:
    copies = MotionCopies(FADES, copies=1)
    started(copies, WAVE)
    copies.update(1000.0)
    assert copies.free(WAVE) is None
    assert copies.free(NOD) == 0


def test_the_time_before_the_next_frame_does_not_count() -> None:
    # The library begins to fade in the frame after the start, however long that frame is.
    copies = MotionCopies(FADES, copies=1)
    started(copies, WAVE)
    copies.start(NOD, 0)
    copies.update(30.0)
    assert copies.free(WAVE) is None
    copies.update(1.0)
    assert copies.free(WAVE) == 0


def test_without_a_known_fade_only_an_empty_queue_frees_it() -> None:
    copies = MotionCopies({}, copies=1)
    started(copies, WAVE)
    started(copies, NOD)
    copies.update(1000.0)
    assert copies.free(WAVE) is None
    copies.clear()
    assert copies.free(WAVE) == 0


def test_time_by_the_wall_clock_is_not_counted() -> None:
    copies = MotionCopies(FADES, copies=1)
    started(copies, WAVE)
    started(copies, NOD)
    for _ in range(100):
        copies.update(-1.0)
    assert copies.free(WAVE) is None
