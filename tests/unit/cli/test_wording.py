"""The action of an agent in words."""

from __future__ import annotations

import pytest

from neodeskpet.cli.agent_hooks import request_text, summary_text


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        (
            "Bash",
            {"command": "rm -rf build", "description": "Clean up"},
            "Run a command:\nrm -rf build\n(Clean up)",
        ),
        ("shell", {"command": ["git", "push"]}, "Run a command:\ngit push"),
        (
            "Edit",
            {"file_path": "/a.py", "old_string": "x = 1\ny = 2", "new_string": "x = 3\ny = 2"},
            "Change /a.py:\n- x = 1\n+ x = 3\n  y = 2",
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
            "Change /a.py:\n- a\n+ b\n…\n- c\n+ d",
        ),
        ("Write", {"file_path": "/a.txt", "content": "one\ntwo"}, "Write /a.txt:\none\ntwo"),
        (
            "apply_patch",
            {"command": "*** Begin Patch\n*** Delete File: a\n*** End Patch"},
            "Change files:\n*** Begin Patch\n*** Delete File: a\n*** End Patch",
        ),
        ("edit", {"filepath": "/a", "diff": "--- a\n+++ b"}, "Change /a:\n--- a\n+++ b"),
        ("edit", {"diff": "Index: a\n===\n--- a\n+++ b"}, "Change files:\n--- a\n+++ b"),
        ("edit", {"filePath": "/a", "fileDiff": "anything"}, "Change /a:\nanything"),
        ("ask", {"input": "not a patch"}, "ask\ninput: not a patch"),
        ("Read", {"file_path": "/etc/passwd"}, "Read: /etc/passwd"),
        ("WebFetch", {"url": "https://example.org"}, "WebFetch: https://example.org"),
        ("mcp__x__y", {"count": 3, "name": "z"}, "mcp__x__y\ncount: 3\nname: z"),
        (
            "mcp__x__send",
            {"to": {"name": "Ana", "tags": ["a", {"b": 1}]}, "text": "one\nto: Eve"},
            "mcp__x__send\nto › name: Ana\nto › tags 1: a\nto › tags 2 › b: 1\n"
            "text: one\n    to: Eve",
        ),
        ("", {}, "Something"),
    ],
)
def test_the_command_the_path_or_the_change_is_shown(
    tool: str, given: dict[str, object], words: str
) -> None:
    assert request_text(tool, given) == words


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
    assert summary_text("tool", given) == words
