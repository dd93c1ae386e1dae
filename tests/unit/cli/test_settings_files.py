"""The settings of agents with and without our hooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.cli.agents_command import (
    SETTINGS_LOCATIONS,
    UnreadableSettings,
    with_hooks,
    without_hooks,
)

COMMAND = ["/usr/bin/neodeskpet", "agents", "hook"]
THEIRS: dict[str, Any] = {
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}],
    },
}


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
@pytest.mark.parametrize("before", ["", json.dumps(THEIRS, indent=2) + "\n"])
def test_hooks_are_added_and_removed_and_everything_else_is_unchanged(
    agent: str, before: str
) -> None:
    there = with_hooks(agent, before, [*COMMAND, agent])
    assert f"agents hook {agent}" in there
    assert with_hooks(agent, there, [*COMMAND, agent]) == there, "a second time changes nothing"
    assert without_hooks(agent, there) == before


def test_comments_and_layout_stay() -> None:
    before = '{\r\n\t// mine\r\n\t"model": "opus", "hooks": { /* none */ "Stop": [ "odd" ] },\r\n}'
    there = with_hooks("gemini", before, [*COMMAND, "gemini"])
    assert "// mine\r\n" in there and "/* none */" in there and "agents hook gemini" in there
    assert without_hooks("gemini", there) == before


def test_the_hooks_of_claude_and_codex_ask_and_withdraw() -> None:
    for agent in ("claude", "codex"):
        hooks = json.loads(with_hooks(agent, "", [*COMMAND, agent]))["hooks"]
        assert {"UserPromptSubmit", "PermissionRequest", "PostToolUse", "Stop"} <= set(hooks)
        (group,) = hooks["PermissionRequest"]
        command = f"/usr/bin/neodeskpet agents hook {agent}"
        assert group == {"hooks": [{"type": "command", "command": command, "timeout": 60}]}


def test_a_hook_of_gemini_has_a_matcher_and_milliseconds() -> None:
    hooks = json.loads(with_hooks("gemini", "", [*COMMAND, "gemini"]))["hooks"]
    (group,) = hooks["Notification"]
    assert group["matcher"] == "ToolPermission"
    assert group["hooks"][0]["timeout"] == 60_000


def test_a_path_with_spaces_is_quoted() -> None:
    there = with_hooks("claude", "", ["/opt/my apps/neodeskpet", "agents", "hook", "claude"])
    command = json.loads(there)["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert command == '"/opt/my apps/neodeskpet" agents hook claude'


def test_the_plugin_of_opencode_runs_our_command() -> None:
    text = with_hooks("opencode", "", ["/opt/neo", "agents", "hook", "opencode"])
    assert 'const COMMAND = ["/opt/neo", "agents", "hook", "opencode"]' in text
    assert "permission.replied" in text
    assert without_hooks("opencode", text) == ""


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"hooks": []}', "// a note\n{}}", '{"hooks": {"Stop": 7}}']
)
def test_an_unknown_file_is_unchanged(text: str) -> None:
    with pytest.raises(UnreadableSettings):
        with_hooks("claude", text, COMMAND)


def test_a_variable_names_another_folder() -> None:
    home = Path("/home/me")
    assert SETTINGS_LOCATIONS["claude"].path(home, {}) == home / ".claude/settings.json"
    there = SETTINGS_LOCATIONS["codex"].path(home, {"CODEX_HOME": "/c"})
    assert there == Path("/c/hooks.json")
    plugin = SETTINGS_LOCATIONS["opencode"].path(home, {"XDG_CONFIG_HOME": "/x"})
    assert plugin == Path("/x/opencode/plugins/neodeskpet.js")
