"""The program of a bundle does the work of its child processes."""

import subprocess
import sys

from neodeskpet.platform.child_process import child_environment


def test_the_program_runs_the_named_child() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "neodeskpet", "child", "draw", "/nowhere.json", "x.png"],
        env=child_environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode not in (0, 2)
