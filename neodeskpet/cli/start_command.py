"""`neodeskpet [--chat] [--base-url URL --model M] [FILE …]`: the app on the desktop."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from neodeskpet import __version__
from neodeskpet.app.run_options import RunOptions
from neodeskpet.cli import COMMANDS
from neodeskpet.cli.terminal import USAGE, add_data_dir, data_folder
from neodeskpet.language import tr
from neodeskpet.settings.settings_model import setting_info


def parser() -> argparse.ArgumentParser:
    protocols = [value for value, _text in setting_info("service", "protocol").choices]
    made = argparse.ArgumentParser(
        prog="neodeskpet",
        description=tr("A Live2D companion on the desktop whose chat never breaks."),
        epilog=tr(
            "Commands: {commands} (each with --help). The service can also be given by "
            "NEODESKPET_BASE_URL, NEODESKPET_MODEL, NEODESKPET_PROTOCOL and NEODESKPET_API_KEY.",
            commands=", ".join(sorted(COMMANDS.keys() - {"child"})),
        ),
    )
    made.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help=tr("a figure, a character card or any file to attach"),
    )
    made.add_argument("--chat", action="store_true", help=tr("open the chat at once"))
    made.add_argument("--hidden", action="store_true", help=tr("start in the tray"))
    made.add_argument(
        "--login",
        action="store_true",
        help=tr("restore the state at the end of the session (used by the start at login)"),
    )
    made.add_argument(
        "--safe",
        action="store_true",
        help=tr("safe mode: no figure, an empty conversation, the offline helper"),
    )
    # Options that X11 session managers add when they restart a program.
    made.add_argument("-session", dest="session", default=None, help=argparse.SUPPRESS)
    made.add_argument("--base-url", default=None, metavar="URL", help=tr("for this run"))
    made.add_argument("--model", default=None, metavar="M", help=tr("for this run"))
    made.add_argument("--protocol", choices=protocols, default=None, help=tr("for this run"))
    made.add_argument(
        "--mode",
        choices=("native", "text", "auto"),
        default=None,
        help=tr("the tool mode of this run"),
    )
    add_data_dir(made)
    made.add_argument("--version", action="version", version=f"NeoDeskPet {__version__}")
    return made


def run(argv: Sequence[str]) -> int:
    """Run the app until it ends and return its exit code."""
    words = parser().parse_args(argv)
    files = [Path(file).expanduser().absolute() for file in words.files]
    missing = [str(file) for file in files if not file.exists()]
    if missing:
        print(tr("There is no file {path}.", path=missing[0]), file=sys.stderr)
        return USAGE
    if not prepare_display():
        return 1
    # Loaded code is no garbage: collecting while it loads takes a tenth of the time until the
    # figure
    # is shown. The loop collects by itself (`ui/gc_scheduler.py`).
    gc.disable()
    from neodeskpet.app.startup import StartOptions, run_app

    service = RunOptions(
        base_url=words.base_url, model=words.model, protocol=words.protocol, mode=words.mode
    )
    home = data_folder(words.data_dir)
    return run_app(
        StartOptions(
            home,
            service,
            chat=words.chat,
            hidden=words.hidden,
            at_login=words.login,
            safe_mode=words.safe,
            files=tuple(files),
        )
    )


def prepare_display() -> bool:
    """Choose the platform before Qt starts; if there is no display, print that and return False.

    On Wayland the pet uses XWayland: Wayland doesn't let a window stay on top, know its position or
    let clicks through.
    """
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    if os.environ.get("DISPLAY"):
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        return True
    if os.environ.get("WAYLAND_DISPLAY"):
        said = tr("NeoDeskPet needs XWayland on a Wayland desktop, and there is none here.")
    else:
        said = tr("There is no display. Try: neodeskpet demo")
    print(said, file=sys.stderr)
    return False
