"""A server whose tools send requests to the client: it is connected by the handshake of older
versions, and may ask for answers, for the allowed folders, and, with a question each time, for a
text of the model.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from neodeskpet.core.errors import ToolFailed
from neodeskpet.mcp.mcp_host import MOST_SAMPLES, SAMPLE_TOKENS
from neodeskpet.mcp.server_connection import ServerTimeouts
from neodeskpet.mcp.session_interface import FormRequest, SamplingRequest, UserAnswer, UserQuestion
from tests.support import mcpolder
from tests.support.mcphouse import House, open_house

POEM = "mcp.older.poem"


class Person:
    """Answers every question; `allows` the requests to the model."""

    def __init__(self) -> None:
        self.asked: list[UserQuestion] = []
        self.sampled: list[SamplingRequest] = []
        self.allows = True

    async def answer(self, server: str, key: object, question: UserQuestion) -> UserAnswer:
        self.asked.append(question)
        if isinstance(question, SamplingRequest):
            return UserAnswer(self.allows)
        return UserAnswer(True, {"city": "上海"} if isinstance(question, FormRequest) else {})

    async def sample(self, server: str, question: SamplingRequest) -> Mapping[str, object]:
        self.sampled.append(question)
        return {"text": "Steam rises.", "model": "m"}


def play(tmp_path: Path, story: Callable[[House, Person], Awaitable[None]]) -> None:
    async def whole() -> None:
        person = Person()
        async with open_house(tmp_path, {}, ServerTimeouts(), sample=person.sample) as house:
            house.host.ask_with(person.answer)
            house.roots = [tmp_path / "docs", Path("relative")]
            entry = {"command": sys.executable, "args": [str(Path(mcpolder.__file__))]}
            await house.add(entry, "older")
            await house.ready("older")
            await story(house, person)

    asyncio.run(whole())


def test_tools_that_ask_the_client_work(tmp_path: Path) -> None:
    async def story(house: House, person: Person) -> None:
        assert "上海" in (await house.run("mcp.older.wish")).text
        assert (await house.run("mcp.older.folders")).text == (tmp_path / "docs").as_uri()
        assert (await house.run(POEM)).text == "m: Steam rises."
        (sampled,) = person.sampled
        assert sampled.messages == (("user", "A line about tea"),)
        assert (sampled.system, sampled.most) == ("Be brief.", SAMPLE_TOKENS)
        assert sampled.sent == [("system", "Be brief."), ("user", "A line about tea")]
        assert sampled.left == MOST_SAMPLES

    play(tmp_path, story)


def test_the_model_is_asked_only_if_the_user_allows_it_each_time(tmp_path: Path) -> None:
    async def story(house: House, person: Person) -> None:
        for allows in (True, False, True):
            person.allows = allows
            try:
                assert (await house.run(POEM)).text == "m: Steam rises."
                assert allows
            except ToolFailed as error:
                assert not allows
                assert "The request for a text of the model was denied." in str(error)
        assert len(person.asked) == 3
        assert [one.left for one in person.asked if isinstance(one, SamplingRequest)] == [
            20,
            19,
            19,
        ]
        assert len(person.sampled) == 2
        for _ in range(MOST_SAMPLES - 2):
            await house.run(POEM)
        with pytest.raises(ToolFailed, match="limit of 20 texts an hour"):
            await house.run(POEM)
        assert len(person.sampled) == MOST_SAMPLES, "its budget is used up"
        assert len(person.asked) == MOST_SAMPLES + 1

    play(tmp_path, story)
