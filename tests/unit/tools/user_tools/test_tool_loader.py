"""Files of tools, each in a real process of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from neodeskpet.core.approval import ApprovalPolicy
from neodeskpet.core.errors import InvalidArguments, ToolCrashed, ToolError, ToolFailed, UnknownTool
from neodeskpet.core.grant_scope import Constraint, Grant, ScopeKind
from neodeskpet.core.tool_result import ShownList
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import Progress
from neodeskpet.toolkit.toolbox import Toolbox
from neodeskpet.tools.user_tools.tool_file import ToolFileState, ToolFileView, source_name
from neodeskpet.tools.user_tools.tool_loader import UserToolLoader

# With the import path and the risk name of earlier versions: files of users have them.
FILE = '''"""Small things."""
import asyncio, os, sys, time
from typing import Annotated
from pydantic import Field
from neodeskpet.core.tool_result import ShownList, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.tools.registry import Progress, tool

print("hello from the file")

@tool("small.add", risk=Risk.READ)
def add(a: Annotated[int, Field(ge=0, description="One.")]) -> int:
    """Add one."""
    return a + 1

@tool("small.list", risk=Risk.OWN)
async def listed(progress: Progress) -> ToolResult:
    """A list."""
    progress(0.5, "half")
    return ToolResult("a, b", {"n": 2}, ShownList(("a", "b")))

@tool("small.fall", risk=Risk.RUN)
def fall() -> int:
    """Break."""
    return 1 // 0

@tool("small.hang", risk=Risk.WRITE, timeout=1.5)
def hang() -> str:
    """Never end."""
    while True:
        time.sleep(0.01)

def more_tools():
    @tool("small.die", risk=Risk.READ)
    def die() -> str:
        """End the process."""
        sys.stderr.flush()
        os._exit(7)
    return [die]
'''
FALL = FILE.splitlines().index("    return 1 // 0") + 1


class Allowed:
    """A `ToolFilePermissionStore` in memory."""

    def __init__(self) -> None:
        self.on = True
        self.asked = 0
        self.kept: dict[str, str] = {}
        self.forgotten: list[str] = []

    def folder(self) -> bool:
        self.asked += 1
        return self.on

    def files(self) -> Mapping[str, str]:
        return self.kept

    def keep(self, files: Mapping[str, str]) -> None:
        self.kept = dict(files)

    def forget(self, source: str) -> None:
        self.forgotten.append(source)


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.allowed = Allowed()
        self.toolbox = Toolbox()
        self.shop = UserToolLoader(folder, self.toolbox, self.allowed, pause=0.02)

    def write(self, source: str, name: str = "small.py") -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / name).write_text(source, encoding="utf-8")

    async def allow(self, source: str, name: str = "small.py") -> ToolFileView:
        self.write(source, name)
        await self.shop.rescan()
        await self.shop.allow(name, self.view(name).content.digest)
        return self.view(name)

    def view(self, name: str = "small.py") -> ToolFileView:
        return next(one for one in self.shop.files() if one.content.name == name)

    def names(self) -> list[str]:
        return [spec.name for spec in self.toolbox.specs()]

    async def run(
        self, name: str, progress: Progress = lambda fraction, text: None, **arguments: object
    ) -> object:
        return await self.toolbox.offer().run(name, arguments, progress)

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not true():  # noqa: ASYNC110 - anything may be waited for
                await asyncio.sleep(0.01)


def play(folder: Path, story: Callable[[Bench], Awaitable[None]]) -> None:
    async def live() -> None:
        bench = Bench(folder / "tools")
        try:
            await story(bench)
        finally:
            bench.shop.stop()

    asyncio.run(live())


def test_nothing_is_read_before_the_folder_is_allowed(tmp_path: Path) -> None:
    async def story(bench: Bench) -> None:
        bench.allowed.on = False
        await bench.shop.rescan()
        assert not bench.folder.exists()
        bench.write(FILE)
        await bench.shop.rescan()
        assert not bench.shop.files()
        bench.allowed.on = True
        await bench.shop.rescan()
        view = bench.view()
        assert (view.state, bench.names()) == (ToolFileState.NOT_ALLOWED, [])
        assert [one.name for one in view.content.outline.tools][:2] == ["small.add", "small.list"]

    play(tmp_path, story)


def test_calls_of_every_kind(tmp_path: Path) -> None:
    async def story(bench: Bench) -> None:
        view = await bench.allow(FILE)
        assert view.state is ToolFileState.READY, view.fault
        names = ["own.small.add", "own.small.list", "own.small.fall", "own.small.hang"]
        assert bench.names() == [*names, "own.small.die"]
        assert [spec.risk for spec in bench.toolbox.specs()][:4] == [
            Risk.READ,
            Risk.APP_DATA,
            Risk.RUN,
            Risk.WRITE,
        ]
        added = await bench.run("own.small.add", a=1)
        assert (added.text, added.data) == ("2", 2)  # type: ignore[attr-defined]
        told: list[tuple[float | None, str]] = []
        listed = await bench.run("own.small.list", lambda f, t: told.append((f, t)))
        assert listed.shown == ShownList(("a", "b"))  # type: ignore[attr-defined]
        assert told == [(0.5, "half")]
        with pytest.raises(InvalidArguments):
            await bench.run("own.small.add", a=-1)
        with pytest.raises(ToolCrashed) as broke:
            await bench.run("own.small.fall")
        assert f"(small.py, line {FALL})" in str(broke.value)
        assert "hello from the file" in bench.view().printed

        with pytest.raises(ToolFailed) as died:
            await bench.run("own.small.die")
        assert "exit code 7" in str(died.value)
        assert (await bench.run("own.small.add", a=2)).text == "3"  # type: ignore[attr-defined]
        with pytest.raises(ToolError) as late:
            await bench.run("own.small.hang")
        assert late.value.code == "tool_timed_out"
        assert (await bench.run("own.small.add", a=3)).text == "4"  # type: ignore[attr-defined]

        await bench.shop.revoke("small.py")
        assert (bench.view().state, bench.names()) == (ToolFileState.NOT_ALLOWED, [])
        assert bench.allowed.forgotten == [source_name("small.py")]

    play(tmp_path, story)


def test_a_folder_that_is_not_allowed_starts_nothing_until_it_is(tmp_path: Path) -> None:
    async def story(bench: Bench) -> None:
        bench.allowed.on = False
        bench.write(FILE)
        running = asyncio.ensure_future(bench.shop.run())  # noqa: TID251 - ended below
        await bench.until(lambda: bench.allowed.asked)
        await asyncio.sleep(0)
        asked = bench.allowed.asked
        await asyncio.sleep(0.2)
        assert bench.allowed.asked == asked
        bench.allowed.on = True
        bench.shop.wake()
        await bench.until(bench.shop.files)
        running.cancel()

    play(tmp_path, story)


def test_a_file_that_changes_asks_again(tmp_path: Path) -> None:
    async def story(bench: Bench) -> None:
        await bench.allow(FILE)
        running = asyncio.ensure_future(bench.shop.run())  # noqa: TID251 - ended below
        old = bench.toolbox.offer()
        bench.write(FILE.replace("a + 1", "a + 2"))
        await bench.until(lambda: bench.view().state is ToolFileState.CHANGED)
        assert bench.names() == []
        with pytest.raises(UnknownTool):
            await old.run("own.small.add", {"a": 1}, lambda fraction, text: None)
        stale = "0" * 64
        await bench.shop.allow("small.py", stale)
        assert bench.view().state is ToolFileState.CHANGED
        await bench.shop.allow("small.py", bench.view().content.digest)
        assert bench.allowed.forgotten == [source_name("small.py")]
        assert (await bench.run("own.small.add", a=1)).text == "3"  # type: ignore[attr-defined]
        (bench.folder / "small.py").unlink()
        await bench.until(lambda: not bench.shop.files())
        bench.allowed.on = False
        bench.shop.wake()
        running.cancel()

    play(tmp_path, story)


@pytest.mark.parametrize(
    ("source", "words", "line"),
    [
        ("x = 1\ndef f(:\n", "SyntaxError", 2),
        ("x = 1\n\nx.nothing\n", "AttributeError", 3),
        ("x = 1\n", "There is no tool in this file", 0),
        ("import os\nos._exit(3)\n", "exit code 3", 0),
        (
            "from neodeskpet.toolkit.registry import tool\n\n"
            "@tool('a', risk='read')\ndef a(): ...\n",
            "needs a docstring",
            3,
        ),
    ],
)
def test_a_file_that_cant_be_loaded_names_the_line(
    tmp_path: Path, source: str, words: str, line: int
) -> None:
    async def story(bench: Bench) -> None:
        view = await bench.allow(source)
        assert view.state is ToolFileState.BROKEN, "whether it could be read at all or not"
        assert view.fault is not None
        assert words in view.fault.words
        assert view.fault.line == line
        assert bench.names() == []

    play(tmp_path, story)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(("broken", "line"), [(b"x = 1\ndef f(:\n", 2), (b"x = 1\n\n'\xff'\n", 3)])
def test_the_last_valid_copy_of_a_broken_file_is_used(
    tmp_path: Path, mark: str, broken: bytes, line: int
) -> None:
    async def story(bench: Bench) -> None:
        await bench.allow(mark + FILE)
        (bench.folder / "small.py").write_bytes(broken)
        await bench.shop.rescan()
        view = bench.view()
        assert view.state is ToolFileState.RESTORED
        assert view.fault is not None and view.fault.line == line
        assert (await bench.run("own.small.add", a=1)).text == "2"  # type: ignore[attr-defined]
        assert (bench.folder / "small.py").read_bytes() == broken
        assert [one.content.name for one in bench.shop.files()] == ["small.py"]
        await bench.shop.revoke("small.py")
        assert bench.view().state is ToolFileState.BROKEN and bench.names() == []

    play(tmp_path, story)


def test_a_copy_that_was_not_allowed_is_not_used(tmp_path: Path) -> None:
    async def story(bench: Bench) -> None:
        await bench.allow(FILE)
        bench.write(FILE.replace("a + 1", "a + 2"), "small.last-good.py")
        bench.write("def f(:")
        await bench.shop.rescan()
        assert bench.view().state is ToolFileState.BROKEN and bench.names() == []

    play(tmp_path, story)


def test_a_file_that_hangs_while_loading_does_not_delay_others(tmp_path: Path) -> None:
    async def story(bench: Bench) -> None:
        bench.write("while True: pass\n", "hangs.py")
        bench.write(FILE)
        await bench.shop.rescan()
        digest = bench.view("hangs.py").content.digest
        hanging = asyncio.ensure_future(bench.shop.allow("hangs.py", digest))  # noqa: TID251
        await bench.until(lambda: bench.view("hangs.py").state is ToolFileState.LOADING)
        await bench.shop.allow("small.py", bench.view().content.digest)
        assert bench.view().state is ToolFileState.READY
        await bench.shop.revoke("hangs.py")
        await hanging
        assert bench.view("hangs.py").state is ToolFileState.NOT_ALLOWED

    play(tmp_path, story)


def test_the_example_of_the_guide_is_a_valid_file(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[4] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = guide.partition("# neodeskpet/tools/builtin/dice.py\n")[2].partition("```")[0]

    async def story(bench: Bench) -> None:
        assert (await bench.allow(example, "dice.py")).fault is None
        assert bench.names() == ["own.dice.roll"]
        assert (await bench.run("own.dice.roll", sides=2)).data in (1, 2)  # type: ignore[attr-defined]

    play(tmp_path, story)


def test_a_file_that_names_the_retired_reach_loads_and_asks(tmp_path: Path) -> None:
    source = """
from typing import Annotated
from pydantic import Field
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import tool

@tool("build", risk=Risk.RUN, scope={"command": ScopeKind.COMMAND})
def build(command: Annotated[str, Field(description="What.")]) -> str:
    \"\"\"Build it.\"\"\"
    return command
"""

    async def story(bench: Bench) -> None:
        assert (await bench.allow(source)).fault is None
        (spec,) = bench.toolbox.specs()
        granted = Grant(spec.id, (Constraint("command", ScopeKind.COMMAND, "make"),), spec.form)
        policy = ApprovalPolicy([granted])
        assert policy.asks(spec, {"command": "make"})
        assert policy.offers(spec, {"command": "make"}) == ()

    play(tmp_path, story)


def test_other_files_are_skipped(tmp_path: Path) -> None:
    async def story(bench: Bench) -> None:
        for name in ("_half.py", "notes.txt", "two words.py"):
            bench.write(FILE, name)
        (bench.folder / "link.py").symlink_to(bench.folder / "_half.py")
        os.mkfifo(bench.folder / "pipe.py")
        (bench.folder / "folder.py").mkdir()
        bench.write("#" * 300_000, "large.py")
        (bench.folder / "gbk.py").write_bytes("a = 1\nb = '提'".encode("gbk"))
        await bench.shop.rescan()
        faults = {one.content.name: one.fault for one in bench.shop.files()}
        assert {name: fault and fault.words for name, fault in faults.items()} == {
            "large.py": "It is too large.",
            "gbk.py": "It isn't UTF-8.",
        }
        assert faults["gbk.py"] is not None
        assert faults["gbk.py"].line == 2

    play(tmp_path, story)
