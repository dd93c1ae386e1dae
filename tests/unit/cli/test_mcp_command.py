"""`neodeskpet mcp` while no NeoDeskPet runs: data is stored, and nothing is shown."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from tests.support.agents import Agent, Said, words_of
from tests.support.notebook import noted


def comes(future: Future[Said]) -> str:
    return words_of(future.result(30))


def wait(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_notes_and_timers_work_without_the_app(tmp_path: Path) -> None:
    with Agent("coder").over_stdio(tmp_path) as agent:
        wait(lambda: agent.ready)
        assert {"say", "note_add"} <= set(agent.tools().result(30))
        assert "isn't running" in comes(agent.call("say", text="Hello"))
        added = json.loads(comes(agent.call("note_add", text="kept")))
        assert added["added"]["tags"] == ["coder"]
        assert "isn't running" in comes(agent.call("note_delete", id=added["added"]["id"]))
        assert "coder: Tea" in comes(agent.call("remind", text="Tea", at="2h"))
        (tmp_path / "settings.json").write_text('{"programs": {"allowed": false}}')
        assert "switched this off" in comes(agent.call("note_add", text="x"))
    assert noted(tmp_path) == ["kept"]
