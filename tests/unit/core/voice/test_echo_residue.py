"""Sound that is louder than the rest of an echo and resembles nothing that was played."""

from __future__ import annotations

from neodeskpet.core.voice.echo_residue import EchoResidue


def judged(
    residue: EchoResidue, frames: int, left: float, likeness: float | None = None
) -> list[bool]:
    """Each frame has an echo of 1,000."""
    return [residue.judge(left, 1000.0, likeness) for _ in range(frames)]


def learned() -> EchoResidue:
    """The filter leaves a twentieth."""
    residue = EchoResidue()
    assert not any(judged(residue, 600, 50.0))
    assert residue.is_certain
    return residue


def test_a_person_is_found_in_the_first_frame_and_until_the_end() -> None:
    residue = learned()
    assert all(judged(residue, 100, 1500.0, 0.1))
    assert not any(judged(residue, 100, 50.0))
    assert residue.is_certain


def test_a_beginning_that_resembles_the_echo_by_chance_counts() -> None:
    assert all(judged(learned(), 10, 1500.0, 0.45))


def test_an_echo_by_another_way_counts_for_less_time_than_a_stop_needs() -> None:
    residue = learned()
    assert sum(judged(residue, 60, 1500.0, 0.45)) <= 12
    assert not any(judged(learned(), 60, 1500.0, 0.7))


def test_where_much_of_the_echo_is_left_its_verdict_does_not_suffice() -> None:
    residue = learned()
    judged(residue, 200, 500.0, 0.5)
    assert not residue.is_certain
    assert not any(judged(residue, 20, 500.0))
    assert all(judged(residue, 8, 2000.0, 0.1)[2:])


def test_after_quiet_the_resemblance_is_measured_anew() -> None:
    residue = learned()
    judged(residue, 20, 1500.0, 0.7)
    assert not any(judged(residue, 30, 50.0))
    assert all(judged(residue, 5, 1500.0, 0.1))


def test_noise_of_the_room_is_no_person() -> None:
    residue = EchoResidue()
    assert not any(residue.judge(140.0, 0.0, None) for _ in range(100))
    assert residue.judge(160.0, 0.0, None)
