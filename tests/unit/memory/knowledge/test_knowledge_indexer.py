"""The knowledge base equals the files, whatever happens to it and to them."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, suppress
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from neodeskpet.documents.document import DocumentRefused
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.memory.knowledge.knowledge_indexer import KnowledgeIndexer
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_FILE
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore
from neodeskpet.memory.knowledge.source_files import FileWatcher
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryQuery

NOW = datetime(2026, 11, 23, 8)
SECRET = "xyzzyplughword"

Scene = Callable[[KnowledgeStore, KnowledgeIndexer], Awaitable[None]]


def play(home: Path, *scenes: Scene) -> None:
    """Each scene runs on the knowledge base that the one before left."""

    async def run(scene: Scene) -> None:
        book = await KnowledgeStore.open(home / KNOWLEDGE_FILE)
        keeper = KnowledgeIndexer(book, Fetcher(), FileWatcher())
        try:
            await scene(book, keeper)
        finally:
            await asyncio.to_thread(keeper.close)
            await book.aclose()

    home.mkdir(exist_ok=True)
    for scene in scenes:
        asyncio.run(run(scene))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "house.md").write_text("# House\n\n## Kettle\n\nThe kettle stands in the kitchen.\n")
    (folder / "garden.txt").write_text("The spade leans on the shed.\n")
    return folder


async def found(book: KnowledgeStore, text: str) -> list[str]:
    return [one.label for one in await book.search(text)]


def test_files_of_a_folder_are_found_with_their_place(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        await keeper.add_path(papers)
        await keeper.catch_up()
        assert await found(book, "where is the kettle?") == [
            "house.md › House"
        ]  # one passage: they are short
        with closing(sqlite3.connect(home / KNOWLEDGE_FILE)) as file:
            parts = file.execute("SELECT count(DISTINCT segid) FROM found_idx").fetchone()
        assert parts == (1,), "each file made one, in which each word would be looked up"
        assert await found(book, "spade") == ["garden.txt"]
        (source,) = await book.list_sources()
        assert (source.files, source.refused, source.fault) == (2, 0, "")
        assert book.is_not_empty

    play(home, scene)


def test_changes_replace_old_passages(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        await keeper.add_path(papers)
        await keeper.catch_up()
        (papers / "house.md").write_text("The kettle is in the cellar now, and so is the pan.\n")
        (papers / "garden.txt").unlink()
        (papers / "new.txt").write_text("A ladder.\n")
        await keeper.catch_up()
        (hit,) = await book.search("kettle")
        assert "cellar" in hit.passage.text
        assert await found(book, "spade") == []
        assert await found(book, "ladder") == ["new.txt"]
        assert await found(book, "kitchen") == []

    play(home, scene)


def test_a_start_reads_only_new_files(home: Path, papers: Path) -> None:
    reads: list[str] = []

    async def first(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        await keeper.add_path(papers)
        await keeper.catch_up()

    async def second(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        (papers / "new.txt").write_text("A ladder.\n")
        keeper.subscribe(lambda: reads.append(keeper.progress.name))
        await keeper.catch_up()
        assert [one for one in reads if one] == ["new.txt"]
        assert await found(book, "kettle")

    play(home, first, second)


def test_a_single_file_is_watched_too(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        await keeper.add_path(papers / "garden.txt")
        running = asyncio.gather(keeper.run(), keeper.watch_files())
        await _until(book, "spade", "garden.txt")

        def put_another() -> None:
            part = papers / "garden.part"
            part.write_text("The wheelbarrow is red.\n")
            part.replace(papers / "garden.txt")

        await _noticed(book, put_another, "wheelbarrow", "garden.txt")
        await _end(running)

    play(home, scene)


def test_changes_in_a_folder_are_noticed(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        await keeper.add_path(papers)
        running = asyncio.gather(keeper.run(), keeper.watch_files())
        await _until(book, "spade", "garden.txt")

        def write_below() -> None:
            (papers / "below").mkdir(exist_ok=True)
            (papers / "below" / "attic.md").write_text("The trunk is in the attic.\n")

        await _noticed(book, write_below, "trunk", "below/attic.md")
        await _end(running)

    play(home, scene)


async def _until(book: KnowledgeStore, text: str, label: str) -> None:
    async with asyncio.timeout(60):
        while label not in await found(book, text):  # noqa: ASYNC110 - nothing reports it
            await asyncio.sleep(0.05)


async def _noticed(
    book: KnowledgeStore, change: Callable[[], object], text: str, label: str
) -> None:
    """Write repeatedly, because it is unknown when the watch has begun."""
    async with asyncio.timeout(60):
        while label not in await found(book, text):
            change()
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await _until(book, text, label)


async def _end(running: asyncio.Future[object]) -> None:
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


def test_a_removed_source_is_gone_to_the_last_byte(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        (papers / "secret.txt").write_text(f"The word is {SECRET}, tell nobody.\n")
        source = await keeper.add_path(papers)
        await keeper.catch_up()
        assert await found(book, SECRET) == ["secret.txt"]
        (home / "knowledge.before-002-more.db").write_bytes((home / KNOWLEDGE_FILE).read_bytes())
        assert await keeper.remove(source)
        assert not await keeper.remove(source)
        assert holders(home) == []

    play(home, scene)
    assert holders(home) == []


def test_a_deleted_passage_never_comes_back(home: Path, papers: Path) -> None:
    said = papers / "secret.txt"

    async def forgets(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        said.write_text(f"The word is {SECRET}, tell nobody.\n")
        await keeper.add_path(papers)
        await keeper.catch_up()
        (hit,) = await book.search(SECRET)
        assert await book.delete_passages([hit.passage.id]) == [hit.passage.id]
        assert await book.delete_passages([hit.passage.id]) == []
        assert holders(home) == []

    async def comes_again(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        said.write_text(f"One more line.\n\nThe word is {SECRET}, tell nobody.\n\nAnd a lamp.\n")
        await keeper.catch_up()
        assert await found(book, SECRET) == []
        assert await found(book, "lamp") == ["secret.txt"]

    play(home, forgets, comes_again)
    assert holders(home) == []


def holders(folder: Path) -> list[str]:
    return [one.name for one in folder.rglob("*") if SECRET.encode() in one.read_bytes()]


def test_nothing_is_lost_while_the_folder_is_away(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        await keeper.add_path(papers)
        await keeper.catch_up()
        shutil.move(papers, papers.with_name("away"))
        await keeper.catch_up()
        (source,) = await book.list_sources()
        assert "at the moment" in source.fault
        assert await found(book, "spade")
        shutil.move(papers.with_name("away"), papers)
        await keeper.catch_up()
        assert (await book.list_sources())[0].fault == ""

    play(home, scene)


def test_unreadable_files_are_named_once(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        (papers / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
        os.mkfifo(papers / "pipe.txt")
        (papers / "round").symlink_to(papers)
        (papers / "link.txt").symlink_to("/etc/hostname")
        (papers / "picture.png").write_bytes(b"\x89PNG")
        (papers / ".hidden.txt").write_text("nothing")
        source = await keeper.add_path(papers)
        await keeper.catch_up()
        named = {one.name: one.refusal for one in await book.list_refused(source)}
        assert sorted(named) == ["broken.pdf", "link.txt", "pipe.txt", "round"]
        assert "damaged" in named["broken.pdf"]
        assert "link" in named["round"]
        told: list[str] = []
        keeper.subscribe(lambda: told.append(keeper.progress.name))
        await keeper.catch_up()
        assert not any(told)

    play(home, scene)


def test_a_pause_holds_over_a_restart(home: Path, papers: Path) -> None:
    async def pauses(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        await keeper.set_paused(True)
        await keeper.add_path(papers)
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await keeper.run()
        assert keeper.progress.paused
        assert await found(book, "spade") == []

    async def goes_on(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        running = asyncio.gather(keeper.run(), keeper.watch_files())
        while not keeper.progress.paused:  # noqa: ASYNC110 - it begins
            await asyncio.sleep(0.01)
        await keeper.set_paused(False)
        await _until(book, "spade", "garden.txt")
        await _end(running)

    play(home, pauses, goes_on)


def test_a_missing_path_can_not_be_added(home: Path, tmp_path: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        with pytest.raises(DocumentRefused):
            await keeper.add_path(tmp_path / "nowhere.txt")

    play(home, scene)


def test_the_same_path_twice_is_one_source(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        assert await keeper.add_path(papers) == await keeper.add_path(papers)
        assert len(await book.list_sources()) == 1

    play(home, scene)


def test_a_question_gets_passages_that_fit(home: Path, papers: Path) -> None:
    async def scene(book: KnowledgeStore, keeper: KnowledgeIndexer) -> None:
        await keeper.add_path(papers)
        await keeper.catch_up()
        (told,) = await book.recall(MemoryQuery("Where does the kettle stand?", NOW, 1000))
        assert told.item.speaker == "house.md › House"
        assert told.item.side is ItemSide.DOCUMENT
        assert await book.recall(MemoryQuery("Good morning! How are you?", NOW, 1000)) == []
        assert await book.recall(MemoryQuery("kettle", NOW, 1000, documents=False)) == []
        await book.record_recalled("reply", [told])
        (hit,) = await book.recalled_for("reply")
        assert (hit.label, hit.passage.id) == (told.item.speaker, told.item.id)
        reading = await book.read_document(hit.file)
        assert reading is not None
        whole = "".join(one.text for one in reading.passages)
        assert whole == (papers / "house.md").read_text().strip("\n")

    play(home, scene)


class _Pages(BaseHTTPRequestHandler):
    answers: ClassVar[dict[str, tuple[int, str, bytes]]] = {}

    def do_GET(self) -> None:
        status, kind, body = self.answers.get(self.path, (404, "text/plain", b""))
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_pages_are_downloaded_read_and_kept_while_they_are_unreachable(
    home: Path, site: str
) -> None:
    said = "<p>The heron stands in the pond all morning and waits for the frogs to come.</p>" * 3
    page = f"<html><body><article><h1>Birds</h1>{said}</article></body></html>".encode()
    _Pages.answers = {
        "/birds": (200, "text/html", page),
        "/noise": (200, "application/zip", b"PK"),
        "/plain": (200, "text/plain", b"The stork is on the roof."),
    }

    async def scene() -> None:
        book = await KnowledgeStore.open(home)
        keeper = KnowledgeIndexer(book, Fetcher(may_reach=lambda ip: True))
        for name in ("/birds", "/noise", "/plain", "/nowhere"):
            await keeper.add_page(site + name)
        await keeper.catch_up()
        (hit,) = await book.search("heron")
        assert hit.label.startswith(f"{site}/birds")
        assert await found(book, "stork") == [f"{site}/plain"]
        faults = {one.address.removeprefix(site): one.fault for one in await book.list_sources()}
        assert faults["/birds"] == "" == faults["/plain"]
        assert "readable text" in faults["/noise"] and "not be fetched" in faults["/nowhere"]

        _Pages.answers.pop("/birds")
        (birds, *_) = await book.list_sources()
        await keeper.refresh(birds)
        await keeper.catch_up()
        assert (await book.list_sources())[0].fault
        assert await book.search("heron")
        guarded = KnowledgeIndexer(book, Fetcher())
        own = await guarded.add_page(f"{site}/plain?again")
        await guarded.catch_up()
        (refused,) = [one for one in await book.list_sources() if one.id == own]
        assert "public internet address" in refused.fault
        for one in (keeper, guarded):
            await asyncio.to_thread(one.close)
        await book.aclose()

    home.mkdir()
    home = home / KNOWLEDGE_FILE
    asyncio.run(scene())
