"""`neodeskpet agents install|remove|show|hook NAME`: hooks of coding agents.

`install` shows what it changes in the agent's settings and writes it after a yes. `hook` is what
the hooks run: it reads the event on its input. It always exits with 0 and prints nothing but an
answer, so that no agent is ever held up by it.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from neodeskpet.commands.agents.hooks import (
    AGENTS,
    ANSWER_TIMEOUT,
    AskPermission,
    HookStep,
    ShowText,
    answer_text,
    step_for,
)
from neodeskpet.commands.agents.settings_files import (
    SETTINGS_LOCATIONS,
    UnreadableSettings,
    with_hooks,
    without_hooks,
)
from neodeskpet.commands.terminal import add_data_dir, data_folder
from neodeskpet.core.errors import KnownError
from neodeskpet.core.json_text import read_json
from neodeskpet.files import write_private
from neodeskpet.language import tr
from neodeskpet.visitors.caller import LocalClient

_MAX_INPUT = 1 << 20
"""Characters of an event that are read."""
_CONNECT_TIMEOUT = 5.0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet agents",
        description=tr("Connect coding agents with the companion by their hooks."),
    )
    made.add_argument(
        "do",
        choices=("install", "remove", "show", "hook"),
        help=tr("install or remove hooks, show what install would change; hook is for agents"),
    )
    made.add_argument("agent", choices=sorted(AGENTS))
    made.add_argument("--yes", action="store_true", help=tr("write without a question"))
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """The exit code: 0 done, 1 not."""
    words = parser().parse_args(argv)
    if words.do == "hook":
        with suppress(Exception):  # an agent has no use for what went wrong here
            _hook(words.agent, sys.stdin.read(_MAX_INPUT), data_folder(words.data_dir))
        return 0
    return _change_settings(words.agent, words.do, yes=words.yes, data_dir=words.data_dir)


# Settings


def _change_settings(agent: str, do: str, *, yes: bool, data_dir: str | None) -> int:
    path = SETTINGS_LOCATIONS[agent].path(Path.home(), os.environ)
    try:
        before = path.read_text("utf-8") if path.exists() else ""
        after = (
            without_hooks(agent, before)
            if do == "remove"
            else with_hooks(agent, before, _command(agent, data_dir))
        )
    except (OSError, UnicodeDecodeError, UnreadableSettings) as error:
        told = tr("{file} can't be read: {reason}", file=str(path), reason=str(error))
        print(told, file=sys.stderr)
        return 1
    if after == before:
        print(tr("Nothing is to be changed in {file}.", file=str(path)))
        return 0
    print("".join(_diff(before, after, str(path))))
    if do == "show":
        return 0
    if not (yes or confirm_change(path)):
        print(tr("Nothing was changed."))
        return 1
    try:
        if after:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_private(path, after)
        else:
            path.unlink()
    except OSError as error:
        told = tr("{file} can't be written: {reason}", file=str(path), reason=str(error))
        print(told, file=sys.stderr)
        return 1
    print(tr("Written: {file}", file=str(path)) if after else tr("Deleted: {file}", file=str(path)))
    if agent == "codex" and do == "install":
        print(tr("Codex runs new hooks only when you trust them: at its next start, or by /hooks."))
    return 0


def _diff(before: str, after: str, path: str) -> list[str]:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), path, path
    )
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def confirm_change(path: Path) -> bool:
    """Whether the person at the terminal says yes to writing this file."""
    if not sys.stdin.isatty():
        return False
    asked = tr("Write this to {file}? [y/N]", file=str(path))
    return input(f"{asked} ").strip().casefold() in ("y", "yes", "j", "是", "好")


def _command(agent: str, data_dir: str | None) -> list[str]:
    found = shutil.which("neodeskpet")
    program = [found] if found else [sys.executable, "-m", "neodeskpet"]
    where = ["--data-dir", str(Path(data_dir).resolve())] if data_dir else []
    return [*program, "agents", "hook", agent, *where]


# The hook


def _hook(agent: str, text: str, home: Path) -> None:
    event = read_json(text) if text.strip() else {}
    if isinstance(event, dict):
        asyncio.run(_show(agent, step_for(event), home))


async def _show(agent: str, step: HookStep, home: Path) -> None:
    try:
        async with asyncio.timeout(_CONNECT_TIMEOUT):
            caller = await LocalClient.connect(home, AGENTS[agent])
    except (KnownError, TimeoutError):
        return  # nobody is there to be told
    try:
        if step.withdraws_question and step.session:
            await caller.call("withdraw", {"topic": step.session[:64]})
        match step.action:
            case ShowText(text=words, mood=mood, passing=passing):
                topic = step.session[:64] if passing else ""
                await caller.call("say", {"text": words, "mood": mood, "topic": topic})
            case AskPermission(question=question):
                await _ask(caller, agent, question, step.session)
            case None:
                pass
    finally:
        await caller.aclose()


async def _ask(caller: LocalClient, agent: str, question: str, session: str) -> None:
    allow, deny = tr("Allow"), tr("Deny")
    asked: Mapping[str, object] = {
        "question": question,
        "choices": [allow, deny],
        "seconds": ANSWER_TIMEOUT,
        "topic": session[:64],
    }
    answer = await caller.call("ask", asked)
    chosen = (answer.data or {}).get("answer")
    if not answer.failed and chosen in (allow, deny):
        print(answer_text(agent, chosen == allow), flush=True)
