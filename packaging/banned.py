"""Refuses what ruff can't: patterns in the package, and odd words in the documentation, in the
package, and in the docstrings and comments of the tests.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
ROOT = PROJECT / "neodeskpet"


@dataclass(frozen=True, slots=True)
class Rule:
    pattern: re.Pattern[str]
    why: str
    but_in: tuple[str, ...] = ()


_PLAIN = "Qt takes text that looks like HTML for HTML, and opens the files it names; "

RULES = (
    Rule(
        re.compile(r"\.exec_?\("),
        "a nested Qt loop loses asyncio tasks (docs/decisions/002); use open(), popup()",
    ),
    Rule(
        re.compile(r"(?<!with )\bQPainter\("),
        "a painter that isn't ended takes the window with it; use `with QPainter(…) as painter:`",
        but_in=("ui/rendering/pdf_worker.py",),  # it paints from frame to frame, and has no window
    ),
    Rule(
        re.compile(r"painter\.save\(\)"),
        "it isn't put back when something fails; use `with QPainterStateGuard(painter):`",
    ),
    Rule(
        re.compile(r"\b(QRunnable|QThreadPool|QThread)\b"),
        "Qt runs it on when its Python half is gone, or frees it under it; "
        "use ui.task_runner.TaskRunner with asyncio.to_thread, or ui.qt_child_worker",
    ),
    Rule(
        re.compile(r"(?<!\w)QLabel\("),
        _PLAIN + "use ui.widgets.labels.PlainLabel",
    ),
    Rule(
        re.compile(r"\.(setToolTip|setWhatsThis|setStatusTip)\("),
        _PLAIN + "use ui.widgets.labels.set_tooltip",
        but_in=("ui/widgets/labels.py", "ui/companion_menu.py"),
    ),
    Rule(
        re.compile(r"QToolTip\.showText\((?!\w+, tooltip_text\()|ToolTipRole(?!, tooltip_text\()"),
        _PLAIN + "give it ui.widgets.labels.tooltip_text(text)",
        # Models, whose tips stand in the line after the role; tests look at those.
        but_in=("ui/chat/sidebar/conversation_list_model.py", "ui/windows/import_dialog.py"),
    ),
    Rule(
        re.compile(r"\.showMessage\("),
        "a desktop may read marks in a notice; use ui.companion_menu",
        but_in=("ui/companion_menu.py",),
    ),
    Rule(
        re.compile(r"\b(QMessageBox|QErrorMessage|QInputDialog|QProgressDialog|QTextBrowser)\b"),
        _PLAIN + "show it in the window, with ui.widgets.labels.PlainLabel",
    ),
    Rule(
        re.compile(r"\.(setHtml|insertHtml)\(|TextFormat\.(RichText|AutoText|MarkdownText)"),
        _PLAIN + "show text as text",
        # The first: bold words of ours, the rest escaped. The other: a process that loads nothing.
        but_in=("ui/settings/services/endpoint_test_report.py", "ui/rendering/pdf_worker.py"),
    ),
)


ODD_WORDS = {
    r"the persons?": "the user",
    r"what is told": "the text, the message",
    r"came to nothing": "failed",
    r"dearer": "more expensive",
    r"mend(s|ed|ing)?": "repair",
    r"put into words": "formatted, translated",
    r"passed over": "skipped, ignored",
    r"anew": "again",
    r"heed(s|ed)?": "respect, follow",
    r"deeds?": "action",
    r"feasts?": "holiday",
    r"for want of": "without",
    r"stands there": "is there, is shown",
    r"goes? along with": "is sent with",
    r"orders nothing": "is not an instruction",
    r"wears? it": "use this figure",
    r"in step": "synced",
    r"riddles?": "describe it",
    r"patience": "timeout",
    r"talk through it": "use this model",
    r"way back": "say what is undone or opened",
    r"is no more": "was deleted",
    r"bears (a|the|its)": "has",
    r"came about": "was made, happened",
    r"what is sent along": "what is sent with it",
    r"a word of ours": "our text",
    r"nobody listens": "there is no reader",
    r"worth a word": "worth reporting",
    r"by its own will": "by itself",
    r"text mode is surer": "is more reliable",
    r"there no more": "no longer exists",
    r"told along": "reported with it",
    r"in small letters": "in lower case",
    r"clock on the wall": "local clock time",
    r"as (it|they) stands?": "unchanged, literally",
    r"worth telling": "useful",
    r"made ready": "prepared",
    r"comes? to nothing": "fails",
    r"let nothing": "erase",
    r"there is to be": "say what must be there",
    r"a word about": "a text that says",
    r"where (it|they) lies?": "its place",
    r"nobody watches": "ignore progress",
    r"(of )?its own accord": "by itself",
    r"words of ours": "our text",
    r"is of no use": "doesn't help",
    r"put into force": "applied",
    r"what becomes? of": "the result of",
    r"gone meanwhile": "deleted meanwhile",
    r"takes? no more": "can't be written",
    r"is called so": "has this name",
    r"signs? of life": "progress",
    r"in vain": "without success",
    r"costs itself": "is skipped",
    r"lets? (us|those) in": "accepts, grants access",
    r"settings are others": "the settings have changed",
    r"windows are there": "the windows exist",
    r"whoever (speaks|stands|edits|wanted)": "say who or what it is",
    r"on the shelf": "in the library",
    r"on trial": "checked",
    r"nobody tells": "unknown",
    r"beyond all measure": "far too large",
    r"falls over": "crashes",
    r"the one worn": "the current one",
    r"comes? into sight": "becomes visible",
    r"steady clock": "monotonic clock",
    r"at leisure": "idle",
    r"is to be seen": "is visible",
    r"is nothing to it": "has no effect",
    r"may stay empty": "optional",
    r"of (its|their) own accord": "by itself",
    r"hung up on": "disconnected",
    r"in sight": "visible",
    r"is told of": "is given, is notified of",
    r"dress(es|ed)?": "style, apply the theme",
    r"(is|are) looked for": "is searched",
    r"what is to be seen": "the content",
    r"to be had": "available",
    r"a figure of Live2D": "a Live2D figure",
    r"before the window goes": "stop the window's tasks",
}
"""Patterns of whole words that documentation, package and tests don't use, and their
replacements.
"""

_ODD = re.compile("|".join(rf"\b(?P<w{at}>{odd})\b" for at, odd in enumerate(ODD_WORDS)), re.I)
_ANY = re.compile("|".join(ODD_WORDS))
"""A superset of `_ODD` for text in lower case, seven times as fast."""
_CODE = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|\[[^\]]*\]\([^)]*\)")
"""What may have other words: code, quotations, and links, which are named by files."""


def odd_words(path: str, text: str) -> list[str]:
    """The odd words of a page outside of code and quotations: one line each."""
    found, fenced = [], False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        for odd in () if fenced else _ODD.finditer(_CODE.sub("", line)):
            at = int((odd.lastgroup or "w0")[1:])
            better = list(ODD_WORDS.values())[at]
            found.append(f"{path}:{number}: “{odd[0]}” is odd English here; better: {better}")
    return found


def odd_words_in_code(path: str, source: str, *, texts: bool = True) -> list[str]:
    """Return the odd words in comments and docstrings of a module, and in its other texts if
    `texts` is set: one line for each.
    """
    joined = re.sub(r"\"\s*\n\s*[fr]*\"", "", source)
    if not _ANY.search(re.sub(r"[\s#]+", " ", joined).lower()):
        return []
    tree = ast.parse(source)
    found = [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    statements = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found += [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
        if texts or node in statements
        if node.value.count("|") < 8  # a pattern, or a table of words
    ]
    return [
        f"{path}:{line}: {odd.split(': ', 1)[1]}"
        for line, text in sorted(found)
        for odd in odd_words(path, " ".join(text.split()))
    ]


def documentation() -> list[Path]:
    """The pages in which odd words are refused. (The changelog is merged by lines of many.)"""
    pages = (PROJECT / "docs").rglob("*.md")
    return [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted(pages)]


def offences(path: str, text: str) -> list[str]:
    """What is refused in a file: one line each, with place and reason."""
    return [
        f"{path}:{number}: {rule.why}"
        for rule in RULES
        if path not in rule.but_in
        for number, line in enumerate(text.splitlines(), 1)
        if rule.pattern.search(line)
    ]


def main() -> int:
    """Print each place in package and documentation that breaks a rule; 1 if there is any."""
    found = [
        offence
        for path in sorted(ROOT.rglob("*.py"))
        for offence in offences(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(PROJECT).as_posix()
        found += odd_words_in_code(name, path.read_text(encoding="utf-8"))
    for path in sorted((PROJECT / "tests").rglob("*.py")):
        name = path.relative_to(PROJECT).as_posix()
        found += odd_words_in_code(name, path.read_text(encoding="utf-8"), texts=False)
    for page in documentation():
        name = page.relative_to(PROJECT).as_posix()
        found += odd_words(name, page.read_text(encoding="utf-8"))
    print("\n".join(found) or "Nothing that is banned.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
