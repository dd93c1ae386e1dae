"""The app in a process of its own, with the chat open, for a screen reader that talks to it over
D-Bus. `python -m tests.support.spokenapp HOME URL`: each line of stdin is sent as a message, or is
a command that begins with "!"; the end of stdin ends the app.

    !key Ctrl+J         press keys where the keyboard focus is
    !press Name         press a part of the newest message
    !edit               edit the first message
    !ask Words          ask a question in the bubble
    !tell Words         show a notice in the bubble
    !figure             show the figure, and close the chat
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, run_app
from tests.support.desk import DeskStory, settle


def _perform(person: DeskStory, command: str) -> None:
    verb, _, words = command.partition(" ")
    desk = person.desk
    match verb:
        case "!key":
            place = QApplication.focusWidget() or desk.chat.window
            QTest.keySequence(place, QKeySequence(words))
        case "!press":
            person.press_in_message(words)
        case "!edit":
            desk.chat.view.edit_message(desk.chat.view.column.heads[0].id)
        case "!ask":
            choices = (("yes", "Yes"), ("no", "Later"))
            desk.companion.presenter.ask("test", words, choices, dismiss_choice="no")
        case "!tell":
            desk.companion.presenter.show_notice(words)
        case "!figure":
            desk.companion.pet.show()
            desk.chat.window.close()
        case _:
            raise ValueError(command)


def main(home: str, url: str) -> int:
    settle(Path(home), {"mode": {"mode": "native", "ask_before_every_change": True}})

    async def scene(desk: DesktopApp) -> int:
        desk.chat.window.present()
        person = DeskStory(desk, brief=False)
        desk.companion.presenter.answered.connect(
            lambda key, _choice: desk.companion.presenter.withdraw(key)
        )
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            if line.startswith("!"):
                _perform(person, line.strip())
            else:
                person.type(line.strip())
            print("sent", flush=True)
        return 0

    service = RunOptions(base_url=url, model="test-model")
    return run_app(StartOptions(Path(home), service, single_instance=False, hidden=True), scene)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
