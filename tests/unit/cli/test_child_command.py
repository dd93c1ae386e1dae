"""A bundle's own program does the work of its children."""

import subprocess
import sys

from neodeskpet.platform.child_process import child_environment


def test_the_program_does_what_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "neodeskpet", "child", "draw", "/nowhere.json", "x.png"],
        env=child_environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode not in (0, 2)
