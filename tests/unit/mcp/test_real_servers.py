"""Real MCP servers of others: those of PyPI are among the tests' packages, those of npm are
downloaded once, in pinned versions, if npm is installed.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.app.mcp_servers import ServerPrompts
from neodeskpet.core.errors import InvalidArguments, ToolFailed
from neodeskpet.mcp.server import ServerState
from neodeskpet.mcp.server_connection import ServerTimeouts
from neodeskpet.mcp.session_interface import FormRequest, UserAnswer, UserQuestion
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.private_files import lock_file
from tests.support.mcphouse import House, open_house

NPM = "2026.8.31"
SHELF = Path(sys.prefix) / f"npm-servers-{NPM}"
NAMES = ("everything", "filesystem", "memory")

needs_npm = pytest.mark.skipif(
    shutil.which("npm") is None, reason="there is no npm here: the servers of npm were NOT tried"
)


def python(module: str, *words: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": ["-m", module, *words]}


@pytest.fixture(scope="module")
def npm() -> Iterator[Callable[..., dict[str, Any]]]:
    """How a server of npm is started; they are downloaded before, once for all processes."""
    SHELF.mkdir(exist_ok=True)
    with (SHELF / "lock").open("w") as lock:
        while not lock_file(lock.fileno()):
            signal.sigtimedwait([], 0.2)
        if not (SHELF / "node_modules" / ".package-lock.json").exists():
            packages = [f"@modelcontextprotocol/server-{name}@{NPM}" for name in NAMES]
            words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
            command = [*words, "--prefix", str(SHELF), *packages]
            subprocess.run(command, check=True, capture_output=True, timeout=110)

    def entry(name: str, *words: str) -> dict[str, Any]:
        program = SHELF / "node_modules" / ".bin" / f"mcp-server-{name}"
        return {"command": str(program), "args": list(words)}

    yield entry


def play(home: Path, story: Callable[[House], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with open_house(home, dict(os.environ), ServerTimeouts()) as house:
            await story(house)

    asyncio.run(whole())


def test_time(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await house.add(python("mcp_server_time", "--local-timezone=Europe/Berlin"), "time")
        await house.ready("time")
        calls = [
            house.run(
                "mcp.time.convert_time",
                source_timezone="UTC",
                time=f"{hour:02}:30",
                target_timezone="Asia/Shanghai",
            )
            for hour in range(20)
        ]
        told = [json.loads(result.text) for result in await asyncio.gather(*calls)]
        assert [one["time_difference"] for one in told] == ["+8.0h"] * 20
        assert told[3]["target"]["datetime"].split("T")[1].startswith("11:30")
        with pytest.raises(InvalidArguments, match="timezone"):
            await house.run("mcp.time.get_current_time")
        with pytest.raises(ToolFailed, match="Nowhere"):
            await house.run("mcp.time.get_current_time", timezone="Nowhere/Town")

    play(tmp_path, story)


def test_git(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await house.add(python("mcp_server_git", "--repository", str(folder)), "git")
        await house.ready("git")
        assert "mcp.git.git_commit" in house.names()
        status = await house.run("mcp.git.git_status", repo_path=str(folder))
        assert "天气.txt" in status.text or "Untracked" in status.text
        await house.run("mcp.git.git_add", repo_path=str(folder), files=["天气.txt"])
        staged = await house.run("mcp.git.git_diff_staged", repo_path=str(folder))
        assert "+晴" in staged.text
        with pytest.raises(ToolFailed):
            await house.run("mcp.git.git_status", repo_path=str(tmp_path / "elsewhere"))

    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "天气.txt").write_text("晴\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    play(tmp_path / "home", story)


@needs_npm
def test_everything(tmp_path: Path, npm: Callable[..., dict[str, Any]]) -> None:
    async def answer(server: str, key: object, question: UserQuestion) -> UserAnswer:
        assert isinstance(question, FormRequest)
        needed = question.schema.get("required", [])
        return UserAnswer(True, dict.fromkeys(needed, "Neo"))  # type: ignore[attr-defined]

    async def story(house: House) -> None:
        house.host.ask_with(answer)
        await house.add(npm("everything"), "every")
        await house.ready("every")
        assert (await house.run("mcp.every.get-sum", a="2", b=3)).text.endswith("2 and 3 is 5.")
        picture = await house.run("mcp.every.get-tiny-image")
        assert picture.images[0].media_type == "image/png"
        weather = await house.run("mcp.every.get-structured-content", location="Chicago")
        assert isinstance(weather.data, dict)
        assert "conditions" in weather.data
        links = await house.run("mcp.every.get-resource-links")
        assert "[resource " in links.text
        (uri, *_) = [one.uri for one in house.view("every").listing.resources]
        assert (await house.run("mcp.every.read_resource", uri=uri)).text
        prompt = await house.run("mcp.every.get_prompt", name="simple-prompt")
        assert prompt.text.startswith("user: ")
        await what_the_person_takes(ServerPrompts(house.host))
        assert "accept" in (await house.run("mcp.every.trigger-elicitation-request")).text
        await progress_and_cancel(house)
        await kill_in_mid_call(house)

    play(tmp_path, story)


async def what_the_person_takes(prompts: ServerPrompts) -> None:
    """The entries of "/": prompts, resources, and those with a template address."""
    offered = {one.command: one for one in prompts.available()}
    simple = offered["/every:simple-prompt"]
    assert (await prompts.load_text(simple, {})).text.startswith("From the server every (simple-")
    city = offered["/every:args-prompt"]
    assert "city" in city.required
    assert "Chicago" in (await prompts.load_text(city, {"city": "Chicago"})).text
    resources = [one for one in offered.values() if one.uri and not one.arguments]
    assert resources
    read = await prompts.load_text(resources[0], {})
    assert len(read.text) > 200
    (dynamic,) = [one for one in offered.values() if "dynamic/text" in one.uri and one.arguments]
    assert "Resource 7" in (await prompts.load_text(dynamic, {dynamic.arguments[0]: "7"})).text


LONG = "mcp.every.trigger-long-running-operation"


async def progress_and_cancel(house: House) -> None:
    told: list[tuple[float | None, str]] = []

    def hear(fraction: float | None, text: str) -> None:
        told.append((fraction, text))

    await house.toolbox.offer().run(LONG, {"duration": 0.4, "steps": 2}, hear)
    assert told[0][0] == 0.5
    call = spawn_task(
        house.toolbox.offer().run(LONG, {"duration": 30, "steps": 300}, hear), name="a long call"
    )
    await house.until(lambda: len(told) > 4)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await house.run("mcp.every.echo", message="still here")).text == "Echo: still here"


async def kill_in_mid_call(house: House) -> None:
    told: list[object] = []
    call = spawn_task(
        house.toolbox.offer().run(
            LONG, {"duration": 30, "steps": 300}, lambda *news: told.append(news)
        ),
        name="a long call",
    )
    await house.until(lambda: told)
    for child in children("server-everything"):
        os.kill(child, signal.SIGKILL)
    with pytest.raises(ToolFailed, match="ended by itself"):
        await call
    await house.until(lambda: house.troubles)
    await house.ready("every")
    assert (await house.run("mcp.every.echo", message="back")).text == "Echo: back"


def children(word: str) -> list[int]:
    """The child processes of this one with `word` in their command."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_text()
        except OSError:
            continue  # it has ended
        if fields[1] == str(os.getpid()) and word in command:
            found.append(int(entry.name))
    return found


@needs_npm
def test_filesystem_and_memory(tmp_path: Path, npm: Callable[..., dict[str, Any]]) -> None:
    async def story(house: House) -> None:
        await house.add(npm("filesystem", str(folder)), "fs")
        memory = {**npm("memory"), "env": {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")}}
        await house.add(memory, "memory")
        await house.ready("fs")
        await house.ready("memory")
        file = str(folder / "笔记.txt")
        await house.run("mcp.fs.write_file", path=file, content="你好")
        assert (await house.run("mcp.fs.read_text_file", path=file)).text == "你好"
        with pytest.raises(ToolFailed, match="denied"):
            await house.run("mcp.fs.read_text_file", path="/etc/hostname")
        entity = {"name": "Neo", "entityType": "companion", "observations": ["likes tea"]}
        await house.run("mcp.memory.create_entities", entities=[entity])
        assert "likes tea" in (await house.run("mcp.memory.search_nodes", query="Neo")).text
        await house.host.set_enabled("fs", False)
        assert house.view("fs").state is ServerState.OFF
        assert not [name for name in house.names() if name.startswith("mcp.fs.")]

    folder = tmp_path / "files"
    folder.mkdir()
    play(tmp_path / "home", story)
