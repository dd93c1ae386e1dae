"""Checks the links of README.md, CONTRIBUTING.md, CHANGELOG.md and docs/.

Every file and heading that a link names must exist. The pages of the settings that a text names
("Settings › Sync") must be texts of the interface, too.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "neodeskpet" / "language" / "locale" / "zh_CN" / "LC_MESSAGES" / "neodeskpet.po"
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HEADING = re.compile(r"#{1,6}\s+(?P<text>.+?)\s*#*")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_CODE = re.compile(r"(`+).+?\1")
_SETTINGS = re.compile(r"(?P<language>Settings|设置) ›\s*(?P<page>[^›\n]{1,40})")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def pages(root: Path) -> list[Path]:
    """The Markdown files whose links are checked."""
    top = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [page for page in top if page.exists()] + sorted((root / "docs").rglob("*.md"))


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside fenced code, with their numbers."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            yield number, line


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and `pymdownx.slugs.slugify(case="lower")` make it."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    plain = unicodedata.normalize("NFC", plain).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """The anchors of all headings of a page. Equal headings are numbered."""
    found: set[str] = set()
    for _, line in prose(text):
        heading = _HEADING.fullmatch(line)
        if heading:
            name, count = slug(heading["text"]), 0
            while (name if not count else f"{name}-{count}") in found:
                count += 1
            found.add(f"{name}-{count}" if count else name)
    return found


def broken_links(page: Path, root: Path) -> Iterator[str]:
    """One line for each link of the page that leads nowhere."""
    text = page.read_text(encoding="utf-8")
    for number, line in prose(text):
        for link in _LINK.finditer(_CODE.sub("", line)):
            fault = _fault(page, unquote(link[1]), root)
            if fault:
                yield f"{page.relative_to(root)}:{number}: {link[1]}: {fault}"


def _fault(page: Path, target: str, root: Path) -> str:
    if _ELSEWHERE.match(target):
        return ""
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.is_relative_to(root):
        return "the link leads out of the project"
    if not file.exists():
        return "there is no such file"
    if anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
        return "the page has no such heading"
    return ""


def unknown_pages(text: str, texts: Mapping[str, str]) -> list[str]:
    """The pages of the settings that the text names and the interface doesn't have."""
    names = {"Settings": texts.keys(), "设置": texts.values()}
    return [
        named[0].strip()
        for named in _SETTINGS.finditer(" ".join(text.split()))
        if not any(_begins(named["page"], name) for name in names[named["language"]])
    ]


def _begins(text: str, name: str) -> bool:
    return bool(name) and text.startswith(name) and not re.match(r"\w", text[len(name) :])


def interface_texts() -> dict[str, str]:
    """The short texts of the interface and their Chinese translations."""
    from babel.messages.pofile import read_po

    with CATALOGUE.open("rb") as file:
        messages = [one for one in read_po(file) if isinstance(one.id, str) and one.id]
    return {str(one.id): str(one.string) for one in messages if len(one.id) < 40}


def main() -> int:
    """Print each broken link and each unknown page of the settings; 1 if there is any."""
    checked = pages(ROOT)
    found = [fault for page in checked for fault in broken_links(page, ROOT)]
    texts = interface_texts()
    for page in checked:
        if page.parent.name != "decisions":
            unknown = unknown_pages(page.read_text(encoding="utf-8"), texts)
            found += [
                f"{page.relative_to(ROOT)}: the interface has no “{name}”" for name in unknown
            ]
    print("\n".join(found) or f"All links of {len(checked)} pages lead to files and headings.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
