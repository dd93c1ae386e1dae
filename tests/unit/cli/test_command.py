"""`neodeskpet agents`: settings are shown, written and cleaned up; hooks never delay an agent."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from neodeskpet.cli.agents_command import run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_show_changes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "claude"]) == 0
    assert "agents hook claude" in capsys.readouterr().out
    assert not (home / ".claude").exists()


def test_without_a_yes_nothing_is_written(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))  # no terminal: nobody could have seen it
    assert run(["install", "claude"]) == 1
    assert "Nothing was changed." in capsys.readouterr().out
    assert not (home / ".claude").exists()


@pytest.mark.parametrize(
    ("agent", "file"),
    [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("opencode", ".config/opencode/plugins/neodeskpet.js"),
    ],
)
def test_hooks_are_installed_and_removed(
    home: Path, capsys: pytest.CaptureFixture[str], agent: str, file: str
) -> None:
    path = home / file
    assert run(["install", agent, "--yes", "--data-dir", str(home / "data")]) == 0
    told = capsys.readouterr().out
    assert f"+++ {path}" in told
    assert ("/hooks" in told) is (agent == "codex")
    assert str(home / "data") in path.read_text("utf-8")
    assert run(["install", agent, "--yes", "--data-dir", str(home / "data")]) == 0
    assert "No change is needed" in capsys.readouterr().out
    assert run(["remove", agent, "--yes"]) == 0
    assert not path.exists()


def test_settings_of_others_stay(home: Path) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "opus"\n}\n', "utf-8")
    assert run(["install", "claude", "--yes"]) == 0
    assert json.loads(path.read_text("utf-8"))["model"] == "opus"
    assert run(["remove", "claude", "--yes"]) == 0
    assert path.read_text("utf-8") == '{\n  "model": "opus"\n}\n'


def test_an_unreadable_file_is_not_written(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text("// mine\n{}}", "utf-8")
    assert run(["install", "claude", "--yes"]) == 1
    assert "can't be read" in capsys.readouterr().err
    assert path.read_text("utf-8") == "// mine\n{}}"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"hook_event_name": "Stop", "session_id": "s"}'])
def test_a_hook_prints_nothing_and_never_fails(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert run(["hook", "claude", "--data-dir", str(home / "data")]) == 0
    assert capsys.readouterr() == ("", "")
