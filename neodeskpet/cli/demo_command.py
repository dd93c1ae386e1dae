"""`neodeskpet demo`: shows the app with scripted replies, on a virtual display if there is no
other.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from neodeskpet.cli.turn_output import Transcript
from neodeskpet.language import LANGUAGES, set_language, tool_titles, tr
from neodeskpet.llm.offline import demo_model
from neodeskpet.llm.offline.demo_model import DemoModel

if TYPE_CHECKING:
    from neodeskpet.app.desktop_app import DesktopApp


SCREEN_SIZE = "1600x1100x24"


class NoDisplay(Exception):
    """There is no display, and a virtual one could not be started; the text says what to do."""


@contextmanager
def virtual_display(size: str = SCREEN_SIZE) -> Iterator[bool]:
    """Provide a display for Qt: the existing one (yields False), else our own Xvfb (yields True) of
    this size, which ends with the block. Raises NoDisplay.
    """
    if os.environ.get("DISPLAY"):
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        yield False
        return
    program = shutil.which("Xvfb")
    if program is None:
        raise NoDisplay(tr("There is no display, and Xvfb is not installed."))
    reader, writer = os.pipe()
    # Without -noreset it resets and drops new clients when its last window closes.
    command = [program, "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp"]
    command.append("-noreset")
    server = subprocess.Popen(
        command, pass_fds=(writer,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()
        if not number:
            raise NoDisplay(tr("Xvfb did not start."))
        os.environ["DISPLAY"] = f":{number}"
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        yield True
    finally:
        os.environ.pop("DISPLAY", None)
        server.terminate()
        server.wait()


_FIGURE_TIMEOUT = 40.0
_READING_PAUSE = 1.0
_TYPING_PAUSE = 0.02


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet demo", description=tr("Play a scripted conversation in the real windows.")
    )
    made.add_argument("--screenshot", metavar="FILE", type=Path, default=None)
    made.add_argument("--language", choices=sorted(LANGUAGES), default=None)
    made.add_argument("--theme", choices=("light", "dark"), default="light")
    return made


def run(argv: Sequence[str]) -> int:
    """Play the demo and return the exit code."""
    words = parser().parse_args(argv)
    chosen = set_language(words.language or "system")
    picture = words.screenshot or Path(tempfile.gettempdir()) / "neodeskpet-demo.png"
    try:
        with virtual_display() as virtual, tempfile.TemporaryDirectory() as home:
            if virtual:
                print(tr("No display: playing on a virtual one."), flush=True)
            return _run_demo(Path(home), picture.resolve(), chosen, words.theme)
    except NoDisplay as error:
        print(error, file=sys.stderr)
        return 1


def _run_demo(home: Path, picture: Path, chosen: str, theme: str) -> int:
    from neodeskpet.app.startup import StartOptions, run_app
    from neodeskpet.settings.store import FILE_NAME, SettingsStore

    settings = SettingsStore(home / FILE_NAME)
    settings.change("appearance", "language", chosen)
    settings.change("appearance", "theme", theme)
    settings.close()
    model = demo_model(chosen)

    async def scene(desk: DesktopApp) -> int:
        model.offer(desk.engine.tools.toolbox.specs)
        return await _scene(desk, model, picture)

    return run_app(StartOptions(home, single_instance=False, model=model), scene)


async def _scene(desk: DesktopApp, model: DemoModel, picture: Path) -> int:
    from neodeskpet.ui.demo_screenshot import compose_demo_screenshot

    await _wait_for_figure(desk)
    desk.chat.window.present()
    transcript = Transcript(title=tool_titles(desk.engine.tools.toolbox.all_specs()))
    desk.engine.chat.subscribe(transcript)
    for prompt in model.prompts:
        print(f"\n> {prompt}\n", flush=True)
        for letter in prompt:
            desk.chat.window.composer.insert(letter)
            await asyncio.sleep(_TYPING_PAUSE)
        desk.chat.window.composer.submit()
        await asyncio.sleep(0)
        await desk.engine.chat.wait_idle()
        await asyncio.sleep(_READING_PAUSE)
    if not compose_demo_screenshot(
        desk.chat.window, desk.companion.pet, desk.companion.bubble, desk.theme_manager.theme
    ).save(str(picture)):
        print(tr("The picture could not be written to {path}.", path=str(picture)), file=sys.stderr)
        return 1
    print("\n" + tr("The screenshot is in {path}", path=str(picture)), flush=True)
    return 0


async def _wait_for_figure(desk: DesktopApp) -> None:
    """Wait until the figure is shown; without OpenGL the demo continues without it."""
    stands = asyncio.Event()
    desk.companion.pet.ready.connect(stands.set)
    desk.companion.pet.failed.connect(stands.set)
    if desk.companion.pet.description is not None:
        stands.set()
    try:
        async with asyncio.timeout(_FIGURE_TIMEOUT):
            await stands.wait()
    except TimeoutError:
        print(tr("The figure did not load in time."), file=sys.stderr)
    await asyncio.sleep(_READING_PAUSE)
