"""How much of the text of documents of every kind is read.

The text that LibreOffice, pdftotext and the generators give for a file is compared with ours, by
its characters (without white space) and by the marks of its sentences. A file counts as read if at
least 99.5 % are there, or if it reports its omissions; reporting one for a complete file is a
failure.
"""

from __future__ import annotations

import glob
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from neodeskpet.core.errors import KnownError
from neodeskpet.documents.document import read_document
from tests.bench.documents.found import found_documents
from tests.bench.documents.sources import (
    Made,
    book,
    flat_sheet,
    flat_slides,
    flat_text,
    page,
    word,
)

GOAL = 0.995
_TEXTS, _SHEETS, _SLIDES, _WORDS, _PAGES = 7, 4, 4, 8, 4
_ALL_SHEETS = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,true,false,false,-1"
_TEXT = "txt:Text (encoded):UTF8"
_FORMS = {".docx": _TEXT, ".odt": _TEXT, ".rtf": _TEXT, ".pptx": "pdf", ".odp": "pdf"} | {
    ".xlsx": _ALL_SHEETS,
    ".ods": _ALL_SHEETS,
}
"""The form to which LibreOffice converts a kind of file for the comparison."""


class _Converter:
    """LibreOffice, with a profile of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._profile = folder / "profile"

    def convert(self, paths: list[Path], form: str, out: Path) -> None:
        """Write `paths` in another form into the folder `out`."""
        profile = f"-env:UserInstallation={self._profile.as_uri()}"
        command = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", str(out)]
        _run([*command, *map(str, paths)])


@dataclass(frozen=True, slots=True)
class Row:
    """`share` of the expected characters were read."""

    name: str
    share: float
    missing: list[str]
    gone: list[str]
    omitted: str
    refused: str = ""
    found: bool = False

    @property
    def failed(self) -> bool:
        if self.refused:
            return True
        complete = self.share >= GOAL and not self.missing
        return bool(self.gone) or complete == bool(self.omitted)

    def render(self) -> str:
        if self.refused:
            return f"{self.name}: {self.refused}"
        wrong = f"missing {self.missing[:3]} read although deleted {self.gone[:3]}"
        return f"{self.name}: {self.share:.4f} {wrong} {self.omitted}"


def measure() -> dict[str, float]:
    for program in ("soffice", "pdftotext"):
        if shutil.which(program) is None:
            print(
                f"  {program} is missing: see packaging/debian-packages-bench.txt", file=sys.stderr
            )
            return {"files": 0, "found_files": 0, "failed": 1, "least_share": 0}
    with tempfile.TemporaryDirectory() as place:
        rows = _rows(_Converter(Path(place)))
    for row in rows:
        if row.failed:
            print(f"  {row.render()}")
    shares = [row.share for row in rows if not row.omitted]
    return {
        "files": len(rows),
        "found_files": sum(row.found for row in rows),
        "failed": sum(row.failed for row in rows),
        "least_share": min(shares),
        "mean_share": sum(shares) / len(shares),
    }


def _rows(converter: _Converter) -> list[Row]:
    folder = converter.folder
    texts = [flat_text(folder, seed) for seed in range(1, _TEXTS + 1)]
    sheets = [flat_sheet(folder, seed) for seed in range(1, _SHEETS + 1)]
    slides = [flat_slides(folder, seed) for seed in range(1, _SLIDES + 1)]
    made: dict[Path, Made] = {}
    for kind, group in (
        *((kind, texts) for kind in ("docx", "odt", "rtf", "pdf")),
        *((kind, sheets) for kind in ("xlsx", "ods")),
        *((kind, slides) for kind in ("pptx", "odp")),
    ):
        converter.convert([folder / one.name for one in group], kind, folder)
        for one in group:
            # LibreOffice prints no comments, and it prints deleted text.
            whole = one if kind != "pdf" else Made(one.name)
            made[(folder / one.name).with_suffix(f".{kind}")] = whole
    for number in range(1, _WORDS + 1):
        one = word(folder, number)
        made[folder / one.name] = one
    for number in range(1, _PAGES + 1):
        for make in (page, book):
            one = make(folder, number)
            made[folder / one.name] = one
    originals = folder / "found"
    originals.mkdir()
    found = found_documents(originals)
    oracles = _oracles(converter, [*made, *found])
    rows = [_row(path, one, oracles.get(path, "")) for path, one in made.items()]
    # Files that no other program reads (with a password, or broken on purpose) can't be compared.
    known = [path for path in found if path in oracles]
    return rows + [
        replace(_row(path, Made(path.name), oracles[path]), found=True) for path in known
    ]


def _row(path: Path, made: Made, oracle: str) -> Row:
    try:
        read = read_document(path, seconds=60)
    except KnownError as error:
        nothing = not oracle.strip() and not made.text
        return Row(path.name, float(nothing), [], [], "", refused="" if nothing else str(error))
    for one in made.gone:  # LibreOffice writes deleted text of tracked changes, too
        oracle = oracle.replace(one, "")
    if path.suffix in (".xlsx", ".ods"):
        oracle = oracle.replace("/", "")  # of dates, which are written as 2026-11-28
    if _has_charts(path):  # programs compute the numbers of the axes, and draw names repeatedly
        oracle = " ".join(dict.fromkeys(re.findall(r"[^\W\d_]+", oracle)))
    shares = [_share(one, read.text) for one in ("\n".join(made.text), oracle) if one.strip()]
    plain = _plain(read.text)
    missing = [one for one in made.text if _plain(one) not in plain]
    gone = [one for one in made.gone if _plain(one) in plain]
    omitted = ", ".join(map(str, read.omitted))
    return Row(path.name, min(shares, default=1.0), missing, gone, omitted)


def _has_charts(path: Path) -> bool:
    if path.suffix != ".pptx":
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.startswith("ppt/charts/") for name in archive.namelist())


_NOT_COUNTED = "\u00ad\u200b-‐‑•◦▪●○■"
"""Characters with which programs break words, and the bullets of lists, which differ."""


def _plain(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text)
    return "".join(one for one in normal if not one.isspace() and one not in _NOT_COUNTED)


def _share(expected: str, read: str) -> float:
    wanted, found = Counter(_plain(expected)), Counter(_plain(read))
    return 1 - (wanted - found).total() / max(1, wanted.total())


def _oracles(converter: _Converter, paths: list[Path]) -> dict[Path, str]:
    """The texts of files as other programs read them."""
    kinds: dict[str, list[Path]] = {}
    for path in paths:
        kinds.setdefault(path.suffix, []).append(path)
    found: dict[Path, str] = {}
    for suffix, group in kinds.items():
        form = _FORMS.get(suffix)
        out = converter.folder / f"oracle{suffix}"
        if form is not None:
            converter.convert(group, form, out)
        for path in group:
            text = _oracle(path, out)
            if text is not None:
                found[path] = text
    return found


def _oracle(path: Path, out: Path) -> str | None:
    """What other programs read; `out` has the texts or PDFs that LibreOffice made. None if none
    can read it.
    """
    match path.suffix:
        case ".pdf":
            return _pdf_text(path)
        case ".pptx" | ".odp":
            return _pdf_text(out / f"{path.stem}.pdf")
        case ".html":
            return _shown(path.read_bytes())
        case ".epub":
            return _book_text(path)
        case _:
            parts = [*out.glob(f"{glob.escape(path.stem)}[.-]*")]
            texts = [one.read_text("utf-8-sig", "replace") for one in parts]
            return "\n".join(text.replace('"', "") for text in texts) if texts else None


def _book_text(path: Path) -> str:
    """The chapters of a book as its own pages say them."""
    with zipfile.ZipFile(path) as book:
        container = ET.fromstring(book.read("META-INF/container.xml"))
        package = next(
            one.get("full-path", "") for one in container.iter() if "full-path" in one.attrib
        )
        tree = ET.fromstring(book.read(package))
        places = {one.get("id"): one.get("href", "") for one in tree.iter() if "href" in one.attrib}
        chapters = [places[one.get("idref")] for one in tree.iter() if "idref" in one.attrib]
        names = [
            posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(one)))
            for one in chapters
        ]
        return "\n".join(_shown(book.read(one)) for one in names)


def _shown(data: bytes) -> str:
    """What a page's own elements say, by another parser than ours."""
    from html.parser import HTMLParser

    class Texts(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.texts: list[str] = []
            self.unseen: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag in ("script", "style", "title", "head", "noscript", "template"):
                self.unseen.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if self.unseen and tag == self.unseen[-1]:
                self.unseen.pop()

        def handle_data(self, data: str) -> None:
            if not self.unseen:
                self.texts.append(data)

    texts = Texts()
    texts.feed(data.decode("utf-8", "replace"))
    return " ".join(texts.texts)


def _pdf_text(path: Path) -> str | None:
    try:
        return _run(["pdftotext", "-enc", "UTF-8", str(path), "-"])
    except subprocess.CalledProcessError:
        return None


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, check=True, timeout=300)
    return done.stdout.decode("utf-8", "replace")
