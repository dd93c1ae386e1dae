"""The app in a process of its own, as a user starts it, for tests of its end and restart.

`end(home, cache, how)` starts it, ends it by a signal from outside, and returns its exit code;
`end_display(home, cache)` ends its X server.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]


def end(home: Path, cache: Path, how: signal.Signals) -> int:
    """End it as soon as its windows exist; return its exit code as subprocess has it."""
    return _ended(home, cache, lambda app: os.kill(app.pid, how), {})


def end_display(home: Path, cache: Path) -> int:
    """The same, but its X server is ended, as at the end of a session."""
    reader, writer = os.pipe()
    words = ["Xvfb", "-displayfd", str(writer), "-noreset", "-nolisten", "tcp"]
    server = subprocess.Popen(words, pass_fds=(writer,), stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as answer:
            screen = {"DISPLAY": f":{answer.readline().strip()}", "QT_QPA_PLATFORM": "xcb"}
        return _ended(home, cache, lambda _app: server.terminate(), screen)
    finally:
        server.terminate()
        server.wait()


def _ended(
    home: Path,
    cache: Path,
    how: Callable[[subprocess.Popen[str]], None],
    environment: dict[str, str],
) -> int:
    with unmeasured_children():
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.doomed", str(home), str(cache)],
            cwd=_ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
    with process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if line.strip() != "stands":
                raise RuntimeError(f"the app said {line!r}")
            how(process)
            return process.wait(timeout=30)
        finally:
            process.kill()


def main(home: str, cache: str) -> int:
    """The child process; SIGTERM ends it as a user would."""
    from neodeskpet.app.desktop_app import DesktopApp
    from neodeskpet.app.startup import StartOptions, run_app
    from tests.support.desk import settle

    settle(Path(home), {})

    async def scene(desk: DesktopApp) -> int:
        print("stands", flush=True)
        await desk.wait_for_quit()
        return 0

    return run_app(
        StartOptions(Path(home), single_instance=False, hidden=True, cache=Path(cache)), scene
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
