"""Converts a streamed Markdown reply to plain sentences for a bubble.

Marks, headings, code blocks, tables, display formulas and addresses are left out. The result
depends only on the text, not on how it was split: a sentence is returned as soon as the character
after it is known, after an ellipsis as soon as the first letter of the next word is known. Only a
few hundred characters of a line are examined at a time, so feeding is linear. Each sentence keeps
the white space before it ("", a space or a line break), so that joined sentences are readable in
Chinese and English.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from neodeskpet.core.markdown.formulas import (
    begins_display,
    ends_display,
    extract_formulas,
    formula_mark,
)

_WIDE_ENDS = "。！？｡"
_NARROW_ENDS = ".!?"
_CLOSERS = "\"'”’」』）)】》]*_~`"
_CLAUSE = 60
"""A longer sentence ends at its next comma."""
_LONGEST = 400
"""A longer sentence is cut anywhere."""
_WINDOW = 512
"""Characters of a line that are examined; more than `_LONGEST` and the text that must follow it."""

_END = re.compile(
    rf"(?P<wide>[{_WIDE_ENDS}]+[{re.escape(_WIDE_ENDS + _NARROW_ENDS + _CLOSERS)}]*)"
    rf"|(?P<dots>……+|…(?=\s))"
    rf"|(?P<narrow>(?<![{_NARROW_ENDS}])[{_NARROW_ENDS}]++[{re.escape(_CLOSERS)}]*+(?=[\s\u3000-\u9fff\uff00-\uffef]))"
    r"|(?P<clause>[，、；：]|[,;:](?=\s))"
)
_BLOCK_MARK = re.compile(r"\s*(?:(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,3}[.)](?=\s))\s*)*")
_COULD_BE_MARK = re.compile(r"[\s>#*+\-=|_~`\d.)]*\Z")
_RULE = re.compile(r"\s*+(?:([-*_])(?:\s*+\1){2,}+|=++|(?=.*--)[-:|\s]++)\s*\Z")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_DISPLAY = ("$$", "\\[")
_MOST_OF_LANGUAGE = 16
_CELL_EDGE = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_SHORT = frozenset(
    # Abbreviations after which a sentence continues.
    (
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "jr",
        "sr",
        "inc",
        "vs",
        "etc",
        "eg",
        "ie",
        "cf",
        "al",
        "approx",
        "no",
        "fig",
        "vol",
    )
)
_DOTTED_LETTERS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
"""An initial or an abbreviation such as "U.S" or "e.g", without its last dot."""
_ELLIPSIS = re.compile(r"…|\.{2,}(?![.!?])")

_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)\s]*(?:\s[^)]*)?\)")
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]*(?:\s[^)]*)?\)")
_PICTURE_DATA = re.compile(r"(data:[\w.+/-]+;base64,)[A-Za-z0-9+/=]+")
_DATA_ADDRESS = re.compile(r"data:[\w.+/-]+;base64,\S*")
_NOTE = re.compile(r"\[\^[^\]]+\]")
_TASK = re.compile(r"\A\[[ xX]\]\s+")
_ADDRESS = re.compile(
    r"<?(?<![a-zA-Z0-9])(?:(?:https?|ftp|file)://|www\.)[^\s<>，。；！？、）】」』]*[^\s<>，。；！？、）】」』.,;:!?)\]'\"*_`]>?"
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_STRONG = re.compile(r"\*{2,}|__+(?=\w)|(?<=\w)__+|~~|`+")
_EMPHASIS = re.compile(r"(?<![\w*])[*_](?=\S)|(?<=\S)[*_](?![\w*])|(?<=[^\s\w*])\*|\*(?=[^\s\w*])")
_OPEN_FORMULA = re.compile(r"\$(?![\s\d$])[^$]*\Z")
_SPACES = re.compile(r"[ \t\u00a0]{2,}")


@dataclass(frozen=True, slots=True)
class BlockNames:
    """Sentences that are given in place of blocks; "" leaves such a block out."""

    code: str = ""
    table: str = ""
    formula: str = ""


@dataclass(frozen=True, slots=True)
class BlockLabels:
    """Sentences that are given in place of complete blocks: `code` gets the language ("" if
    unknown) and the number of lines, `table` the numbers of rows below the header and of columns.
    """

    code: Callable[[str, int], str]
    table: Callable[[int, int], str]
    formula: str


class SentenceSplitter:
    """Call `feed` with pieces, then `end`; both return the sentences that are now complete. `link`
    replaces an address, `formula` a formula that isn't readable as text, `blocks` code blocks,
    tables and display formulas: names are given at the beginning of a block, labels at its end.
    `picture` is put before the description of a picture.
    """

    def __init__(
        self,
        link: str = "",
        formula: str = "",
        blocks: BlockNames | BlockLabels | None = None,
        *,
        picture: str = "",
    ) -> None:
        self._link = link
        self._formula = formula
        self._picture = picture
        self._blocks = blocks or BlockNames()
        self._names: list[str] = []
        self._in_table = False
        self._rows = self._columns = 0  # of the table
        self._code_language, self._code_lines = "", 0
        self._display = ""  # the opening mark of the formula around this line
        self._text = ""
        self._at = 0  # `_text` is processed up to here
        self._line_starts = True
        self._skips = False
        self._fence = ""
        self._before = ""

    def feed(self, piece: str) -> list[str]:
        self._text += piece.replace("\r", "")
        if "base64," in self._text:
            # The beginning of the address stays: it tells what the next pieces belong to.
            self._text = _PICTURE_DATA.sub(r"\1", self._text)
        return self._take(ended=False)

    def end(self) -> list[str]:
        """End the reply; the rest is a sentence too."""
        found = self._take(ended=True)
        self._end_table()
        if self._fence:
            self._end_code()
        found += self._take_names()
        self._line_starts, self._skips, self._fence, self._before = True, False, "", ""
        self._display = ""
        return found

    def _take(self, *, ended: bool) -> list[str]:
        found: list[str] = []
        while self._at < len(self._text):
            if self._skips:
                self._skip()
                continue
            window = self._text[self._at : self._at + _WINDOW]
            line, newline, _ = window.partition("\n")
            known = bool(newline) or len(window) == _WINDOW or ended
            if self._line_starts:
                entered = self._enter_line(line, known=known)
                found += self._take_names()
                if not entered:
                    break
                continue
            cut = self._cut(line + newline, known=known)
            if cut is None:
                break
            self._tell(line[:cut], found)
            self._at += cut
            if self._text.startswith("\n", self._at):
                self._skip()
                self._line_starts = True
        self._text, self._at = self._text[self._at :], 0
        return found

    def _enter_line(self, line: str, *, known: bool) -> bool:
        """Examine the beginning of a line. Block marks are skipped, and lines that aren't prose as
        a whole. Return False if more text is needed.
        """
        if self._fence or _FENCE.match(line):
            return self._pass_code(line, known=known)
        if self._display or line.lstrip()[:2] in _DISPLAY:
            return self._pass_display(line, known=known)
        if not known and line.strip() in ("$", "\\"):
            return False
        if not known and _COULD_BE_MARK.match(line):
            return False
        if _RULE.match(line) or line.lstrip().startswith("|"):
            if known and line.lstrip().startswith("|"):
                self._note_row(line)
            self._skips = known
            return known
        self._end_table()
        if _HEADING.match(line):
            self._skips = True
            return True
        return self._enter_text(line)

    def _note_row(self, line: str) -> None:
        if not self._in_table:
            self._in_table = True
            self._rows = -1  # the header
            self._columns = len(_CELL_EDGE.split(line.strip().strip("|")))
            if isinstance(self._blocks, BlockNames):
                self._names.append(self._blocks.table)
        self._rows += not _RULE.match(line)

    def _end_table(self) -> None:
        if self._in_table and isinstance(self._blocks, BlockLabels):
            self._names.append(self._blocks.table(max(1, self._rows), self._columns))
        self._in_table = False

    def _begin_code(self, language: str) -> None:
        self._code_language, self._code_lines = language, 0
        if isinstance(self._blocks, BlockNames):
            self._names.append(self._blocks.code)

    def _end_code(self) -> None:
        self._fence = ""
        if isinstance(self._blocks, BlockLabels):
            self._names.append(self._blocks.code(self._code_language, self._code_lines))

    def _enter_text(self, line: str) -> bool:
        mark = _BLOCK_MARK.match(line)
        self._at += mark.end() if mark else 0
        if line.strip():
            self._line_starts = False
        elif len(line) < _WINDOW:
            self._skips = True  # the line is blank
        return True

    def _pass_code(self, line: str, *, known: bool) -> bool:
        if not known:
            return False
        fence = _FENCE.match(line)
        if not self._fence and fence:
            self._end_table()
            self._fence = fence[1]
            words = line[fence.end() :].split()
            self._begin_code(words[0][:_MOST_OF_LANGUAGE] if words else "")
        elif fence and line.strip() == fence[1] and fence[1].startswith(self._fence):
            self._end_code()
        else:
            self._code_lines += 1
        self._skips = True
        return True

    def _pass_display(self, line: str, *, known: bool) -> bool:
        """Skip a display formula; a blank line ends an unclosed one."""
        if not known:
            return False
        first = not self._display
        mark = self._display or begins_display(line)
        if not mark:
            return self._enter_text(line)
        if first:
            self._end_table()
            self._names.append(self._blocks.formula)
        self._display = "" if not line.strip() or ends_display(mark, line, first=first) else mark
        self._skips = True
        return True

    def _take_names(self) -> list[str]:
        """Return the sentences for the blocks that have begun, and forget them."""
        names, self._names = [f"{self._before}{name}" for name in self._names if name], []
        if names:
            self._before = "\n"
        return names

    def _skip(self) -> None:
        """Skip the rest of a line, as far as it has arrived."""
        end = self._text.find("\n", self._at)
        self._skips = end < 0
        self._at = end + 1 if end >= 0 else len(self._text)
        self._before = "\n"

    def _cut(self, text: str, *, known: bool) -> int | None:
        """Return the end of the first sentence of the line; None while it is unknown."""
        line = text.removesuffix("\n")
        for end in _END.finditer(text):
            at = end.end()
            if at > _LONGEST:
                break
            if at >= len(text) and not known:
                return None
            following = text[at:].lstrip(" \t")[:1]
            if _is_ellipsis(end) and not following and not known:
                return None
            if self._ends_sentence(end, line, following):
                return min(at, len(line))
        if len(line) > _LONGEST:
            space = line.rfind(" ", 1, _LONGEST)
            return space if space > 0 else _LONGEST
        return len(line) if known else None

    def _ends_sentence(self, end: re.Match[str], line: str, following: str) -> bool:
        """Return whether the mark ends a sentence. `following` is the first character after the
        mark and its spaces, "" for none.
        """
        before = line[: end.end()]
        if _inside_mark(before):
            return False
        if end["clause"]:
            return end.end() > _CLAUSE
        if _is_ellipsis(end):
            return not following.islower()
        if end["narrow"] and end["narrow"].startswith("."):
            return not ends_with_abbreviation(line[: end.start()])
        return True

    def _tell(self, raw: str, found: list[str]) -> None:
        said = plain_line(raw, self._link, self._formula, self._picture)
        if not said:
            return
        space = " " if raw[:1].isspace() else ""
        found.append((self._before or space) + said)
        self._before = ""


def ends_with_abbreviation(text: str) -> bool:
    """Return whether the last word of `text`, without the dot after it, is an abbreviation after
    which a sentence continues.
    """
    words = text.split()[-1:] or [""]
    last = words[0].lstrip("\"'(*_[").casefold()
    return last in _SHORT or _DOTTED_LETTERS.fullmatch(last) is not None


def _is_ellipsis(end: re.Match[str]) -> bool:
    """Return whether it is "..." or "…", after which the sentence may continue. "……" ends one."""
    return end["dots"] == "…" or bool(end["narrow"] and _ELLIPSIS.match(end["narrow"]))


def _inside_mark(text: str) -> bool:
    """Return whether `text` ends inside a code span, a formula or a link, which must not be cut."""
    if text.count("`") % 2 or text.count("\\(") > text.count("\\)"):
        return True
    if text.count("$") % 2 and _OPEN_FORMULA.search(text):
        return True
    opened = text.rfind("[")
    if opened < 0:
        return False
    closed = text.find("]", opened)
    return closed < 0 or (text[closed + 1 : closed + 2] == "(" and ")" not in text[closed:])


def plain_line(text: str, link: str = "", formula: str = "", picture: str = "") -> str:
    """Return one line of Markdown as plain text, with `link` for an address and `formula` for an
    unreadable formula. `picture` is put before the description of a picture.
    """
    text, formulas = extract_formulas(_TASK.sub("", text.strip()))
    for number, one in enumerate(formulas):
        simple = "\\" not in one.tex and "{" not in one.tex
        text = text.replace(formula_mark(number), one.tex.strip() if simple else formula)
    if "](" in text:  # otherwise each bracket would search for its end
        text = _IMAGE.sub(lambda found: f"{picture} {found[1]}".strip(), text)
        text = _LINK.sub(r"\1", text)
    text = _NOTE.sub("", text)
    text = _ADDRESS.sub(lambda _: link, text)
    if "base64," in text:
        text = _DATA_ADDRESS.sub(lambda _: link, text)
    text = _TAG.sub("", text)
    text = _STRONG.sub("", text)
    text = _EMPHASIS.sub("", text)
    text = _SPACES.sub(" ", html.unescape(text)).strip()
    return text if any(character.isalnum() or ord(character) > 0x2000 for character in text) else ""


def plain_text(markdown: str, link: str = "") -> str:
    """Return a whole Markdown text as plain sentences, with `link` for an address."""
    sentences = SentenceSplitter(link)
    return "".join(sentences.feed(markdown) + sentences.end()).strip()
