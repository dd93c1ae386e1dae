"""How much of their text is read of documents of every kind.

What LibreOffice, pdftotext and the generators know of a file is compared with what we read, by its
characters (without white space), and by the marks of its sentences. A file counts as read when at
least 99.5 % are there, or when it says what it left out; to say so of a complete file is a failure.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.documents.reader import read_document
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
_ALL_SHEETS = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,false,false,false,-1"
_TEXT = "txt:Text (encoded):UTF8"
_FORMS = {".docx": _TEXT, ".odt": _TEXT, ".rtf": _TEXT, ".pptx": "pdf", ".odp": "pdf"} | {
    ".xlsx": _ALL_SHEETS,
    ".ods": _ALL_SHEETS,
}
"""What LibreOffice makes of a kind of file to be compared."""
_FOUND = ("/usr/share/doc/**/*.pdf", "/usr/share/doc/**/*.html", "/usr/lib/libreoffice/**/*.odt")
"""Documents of other programs that many systems have."""
_MOST_FOUND = 12


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

    @property
    def failed(self) -> bool:
        complete = self.share >= GOAL and not self.missing
        return bool(self.gone) or complete == bool(self.omitted)

    def told(self) -> str:
        wrong = f"missing {self.missing[:3]} read although deleted {self.gone[:3]}"
        return f"{self.name}: {self.share:.4f} {wrong} {self.omitted}"


def measure() -> dict[str, float]:
    for program in ("soffice", "pdftotext"):
        if shutil.which(program) is None:
            print(
                f"  {program} is missing: see packaging/debian-packages-bench.txt", file=sys.stderr
            )
            return {"files": 0, "failed": 1, "least_share": 0}
    with tempfile.TemporaryDirectory() as place:
        rows = _rows(_Converter(Path(place)))
    for row in rows:
        if row.failed:
            print(f"  {row.told()}")
    shares = [row.share for row in rows]
    return {
        "files": len(rows),
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
    made |= {path: Made(path.name) for path in _found_files()}
    oracles = _oracles(converter, list(made))
    return [_row(path, one, oracles.get(path, "")) for path, one in made.items()]


def _found_files() -> list[Path]:
    found: list[Path] = []
    for pattern in _FOUND:
        paths = sorted(Path("/").glob(pattern.lstrip("/")))
        found += [one for one in paths if one.stat().st_size > 5000][: _MOST_FOUND // 3]
    return found


def _row(path: Path, made: Made, oracle: str) -> Row:
    read = read_document(path, seconds=60)
    for one in made.gone:  # LibreOffice writes deleted text of tracked changes, too
        oracle = oracle.replace(one, "")
    shares = [_share(one, read.text) for one in ("\n".join(made.text), oracle) if one.strip()]
    plain = _plain(read.text)
    missing = [one for one in made.text if _plain(one) not in plain]
    gone = [one for one in made.gone if _plain(one) in plain]
    omitted = ", ".join(map(str, read.omitted))
    return Row(path.name, min(shares, default=1.0), missing, gone, omitted)


def _plain(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text)
    return "".join(one for one in normal if not one.isspace() and one not in "\u00ad\u200b-‐‑")


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
        if form is not None:
            out = converter.folder / f"oracle{suffix}"
            converter.convert(group, form, out)
        for path in group:
            match suffix:
                case ".pdf":
                    found[path] = _pdf_text(path)
                case ".pptx" | ".odp":
                    found[path] = _pdf_text(out / f"{path.stem}.pdf")
                case ".html":
                    found[path] = _shown(path.read_bytes())
                case _ if form is not None:
                    texts = [
                        one.read_text("utf-8-sig", "replace")
                        for one in out.glob(f"{path.stem}[.-]*")
                    ]
                    found[path] = "\n".join(text.replace('"', "") for text in texts)
    return found


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


def _pdf_text(path: Path) -> str:
    return _run(["pdftotext", "-enc", "UTF-8", str(path), "-"])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, check=True, timeout=300)
    return done.stdout.decode("utf-8", "replace")
