"""A server of the 2026 protocol: no handshake, questions by further rounds of a call, changes as a
stream.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from neodeskpet.core.errors import ToolFailed
from neodeskpet.mcp.server_connection import ServerTimeouts
from neodeskpet.mcp.session_interface import FormRequest, OpenUrlRequest, UserAnswer, UserQuestion
from tests.support import mcpmodern
from tests.support.mcphouse import House, open_house

PAGE = OpenUrlRequest("Please sign in", "https://example.com/in")


def test_a_server_of_2026_is_called_and_asks(tmp_path: Path) -> None:
    asked: list[tuple[object, UserQuestion]] = []

    async def answer(server: str, key: object, question: UserQuestion) -> UserAnswer:
        asked.append((key, question))
        refused = len([one for _, one in asked if one == PAGE]) == 1
        return UserAnswer(
            not refused, {"city": "上海"} if isinstance(question, FormRequest) else {}
        )

    async def story(house: House) -> None:
        house.host.ask_with(answer)
        entry = {"command": sys.executable, "args": [str(Path(mcpmodern.__file__))]}
        await house.add(entry, "modern")
        await house.ready("modern")
        wish, visit = "mcp.modern.wish", "mcp.modern.visit"
        assert "上海" in (await house.run(wish)).text
        assert await failure(house, visit) == "The MCP server modern answers with an error:"
        assert (await house.run(visit)).text == "visited"
        assert [key for key, _ in asked] == ["wish", "visit", "visit"]
        assert [question for _, question in asked[1:]] == [PAGE, PAGE]
        assert (await house.run("mcp.modern.grow")).text == "2026-07-28"
        await house.until(lambda: "mcp.modern.newcomer" in house.names())
        assert (await house.run("mcp.modern.newcomer")).text == "new here"

    async def whole() -> None:
        async with open_house(tmp_path, {}, ServerTimeouts()) as house:
            await story(house)

    asyncio.run(whole())


async def failure(house: House, tool: str) -> str:
    try:
        await house.run(tool)
    except ToolFailed as error:
        return str(error.reasons[0])
    return ""
