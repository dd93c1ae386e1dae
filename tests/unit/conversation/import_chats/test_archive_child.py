"""The process of the reader answers every request, also unexpected ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from neodeskpet.conversation.import_chats.archive_child import ArchiveSession
from tests.support.pasts import archive, chatgpt_talk


def ask(session: ArchiveSession, **question: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(session.answer(json.dumps(question).encode()))
    return told


def test_an_archive_step_by_step(tmp_path: Path) -> None:
    talks = [chatgpt_talk(key, key.upper(), "q", "a") for key in "abc"]
    session = ArchiveSession()
    assert ask(session, open=str(archive(tmp_path / "a.zip", talks))) == {}
    told = ask(session, survey=True)
    assert [one["title"] for one in told["found"]] == ["A", "B", "C"]
    assert told["ended"] and told["skipped"] == [] and told["unknown"] == {}
    assert ask(session, fetch=[told["found"][1]["id"]]) == {}
    told = ask(session, next=True)
    assert [next(iter(piece)) for piece in told["pieces"]] == ["head", "rows", "whole"]
    assert told["pieces"][0]["head"]["title"] == "B"
    assert ask(session, next=True)["ended"]


def test_requests_in_the_wrong_order(tmp_path: Path) -> None:
    session = ArchiveSession()
    assert ask(session, survey=True) == {"refused": "broken"}
    assert ask(session, open=str(tmp_path))["refused"] == "unreadable"
    assert ask(session, open=str(tmp_path / "gone"))["refused"] == "unreadable"
