"""The names of the bundled figure's parts follow the language; other names are unchanged."""

import json
from collections.abc import Iterator

import pytest

from neodeskpet.figure.poses import part_name
from neodeskpet.language import set_language
from neodeskpet.platform.installation import assets_dir


@pytest.fixture
def chinese() -> Iterator[None]:
    set_language("zh_CN")
    yield
    set_language("en")


def test_every_expression_and_motion_of_the_bundled_figure_is_named(chinese: None) -> None:
    file = assets_dir() / "companion" / "neo" / "neo.model3.json"
    parts = json.loads(file.read_bytes())["FileReferences"]
    own = [face["Name"] for face in parts["Expressions"]] + list(parts["Motions"])
    shown = [part_name(name) for name in own]
    assert all(not name.isascii() for name in shown), shown
    assert len(set(shown)) == len(own)


def test_in_english_they_are_words() -> None:
    assert (part_name("wink"), part_name("TapHead")) == ("wink", "head pat")


def test_another_name_stays(chinese: None) -> None:
    assert part_name("F01 smile!") == "F01 smile!"
