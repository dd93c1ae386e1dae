"""The app in a process of its own, to be killed: `typing(home, cache, url, said, seen)`.

The child opens the real windows, types `said`, and reports when `seen` has been painted.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def typing(home: Path, cache: Path, url: str, said: str, seen: str) -> Iterator[None]:
    """Run it until `seen` is in the reply; it is killed (SIGKILL) when the block ends."""
    words = [str(home), str(cache), url, said, seen]
    with unmeasured_children():
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.typist", *words],
            cwd=_ROOT,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
    with process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if line.strip() != "seen":
                raise RuntimeError(f"the app said {line!r}")
            yield
        finally:
            process.kill()


def main(home: str, cache: str, url: str, said: str, seen: str) -> int:
    """The child process; it ends only by a signal."""
    from neodeskpet.app.desktop_app import DesktopApp
    from neodeskpet.app.run_options import RunOptions
    from neodeskpet.app.startup import StartOptions, run_app
    from tests.support.desk import DeskStory, settle

    settle(Path(home), {})

    async def scene(desk: DesktopApp) -> int:
        person = DeskStory(desk)
        desk.chat.window.present()
        person.type(said)
        await person.until(lambda: seen in person.shown(), person.shown())
        await desk.engine.storage.store.flush()  # a quarter of a second may be lost: not this
        print("seen", flush=True)
        await asyncio.Event().wait()
        return 0

    service = RunOptions(base_url=url, model="test-model")
    options = StartOptions(
        Path(home), service, single_instance=False, hidden=True, cache=Path(cache)
    )
    return run_app(options, scene)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
