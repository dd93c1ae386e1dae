"""With hundreds of tools the model is sent a search tool; it can call the found tools at once."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.desk import DeskStory
from tests.support.manytools import ManyTools
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


@pytest.mark.parametrize("mode", ["native", "text"])
def test_a_tool_is_found_and_called(desk_story: Play, server: ScriptedServer, mode: str) -> None:
    async def story(person: DeskStory) -> None:
        person.desk.engine.tools.toolbox.add(ManyTools("github"))
        server.reply(
            *calling(mode, ("tools.find", {"query": "fork a repository"})), *end("tool_calls")
        )
        server.reply(*calling(mode, ("fork_repository", {"repo": "neo"})), *end("tool_calls"))
        server.reply(text("It is forked."), *end())
        person.type("fork neo")
        await person.until(lambda: "It is forked." in person.shown(), person.shown())
        await person.idle()
        assert [(one.name, one.status) for one in await person.calls()] == [
            ("tools.find", "success"),
            ("fork_repository", "success"),
        ]
        first, second = (json.dumps(request.body) for request in server.requests[:2])
        assert "fork_repository" not in first
        assert "fork_repository" in second
        assert "create_pull_request_review" not in second

    desk_story(story, server.url, mode)
