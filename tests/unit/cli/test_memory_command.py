"""`neodeskpet memory`: for people, and lines of JSON for programs."""

from __future__ import annotations

import asyncio
import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO

import pytest

from neodeskpet.cli import memory_command, memory_json_lines
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.memory.message_search import SEARCH_FILE as FIND_FILE
from neodeskpet.memory.message_search import MessageSearch
from neodeskpet.memory.recall.memory_index import FoundItem
from neodeskpet.memory.recall.memory_indexer import MemoryIndexer, MessageIndexer
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support.unmeasured import unmeasured_children

SECRET = "xyzzyplughword"


def say_in(home: Path, *texts: str) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        here = await store.create_conversation()
        for at, text in enumerate(texts):
            block = Text(0, 0, text)
            name, role = f"message-{at}", (Role.USER, Role.ASSISTANT)[at % 2]
            said = Message(name, role, (block,), MessageState.DONE, 1.7e9 + 90_000 * at)
            await store.add_message(here.id, said)
        await store.aclose()

    asyncio.run(scene())


def look_for_all(home: Path) -> None:
    """What the windows do once they are open: the search index reads all messages."""

    async def scene() -> None:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        find = await MessageSearch.open(home / FIND_FILE)
        await MessageIndexer(find, store, versions=True).catch_up()
        await find.aclose()
        await store.aclose()

    asyncio.run(scene())


def run(home: Path, *words: str) -> int:
    return memory_command.run([*words, "--data-dir", str(home)])


def test_a_user_lists_and_deletes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    say_in(tmp_path, f"My locker code is {SECRET}", f"Noted: {SECRET}", "Good night")
    assert run(tmp_path, "search", "locker code") == 0
    assert "message-0" in capsys.readouterr().out
    assert run(tmp_path, "search", "locker code", "--json", "--count", "1") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["id"], told["speaker"]) == ("message-0", "user") and told["relevance"] > 0.5
    look_for_all(tmp_path)
    assert SECRET.encode() in (tmp_path / FIND_FILE).read_bytes()
    assert run(tmp_path, "forget", "message-0") == 0
    assert "2" in capsys.readouterr().out
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes().lower(), path
    assert run(tmp_path, "search", "locker code") == 0
    assert "No memory was found" in capsys.readouterr().out
    assert run(tmp_path, "forget", "message-0") == 1


def test_export_clear_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    say_in(tmp_path, "the kettle is red", "good", "see you")
    file = tmp_path / "away.json"
    assert run(tmp_path, "export", str(file)) == 0
    assert run(tmp_path, "clear") == 2
    assert run(tmp_path, "clear", "--yes") == 0
    capsys.readouterr()
    run(tmp_path, "search", "kettle", "--json")
    assert capsys.readouterr().out == ""
    assert run(tmp_path, "import", str(file)) == 0
    run(tmp_path, "search", "kettle", "--json")
    assert "message-0" in capsys.readouterr().out
    assert run(tmp_path, "import", str(tmp_path / "nowhere")) == 1
    assert run(tmp_path, "nonsense") == 2


class SlowIndexer(MemoryIndexer):
    """Has indexed 500 of 2,000 messages, and goes on after the first answer."""

    def __init__(self, memory: MemoryStore, store: SqliteStore) -> None:
        super().__init__(memory, store)
        self.searched = asyncio.Event()

    async def catch_up(self, report: Callable[[int], object] = lambda waiting: None) -> None:
        report(2000)
        report(1500)
        await asyncio.wait_for(self.searched.wait(), 20)


def test_a_search_answers_while_the_messages_are_indexed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def scene() -> None:
        memory, store = await MemoryStore.open(None), await SqliteStore.open(None)
        indexer = SlowIndexer(memory, store)

        def print_found(found: Sequence[FoundItem], file: TextIO) -> None:
            print(*(one.item.text for one in found), file=file)

        async def search(_memory: MemoryStore) -> list[FoundItem]:
            answers.append(len(answers))
            if len(answers) == 1:
                return []
            indexer.searched.set()
            return [kettle]

        await memory_command.catch_up(indexer, memory, (search, print_found), pause=0.0)
        await memory.aclose()
        await store.aclose()

    answers: list[int] = []
    kettle = FoundItem(
        MemoryItem("k", "user", ItemSide.PERSON, datetime(2025, 6, 1), "the kettle"), 1.0, 1.0
    )
    asyncio.run(scene())
    told = capsys.readouterr()
    assert "500 of 2000" in told.err and "the kettle" in told.err
    assert told.out == "", "programs get the whole result only"
    assert len(answers) == 2, "it searches again until it finds something"


def lines(home: Path, *said: object, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in said)
    source = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    assert asyncio.run(memory_json_lines.serve(home / MEMORY_FILE, source)) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def add(
    name: str, text: str, time: str = "2025-06-01T10:00:00", **more: object
) -> dict[str, object]:
    return {"op": "add", "id": name, "time": time, "speaker": "user", "text": text} | more


def search(text: str, **more: object) -> dict[str, object]:
    return {"op": "search", "text": text, "time": "2026-01-04T09:00", "k": 5} | more


def test_another_program_adds_searches_and_deletes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = lines(
        tmp_path,
        add("a", f"the kettle is {SECRET}"),
        add("b", "水壶是红色的", "2025-06-02T10:00:00"),
        add("d", "Kettles boil water at 100 degrees.", speaker="document"),
        {"op": "flush"},
        search(f"kettle {SECRET}", token_budget=None),
        search("水壶什么颜色？", k=1, token_budget=200),
        search("kettle", k=None, token_budget=4),
        {"op": "forget", "id": "a"},
        search(SECRET),
        add("a", f"the kettle is {SECRET}"),
        search(SECRET),
        capsys=capsys,
    )
    assert told[0] == {"ok": True}
    assert told[1]["ids"][0] == "a"  # type: ignore[index]
    assert told[2:] == [{"ids": ["b"]}, {"ids": []}, {"ok": True}, {"ids": []}, {"ids": []}]
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes().lower(), path


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "[1]",
        "[" * 99,
        '"\\ud83d"',
        {"op": "dance"},
        {"op": ["add"]},
        {},
        add("", "x"),
        add("a", "x", time="yesterday"),
        {**add("a", "x"), "text": 7},
        search("x", k=-1),
        search("x", k="5"),
        search("x", token_budget=float("nan")),
        search("x", time=None),
        {"op": "forget"},
    ],
)
def test_a_bad_line_is_reported_and_ends_nothing(
    tmp_path: Path, line: object, capsys: pytest.CaptureFixture[str]
) -> None:
    told = lines(tmp_path, line, add("good", "kettle"), search("kettle"), capsys=capsys)
    assert told[-1] == {"ids": ["good"]}
    assert line == "" or "error" in told[0]


def test_as_a_separate_program(tmp_path: Path) -> None:
    said = "\n".join(json.dumps(one) for one in (add("a", "kettle"), search("kettle")))
    done = subprocess.run(
        [sys.executable, "-m", "neodeskpet", "memory", "serve", "--data-dir", str(tmp_path)],
        input=f"\xff\n{said}\n".encode("latin-1"),
        capture_output=True,
        timeout=60,
        check=True,
    )
    error, found = [json.loads(line) for line in done.stdout.splitlines()]
    assert "error" in error and found == {"ids": ["a"]}


def test_a_bom_before_the_first_line_and_an_empty_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marked = "\ufeff" + json.dumps(add("a", "the kettle whistles"))
    said = (marked, add("b", " \n", "2025-06-01T10:01:00"), add("c", "tea", "2025-06-01T10:02:00"))
    assert lines(tmp_path, *said, search("kettle"), capsys=capsys)[0]["ids"] == ["a", "c"]
    # An empty text replaces the earlier one.
    (found,) = lines(tmp_path, add("a", ""), search("kettle"), capsys=capsys)
    assert found == {"ids": []}


def test_it_ends_with_ctrl_c_without_input(tmp_path: Path) -> None:
    # Tests that run in the background ignore it, and child processes inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with unmeasured_children():
            program = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "neodeskpet",
                    "memory",
                    "serve",
                    "--data-dir",
                    str(tmp_path),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
    finally:
        signal.signal(signal.SIGINT, before)
    with program:
        assert program.stdin is not None and program.stdout is not None
        program.stdin.write(json.dumps({"op": "flush"}).encode() + b"\n")
        program.stdin.flush()
        assert json.loads(program.stdout.readline()) == {"ok": True}
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130
        assert program.stderr is not None and b"Traceback" not in program.stderr.read()


def test_ids_are_returned_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NULs and quotes in them; lines in any order of time, a megabyte long."""
    names = ["whole \U0001f600", "nul \0", '"', "水" * 100]
    told = lines(
        tmp_path,
        *(add(name, "kettle", f"20{20 - at}-01-01T00:00:00") for at, name in enumerate(names)),
        add("long", "teapot " * 150_000),
        search("kettle", k=9),
        search("teapot", k=9),
        *({"op": "forget", "id": name} for name in names),
        search("kettle"),
        capsys=capsys,
    )
    assert sorted(told[0]["ids"]) == sorted(names)  # type: ignore[call-overload]
    assert [one for one in told[1:] if "ids" in one] == [{"ids": ["long"]}, {"ids": []}]
