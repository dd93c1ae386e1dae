"""The app in a process of its own, with the chat open, for a screen reader that reads it over
D-Bus. `python -m tests.support.spokenapp HOME URL`: each line of stdin is sent as a message; the
end of stdin ends the app.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, run_app
from tests.support.desk import DeskStory, settle


def main(home: str, url: str) -> int:
    settle(Path(home), {"mode": {"mode": "native"}})

    async def scene(desk: DesktopApp) -> int:
        desk.chat.window.present()
        person = DeskStory(desk, brief=False)
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            person.type(line.strip())
            print("sent", flush=True)
        return 0

    service = RunOptions(base_url=url, model="test-model")
    return run_app(StartOptions(Path(home), service, single_instance=False, hidden=True), scene)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
