from __future__ import annotations

from neodeskpet.live2d.animation_script import parse
from neodeskpet.live2d.files.catalog import describe
from neodeskpet.live2d.life.feats import steps_of
from neodeskpet.live2d.life.paws import TAPS, Paws
from tests.unit.live2d.models import NEO


def test_left_and_right_in_turn_and_no_faster_than_a_paw() -> None:
    paws = Paws()
    times = [0.0, 0.01, 0.05, 0.2, 0.21, 5.0]
    assert [paws.press(now) for now in times] == [TAPS[1], None, None, TAPS[0], None, TAPS[1]]


def test_neo_has_both_paws() -> None:
    neo = describe(NEO)
    moved = [parse(steps_of(tap.pulses, neo.parameters), neo.parameters) for tap in TAPS]
    arms = [{name for name in script.parameters if "Arm" in name} for script in moved]
    assert all(arms)
    assert not arms[0] & arms[1]
    assert all(script.seconds < 0.3 for script in moved)
