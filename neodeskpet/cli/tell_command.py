"""`neodeskpet tell "build finished" [--mood happy]`: shows a message or a question through the
running companion.

The exit code is never 2: coding agents treat that code of a hook as a veto.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from neodeskpet.cli.terminal import add_data_dir, data_folder
from neodeskpet.core.errors import KnownError
from neodeskpet.external_api.local_client import LocalClient
from neodeskpet.external_api.local_protocol import MAX_TEXT, ToolAnswer
from neodeskpet.language import format_error, tr

DELIVERED, NOT_DELIVERED, USAGE_ERROR = 0, 1, 64

_MAX_INPUT_BYTES = 4 * MAX_TEXT
"""Most bytes of standard input that are read."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE_ERROR, f"{self.prog}: {message}\n")


def parser() -> argparse.ArgumentParser:
    made = _Parser(
        prog="neodeskpet tell",
        description=tr("Show a message through the running companion."),
        epilog=tr(
            "Exit code: 0 if the message was shown or the question answered, 1 if not"
            " (NeoDeskPet isn't running, the user wants quiet, no answer), 64 for "
            "wrong usage."
        ),
    )
    made.add_argument(
        "text", nargs="?", default="", help=tr("the message; - reads it from standard input")
    )
    made.add_argument("--mood", default="", help=tr("working, thinking, asking, happy, sorry, …"))
    made.add_argument("--from", dest="name", default="", help=tr("the name of your program"))
    made.add_argument("--wait", action="store_true", help=tr("wait until it was read"))
    made.add_argument(
        "--choices",
        metavar="A,B",
        help=tr("ask a question with these buttons and print the answer"),
    )
    made.add_argument("--seconds", type=float, help=tr("how long to wait for the answer"))
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    made = parser()
    words = made.parse_args(argv)
    if words.text == "-":
        words.text = sys.stdin.read(_MAX_INPUT_BYTES)
    if not (words.text.strip() or words.mood) or (words.choices and not words.text.strip()):
        made.error(tr("the message is empty"))
    home = data_folder(words.data_dir)
    try:
        answer = asyncio.run(_deliver(words, home))
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return NOT_DELIVERED
    except KeyboardInterrupt:
        return NOT_DELIVERED
    if answer.failed:
        print(answer.text, file=sys.stderr)
        return NOT_DELIVERED
    if answer.data and "answer" in answer.data:
        print(answer.data["answer"])
    return DELIVERED


async def _deliver(words: argparse.Namespace, home: Path) -> ToolAnswer:
    """Send the call to the app. Raises AppNotRunning."""
    caller = await LocalClient.connect(home, words.name)
    try:
        if words.choices is None:
            given = {"text": _shorten(words.text), "mood": words.mood, "wait": words.wait}
            return await caller.call("say", given)
        if words.mood:
            await caller.call("say", {"mood": words.mood})
        choices = [one.strip() for one in words.choices.split(",") if one.strip()]
        asked: dict[str, object] = {"question": words.text, "choices": choices}
        if words.seconds is not None:
            asked["seconds"] = words.seconds
        return await caller.call("ask", asked)
    finally:
        await caller.aclose()


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
