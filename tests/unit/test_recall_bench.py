"""The set of questions of the recall benchmark, and its peer."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bench.recall import ask_plainly, read_set

SAID = [
    {"id": "D1:1", "time": "2025-01-01T10:00:00", "speaker": "Ida", "text": "The hens lay eggs."},
    {"id": "D2:1", "time": "2025-01-02T10:00:00", "speaker": "Ida", "text": "我的猫怕打雷。"},
    {"id": "D2:2", "time": "2025-01-02T10:01:00", "speaker": "Ida", "text": "Soup, eggs, bread."},
]
ASKED = [
    {"question": "猫怕什么？", "time": "2025-02-01T10:00:00", "evidence": ["D2:1"], "category": 4},
    {"question": "Which hens?", "time": "2025-02-01T10:00:00", "evidence": ["D1"]},
    {"question": "What is missing?", "time": "2025-02-01T10:00:00", "evidence": []},
    {"question": "?", "time": "2025-02-01T10:00:00", "evidence": ["D1:1"]},
]


def test_the_peer_finds_texts_or_sessions_by_their_words(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text("\n".join(map(json.dumps, [*SAID, *ASKED])), encoding="utf-8")
    said, questions = read_set(file)
    assert said == SAID
    assert [one.text for one in questions] == ["猫怕什么？", "Which hens?", "?"], "with evidence"
    best = [list(one.best) for one in ask_plainly(said, questions)]
    assert best == [["D2:1"], ["D1"], []]
