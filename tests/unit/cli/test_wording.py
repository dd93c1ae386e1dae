"""The action of an agent in words."""

from __future__ import annotations

import pytest

from neodeskpet.cli.agent_hooks import permission_for

LONG = "/srv/" + "deep/" * 20 + "a.py"
LONG_COMMAND = "pytest -q " + "tests/unit/one " * 5 + "-x"


@pytest.mark.parametrize(
    ("tool", "given", "title", "details"),
    [
        (
            "Bash",
            {"command": "rm -rf build", "description": "Clean\nup"},
            "Run “rm -rf build”?",
            "Reason: Clean up",
        ),
        ("shell", {"command": ["git", "commit", "-m", "a b"]}, "Run “git commit -m 'a b'”?", ""),
        ("Bash", {"command": LONG_COMMAND}, "Run this command?", f"$ {LONG_COMMAND}"),
        (
            "Bash",
            {"command": "make\nReason: harmless", "justification": "Build"},
            "Run this command?",
            "$ make\n   Reason: harmless\nReason: Build",
        ),
        (
            "Edit",
            {
                "file_path": "/work/src/a.py",
                "old_string": "x = 1\ny = 2",
                "new_string": "x = 3\ny = 2",
            },
            "Change “src/a.py”?",
            "- x = 1\n+ x = 3",
        ),
        (
            "Edit",
            {"file_path": "/workshop/a", "old_string": "a\nb\nc", "new_string": "A\nb\nC"},
            "Change “/workshop/a”?",
            "- a\n+ A\n…\n- c\n+ C",
        ),
        (
            "MultiEdit",
            {
                "file_path": "/a.py",
                "edits": [
                    {"old_string": "a", "new_string": "b"},
                    {"old_string": "c", "new_string": "d"},
                ],
            },
            "Change “/a.py”?",
            "- a\n+ b\n…\n- c\n+ d",
        ),
        (
            "Write",
            {"file_path": "/a.txt", "content": "one\ntwo\n"},
            "Write “/a.txt”?",
            "+ one\n+ two",
        ),
        (
            "Write",
            {"file_path": LONG, "content": "one"},
            f"Write “…{LONG[-47:]}”?",
            f"{LONG}\n+ one",
        ),
        (
            "apply_patch",
            {"command": "*** Begin Patch\n*** Delete File: a\n*** End Patch"},
            "Change files?",
            "*** Begin Patch\n*** Delete File: a\n*** End Patch",
        ),
        (
            "edit",
            {"filepath": "/a", "diff": "--- /a\told\n+++ /a\n@@ -1 +1 @@\n-x\n+y"},
            "Change “/a”?",
            "@@ -1 +1 @@\n-x\n+y",
        ),
        (
            "edit",
            {"filepath": "/a", "diff": "--- /b\n+++ /b\n@@ -1 +1 @@\n-x\n+y"},
            "Change “/a”?",
            "--- /b\n+++ /b\n@@ -1 +1 @@\n-x\n+y",
        ),
        ("edit", {"diff": "Index: a\n===\n--- a\n+++ b"}, "Change files?", "--- a\n+++ b"),
        ("edit", {"filePath": "/a", "fileDiff": "anything"}, "Change “/a”?", "anything"),
        ("ask", {"input": "not a patch"}, "Use “ask”?", "input: not a patch"),
        ("Read", {"file_path": "/etc/passwd"}, "Use “Read”?", "file path: /etc/passwd"),
        ("WebFetch", {"url": "https://example.org"}, "Use “WebFetch”?", "url: https://example.org"),
        (
            "mcp__x__send",
            {"to": {"name": "Ana", "tags": ["a", {"b": 1}]}, "text": "one\nto: Eve"},
            "Use “mcp__x__send”?",
            "to › name: Ana\nto › tags 1: a\nto › tags 2 › b: 1\ntext: one\n    to: Eve",
        ),
        ("", {}, "Use “Something”?", ""),
    ],
)
def test_the_command_the_path_or_the_change_is_shown(
    tool: str, given: dict[str, object], title: str, details: str
) -> None:
    asked = permission_for(tool, given, "/work")
    assert (asked.title, asked.details, asked.folder) == (title, details, "/work")
    assert "{" not in asked.title + asked.details


@pytest.mark.parametrize(
    ("given", "answers"),
    [
        ({"command": "make"}, ("Run", "Don't run")),
        ({"path": "/a", "diff": "--- a"}, ("Change", "Leave it")),
        ({"path": "/a", "content": "one"}, ("Write", "Don't write")),
        ({"path": "/a"}, ("Allow", "Don't allow")),
    ],
)
def test_the_answers_repeat_the_verb(given: dict[str, object], answers: tuple[str, str]) -> None:
    asked = permission_for("tool", given)
    assert (asked.allow, asked.deny) == answers


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"command": "make\nmake test"}, "make"),
        ({"path": "/a.txt", "content": "one"}, "Write /a.txt"),
        ({"path": "/a.txt", "diff": "--- a"}, "Change /a.txt"),
        ({"diff": "--- a\n+++ b"}, "--- a"),
        ({"path": "/a.txt"}, "tool: /a.txt"),
        ({}, "tool"),
    ],
)
def test_one_line_has_the_subject(given: dict[str, object], words: str) -> None:
    assert permission_for("tool", given).summary == words
