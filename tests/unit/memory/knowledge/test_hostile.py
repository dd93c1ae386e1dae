"""Broken, encrypted, huge and malicious files are named and skipped; the others are read."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from pypdf import PdfWriter

from neodeskpet.documents.document import MOST_FILE_BYTES, DocumentRefused
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.memory.knowledge.knowledge_indexer import KnowledgeIndexer
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_FILE
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore
from neodeskpet.memory.knowledge.passage_reader import FileChanging, PassageReader
from neodeskpet.memory.knowledge.source_files import TOO_MANY_FILES, scan_folder
from tests.support.pdfs import write_pdf
from tests.support.unmeasured import unmeasured_children
from tests.unit.documents.test_reader import epub, word

COUNT = 1000
_XXE = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">'
    '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
)


def bomb(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"word/{number}.xml", bytes(100_000_000))
    return path


def many_pages(path: Path, pages: int) -> Path:
    """A PDF that claims this many pages, each the same empty one."""
    kids = b"3 0 R " * pages
    body = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Count " + str(pages).encode() + b"/Kids[" + kids + b"]>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n"
    )
    xref = len(body)
    path.write_bytes(
        body + b"trailer<</Root 1 0 R/Size 4>>\nstartxref\n" + str(xref).encode() + b"\n%%EOF\n"
    )
    return path


def evil_epub(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "META-INF/container.xml",
            _XXE + '<container><rootfile full-path="&e;">&b;</rootfile></container>',
        )
    return path


def fill(folder: Path) -> Path:
    folder.mkdir()
    shutil.copy(bomb(folder / "bomb.docx"), folder / "bomb.epub")  # each takes a second
    many_pages(folder / "endless.pdf", 20_000)
    evil_epub(folder / "xxe.epub")
    write_pdf(folder / "closed.pdf", ["said"], password="secret")
    (folder / "cut.pdf").write_bytes(
        write_pdf(folder / "whole.pdf", ["The lamp is lit."]).read_bytes()[:300]
    )
    (folder / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(100))
    (folder / "noise.txt").write_bytes(random.Random(1).randbytes(5000))
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(MOST_FILE_BYTES + 1)
    (folder / "deep.html").write_text("<div>" * 50_000 + "the bottom")
    (folder / "empty.md").write_text("")
    os.mkfifo(folder / "pipe.md")
    (folder / "round").symlink_to(folder)
    (folder / "passwd.txt").symlink_to("/etc/passwd")
    writer = PdfWriter()
    writer.add_blank_page(9, 9)
    writer.write(folder / "blank.pdf")
    word(folder / "good.docx")
    epub(folder / "good.epub")
    return folder


def test_hostile_files_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = fill(tmp_path / "papers")

    async def scene() -> tuple[dict[str, str], list[str]]:
        book = await KnowledgeStore.open(tmp_path / KNOWLEDGE_FILE)
        keeper = KnowledgeIndexer(book, Fetcher(), reader=PassageReader(seconds=60))
        source = await keeper.add_path(folder)
        await keeper.catch_up()
        named = {one.name: one.refusal for one in await book.list_refused(source)}
        read = [one.name for one in await book.list_files(source) if not one.refusal]
        assert await book.search("root nologin") == []
        await asyncio.to_thread(keeper.close)
        await book.aclose()
        return named, read

    named, read = asyncio.run(scene())
    assert {"good.docx", "good.epub", "whole.pdf"} <= set(read)
    assert set(read) - {"good.docx", "good.epub", "whole.pdf"} <= {"deep.html"}
    for name, word_of_it in {
        "bomb.docx": "unpacks",
        "bomb.epub": "unpacks",
        "closed.pdf": "encrypted",
        "cut.pdf": "damaged",
        "old.doc": "old Office format",
        "noise.txt": "neither",
        "huge.txt": "too large",
        "empty.md": "no text",
        "blank.pdf": "no text",
        "pipe.md": "readable file",
        "round": "link",
        "passwd.txt": "link",
    }.items():
        assert word_of_it in named[name], (name, named[name])
    assert "endless.pdf" in named
    assert "xxe.epub" in named


def test_a_file_that_is_being_written_is_read_later(tmp_path: Path) -> None:
    path = tmp_path / "growing.txt"
    path.write_text("a line of text\n" * 20_000)
    reader = PassageReader()
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(0.002):
            with path.open("a") as file:
                file.write("more\n")

    writing = threading.Thread(target=write)
    writing.start()
    try:
        with pytest.raises(FileChanging):
            reader.read(path, path.name)
    finally:
        ended.set()
        writing.join()
    assert reader.read(path, path.name).passages
    reader.close()


def test_an_endless_folder_is_cut(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.txt").write_text("x")
    seen = scan_folder(tmp_path, most=20)
    assert len(seen.files) == 20
    assert seen.fault == TOO_MANY_FILES
    deep = tmp_path / "deep"
    for _ in range(60):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "bottom.txt").write_text("x")
    assert not any(path.name == "bottom.txt" for path in scan_folder(tmp_path).files)


_DIES = """
import asyncio, sys
from pathlib import Path
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore
from neodeskpet.memory.knowledge.knowledge_indexer import KnowledgeIndexer
from neodeskpet.documents.web.fetcher import Fetcher

async def main():
    book = await KnowledgeStore.open(Path(sys.argv[1]))
    keeper = KnowledgeIndexer(book, Fetcher())
    keeper.subscribe(lambda: print(keeper.progress.indexed, flush=True))
    await keeper.add_path(Path(sys.argv[2]))
    await keeper.catch_up()

asyncio.run(main())
"""


def test_a_thousand_files_continue_after_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"{number:04}.md").write_text(
            f"# Note {number}\n\nThe token of this note is tok{number}en. 第 {number} 条。\n"
        )
    file = tmp_path / KNOWLEDGE_FILE
    command = [sys.executable, "-c", _DIES, str(file), str(folder)]
    with (
        unmeasured_children(),
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dying,
    ):
        assert dying.stdout is not None
        for line in dying.stdout:
            if int(line) > 200:
                break
        dying.send_signal(signal.SIGKILL)

    async def scene() -> tuple[int, int, set[str]]:
        book = await KnowledgeStore.open(file)
        (source,) = await book.list_sources()
        before = source.files
        keeper = KnowledgeIndexer(book, Fetcher())
        read: set[str] = set()
        keeper.subscribe(lambda: read.add(keeper.progress.name))
        await keeper.catch_up()
        (source,) = await book.list_sources()
        for number in (0, before, COUNT - 1):
            (hit,) = await book.search(f"tok{number}en")
            assert hit.label.startswith(f"{number:04}.md")
        await asyncio.to_thread(keeper.close)
        await book.aclose()
        return before, source.files, read - {""}

    before, after, read = asyncio.run(scene())
    assert 200 <= before < COUNT
    assert after == COUNT
    assert len(read) == COUNT - before


def test_a_child_that_crashes_loses_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("The lamp is lit.")
    reader = PassageReader()
    assert reader.read(path, path.name).passages
    reader._child.stop()
    with pytest.raises(DocumentRefused):
        reader.read(path, path.name)
    assert reader.read(path, path.name).passages
    reader.close()
