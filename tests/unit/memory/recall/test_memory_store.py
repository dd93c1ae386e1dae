"""The memory as the app uses it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from neodeskpet.core.errors import StoreError
from neodeskpet.language import format_error
from neodeskpet.memory.facts.fact import FactClaim, FactSource
from neodeskpet.memory.recall.memory_index import is_question
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE, MEMORY_MIGRATIONS
from neodeskpet.memory.recall.memory_store import MemoryFileUnreadable, MemoryStore
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem, MemoryQuery, RecalledItem
from neodeskpet.storage.database_schema import migrate, set_automerge

NOW = datetime(2026, 1, 4, 9)
SECRET = "xyzzyplughword"
_SITTINGS = count()


def item(name: str, text: str, **more: object) -> MemoryItem:
    time = NOW - timedelta(days=9, hours=3 * next(_SITTINGS))
    made = {"speaker": "user", "side": ItemSide.PERSON, "time": time} | more
    return MemoryItem(name, text=text, **made)  # type: ignore[arg-type]


def play(path: Path | None, *scenes: Callable[[MemoryStore], Awaitable[None]]) -> None:
    """Each scene runs on the memory that the one before left."""

    async def run(scene: Callable[[MemoryStore], Awaitable[None]]) -> None:
        book = await MemoryStore.open(path)
        try:
            await scene(book)
        finally:
            await book.aclose()

    for scene in scenes:
        asyncio.run(run(scene))


def copy_aside(folder: Path) -> None:
    content = (folder / MEMORY_FILE).read_bytes()
    (folder / "memory.before-002-more.db").write_bytes(content)


async def found(book: MemoryStore, text: str) -> list[str]:
    return [one.item.id for one in await book.search(text, NOW)]


def holds(folder: Path, word: str) -> list[str]:
    """Return the files that contain `word` in any case."""
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes().lower()
    ]


@pytest.mark.parametrize("is_file", [True, False])
def test_a_word_is_found_once_it_is_said(is_file: bool, tmp_path: Path) -> None:
    async def said(book: MemoryStore) -> None:
        await book.add([item("a", "The kettle is red"), item("b", "猫叫团子")])
        assert await found(book, "pumpernickel?") == await found(book, "上次?") == []
        await book.add([item("c", "Pumpernickel"), item("d", "上次")])
        assert await found(book, "pumpernickel?") == ["c"]
        await book.correct("a", "The pumpernickel is dry")
        assert {*await found(book, "pumpernickel?")} == {"a", "c"}

    play(tmp_path / MEMORY_FILE if is_file else None, said)


def test_an_item_is_found_after_a_restart(tmp_path: Path) -> None:
    async def first(book: MemoryStore) -> None:
        assert await book.add([item("a", "The kettle is red"), item("b", "猫叫团子")]) == 2

    async def second(book: MemoryStore) -> None:
        assert (await found(book, "the kettle?"), await found(book, "猫")) == (["a"], ["b"])
        assert await found(book, "") == await found(book, "the you?") == []
        assert [one.text for one in await book.get(["b", "nobody"])] == ["猫叫团子"]

    play(tmp_path / MEMORY_FILE, first, second)


def test_messages_that_are_only_a_question() -> None:
    for text in ("Where is it?", "  你喜欢茶吗", "钥匙呢？", "what, where and when?"):
        assert is_question(text), text
    for text in ("Tea.", "It is here. Do you see it?", "Really? I like it", "", "吗啡是药"):
        assert not is_question(text), text


def test_the_same_id_replaces_the_item(tmp_path: Path) -> None:
    async def scene(book: MemoryStore) -> None:
        await book.add([item("a", "kettle"), item("a", "teapot \ud83d")])
        assert (await found(book, "kettle"), await found(book, "teapot")) == ([], ["a"])
        assert await book.size() == 1

    play(None, scene)


def test_a_replaced_item_keeps_its_neighbours() -> None:
    async def scene(book: MemoryStore) -> None:
        asked = item("q", "What is the dog called?", time=NOW)
        away = [item(name, "Here is my hat.", time=NOW, conversation="away") for name in "xyz"]
        await book.add([asked, item("r", "Pumpernickel!", time=NOW), *away])
        await book.add([replace(asked, text="What is your dog's name?")])
        assert "r" in await found(book, "dog")

    play(None, scene)


def test_items_of_an_older_format_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / MEMORY_FILE
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrate(old, None, dict(list(MEMORY_MIGRATIONS.items())[:3]))
        said = ("Dr. Nguyễn", "café", "in Łódź", "Who is it?", "an e-mail", "last year", "in 1999")
        for one, text in zip("abcdefg", said, strict=True):
            old.execute("INSERT INTO seen VALUES (?, 1.0)", (one,))
            old.execute(
                "INSERT INTO items (id, message, side, speaker, time, text, terms, length, "
                "corrects, asks) VALUES (?1, ?1, 'person', 'user', 0, ?2, '', 0, 0, 0)",
                (one, text),
            )

    async def scene(book: MemoryStore) -> None:
        assert await book.last_written() == {"b": 1.0}

    play(path, scene)


def test_an_index_of_many_parts_is_merged_and_finds_the_same(tmp_path: Path) -> None:
    def parts() -> int:
        with closing(sqlite3.connect(tmp_path / MEMORY_FILE)) as connection:
            connection.execute("INSERT INTO found (found, rank) VALUES ('integrity-check', 1)")
            query = "SELECT count(DISTINCT segid) FROM found_idx"
            return int(connection.execute(query).fetchone()[0])

    async def scene(book: MemoryStore) -> None:
        with closing(sqlite3.connect(tmp_path / MEMORY_FILE)) as connection, connection:
            connection.execute("INSERT INTO found (found, rank) VALUES ('automerge', 0)")
        for at in range(9):
            await book.add([item(f"m{at}", f"The lamp number{at} stands in the hall. 第{at}盏灯")])
        before = [await found(book, f"Where is the lamp number{at}?") for at in (0, 4, 8)]
        assert parts() > 6
        await book.merge_index_segments()
        assert parts() == 1
        assert [await found(book, f"Where is the lamp number{at}?") for at in (0, 4, 8)] == before
        assert [one[0] for one in before] == ["m0", "m4", "m8"]
        await book.add([item("more", "The lamp of the cellar")])
        await book.merge_index_segments()
        assert parts() == 2, "it is unchanged while it has few"

    play(tmp_path / MEMORY_FILE, scene)


def test_a_deleted_item_is_in_no_byte(tmp_path: Path) -> None:
    async def told(book: MemoryStore) -> None:
        await book.add([item(str(at), f"talk of lunch {at}") for at in range(50)])
        await book.add([item("s", f"the word is {SECRET}", message="m"), item("t", "lunch")])
        await book.record_recalled("r", [RecalledItem((await book.get(["s"]))[0], "", 0.5)])

    async def forgot(book: MemoryStore) -> None:
        assert holds(tmp_path, SECRET)
        copy_aside(tmp_path)
        assert await book.delete(["m", "nobody"]) == ["s"]
        assert holds(tmp_path, SECRET) == []
        assert await found(book, SECRET) == [] and await book.recalled_for("r") == []
        for name in ("s", "m", "nobody"):
            assert await book.add([item(name, SECRET)]) == 0
        assert await book.add([item("new", SECRET, message="m")]) == 0
        assert await book.size() == 51

    async def later(book: MemoryStore) -> None:
        assert await found(book, SECRET) == []
        assert await book.clear() == 51 and await book.size() == 0
        assert await found(book, "lunch") == []

    play(tmp_path / MEMORY_FILE, told, forgot, later)
    assert holds(tmp_path, SECRET) == [] and holds(tmp_path, "lunch") == []


def test_items_older_than_the_limit_are_deleted_except_pinned_ones() -> None:
    async def scene(book: MemoryStore) -> None:
        old = NOW - timedelta(days=100)
        await book.add([item("a", "tea", time=old), item("b", "tea", time=old), item("c", "tea")])
        await book.set_pinned("b", True)
        assert await book.expire(NOW - timedelta(days=30)) == 1
        assert sorted(await found(book, "tea")) == ["b", "c"]
        await book.add([item("b", "green tea", time=old)])
        assert await book.expire(NOW - timedelta(days=30)) == 0

    play(None, scene)


def test_the_items_for_a_model() -> None:
    async def scene(book: MemoryStore) -> None:
        await book.add(
            [
                item("here", "the kettle sings", message="m1", conversation="now"),
                item("past", "the kettle is red", message="m2"),
                item("older", "the kettle is red", time=NOW - timedelta(days=300)),
                item("poor", "red and many other things that are not asked for at all"),
                item("page", "a red kettle boils water", speaker="tea.md", side=ItemSide.DOCUMENT),
            ]
        )

        async def told(**more: object) -> list[str]:
            asked = MemoryQuery("red kettle?", NOW, 500, visible=frozenset({"m1"}), **more)  # type: ignore[arg-type]
            return [one.item.id for one in await book.recall(asked)]

        assert sorted(await told()) == ["page", "past"]
        assert await told(documents=False) == ["past"]
        assert await told(messages=False) == ["page"]

    play(None, scene)


def test_a_search_within_a_budget() -> None:
    async def scene(book: MemoryStore) -> None:
        await book.add([item(str(at), f"kettle {'and more ' * at}") for at in range(30)])
        few = await book.search_within("kettle", NOW, None, 100)
        many = await book.search_within("kettle", NOW, None, 1200)
        assert 0 < len(few) < len(many)
        assert len(await book.search_within("kettle", NOW, 2, 1200)) == 2

    play(None, scene)


def test_export_and_import(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"

    async def out(book: MemoryStore) -> None:
        await book.add([item("a", "tea 茶 \ud83d", pinned=True), item("b", "x", message="m")])
        assert await book.export_file(file) == 2
        with pytest.raises(StoreError):
            await book.export_file(tmp_path / "nowhere" / "x.json")

    async def back(book: MemoryStore) -> None:
        assert await book.import_file(file) == 2
        assert [one.pinned for one in await book.get(["a", "b"])] == [True, False]
        assert await found(book, "茶") == ["a"]

    play(None, out)
    head, *rest = file.read_text("utf-8", "surrogatepass").splitlines()
    assert json.loads(head) == {"format": "neodeskpet-memory", "version": 1}
    assert [json.loads(line)["id"] for line in rest] == ["a", "b"]
    play(None, back)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "neodeskpet-memory"}', "\0", "["])
def test_other_files_are_refused_completely(tmp_path: Path, content: str) -> None:
    file = tmp_path / "memory.json"
    good = '{"format": "neodeskpet-memory", "version": 1}\n'
    line = (
        '{"id": "a", "time": "2026-01-01T00:00", "speaker": "user", "side": "person", "text": "x"}'
    )

    async def scene(book: MemoryStore) -> None:
        for text in (content, f"{good}{line}\n{content or '{}'}"):
            file.write_text(text, encoding="utf-8")
            with pytest.raises(StoreError):
                await book.import_file(file)
        with pytest.raises(MemoryFileUnreadable, match="does not exist") as refused:
            await book.import_file(tmp_path / "nowhere")
        assert "space" not in format_error(refused.value)
        assert await book.size() == 0

    play(None, scene)


def test_a_damaged_file_is_repaired(tmp_path: Path) -> None:
    path = tmp_path / MEMORY_FILE

    async def fill(book: MemoryStore) -> None:
        await book.add([item(str(at), f"kettle number {at} " + "word " * 40) for at in range(300)])
        await book.delete(["7"])
        await book.set_pinned("299", True)

    async def after(book: MemoryStore) -> None:
        assert [one.pinned for one in await book.get(["299", "298"])] == [True, False]
        assert await book.edited_items([""]) == {"299"}
        assert len(await found(book, "kettle number 250")) == 5
        assert 0 < await book.size() < 300
        assert await book.add([item("7", "again")]) == 0

    play(path, fill)
    content = bytearray(path.read_bytes())
    middle = len(content) // 8192 * 4096
    content[middle : middle + 4096] = b"\xaa" * 4096
    path.write_bytes(content)
    play(path, after)


def test_facts_that_are_lost_with_a_page_are_counted(tmp_path: Path) -> None:
    path = tmp_path / MEMORY_FILE

    async def fill(book: MemoryStore) -> None:
        await book.add([item("said", "I live in a lighthouse")])
        for number in range(3):
            source = FactSource(f"m{number}", "c")
            await book.facts.add(f"Fact {number}", FactClaim(), source, NOW)

    async def look() -> list[StoreError]:
        told: list[StoreError] = []
        book = await MemoryStore.open(path, on_fault=told.append)
        try:
            assert not await book.facts.list_facts()
            assert await book.size() == 1
            await asyncio.sleep(0)  # the event is reported on the loop
        finally:
            await book.aclose()
        return [*told, *([book.fault] if book.fault is not None else [])]

    play(path, fill)
    with closing(sqlite3.connect(path)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'facts'").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xaa" * 4096
    path.write_bytes(content)
    (found,) = asyncio.run(look())
    assert found.code == "memory_salvaged"
    assert (found.params["saved"], found.params["known"]) == ("1", "4")
    assert not asyncio.run(look())


def test_a_deleted_file_is_written_again_and_a_restored_one_is_merged(tmp_path: Path) -> None:
    path, other = tmp_path / MEMORY_FILE, tmp_path / "other" / MEMORY_FILE

    async def theirs(book: MemoryStore) -> None:
        await book.add([item("a", "kettle"), item("b", "teapot")])

    async def ours(book: MemoryStore) -> None:
        await book.add([item("a", "kettle"), item("b", "teapot"), item("c", "samovar")])
        for one in ("a", "b"):
            await book.set_pinned(one, True)
        await book.correct("c", "a samovar of brass")
        await book.delete(["b"])
        other.replace(path)
        assert await found(book, "brass") == ["c"]
        assert [one.pinned for one in await book.get(["a"])] == [True]
        assert await found(book, "kettle") == ["a"]
        assert await found(book, "teapot") == []

    play(other, theirs)
    play(path, ours)


APOSTROPHES = ("iPhone's", "McDonald's", "GitHub's", "rock'n'roll", "你好iPhone's吗", "O'Brien's")


@pytest.mark.parametrize("word", APOSTROPHES)
def test_a_word_with_an_apostrophe_does_not_affect_others(word: str) -> None:
    async def scene(book: MemoryStore) -> None:
        await book.add([item("a", f"The kettle beside {word} is red"), item("b", "the tea is hot")])
        for asked in (f"what of the kettle and {word}?", "kettle", word):
            assert (await found(book, asked))[0] == "a"

    play(None, scene)


def test_warming_up_the_index_reads_the_words_of_the_latest_text() -> None:
    async def scene(book: MemoryStore) -> None:
        await book.warm_up()
        await book.add([item("a", "the kettle is red")])
        await book.warm_up()
        assert book._frequencies.counts["kettl"] == 1

    play(None, scene)


def test_terms_that_an_earlier_version_stored_do_no_harm() -> None:
    """They may be two tokens of the index, which can't be searched."""

    async def scene(book: MemoryStore) -> None:
        await book.add([item("a", "kettle one"), item("b", "kettle two")])
        for row, terms in ((1, "kettl phone's on"), (2, "kettl phone's two")):
            await book._database.change(
                lambda db, row=row, terms=terms: db.execute(
                    "UPDATE items SET terms = ? WHERE number = ?", (terms, row)
                )
            )
        await book._database.change(
            lambda db: db.execute("INSERT INTO found (found) VALUES ('rebuild')")
        )
        assert sorted(await found(book, "kettle")) == ["a", "b"]

    play(None, scene)


def test_ids_that_no_server_could_store_are_replaced(tmp_path: Path) -> None:
    """The same file once more adds nothing, so the new ids are always the same."""
    head = {"format": "neodeskpet-memory", "version": 1}
    rows = [
        {"id": "a\0b", "text": "the kettle is red", "speaker": "user", "side": "person"},
        {"id": "plain-1", "text": "the train is late", "speaker": "user", "side": "person"},
        {"id": "x\ud800", "text": "Lives in Ulm", "side": "fact", "sources": [["\n", "c"]]},
    ]
    path = tmp_path / "memory.jsonl"
    lines = [head, *({"time": "2026-01-04T09:00:00"} | row for row in rows)]
    path.write_text("\n".join(json.dumps(line) for line in lines))

    async def live() -> None:
        book = await MemoryStore.open(None)
        for _ in range(2):
            await book.import_file(path)
            assert await book.size() == 2
        assert [one.text for one in await book.get(["plain-1"])] == ["the train is late"]
        assert await book.get(["a\0b"]) == []
        (fact,) = await book.facts.list_facts()
        assert all(one.isprintable() for one in (fact.id, fact.sources[0].message))
        assert (await book.search("kettle", NOW))[0].item.text == "the kettle is red"
        await book.aclose()

    asyncio.run(live())


async def _automerge(book: MemoryStore) -> int:
    query = "SELECT v FROM found_config WHERE k = 'automerge'"
    row = await book._database.run(lambda db: db.execute(query).fetchone())
    return 4 if row is None else int(row[0])


def test_items_that_are_added_in_bulk_are_found(tmp_path: Path) -> None:
    async def add(book: MemoryStore) -> None:
        async with book.bulk_update():
            assert await _automerge(book) == 0
            for batch in range(30):
                await book.add([item(f"{batch} {at}", f"kettle {batch}") for at in range(5)])
            assert await found(book, "kettle 7"), "it is searched meanwhile"
        assert await _automerge(book) == 4
        await book.merge_index_segments()
        query = "SELECT count(DISTINCT segid) FROM found_idx"
        assert await book._database.read(lambda db: db.execute(query).fetchone()) == (1,)
        assert {one.split()[0] for one in (await found(book, "kettle 7"))} == {"7"}

    async def end_in_the_middle(book: MemoryStore) -> None:
        await book._database.run(lambda db: set_automerge(db, "found", on=False))

    async def go_on(book: MemoryStore) -> None:
        assert await _automerge(book) == 4

    play(tmp_path / MEMORY_FILE, add, end_in_the_middle, go_on)
