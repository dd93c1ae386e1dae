"""Which sound goes with an act, how seldom, and what a calm figure leaves out."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.behaviour.act_sounds import ACT_SOUNDS, SoundChooser
from neodeskpet.figure.behaviour.idling import Liveliness, motion_stems
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.poses import name_words
from neodeskpet.platform.installation import assets_dir
from tests.unit.figure.models import NEO


def sound_of(*words: str) -> str | None:
    found = SoundChooser().choose(words, 0.0)
    return found.sound if found is not None else None


def test_the_table_uses_each_of_the_sounds() -> None:
    files = (assets_dir() / "sounds" / "character").glob("*.wav")
    assert {one.sound for one in ACT_SOUNDS} == {file.stem for file in files}


def test_the_bundled_figure_is_heard_with_its_acts() -> None:
    description = describe_model(NEO)
    stems = motion_stems(description)
    heard = {
        f"{group}/{stems[group, index]}": sound_of(
            *name_words(stems[group, index]), *name_words(group)
        )
        for group, index in stems
    }
    by_motion = {name.split("/")[1]: sound for name, sound in heard.items()}
    assert by_motion["purr_purr"] == by_motion["purr_hearts"] == "purr"
    assert by_motion["tapbody_giggle"] == "giggle"
    assert by_motion["tapbody_start"] == by_motion["taptail_yelp"] == "surprised"
    assert by_motion["greet_greet"] == "hello"
    assert by_motion["ask_bell"] == "bell"
    assert by_motion["bridge_ah"] == "ah"
    assert by_motion["bridge_hm"] == "hm"
    assert by_motion["idle_sneeze"] == by_motion["sneeze_sneeze"] == "sneeze"
    assert by_motion["think_hum"] == by_motion["idle_hum"] == "hum"
    assert by_motion["sorry_bow"] == "sigh"
    for silent in ("idle_breathe", "work_write", "walkleft_walk", "sleep_sleep", "idle_ear"):
        assert by_motion[silent] is None, silent


def test_a_purr_is_not_repeated_while_the_strokes_go_on() -> None:
    chooser = SoundChooser()
    heard = [now for now in range(0, 30, 3) if chooser.choose(("purr",), float(now))]
    assert heard == [0]
    assert chooser.choose(("purr",), 60.0), "strokes of another time"


def test_a_calm_figure_is_heard_only_when_it_is_touched() -> None:
    chooser = SoundChooser()
    assert chooser.choose(("yawn",), 0.0, Liveliness.CALM) is None
    assert chooser.choose(("giggle",), 0.0, Liveliness.CALM) is not None


@given(st.integers(0, 2**32), st.lists(st.floats(0.0, 6.0), min_size=20, max_size=80))
def test_some_seconds_pass_between_two_sounds(seed: int, gaps: list[float]) -> None:
    random, chooser, now, starts = Random(seed), SoundChooser(), 0.0, list[float]()
    for gap in gaps:
        now += gap
        found = chooser.choose(sorted(random.choice(ACT_SOUNDS).words), now)
        if found is not None:
            starts.append(now + found.after)
    apart = [later - earlier for earlier, later in pairwise(starts)]
    assert all(one >= SoundChooser.LEAST_GAP - 1e-9 for one in apart)
