"""The MCP servers of the app: the real SDK with a small real server that can misbehave."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from neodeskpet.core.errors import ToolFailed, ToolTimedOut, UnknownTool
from neodeskpet.core.tool_result import ShownImage
from neodeskpet.core.toolspec import Risk
from neodeskpet.mcp.mcp_errors import (
    ProgramMissing,
    SecretMissing,
    ServerEnded,
    ServerNotResponding,
)
from neodeskpet.mcp.server import ServerState
from neodeskpet.mcp.server_config import ServerConfig
from neodeskpet.mcp.server_connection import ServerTimeouts
from neodeskpet.mcp.session_interface import FormRequest, UserAnswer, UserQuestion
from neodeskpet.platform.async_tasks import spawn_task
from tests.support.mcphouse import House, open_house
from tests.support.mcpserver import command

KEY = "sk-abcdefghijklmnop"


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., None]:
    def play(
        story: Callable[[House], Awaitable[None]],
        environ: dict[str, str] | None = None,
        timeouts: ServerTimeouts | None = None,
    ) -> None:
        async def whole() -> None:
            async with open_house(tmp_path, environ or {}, timeouts or ServerTimeouts()) as house:
                await story(house)

        asyncio.run(whole())

    return play


Play = Callable[..., None]


def test_a_server_is_listed_and_called(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command())
        await house.ready()
        names = house.names()
        assert names[0] == "mcp.small.echo"
        assert names[-2:] == ["mcp.small.read_resource", "mcp.small.get_prompt"]
        assert {spec.risk for spec in house.toolbox.specs()} == {Risk.WRITE}
        assert house.view().listing.about == "small 1.0"
        results = await asyncio.gather(
            *(house.run("mcp.small.echo", text=str(number)) for number in range(20))
        )
        assert [result.text for result in results] == [str(number) for number in range(20)]
        picture = await house.run("mcp.small.picture")
        assert isinstance(picture.shown, ShownImage)
        assert picture.images[0].media_type == "image/png"
        with pytest.raises(ToolFailed, match="there is no such city"):
            await house.run("mcp.small.fail")
        assert (
            await house.run("mcp.small.read_resource", uri="memo://one")
        ).text == "in memo://one"
        greeting = await house.run("mcp.small.get_prompt", name="greet", arguments={"who": "Neo"})
        assert greeting.text == "user: Greet Neo"
        assert set((await house.run("mcp.small.gbk")).text) == {"\ufffd"}

    play(story)


def test_progress_is_reported_and_a_cancelled_call_is_cancelled_at_the_server(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command())
        await house.ready()
        told: list[tuple[float | None, str]] = []
        call = spawn_task(
            house.toolbox.offer().run("mcp.small.slow", {}, lambda *news: told.append(news)),
            name="a slow call",
        )
        await house.until(lambda: len(told) > 2)
        assert told[0] == (0.001, "step 1")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await house.until(lambda: any("cancelled" in line for line in house.view().log))
        assert (await house.run("mcp.small.echo", text="still here")).text == "still here"

    play(story)


def test_a_changed_list_is_offered_and_the_other_tools_stay(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command())
        await house.ready()
        before = house.toolbox.offer()
        await house.run("mcp.small.grow", text="newcomer")
        await house.until(lambda: "mcp.small.newcomer" in house.names())
        result = await before.run("mcp.small.echo", {"text": "old round"}, lambda *news: None)
        assert result.text == "old round"

    play(story)


def test_a_server_that_crashes_in_a_call_is_reported_and_restarted(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command())
        await house.ready()
        with pytest.raises(ToolFailed, match="ended by itself"):
            await house.run("mcp.small.die")
        await house.until(lambda: house.troubles)
        (trouble,) = house.troubles
        assert isinstance(trouble, ServerEnded)
        assert trouble.detail == "segmentation fault, nearly"
        assert house.names() == []
        await house.ready()
        assert (await house.run("mcp.small.echo", text="back")).text == "back"

    play(story)


def test_servers_that_never_work_are_reported_with_the_reason(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command("dies"), "dies")
        await house.add({"command": "no-such-program"}, "none")
        await house.add({"url": "http://127.0.0.1:9/mcp"}, "far")
        dies, none = [await house.error(name) for name in ("dies", "none")]
        assert await house.error("far")
        assert isinstance(dies, ServerEnded)
        assert dies.detail == "no licence found"
        assert isinstance(none, ProgramMissing)
        await house.until(lambda: not house.view("none").restarting)
        assert house.troubles == []  # they never ran: the page where they were started says so
        await house.host.restart("none")
        await house.until(lambda: house.view("none").state is ServerState.CRASHED)

    play(story)


def test_a_server_that_never_answers_is_reported_as_silent(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command("mute"), "mute")
        assert isinstance(await house.error("mute"), ServerNotResponding)
        assert house.troubles == []

    play(story, timeouts=ServerTimeouts(start=0.5))


def test_output_of_a_server_is_logged_and_does_no_harm(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command("noisy"))
        await house.ready()
        assert (await house.run("mcp.small.echo", text="fine")).text == "fine"
        log = house.view().log
        assert log[:2] == ("Listening on stdio", "{not json}")
        assert "\ufffd" in log[2]

    play(story)


def test_a_call_without_progress_is_given_up(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command())
        await house.ready()
        with pytest.raises(ToolTimedOut, match=r"within 1\.5 s"):
            await house.run("mcp.small.hang")
        assert (await house.run("mcp.small.echo", text="and on")).text == "and on"

    play(story, timeouts=ServerTimeouts(call=1.5))


def test_a_question_of_the_server_waits_for_the_user(play: Play) -> None:
    asked: list[tuple[str, UserQuestion]] = []

    async def answer(server: str, key: object, question: UserQuestion) -> UserAnswer:
        asked.append((server, question))
        await asyncio.sleep(2)  # longer than a call may be silent
        return UserAnswer(True, {"city": "上海"})

    async def story(house: House) -> None:
        house.host.ask_with(answer)
        await house.add(command())
        await house.ready()
        result = await house.run("mcp.small.wish")
        assert json.loads(result.text) == {"action": "accept", "content": {"city": "上海"}}
        ((server, question),) = asked
        assert server == "small"
        assert isinstance(question, FormRequest)
        assert question.message == "Where to?"
        assert list(question.schema["properties"]) == ["city", "nights"]  # type: ignore[call-overload]

    play(story, timeouts=ServerTimeouts(call=1.5))


def test_without_a_window_a_question_has_no_answer(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command())
        await house.ready()
        assert json.loads((await house.run("mcp.small.wish")).text) == {"action": "cancel"}

    play(story)


def test_nothing_starts_without_permission_and_a_changed_command_asks_again(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command(), allow=False)
        assert house.view().state is ServerState.NOT_ALLOWED
        await house.host.restart("small")
        assert house.view().state is ServerState.NOT_ALLOWED
        await house.host.allow("small")
        await house.ready()
        config = house.view().config
        await house.host.update(ServerConfig("small", config.command, (*config.args, "more")))
        assert house.view().state is ServerState.NOT_ALLOWED
        assert house.names() == []

    play(story)


def test_a_server_can_be_switched_off_and_removed(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command())
        await house.ready()
        offer = house.toolbox.offer()
        await house.host.set_enabled("small", False)
        assert house.view().state is ServerState.OFF
        with pytest.raises(UnknownTool):
            await offer.run("mcp.small.echo", {}, lambda *news: None)
        await house.host.set_enabled("small", True)
        await house.ready()
        await house.host.delete("small")
        assert house.host.servers() == []
        assert json.loads(house.file.read_text())["mcpServers"] == {}

    play(story)


def test_keys_are_only_in_the_keyring_and_reach_the_server(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add({**command(), "env": {"SMALL_TOKEN": KEY, "WHO": "${USER}"}})
        await house.ready()
        assert KEY not in house.file.read_text()
        assert house.ring.kept == {"mcp small env.SMALL_TOKEN": KEY}
        environment = json.loads((await house.run("mcp.small.env")).text)
        assert environment["SMALL_TOKEN"] == KEY
        assert environment["WHO"] == "neo"
        assert environment["https_proxy"] == "http://proxy:1"
        assert not [name for name in environment if "API_KEY" in name]
        house.ring.kept.clear()
        await house.host.delete("small")

    environ = {
        "NEODESKPET_API_KEY": "sk-of-the-app",
        "OTHER_API_KEY": "sk-of-others",
        "USER": "neo",
        "https_proxy": "http://proxy:1",
    }
    play(story, environ)


def test_a_missing_key_is_asked_for(play: Play) -> None:
    async def story(house: House) -> None:
        entry = {**command(), "env": {"SMALL_TOKEN": "${keyring:env.SMALL_TOKEN}"}}
        await house.add(entry)
        error = await house.error("small")
        assert isinstance(error, SecretMissing)
        assert error.params["slot"] == "env.SMALL_TOKEN"

    play(story, {"NEODESKPET_API_KEY": "sk-never-this"})


def test_an_allowed_server_starts_with_the_app(play: Play) -> None:
    async def first(house: House) -> None:
        await house.add(command())
        await house.ready()

    async def second(house: House) -> None:
        await house.ready()
        assert (await house.run("mcp.small.echo", text="again")).text == "again"

    play(first)
    play(second)


def test_an_end_during_a_start_leaves_nothing_behind(play: Play) -> None:
    async def story(house: House) -> None:
        await house.add(command("mute"))
        await house.until(lambda: house.view().state is ServerState.STARTING)

    play(story)


def test_an_app_without_servers_never_loads_the_sdk() -> None:
    script = (
        "import sys, neodeskpet.app.engine, neodeskpet.mcp.mcp_host;"
        "sys.exit(any(name in sys.modules for name in ('mcp', 'mcp_types', 'httpx2')))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
