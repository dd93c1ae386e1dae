"""Checks the links of README.md, CONTRIBUTING.md, CHANGELOG.md and docs/.

Every file and heading that a link names must exist. A place in the settings that a page or a text
of the package names (group › card, and a row or button) must exist, and so must each text of the
interface that the user guide names.
"""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "neodeskpet" / "language" / "locale" / "zh_CN" / "LC_MESSAGES" / "neodeskpet.po"
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HEADING = re.compile(r"#{1,6}\s+(?P<text>.+?)\s*#*")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_CODE = re.compile(r"(`+).+?\1")
_SETTINGS = re.compile(r"(?P<language>Settings|设置) › *(?P<place>[^\n]{1,160})")
_QUOTES = ' *“”"「」'
_ENGLISH_NAME, _CHINESE_NAME = "Neo", "尼奥"
"""The names that texts use in the title of the group “You & {name}” and elsewhere."""
_ITALIC = re.compile(r"(?<![\w*])\*([^*\n]+)\*(?!\*)")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_QUOTED = re.compile("“([^”\n]+)”")
_TASKS = "tasks.md"
"""The page of the guide whose bold words are texts of the interface."""
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


@dataclass(frozen=True, slots=True)
class SettingsTree:
    """What a place in the settings may be called in one language: the cards of each group, and the
    texts of rows and buttons.
    """

    groups: Mapping[str, Collection[str]]
    texts: Collection[str]

    def has(self, place: str) -> bool:
        """Whether `place` ("Models › Services › Key, …") begins with a place that exists."""
        group = next((one for one in self.groups if _begins(place, one)), None)
        if group is None:
            return False
        card = _next_step(place, group)
        if not card:
            return True
        found = next((one for one in _longest_first(self.groups[group]) if _begins(card, one)), "")
        row = _next_step(card, found).strip(_QUOTES)
        return bool(found) and (not row or any(_begins(row, text) for text in self.texts))


def unknown_places(text: str, trees: Mapping[str, SettingsTree]) -> list[str]:
    """Return the places in the settings that `text` names and that do not exist."""
    return [
        named[0].strip()[:60]
        for named in _SETTINGS.finditer(" ".join(text.split()))
        if not trees[named["language"]].has(named["place"])
    ]


def _longest_first(names: Collection[str]) -> list[str]:
    return sorted(names, key=len, reverse=True)


def _next_step(path: str, step: str) -> str:
    """Return what follows `step ›` in `path`, "" if nothing does."""
    rest = path[len(step) :].lstrip(_QUOTES)
    return rest[1:].lstrip() if rest.startswith("›") else ""


def _begins(text: str, name: str) -> bool:
    return bool(name) and text.startswith(name) and not re.match(r"[A-Za-z]", text[len(name) :])


def settings_trees() -> dict[str, SettingsTree]:
    """Return the groups and cards of the settings, by the word for "Settings" in each language."""
    from neodeskpet.app.settings_pages import list_sections
    from neodeskpet.ui.settings.settings_groups import EDIT_GROUP, GROUPS

    cards = {section.name: section.title for section in list_sections()}
    english = {
        group.title: [cards[card] for card in group.cards if card in cards] for group in GROUPS
    }
    parent = next(group for group in GROUPS if group.name == EDIT_GROUP.parent)
    english[parent.title].append(EDIT_GROUP.title)
    texts = interface_texts()
    chinese = {texts[group]: [texts[card] for card in found] for group, found in english.items()}
    return {
        "Settings": SettingsTree(
            _with_name(english, _ENGLISH_NAME), [_named(one, _ENGLISH_NAME) for one in texts]
        ),
        "设置": SettingsTree(
            _with_name(chinese, _CHINESE_NAME),
            [_named(one, _CHINESE_NAME) for one in texts.values()],
        ),
    }


def _with_name(groups: Mapping[str, Collection[str]], name: str) -> dict[str, Collection[str]]:
    return {
        _named(title, name): [_named(card, name) for card in cards]
        for title, cards in groups.items()
    }


def _named(text: str, name: str) -> str:
    """Return `text` with the companion's name; the interface has no space before a Chinese one."""
    if name == _CHINESE_NAME:
        text = re.sub(" ?{name} ?", "{name}", text)
    return text.replace("{name}", name)


def unknown_texts(page: Path, known: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield the words of a page of the guide that are marked as texts of the interface, and that
    the interface doesn't have. `known` has its texts by the folder of the guide.

    English pages mark them in italics, Chinese pages by “”; the page of the tasks by bold letters.
    """
    folder = page.parent.name
    marked = _BOLD if page.name == _TASKS else _ITALIC if folder == "en" else _QUOTED
    for number, line in prose(page.read_text(encoding="utf-8")):
        for words in marked.findall(_CODE.sub("", line)):
            if words not in known[folder] and "›" not in words and not _is_said(words, line):
                yield f"{number}: the interface has no “{words}”"


def _is_said(words: str, line: str) -> bool:
    """Whether the words are an example of what the user writes or says."""
    return bool(re.search(f"(?:：|例如|输入|写){re.escape(f'“{words}”')}", line))


def package_texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the file and the text of each string of the package that names a place."""
    for file in sorted((root / "neodeskpet").rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if "Settings ›" in source or "设置 ›" in source:
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield str(file.relative_to(root)), node.value
    from babel.messages.pofile import read_po

    with CATALOGUE.open("rb") as catalogue:
        for message in read_po(catalogue):
            yield CATALOGUE.name, str(message.string)


def interface_texts() -> dict[str, str]:
    """The short texts of the interface and their Chinese translations."""
    from babel.messages.pofile import read_po

    with CATALOGUE.open("rb") as file:
        messages = [one for one in read_po(file) if isinstance(one.id, str) and one.id]
    return {str(one.id): str(one.string) for one in messages if len(one.id) < 40}


def guide_texts() -> dict[str, set[str]]:
    """All texts of the interface by the folder of the guide, with the companion's name in them."""
    from babel.messages.pofile import read_po

    found: dict[str, set[str]] = {"en": set(), "zh": set()}
    with CATALOGUE.open("rb") as file:
        for message in read_po(file):
            forms = (message.id, message.string)
            english, chinese = (one if isinstance(one, tuple | list) else (one,) for one in forms)
            found["en"] |= {_named(str(one), _ENGLISH_NAME) for one in english}
            found["zh"] |= {_named(str(one), _CHINESE_NAME) for one in chinese}
    return found


def main() -> int:
    """Print each broken link, unknown place in the settings and unknown text; 1 if there is any."""
    checked = pages(ROOT)
    found = [fault for page in checked for fault in broken_links(page, ROOT)]
    trees = settings_trees()
    texts = [
        (str(page.relative_to(ROOT)), page.read_text(encoding="utf-8"))
        for page in checked
        if page.parent.name != "decisions"
    ]
    found += [
        f"{file}: the settings have no “{place}”"
        for file, text in (*texts, *package_texts(ROOT))
        for place in unknown_places(text, trees)
    ]
    known = guide_texts()
    found += [
        f"{page.relative_to(ROOT)}:{fault}"
        for page in checked
        if page.parent.parent.name == "guide"
        for fault in unknown_texts(page, known)
    ]
    print("\n".join(found) or f"All links of {len(checked)} pages lead to files and headings.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
