"""Microphone and speaker on a real PulseAudio server, whose null sink is recorded by its monitor.

miniaudio reads the server's address from the process's environment, and its threads continue after
a failure, so each story runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.pulseaudio import MONITOR, SINK, PulseServer

STORY = Path(__file__).parents[2] / "support" / "sound_story.py"
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def pulse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PulseServer]:
    if shutil.which("pulseaudio") is None:
        pytest.skip("PulseAudio is not installed")
    server = PulseServer(tmp_path_factory.mktemp("sound"))
    yield server
    server.close()


def tell(story: str, environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(STORY), story],
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_devices_are_listed(pulse: PulseServer) -> None:
    found = tell("list", pulse.environment)
    assert found == {"backend": "PulseAudio", "outputs": [SINK], "inputs": [MONITOR]}


def test_played_sound_is_recorded_until_it_is_stopped(pulse: PulseServer) -> None:
    found = tell("stop", pulse.environment)
    assert found["stops"] == 5
    assert found["heard"] == 5
    assert found["old_after_new"] == 0


def test_the_rest_of_the_sound_is_played_by_a_new_process(pulse: PulseServer) -> None:
    found = tell("killed", pulse.environment)
    assert 0.3 < found["before"] < 1.0
    assert found["after"] == 1.5


def test_an_unknown_name_is_a_known_error(pulse: PulseServer) -> None:
    assert tell("unknown", pulse.environment) == {
        "speaker": "no_audio_device",
        "microphone": "no_audio_device",
    }


def test_a_computer_without_sound_is_a_known_error(tmp_path: Path) -> None:
    nowhere = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "PULSE_SERVER": "unix:/nowhere"}
    found = tell("unknown", nowhere)
    assert set(found.values()) <= {"no_audio_device", "audio_device_refused"}


def test_a_device_that_the_system_refuses_is_a_known_error(pulse: PulseServer) -> None:
    assert tell("refused", pulse.environment) == {
        "open": "audio_device_refused",
        "start": "audio_device_refused",
        "closed": "1",
    }


def test_a_server_that_ends_is_a_lost_device(tmp_path: Path) -> None:
    if shutil.which("pulseaudio") is None:
        pytest.skip("PulseAudio is not installed")
    server = PulseServer(tmp_path)
    try:
        process = subprocess.Popen(
            [sys.executable, str(STORY), "lost"],
            env={**server.environment, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "recording\n"
    finally:
        server.close()
    said, _ = process.communicate(timeout=60)
    assert json.loads(said) == {"microphone": "audio_device_lost"}
