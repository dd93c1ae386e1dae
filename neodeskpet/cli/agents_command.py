"""`neodeskpet agents install|remove|show|hook NAME`: installs hooks in coding agents and runs them.
`install` and `remove` show the change to the agent's settings file and write it after a
confirmation. Our hooks are recognised by their command, which contains `agents hook NAME`;
everything else in the file is kept.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from neodeskpet.cli.agent_hooks import (
    AGENTS,
    ANSWER_TIMEOUT,
    AskPermission,
    HookStep,
    ShowText,
    answer_text,
    step_for,
    terminal_only_text,
)
from neodeskpet.cli.terminal import add_data_dir, data_folder
from neodeskpet.core.errors import KnownError
from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.core.json_text import plain_json, read_json
from neodeskpet.external_api.local_client import LocalClient
from neodeskpet.external_api.local_protocol import MAX_FOLDER
from neodeskpet.language import tr
from neodeskpet.platform.private_files import write_private


class UnreadableSettings(ValueError):
    """The file doesn't have the expected form; the text says why."""


@dataclass(frozen=True, slots=True)
class SettingsLocation:
    """The settings file of an agent below the home folder, and the environment variable that names
    another folder.
    """

    file: str
    variable: str = ""
    folder_below_home: str = ""
    """The path of the file below the folder in the variable."""

    def path(self, home: Path, environ: Mapping[str, str]) -> Path:
        folder = environ.get(self.variable, "") if self.variable else ""
        return Path(folder) / self.folder_below_home if folder else home / self.file


SETTINGS_LOCATIONS = {
    "claude": SettingsLocation(".claude/settings.json", "CLAUDE_CONFIG_DIR", "settings.json"),
    "codex": SettingsLocation(".codex/hooks.json", "CODEX_HOME", "hooks.json"),
    "gemini": SettingsLocation(".gemini/settings.json"),
    "opencode": SettingsLocation(
        ".config/opencode/plugins/neodeskpet.js",
        "XDG_CONFIG_HOME",
        "opencode/plugins/neodeskpet.js",
    ),
}

_COMMON_EVENTS = ("UserPromptSubmit", "PermissionRequest", "PostToolUse", "Stop")
_AGENT_EVENTS: Mapping[str, Mapping[str, str]] = {
    "claude": dict.fromkeys(
        (*_COMMON_EVENTS, "PostToolUseFailure", "StopFailure", "SessionEnd"), ""
    ),
    "codex": dict.fromkeys(_COMMON_EVENTS, ""),
    "gemini": {
        "BeforeAgent": "*",
        "AfterTool": "*",
        "AfterAgent": "*",
        "Notification": "ToolPermission",
        "SessionEnd": "*",
    },
}
"""The events with our hooks, and their matchers."""
_HOOK_TIMEOUT = 60


def with_hooks(agent: str, text: str, command: list[str]) -> str:
    """Return the file's `text` with our hooks, which run `command`. Raises UnreadableSettings."""
    if agent == "opencode":
        return _plugin(command)
    settings = _parse_settings(without_hooks(agent, text))
    hooks = settings.setdefault("hooks", {})
    for event, matcher in _AGENT_EVENTS[agent].items():
        groups = hooks.setdefault(event, [])
        if not isinstance(groups, list):
            raise UnreadableSettings(f"“hooks.{event}” is no list")
        groups.append(_group(agent, matcher, " ".join(map(_quoted, command))))
    return edited(text, settings) if text.strip() else laid_out(settings)


def without_hooks(agent: str, text: str) -> str:
    """Return the text without our hooks; "" if it has nothing else. Raises UnreadableSettings."""
    if agent == "opencode" or not text.strip():
        return ""
    settings = _parse_settings(text)
    hooks = settings["hooks"]
    for event in list(hooks):
        if isinstance(hooks[event], list):
            groups = [
                kept
                for group in hooks[event]
                if (kept := _without_our_hooks(agent, group)) is not None
            ]
            hooks[event] = groups
            if not groups:
                del hooks[event]
    if not hooks:
        del settings["hooks"]
    return edited(text, settings) if settings else ""


def _without_our_hooks(agent: str, group: Any) -> Any:
    """Return a group without our hooks; None if it has no others."""
    if not (isinstance(group, dict) and isinstance(group.get("hooks"), list)):
        return group
    mark = f"agents hook {agent}"
    others = [
        hook
        for hook in group["hooks"]
        if not (isinstance(hook, dict) and mark in str(hook.get("command", "")))
    ]
    if len(others) == len(group["hooks"]):
        return group
    return {**group, "hooks": others} if others else None


def _group(agent: str, matcher: str, command: str) -> dict[str, object]:
    hook: dict[str, object] = {"type": "command", "command": command, "timeout": _HOOK_TIMEOUT}
    if agent == "gemini":  # its hooks have a name, and a timeout in milliseconds
        hook |= {"name": "neodeskpet", "timeout": _HOOK_TIMEOUT * 1000}
    return ({"matcher": matcher} if matcher else {}) | {"hooks": [hook]}


def _parse_settings(text: str) -> dict[str, Any]:
    try:
        settings = read_json(plain_json(text)) if text.strip() else {}
    except ValueError as error:
        raise UnreadableSettings(str(error)) from None
    if not isinstance(settings, dict) or not isinstance(settings.setdefault("hooks", {}), dict):
        raise UnreadableSettings("it holds no settings with hooks")
    return settings


def _quoted(word: str) -> str:
    plain = word.replace("-", "").replace("_", "").replace("/", "").replace(".", "")
    return word if plain.isalnum() else json.dumps(word, ensure_ascii=False)


def _plugin(command: list[str]) -> str:
    text = (files(__package__) / "opencode.js").read_text("utf-8")
    ours = 'const COMMAND = ["neodeskpet", "agents", "hook", "opencode"]'
    return text.replace(ours, f"const COMMAND = {json.dumps(command, ensure_ascii=False)}")


_MAX_INPUT = 1 << 20
"""Most characters of an event."""
_CONNECT_TIMEOUT = 5.0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet agents",
        description=tr("Connect coding agents with the companion through their hooks."),
    )
    made.add_argument(
        "do",
        choices=("install", "remove", "show", "hook"),
        help=tr(
            "install or remove hooks, or show what install would change; hook is called by agents"
        ),
    )
    made.add_argument("agent", choices=sorted(AGENTS))
    made.add_argument("--yes", action="store_true", help=tr("write without asking"))
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command; the exit code is 0 for success, 1 for failure."""
    words = parser().parse_args(argv)
    if words.do == "hook":
        with suppress(Exception):  # an error must not disturb the agent
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
        message = tr("{file} can't be read: {reason}", file=str(path), reason=str(error))
        print(message, file=sys.stderr)
        return 1
    if after == before:
        print(tr("No change is needed in {file}.", file=str(path)))
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
        message = tr("{file} can't be written: {reason}", file=str(path), reason=str(error))
        print(message, file=sys.stderr)
        return 1
    print(tr("Written: {file}", file=str(path)) if after else tr("Deleted: {file}", file=str(path)))
    if agent == "codex" and do == "install":
        print(
            tr("Codex runs new hooks only after you trust them: at its next start, or with /hooks.")
        )
    return 0


def _diff(before: str, after: str, path: str) -> list[str]:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), path, path
    )
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def confirm_change(path: Path) -> bool:
    """Ask on the terminal whether to write this file."""
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
        return  # no companion is running
    try:
        if step.withdraws_question and step.session:
            await caller.call("withdraw", {"topic": step.session[:64]})
        match step.action:
            case ShowText(text=words, mood=mood, passing=passing):
                topic = step.session[:64] if passing else ""
                await caller.call("say", {"text": words, "mood": mood, "topic": topic})
            case AskPermission() as asked:
                await _ask(caller, agent, asked, step.session)
            case None:
                pass
    finally:
        await caller.aclose()


async def _ask(caller: LocalClient, agent: str, asked: AskPermission, session: str) -> None:
    topic = session[:64]
    given: Mapping[str, object] = {
        "question": asked.title,
        "choices": [asked.allow, asked.deny],
        "seconds": ANSWER_TIMEOUT,
        "topic": topic,
        "details": asked.details,
        "folder": _short_folder(asked.folder),
    }
    answer = await caller.call("ask", given)
    data = answer.data or {}
    chosen = data.get("answer")
    if not answer.failed and chosen in (asked.allow, asked.deny):
        print(answer_text(agent, chosen == asked.allow), flush=True)
    elif data.get("why") == "long":
        told = terminal_only_text(asked)
        await caller.call("say", {"text": told.text, "mood": told.mood, "topic": topic})


def _short_folder(folder: str) -> str:
    """Return a folder as people write it: with ~ for the home folder."""
    home = str(Path.home())
    inside = folder == home or folder.startswith((f"{home}/", f"{home}\\"))
    return (f"~{folder[len(home) :]}" if inside else folder)[-MAX_FOLDER:]
