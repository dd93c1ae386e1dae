"""A second start while the first one hangs."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from neodeskpet.visitors.door import running_pid
from tests.support import terminal
from tests.support.atspi import Reader, private_bus
from tests.support.desk import settle
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 60.0


def test_a_second_start_offers_to_end_a_first_one_that_hangs(tmp_path: Path) -> None:
    settle(tmp_path, {})
    hang = [sys.executable, "-m", "tests.support.hungapp", str(tmp_path), "unused", "600"]
    with (
        private_bus() as bus,
        unmeasured_children(),
        subprocess.Popen(hang, cwd=_ROOT, env=bus, stdout=subprocess.PIPE, text=True) as first,
    ):
        try:
            assert first.stdout is not None
            assert first.stdout.readline() == "hangs\n"
            second = terminal.start(tmp_path, "--hidden", env=bus)
            with Reader(bus) as reader:
                root = reader.application("NeoDeskPet")
                reader.act(next(node for node in reader.walk(root) if node.name == "Restart"))
            assert first.wait(_PATIENCE) == -signal.SIGKILL
            end = time.monotonic() + _PATIENCE
            while running_pid(tmp_path) != second.pid:
                assert time.monotonic() < end
                time.sleep(0.05)
            second.terminate()
            assert "doesn't answer" in terminal.finish(second).err
        finally:
            first.kill()
