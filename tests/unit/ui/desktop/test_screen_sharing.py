"""Whether the screen is shared, by what PipeWire sends."""

from __future__ import annotations

import json
import subprocess

import pytest

from neodeskpet.core.proactive import Detection
from neodeskpet.ui.desktop.screen_sharing import ScreenSharing, sends_screen


def node(state: str, **properties: str) -> dict[str, object]:
    named = {name.replace("_", "."): value for name, value in properties.items()}
    return {"type": "PipeWire:Interface:Node", "info": {"state": state, "props": named}}


def screen(state: str = "running") -> dict[str, object]:
    return node(state, media_class="Stream/Output/Video", node_name="gnome-shell")


@pytest.mark.parametrize(
    "one",
    [screen(), node("running", media_class="Video/Source", node_name="xdg-desktop-portal-wlr")],
)
def test_a_picture_of_the_screen_that_is_sent(one: dict[str, object]) -> None:
    core = {"type": "PipeWire:Interface:Core", "info": {"props": {}}}
    assert sends_screen(json.dumps([core, one]))


@pytest.mark.parametrize(
    "one",
    [
        screen("idle"),
        node("running", media_class="Video/Source", device_api="v4l2"),
        node("running", media_class="Video/Source", media_role="Camera"),
        node("running", media_class="Stream/Input/Video"),
        node("running", media_class="Audio/Sink"),
        {"type": "PipeWire:Interface:Link", "info": None},
        {},
        "text",
    ],
)
def test_everything_else_is_no_shared_screen(one: object) -> None:
    assert not sends_screen(json.dumps([one]))


class Source:
    def __init__(self, output: str | Exception, command: str | None = "pw-dump") -> None:
        self.output = output
        self.asked = 0
        self.now = 0.0
        self.sharing = ScreenSharing(lambda: command, self._run, lambda: self.now)

    def _run(self, command: str) -> str:
        self.asked += 1
        if isinstance(self.output, Exception):
            raise self.output
        return self.output


def test_the_answer_is_asked_again_after_some_seconds() -> None:
    source = Source("[]")
    assert source.sharing.read() is Detection.NO
    source.output = json.dumps([screen()])
    assert source.sharing.read() is Detection.NO
    source.now = 3.0
    assert source.sharing.read() is Detection.YES
    assert source.sharing.last is Detection.YES
    assert source.asked == 2


@pytest.mark.parametrize(
    "output",
    ["no JSON", "{}", OSError(), subprocess.TimeoutExpired("pw-dump", 2.0)],
)
def test_without_an_answer_it_is_unknown(output: str | Exception) -> None:
    source = Source(output)
    assert source.sharing.read() is Detection.UNKNOWN
    assert source.sharing.can_detect


def test_without_pipewire_it_is_unknown() -> None:
    source = Source("[]", command=None)
    assert source.sharing.read() is Detection.UNKNOWN
    assert not source.sharing.can_detect
    assert source.asked == 0
