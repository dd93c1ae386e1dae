"""A command about stored data fails if one of its files can't be opened. It never works in memory
only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from neodeskpet.cli import export_command, import_command, memory_command
from neodeskpet.cli import knowledge_command as knowledge
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_FILE as KNOWLEDGE_FILE
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from tests.support.pasts import archive, chatgpt_talk

Run = Callable[[Sequence[str]], int]

CASES: list[tuple[Run, list[str], str]] = [
    (import_command.run, ["ARCHIVE"], CONVERSATIONS_FILE),
    (export_command.run, ["--all", "OUT"], CONVERSATIONS_FILE),
    (memory_command.run, ["export", "OUT"], MEMORY_FILE),
    (memory_command.run, ["export", "OUT"], CONVERSATIONS_FILE),
    (memory_command.run, ["clear", "--yes"], MEMORY_FILE),
    (memory_command.run, ["search", "x"], MEMORY_FILE),
    (memory_command.run, ["serve"], MEMORY_FILE),
    (knowledge.run, ["list"], KNOWLEDGE_FILE),
    (knowledge.run, ["add", "ARCHIVE"], KNOWLEDGE_FILE),
]


def make_too_new(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY, applied REAL NOT NULL)")
        connection.execute("INSERT INTO migrations VALUES ('999-future', 0)")
        connection.commit()


@pytest.mark.parametrize(("run", "words", "file"), CASES)
@pytest.mark.parametrize("spoil", ["newer", "folder"])
def test_it_fails_and_writes_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    run: Run,
    words: list[str],
    file: str,
    spoil: str,
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    if spoil == "newer":
        make_too_new(home / file)
    else:
        (home / file).mkdir()
    names = {
        "ARCHIVE": str(archive(tmp_path / "a.zip", [chatgpt_talk("c", "Cats", "hello", "hi")])),
        "OUT": str(tmp_path / "out"),
    }
    told = [names.get(word, word) for word in words]
    assert run([*told, "--data-dir", str(home)]) == 1
    said = capsys.readouterr()
    assert said.err.strip()
    assert not said.out
    assert not (tmp_path / "out").exists()
