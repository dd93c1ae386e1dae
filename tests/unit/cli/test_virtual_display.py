"""A virtual display if there is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from neodeskpet.cli.demo_command import NoDisplay, virtual_display


@pytest.fixture(autouse=True)
def _environment() -> object:
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def test_an_existing_display_is_used() -> None:
    os.environ["DISPLAY"] = ":5"
    with virtual_display() as made:
        assert not made
        assert os.environ["DISPLAY"] == ":5"


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is a system package")
def test_a_virtual_one_lives_as_long_as_the_block() -> None:
    os.environ.pop("DISPLAY", None)
    with virtual_display() as made:
        assert made
        number = os.environ["DISPLAY"].removeprefix(":")
        socket = Path(f"/tmp/.X11-unix/X{number}")
        assert socket.exists()
    assert "DISPLAY" not in os.environ
    assert not socket.exists()


def test_without_xvfb_it_says_so(tmp_path: Path) -> None:
    os.environ.pop("DISPLAY", None)
    os.environ["PATH"] = str(tmp_path)
    with pytest.raises(NoDisplay, match="Xvfb"), virtual_display():
        pass
