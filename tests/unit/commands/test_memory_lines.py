"""The memory's lines beside a naive model of it: whatever is said in whatever order."""

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

from neodeskpet.commands.memory_lines import serve
from neodeskpet.core.context import estimate_tokens

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
        """Take a line in; whether an answer is due."""
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


@settings(max_examples=12, deadline=None)
@given(stories)
def test_it_finds_what_is_there_and_nothing_else(story: Sequence[Line]) -> None:
    source = io.BytesIO("\n".join(map(json.dumps, story)).encode())
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        assert asyncio.run(serve(Path(folder) / "memory.db", source)) == 0
    answers = iter(out.getvalue().splitlines())
    model = Naive()
    for said in story:
        if model.answers(said):
            model.check(said, json.loads(next(answers)))
    assert next(answers, None) is None
