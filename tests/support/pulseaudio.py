"""A PulseAudio server for the tests, with a null sink as speaker and its monitor as microphone."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

SINK = "Null Output"
MONITOR = "Monitor of Null Output"


class PulseServer:
    """Runs until `close`. `address` is for PULSE_SERVER."""

    def __init__(self, folder: Path) -> None:
        runtime = folder / "pulse"
        runtime.mkdir(mode=0o700)
        socket = runtime / "native"
        self.address = f"unix:{socket}"
        self.environment = {
            **os.environ,
            "HOME": str(runtime),
            "XDG_RUNTIME_DIR": str(runtime),
            "PULSE_SERVER": self.address,
        }
        self._process = subprocess.Popen(
            [
                *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1"),
                *("--use-pid-file=no", "--disable-shm"),
                *("-L", f"module-native-protocol-unix socket={socket} auth-anonymous=1"),
                *("-L", "module-null-sink sink_name=first rate=48000"),
            ],
            env={**self.environment, "PULSE_SERVER": ""},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while not socket.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("PulseAudio does not start")
            time.sleep(0.05)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(30)
