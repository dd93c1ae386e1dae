"""Hooks of mkdocs: pages that are not in docs/, and links that lead out of docs/.

CONTRIBUTING.md and CHANGELOG.md stay in the root folder, where people look for them. The site gets
a copy of each, and an index of the decisions. Links are written for the repository: a link to one
of these files becomes a link to its page, a link to another file becomes plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
}
_LINK = re.compile(
    r"(?P<picture>!?)\[(?P<words>[^\]]*)\]\((?P<path>[^)\s:#]+)(?P<anchor>#[^)\s]*)?\)"
)
_TITLE = re.compile(r"# 0*(?P<number>\d+)\s*[·:.-]\s*(?P<title>.+)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages whose text is not in docs/."""
    from mkdocs.structure.files import File

    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(
            File.generated(config, _PAGES[name], content=_relink(text, PurePosixPath(name)))
        )
    files.append(File.generated(config, "decisions/index.md", content=decisions()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Change the links that lead out of docs/."""
    if page.file.generated_by:
        return markdown
    return _relink(markdown, PurePosixPath("docs") / page.file.src_uri)


def decisions() -> str:
    """The index of the decisions: a table of numbers and titles."""
    rows = []
    for file in sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md")):
        title = _TITLE.match(file.read_text(encoding="utf-8").splitlines()[0])
        name = title["title"] if title else file.stem
        rows.append(f"| {file.stem[:3]} | [{name}]({file.name}) |\n")
    head = "# Decisions\n\nEach page gives the context, the decision, and its consequences.\n\n"
    return head + "| number | decision |\n|---|---|\n" + "".join(rows)


def _relink(text: str, source: PurePosixPath) -> str:
    """`source` is the file's path from the root; its page may be in another folder."""
    outside = source.parts[0] != "docs"
    place = PurePosixPath(_PAGES[source.name]) if outside else source.relative_to("docs")

    def change(link: re.Match[str]) -> str:
        target = PurePosixPath(os.path.normpath(source.parent / link["path"]))
        anchor = link["anchor"] or ""
        if target.name in _PAGES and len(target.parts) == 1:
            inside = PurePosixPath(_PAGES[target.name])
        elif target == PurePosixPath("docs/decisions"):
            inside = PurePosixPath("decisions/index.md")
        elif target.parts[0] == "docs":
            if not outside:
                return link[0]
            inside = target.relative_to("docs")
        else:
            return link["words"]
        path = os.path.relpath(inside, place.parent)
        return f"{link['picture']}[{link['words']}]({path}{anchor})"

    return _LINK.sub(change, text)
