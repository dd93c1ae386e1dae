"""Web pages (.html) and books (.epub): all visible text, in its order.

Menus and side notes are read too: the user added the file, so all of it counts.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

from neodeskpet.core.attachments import Omission
from neodeskpet.documents.reader_types import (
    ReaderRefusal,
    ReadOptions,
    ReadResult,
    attribute,
    entries,
    join_texts,
    limit_text,
    local_name,
    open_archive,
    parse_xml,
)
from neodeskpet.platform.text_encoding import decode_text

_UNSEEN = frozenset({"head", "script", "style", "template", "noscript", "iframe", "object", "rp"})
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "dialog"}
    | {"div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3"}
    | {"h4", "h5", "h6", "header", "hr", "legend", "li", "main", "nav", "ol", "option", "p", "pre"}
    | {"section", "select", "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead"}
    | {"tr", "ul", "button"}
)
_SPACE = re.compile(r"[ \t\r\n\f]+")
_FONT_OBFUSCATION = frozenset(
    {"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}
)
"""Algorithms that encrypt only fonts: the text of such a book isn't encrypted."""


def read_html(path: Path, options: ReadOptions) -> ReadResult:
    data = path.read_bytes()
    text, encoding = decode_text(
        data, options.language, options.encoding or declared_encoding(data)
    )
    found = limit_text(page_text(text, marked=options.marked), options)
    return ReadResult(found.text, cut=found.cut, omitted=found.omitted, encoding=encoding)


def declared_encoding(data: bytes) -> str:
    """Return the encoding declared at the beginning of a page, "" if there is none."""
    found = re.search(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]+)", data[:2048])
    return found[1].decode("ascii") if found is not None else ""


def page_text(page: str, *, marked: bool) -> str:
    """Return the visible text of a page; with `marked`, headings and lists are written as
    Markdown.
    """
    from lxml import etree  # type: ignore[import-untyped]

    data = page.encode("utf-8", "surrogatepass")
    if not data.strip():
        return ""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(data, parser)
    if root is None:
        return ""
    lines = _TextBuilder(marked=marked)
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name = local_name(element).lower()
        if event == "start":
            if name in _UNSEEN:
                walk.skip_subtree()
                continue
            lines.begin(name)
            lines.add(element.text)
        else:
            if name not in _UNSEEN:
                lines.end(name)
            lines.add(element.tail)
    return lines.text()


class _TextBuilder:
    """Joins the pieces of a page's text."""

    def __init__(self, *, marked: bool) -> None:
        self._marked = marked
        self._lines: list[str] = []
        self._line = ""
        self._mark = ""
        self._kept = 0
        """Number of open `pre` elements; inside them white space is kept."""

    def begin(self, name: str) -> None:
        if name in ("td", "th"):
            if self._line.strip():
                self._line = self._line.rstrip() + " | "
        elif name in _BLOCKS:
            self._flush()
        if name == "br":
            self._flush(between=False)
        if name == "pre":
            self._kept += 1
        if self._marked and len(name) == 2 and name[0] == "h" and name[1] in "123456":
            self._mark = "#" * int(name[1]) + " "
        elif self._marked and name == "li":
            self._mark = "- "

    def end(self, name: str) -> None:
        if name == "pre":
            self._kept -= 1
        if name in _BLOCKS and name not in ("td", "th"):
            self._flush(between=name != "tr")

    def add(self, text: str | None) -> None:
        if not text:
            return
        if self._kept:
            *whole, last = text.split("\n")
            for line in whole:
                self._line += line
                self._flush(between=False)
            self._line += last
            return
        text = _SPACE.sub(" ", text)
        self._line += text.lstrip() if not self._line or self._line.endswith(" ") else text

    def _flush(self, *, between: bool = True) -> None:
        if self._line.strip():
            self._lines.append(self._mark + self._line.rstrip())
            self._mark = ""
        elif self._kept and self._line == "" and self._lines and self._lines[-1]:
            self._lines.append("")
        self._line = ""
        if between and self._lines and self._lines[-1]:
            self._lines.append("")

    def text(self) -> str:
        self._flush()
        return "\n".join(self._lines).strip()


def read_epub(path: Path, options: ReadOptions) -> ReadResult:
    with open_archive(path) as archive:
        omitted: Counter[Omission] = Counter()
        chapters = _chapters(archive, omitted)
        _refuse_protected(archive, set(chapters))
        texts = (_chapter(archive, name, options, omitted) for name in chapters)
        return join_texts(texts, options, omitted)


def _chapter(
    archive: zipfile.ZipFile, name: str, options: ReadOptions, omitted: Counter[Omission]
) -> str:
    try:
        data = archive.read(name)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        omitted[Omission.CHAPTERS] += 1
        return ""
    text, _ = decode_text(data, options.language, declared_encoding(data))
    return page_text(text, marked=options.marked)


def _refuse_protected(archive: zipfile.ZipFile, chapters: set[str]) -> None:
    """Raise ReaderRefusal if the book's text is encrypted for a shop's reader."""
    if "META-INF/encryption.xml" not in archive.namelist():
        return
    for one in parse_xml(archive.read("META-INF/encryption.xml")).iter():
        if local_name(one) != "EncryptedData":
            continue
        methods = [attribute(m, "Algorithm") for m in one if local_name(m) == "EncryptionMethod"]
        uris = {
            unquote(attribute(r, "URI")) for r in one.iter() if local_name(r) == "CipherReference"
        }
        if uris & chapters and not set(methods) & _FONT_OBFUSCATION:
            raise ReaderRefusal("drm")


def _chapters(archive: zipfile.ZipFile, omitted: Counter[Omission]) -> list[str]:
    """Return the files with the text, in reading order."""
    container = parse_xml(archive.read("META-INF/container.xml"))
    packages = (
        attribute(one, "full-path") for one in container.iter() if local_name(one) == "rootfile"
    )
    package = next(filter(None, packages), "")
    content = parse_xml(archive.read(package))
    files = {
        attribute(item, "id"): attribute(item, "href") for item in entries(content, "manifest")
    }
    known = {name.lower(): name for name in archive.namelist()}
    found = []
    for ref in entries(content, "spine"):
        href = files.get(attribute(ref, "idref"), "").partition("#")[0]
        name = posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(href)))
        if href and name.lower() in known:
            found.append(known[name.lower()])
        else:
            omitted[Omission.CHAPTERS] += 1
    return found
