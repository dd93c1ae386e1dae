"""This computer as tools: commands are shown, limited, and killed with their children."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from neodeskpet.core.errors import InvalidArguments, UnknownTool
from neodeskpet.core.tool_result import ShownTerminal, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.computer import ShellOptions, computer_tools


class Computer:
    def __init__(self, *, shell: bool = True) -> None:
        self.opened: list[str] = []
        self.render: list[str] = []
        self.toolbox = Toolbox(
            AppTools(
                computer_tools(
                    ShellOptions(lambda: shell, lambda: ["GIT_AGENT"]), browse=self._browse
                )
            )
        )

    def _browse(self, address: str) -> bool:
        self.opened.append(address)
        return True

    async def call(self, name: str, **arguments: object) -> ToolResult:
        offer = self.toolbox.offer()
        return await offer.run(name, arguments, lambda fraction, text: self.render.append(text))

    def run(self, name: str, **arguments: object) -> ToolResult:
        return asyncio.run(self.call(name, **arguments))


def wait(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def test_the_output_of_a_command_is_streamed_and_its_exit_code_reported(tmp_path: Path) -> None:
    computer = Computer()
    result = computer.run("shell.run", command="echo 你好; pwd; exit 3", folder=str(tmp_path))
    assert result.data == {"exit_code": 3}
    assert result.shown == ShownTerminal(f"你好\n{tmp_path}\n", "echo 你好; pwd; exit 3", 3)
    assert "你好" in computer.render


def test_the_last_line_before_a_pause_is_reported(tmp_path: Path) -> None:
    """A command that prints much at once, then works without output."""
    computer, flag = Computer(), tmp_path / "flag"

    async def story() -> None:
        call = spawn_task(
            computer.call("shell.run", command=PAUSES.format(flag=flag)), name="a call"
        )
        await asyncio.to_thread(wait, lambda: "line 30" in computer.render)
        flag.touch()
        await call

    asyncio.run(story())


PAUSES = "for n in $(seq 1 30); do echo line $n; done; until [ -e {flag} ]; do sleep 0.05; done"


def test_of_much_output_the_end_is_kept(tmp_path: Path) -> None:
    result = Computer().run("shell.run", command="yes flood | head -c 1000000; echo the end")
    assert isinstance(result.shown, ShownTerminal)
    assert len(result.shown.text) <= 100_000
    assert result.shown.text.endswith("the end\n")
    assert "beginning was cut" in result.text


def test_invalid_bytes_and_keys_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    monkeypatch.setenv("DATABASE_URL", "postgres://me:sk-secret@x/y")
    monkeypatch.setenv("GIT_AGENT", "named in the settings")
    shown = Computer().run("shell.run", command=r"printf '\377\376'; env").text
    assert "\ufffd" in shown
    assert "sk-secret" not in shown
    assert "named in the settings" in shown


def test_a_stop_kills_the_command_and_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def stop() -> None:
        computer = Computer()
        command = f"sleep 600 & echo $! > {pids}; echo $$ >> {pids}; wait"
        job = spawn_task(computer.call("shell.run", command=command), name="command")
        await asyncio.to_thread(wait, lambda: pids.exists() and pids.read_text().count("\n") == 2)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job

    asyncio.run(stop())
    wait(lambda: not any(alive(int(pid)) for pid in pids.read_text().split()))


def test_the_shell_is_off_until_it_is_switched_on_and_counts_as_running_programs() -> None:
    with pytest.raises(UnknownTool):
        Computer(shell=False).run("shell.run", command="true")
    specs = {spec.name: spec for spec in Computer().toolbox.specs()}
    assert specs["shell.run"].risk is Risk.RUN
    assert specs["shell.run"].brings_foreign
    with pytest.raises(InvalidArguments, match="no such folder"):
        Computer().run("shell.run", command="true", folder="/nowhere")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "/etc",
        "https://a b",
        "http://[",
        "ht\u202etp://a",
    ],
)
def test_only_web_and_mail_addresses_are_opened(url: str) -> None:
    computer = Computer()
    with pytest.raises(InvalidArguments):
        computer.run("url.open", url=url)
    assert computer.opened == []


def test_an_address_is_opened() -> None:
    computer = Computer()
    assert computer.run("url.open", url=" https://example.com/a?b=c ").text == "Opened."
    assert computer.opened == ["https://example.com/a?b=c"]


def test_the_system_information_contains_no_names() -> None:
    told = Computer().run("system.info").text
    assert "processors" in told
    assert os.uname().nodename not in told or len(os.uname().nodename) < 4
