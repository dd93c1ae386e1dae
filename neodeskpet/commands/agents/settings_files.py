"""Where coding agents keep their hooks, and these files with our hooks in them or without.

A hook of ours is known by its command, which holds `agents hook NAME`. All else stays as it is,
comments too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.core.json_text import plain_json, read_json


class UnreadableSettings(ValueError):
    """The file isn't what it should be; the text says why."""


@dataclass(frozen=True, slots=True)
class SettingsLocation:
    """The file of an agent below the home folder, and the environment variable that names its
    folder instead.
    """

    file: str
    variable: str = ""
    folder_below_home: str = ""
    """Where the file is below the folder that the variable names."""

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
"""The events with a hook of ours, and their matchers."""
_HOOK_TIMEOUT = 60


def with_hooks(agent: str, text: str, command: list[str]) -> str:
    """The file's `text` with our hooks, which run `command`. Raises UnreadableSettings."""
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
    """The same without our hooks; "" for a file that holds nothing else. Raises
    UnreadableSettings."""
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
    """A group without our hooks; None if it has no others."""
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
    if agent == "gemini":  # there a hook has a name, and its time is in milliseconds
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
