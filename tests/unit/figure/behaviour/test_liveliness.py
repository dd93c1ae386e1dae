from __future__ import annotations

from random import Random

from neodeskpet.figure.behaviour.handling import TouchPatience, is_night
from neodeskpet.figure.poses import Pose

NOON, NIGHT = 12, 2


def test_touches_please_until_there_are_too_many() -> None:
    patience = TouchPatience(Random(2))
    moods = [patience.touch("Head", float(second)) for second in range(TouchPatience.MANY)]
    assert None not in moods
    assert moods[-1] is Pose.ANNOYED
    assert Pose.ANNOYED not in moods[:-1]
    assert patience.touch("Head", TouchPatience.MANY + 0.1) is None, "it sulks"
    assert patience.touch("Head", TouchPatience.MANY + TouchPatience.SULK) is not Pose.ANNOYED


def test_a_touch_soon_after_another_is_ignored() -> None:
    patience = TouchPatience(Random(2))
    assert patience.touch("Body", 0.0)
    assert patience.touch("Body", TouchPatience.COOL_DOWN / 2) is None


def test_the_hours_of_the_night() -> None:
    assert is_night(NIGHT)
    assert is_night(23)
    assert not is_night(NOON)


def test_pats_add_up_to_joy_and_fondness_allows_more_of_them() -> None:
    def annoyed_at(fondness: float) -> int:
        patience = TouchPatience(Random(2))
        moods = [patience.touch("Head", number * 0.8, fondness) for number in range(9)]
        assert moods[TouchPatience.JOY - 1] is Pose.HAPPY
        return moods.index(Pose.ANNOYED) + 1

    assert annoyed_at(0.0) == TouchPatience.MANY
    assert annoyed_at(1.0) == TouchPatience.MANY + TouchPatience.MORE
