from __future__ import annotations

from random import Random

from neodeskpet.live2d.liveliness import Patience, is_night
from neodeskpet.live2d.poses import Pose

NOON, NIGHT = 12, 2


def test_touches_please_until_there_are_too_many() -> None:
    patience = Patience(Random(2))
    moods = [patience.touch("Head", float(second)) for second in range(Patience.MANY)]
    assert None not in moods
    assert moods[-1] is Pose.ANNOYED
    assert Pose.ANNOYED not in moods[:-1]
    assert patience.touch("Head", Patience.MANY + 0.1) is None, "it sulks"
    assert patience.touch("Head", Patience.MANY + Patience.SULK) is not Pose.ANNOYED


def test_touches_cool_down() -> None:
    patience = Patience(Random(2))
    assert patience.touch("Body", 0.0)
    assert patience.touch("Body", Patience.COOL_DOWN / 2) is None


def test_its_night() -> None:
    assert is_night(NIGHT)
    assert is_night(23)
    assert not is_night(NOON)
