"""Files of every kind are read, and malicious ones are refused by name."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import docx
import pytest

from neodeskpet.core.attachments import FileText
from neodeskpet.core.blocks import Document
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.documents.document import (
    MOST_FILE_BYTES,
    DocumentRefused,
    read_document,
    shorten,
)
from neodeskpet.documents.reader_child import answer_frame, read_file
from neodeskpet.documents.reader_types import MOST_CHARACTERS, ReaderRefusal, ReadOptions
from tests.support.pdfs import write_pdf


def word(path: Path) -> Path:
    document = docx.Document()
    document.add_heading("Plan", 1)
    document.add_paragraph("Buy 牛奶.")
    document.add_paragraph("first", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"c{number}"
    document.save(str(path))
    return path


def epub(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="o/p.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "o/p.opf",
            '<package><manifest><item id="b" href="b.xhtml"/><item id="a" href="a%20.xhtml"/>'
            '</manifest><spine><itemref idref="a"/><itemref idref="b"/><itemref idref="no"/>'
            "</spine></package>",
        )
        for name, said in (("a .xhtml", "One fine day"), ("b.xhtml", "Two fine days")):
            archive.writestr(f"o/{name}", f"<html><body><p>{said}.</p></body></html>")
    return path


def test_a_pdf(tmp_path: Path) -> None:
    found = read_file(write_pdf(tmp_path / "a.pdf", ["Hello page", "Second one"]))
    assert found.text.split("\f") == ["Hello page", "Second one"]
    assert (found.pages, found.pages_read, found.cut) == (2, 2, False)


def test_a_long_pdf_is_read_up_to_the_limit(tmp_path: Path) -> None:
    found = read_file(write_pdf(tmp_path / "a.pdf", ["x" * 100] * 5), ReadOptions(longest=200))
    assert (found.pages, found.pages_read, found.cut) == (5, 2, True)


def test_word(tmp_path: Path) -> None:
    text = read_file(word(tmp_path / "a.docx")).text
    assert text.startswith("# Plan\n\nBuy 牛奶.\n\n- first\n\n| c0 | c1 |\n| --- | --- |\n| c2")


def test_a_book(tmp_path: Path) -> None:
    text = read_file(epub(tmp_path / "a.epub")).text
    assert text.index("One fine day") < text.index("Two fine days")


def test_pages_and_texts(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<html><body><script>x()</script><p>Said <b>so</b>.</p></body></html>")
    assert "so" in read_file(page).text and "x()" not in read_file(page).text
    code = tmp_path / "a.py"
    code.write_bytes("打印(1)\r\n".encode("gb18030"))
    assert read_file(code).text == "打印(1)"
    long = tmp_path / "a.log"
    long.write_bytes("行 of it\n".encode() * 300_000)
    found = read_file(long)
    assert found.cut and len(found.text) == MOST_CHARACTERS


def bomb(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"word/{number}.xml", b"\0" * 80_000_000)
    return path


def locked(path: Path) -> Path:
    word(path)
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    path.write_bytes(data)
    return path


def foreign_entity(path: Path) -> Path:
    """A document that includes another file in its text."""
    word(path)
    secret = path.with_name("secret.txt")
    secret.write_text("TOPSECRET")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    body = parts["word/document.xml"].decode()
    head = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    body = body.replace("?>\n", f"?>\n{head}", 1).replace("Buy ", "Buy &e; ")
    parts["word/document.xml"] = body.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def written(data: bytes) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        path.write_bytes(data)
        return path

    return write


@pytest.mark.parametrize(
    ("name", "make", "why"),
    [
        ("a.pdf", lambda path: write_pdf(path, ["x"], "secret"), "encrypted"),
        ("a.pdf", lambda path: write_pdf(path, [""]), "no text"),
        ("a.pdf", written(b"%PDF\x00"), "damaged"),
        ("a.docx", bomb, "far more"),
        ("a.docx", locked, "encrypted"),
        ("a.docx", written(b"\xd0\xcf\x11\xe0...."), "encrypted"),
        ("a.docx", written(b"PK nonsense"), "damaged"),
        ("a.doc", written(b"\xd0\xcf\x11\xe0...."), "old Office format"),
        ("a.bin", written(bytes(range(256))), "neither"),
        ("a.txt", written(b"  \n"), "no text"),
    ],
)
def test_refusals_have_reasons(
    tmp_path: Path, name: str, make: Callable[[Path], Path], why: str
) -> None:
    make(tmp_path / name)
    with pytest.raises(DocumentRefused) as refused:
        read_document(tmp_path / name)
    assert why in refused.value.params["reason"]
    assert refused.value.params["name"] == name


def test_an_entity_includes_nothing(tmp_path: Path) -> None:
    text = read_document(foreign_entity(tmp_path / "a.docx")).text
    assert text.startswith("# Plan") and "TOPSECRET" not in text


def test_other_entries_are_refused_at_once(tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(MOST_FILE_BYTES + 1)
    for path, why in (
        (tmp_path, "folder"),
        (tmp_path / "no", "no longer exists"),
        (large, "too large"),
    ):
        with pytest.raises(DocumentRefused) as refused:
            read_document(path)
        assert why in refused.value.params["reason"]


def test_a_slow_file_is_given_up(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["x" * 50] * 400)
    with pytest.raises(DocumentRefused) as refused:
        read_document(path, seconds=0.01)
    assert "too long" in refused.value.params["reason"]


def test_the_process_answers_in_any_case(tmp_path: Path) -> None:
    assert b"damaged" not in answer_frame(b'"' + str(tmp_path).encode() + b'"')
    with pytest.raises(ReaderRefusal):
        read_file(written(b"")(tmp_path / "a.txt"))


def test_a_budget_cuts_between_words() -> None:
    read = FileText("a.txt", "one two three four five " * 50, 1200)
    assert shorten(read, 10_000) is read
    cut = shorten(read, 20)
    assert (
        cut.cut
        and estimate_tokens(cut.text) <= 20
        and cut.text.split()[-1] in "one two three four five"
    )
    pages = shorten(FileText("a.pdf", "one\ftwo\fthree", 9, 3, 3), 2)
    assert (pages.pages_read, pages.cut) == (2, True)
    assert shorten(FileText("a", "好" * 50, 9), 7).text == "好" * 7


def test_a_file_becomes_a_block_and_can_be_attached_again() -> None:
    read = FileText("a.pdf", "x", 9, 3, 1, cut=True)
    block = Document.of(read, 2)
    assert block == Document(2, 0, "x", "a.pdf", 9, 3, 1, cut=True)
    assert block.file_text() == read
    assert read.digest != replace(read, text="y").digest


def test_files_that_the_user_attaches_are_always_read(tmp_path: Path) -> None:
    token = "ghp_" + "abc123DEF456" * 3
    (tmp_path / ".env").write_text(f"TOKEN={token}")
    assert read_document(tmp_path / ".env").text == f"TOKEN={token}"
