"""The memory's lines compared with a simple model of it, with any texts in any order."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.cli.memory_json_lines import serve
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.llm.local.embedding_child import LETTERS_MODEL
from neodeskpet.llm.local.local_embedder import LocalEmbedder

Line = dict[str, object]
WORDS = ("kettle", "teapot", "水壶", "红色", "猫", "🦊", "parseJSON", "Łódź")
MANY = 99

words = st.sampled_from(WORDS)
names = st.sampled_from("abcd")
times = st.datetimes().map(lambda time: time.isoformat())
adds = st.fixed_dictionaries(
    {
        "op": st.just("add"),
        "id": names,
        "time": times,
        "speaker": st.sampled_from(("user", "assistant", "document", "Ida")),
        "text": st.lists(words, max_size=4).map(" ".join),
    }
)
searches = st.fixed_dictionaries(
    {
        "op": st.just("search"),
        "text": words,
        "time": times,
        "k": st.sampled_from((None, 0, 1, 3, MANY)),
        "token_budget": st.sampled_from((None, 0, 20, 60, 10**9)),
    }
)
others = st.sampled_from(({"op": "flush"}, {"op": "add"}, {"op": "search", "text": "kettle"}))
forgets = st.fixed_dictionaries({"op": st.just("forget"), "id": names})
stories = st.lists(
    st.one_of(adds, adds, adds, searches, searches, forgets, others), min_size=20, max_size=60
)


class Naive:
    """All texts in a dictionary."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.forgotten: set[str] = set()

    def answers(self, said: Line) -> bool:
        """Process a line; return whether an answer is due."""
        one = str(said.get("id"))
        if said["op"] == "add" and "id" in said:
            if one not in self.forgotten:
                self.texts[one] = str(said["text"])
            return False
        if said["op"] == "forget":
            self.forgotten.add(one)
            self.texts.pop(one, None)
        return True

    def check(self, said: Line, answer: Line) -> None:
        if said["op"] in ("flush", "forget"):
            assert answer == {"ok": True}
            return
        if said["op"] == "add" or "time" not in said:
            assert list(answer) == ["error"]
            return
        ids, count, budget = answer["ids"], said["k"], said["token_budget"]
        assert isinstance(ids, list) and len(set(ids)) == len(ids)
        assert set(ids) <= self.texts.keys()
        if isinstance(count, int):
            assert len(ids) <= count
        if isinstance(budget, int):
            assert sum(estimate_tokens(self.texts[one]) for one in ids) <= budget
        elif count == MANY:
            holding = {one for one, text in self.texts.items() if str(said["text"]) in text}
            assert holding <= set(ids)


def told(folder: Path, story: Sequence[Line], embedder: LocalEmbedder | None = None) -> list[str]:
    """Return the answer, line by line."""
    source = io.BytesIO("\n".join(map(json.dumps, story)).encode())

    async def live() -> int:
        try:
            return await serve(folder / "memory.db", source, embedder)
        finally:
            if embedder is not None:
                await embedder.aclose()

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert asyncio.run(live()) == 0
    return out.getvalue().splitlines()


@settings(max_examples=12, deadline=None)
@given(stories)
def test_it_finds_existing_texts_and_nothing_else(story: Sequence[Line]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        answers = iter(told(Path(folder), story))
    model = Naive()
    for said in story:
        if model.answers(said):
            model.check(said, json.loads(next(answers)))
    assert next(answers, None) is None


def test_meaning_finds_texts_without_common_words_and_no_deleted_ones(
    tmp_path: Path,
) -> None:
    now = "2026-05-01T10:00:00"
    adds: list[Line] = [
        {"op": "add", "id": one, "time": now, "speaker": "user", "text": text}
        for one, text in (("a", "dusty study"), ("b", "wild owl"), ("c", "cocoa"))
    ]
    search: Line = {"op": "search", "text": "ydsut tsduy", "time": now, "k": 1}
    within: Line = {"op": "search", "text": "ydsut tsduy", "time": now, "token_budget": 99}
    story = [*adds, {"op": "flush"}, search, within, {"op": "forget", "id": "a"}, search]

    def ids(answer: str) -> list[str]:
        return list(json.loads(answer)["ids"])

    assert ids(told(tmp_path / "words", story)[1]) == []
    embedder = LocalEmbedder(LETTERS_MODEL, installed=lambda: True)
    _, best, fitting, _, left = told(tmp_path / "meaning", story, embedder)
    assert ids(best) == ["a"] == ids(fitting)[:1]
    assert "a" not in ids(left)
