"""Starting the app: its arguments, and which platform Qt uses."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from neodeskpet.cli.start_command import parser, prepare_display, run


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """The environment without a display; restored afterwards."""
    before = dict(os.environ)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        os.environ.pop(name, None)
    yield os.environ  # type: ignore[misc]
    os.environ.clear()
    os.environ.update(before)


def test_the_accepted_arguments() -> None:
    words = parser().parse_args(["--chat", "--base-url", "u", "--model", "m", "--hidden"])
    assert words.chat
    assert words.hidden
    assert (words.base_url, words.model, words.protocol) == ("u", "m", None)
    assert parser().parse_args(["a.charx", "b.zip"]).files == ["a.charx", "b.zip"]


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["no such.charx"]) == 2
    assert "no such.charx" in capsys.readouterr().err


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="X is Linux's")
def test_an_x_display_is_used_also_on_wayland(environment: dict[str, str]) -> None:
    environment["DISPLAY"] = ":5"
    environment["WAYLAND_DISPLAY"] = "wayland-0"
    assert prepare_display()
    assert environment["QT_QPA_PLATFORM"] == "xcb"


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="X is Linux's")
def test_without_a_display_it_says_what_to_do(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    environment["LANG"] = "C"
    assert not prepare_display()
    assert "neodeskpet demo" in capsys.readouterr().err
    environment["WAYLAND_DISPLAY"] = "wayland-0"
    assert not prepare_display()
    assert "XWayland" in capsys.readouterr().err


def test_a_chosen_platform_is_kept(environment: dict[str, str]) -> None:
    environment["QT_QPA_PLATFORM"] = "offscreen"
    assert prepare_display()
    assert environment["QT_QPA_PLATFORM"] == "offscreen"
