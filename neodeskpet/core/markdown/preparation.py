"""Prepares a piece of Markdown for the parser, and returns its plain text, the rows of its tables,
and whether more streamed text needs parsing again. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from neodeskpet.core.markdown.formulas import Formula, extract_formulas, restore_formulas
from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind

# Chinese and Japanese punctuation, and quotation marks, end an address.
_WIDE_CHARACTER = "\u2010-\u2027\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_FOUND = re.compile(
    r"(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)"
    r"|!?\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
    r"|^ {0,3}\[[^\[\]\n]+\]:[^\n]*"
    r"|<[^<>\s]*>"
    rf"|(?P<address>(?<![A-Za-z0-9_/])https?://[^\s<>`|\[\]\"{_WIDE_CHARACTER}]+)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_ENDS = ".,;:!?'*_~"


def mark_links(source: str) -> str:
    """Return `source` with bare addresses in angle brackets that end before a full stop."""
    return _FOUND.sub(_mark, source) if "://" in source else source


def _mark(match: re.Match[str]) -> str:
    found = match["address"]
    if found is None or "\\" in found:
        return match[0]
    end = len(found)
    while found[end - 1] in _ENDS or _closes(found[:end]):
        end -= 1
    if found[end - 1] == "/" and found[:end].count("/") == 2:
        return found  # "https://" alone
    return f"<{found[:end]}>{found[end:]}"


def _closes(address: str) -> bool:
    """Return whether it ends with a bracket that was opened before it: "(see https://…)"."""
    return address.endswith(")") and address.count(")") > address.count("(")


_BAR = re.compile(r"(?<!\\)\|")


def table_cells(line: str) -> list[str]:
    """Return the cells between the bars of a line. A bar in a formula separates nothing."""
    text, formulas = extract_formulas(line.strip())
    inner = text.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [
        restore_formulas(cell, formulas).strip().replace("\\|", "|") for cell in _BAR.split(inner)
    ]


def rows_as_tsv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows for a spreadsheet, with tabs between cells and a line for each row."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)


# Letters, digits and punctuation without a meaning within a line.
_SAFE = r"[^\W_]|[,.;:!?'\"()%°…—–，。、；：！？（）「」『』“”‘’《》·-]"
_WORDS = re.compile(rf"(?:{_SAFE}| (?! ))+")
_TAIL = re.compile(rf"(?:{_SAFE})+\Z")
_CLOSING_MARKS = re.compile(r"[*~]*\Z")
_LETTER = re.compile(r"[^\W\d_]")
_PARTS = "*`~"
"""Characters allowed directly before the words at the end: their two neighbours, which determine
whether they open or close something, are known.
"""


def added_words(before: str, now: str) -> tuple[str, str] | None:
    """Compare a parsed text `before` with the grown text `now`. Return the last word of `before`
    and the text that follows it now, or None if earlier parts of `now` may look different. Text
    added by `close_open_markup` at the end is ignored in both.
    """
    closers = _closers(before)
    if _closers(now) != closers:
        return None
    before, now = before.removesuffix(closers).rstrip(" "), now.removesuffix(closers).rstrip(" ")
    if not now.startswith(before) or "]:" in before:  # link targets, or words in brackets
        return None
    added, tail = now[len(before) :], _TAIL.search(before)
    if tail is None or _WORDS.fullmatch(added) is None:
        return None
    line = before[before.rfind("\n") + 1 :]
    if not _is_settled(line, before[: tail.start()], tail[0] + added):
        return None
    return tail[0], added


def _closers(text: str) -> str:
    found = _CLOSING_MARKS.search(text)
    return found[0] if found is not None else ""


def _is_settled(line: str, before: str, words: str) -> bool:
    """Return whether the kind of the last line is final, and `words` don't form other markup."""
    if _LETTER.search(line) is None:  # a number may begin a list, dashes a heading
        return False
    if before and not before[-1].isspace() and before[-1] not in _PARTS:
        return False
    return "www" not in words.casefold()


_LOOKS_LIKE_BLOCK = re.compile(r"^(\s*)(#{1,6}(?=\s)|[-+*](?=\s)|>|\||[`~]{3}|\d{1,9}(?=[.)]\s))")
_WORDLESS = re.compile(r"!\[\]\(([^()\s]+)\)")
_OPEN_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*$")
_OPEN_LABEL = re.compile(r"!?\[([^\[\]\n]{0,200})$")
_DANGLING = re.compile(r"(^|(?<=[\s(（“\"]))[*_~`]{1,3}$")
_SLANT_OPENS = re.compile(r"(?<![\w*])\*(?=[^\s*])")
_SLANT_ENDS = re.compile(r"(?<=[^\s*])\*(?![\w*])")
_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)

# Chinese and Japanese have no spaces around marks, and then the Markdown rules treat `**`
# beside a full stop or a bracket as text. A zero-width space makes it emphasis.
_ZERO = "\u200b"
_WIDE = (
    "\u2010-\u2027\u2030-\u205e\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_PUNCTUATION = rf"!-)+-/:-@\[-`{{|}}{_WIDE}"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_INNER_OUTER = re.compile(rf"[{_WIDE}]\w|[{_PUNCTUATION}][{_CJK}]")
_RUN = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))|\n"
    r"|(?P<run>(?<![*\\])\*{2,3}(?!\*))",
    re.DOTALL,
)

_NOTE = re.compile(r"\A\[\^([^\[\]\s]{1,32})\]:[ \t]*")
# A word counts only directly after other text: `[^abc]` is more often a set of letters.
_NOTE_MARK = re.compile(
    r"(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)"
    r"|\[\^(?P<label>\d{1,4}|(?<=[^\s(\[]\[\^)(?!.-.\])[A-Za-z][\w-]{2,30})\](?!\()",
    re.DOTALL,
)

_ANY_MARK = re.compile(r"[\[*_~`#>\\+-]")
# First the marks of which the text must contain one before the pattern is tried.
_PLAIN = (
    ("[", re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)"), r"\1"),
    ("*_~", re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    ("*", re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    ("_", re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])"), r"\1"),
    ("`", re.compile(r"(`+)(.+?)\1"), r"\2"),
    ("#", re.compile(r"^ {0,3}#{1,6}[ \t]+", re.MULTILINE), ""),
    (">", re.compile(r"^ {0,3}> ?", re.MULTILINE), ""),
    ("-*+", re.compile(r"^([ \t]*)[-*+][ \t]+", re.MULTILINE), r"\1• "),
    ("\\", re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~])"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class PreparedMarkdown:
    """The text for the Markdown parser, and the formulas whose places are marked in it."""

    source: str
    formulas: tuple[Formula, ...] = ()


def prepare_markdown(piece: Piece) -> PreparedMarkdown:
    """Prepare `piece` for the parser (not CODE and FORMULA, which are shown as they are)."""
    if piece.kind is PieceKind.FOOTNOTE:
        source = _NOTE.sub(_number_note, piece.source)
    elif piece.kind not in (PieceKind.PROSE, PieceKind.QUOTE):
        source = piece.source
    else:
        # A line break in a chat is a line break.
        source = "  \n".join(piece.lines)
    if piece.kind is PieceKind.PROSE and piece.continuation is not Continuation.NONE:
        source = _LOOKS_LIKE_BLOCK.sub(_escape, source)
    if "![](" in source:
        source = _WORDLESS.sub(r"![\1](\1)", source)
    source, formulas = extract_formulas(source)
    source = escape_single_tildes(mark_links(link_footnotes(source)))
    return PreparedMarkdown(
        separate_emphasis(source if piece.closed else close_open_markup(source)), formulas
    )


FOOTNOTE_SCHEME = "note:"
"""The scheme of a footnote number's address, which opens nothing."""


def link_footnotes(source: str) -> str:
    """Return footnote numbers (`[^1]`) as links, which the view draws as superscripts."""
    return _NOTE_MARK.sub(_raise, source) if "[^" in source else source


def _raise(match: re.Match[str]) -> str:
    label = match["label"]
    return match[0] if label is None else f"[{label}]({FOOTNOTE_SCHEME}{label})"


def _number_note(match: re.Match[str]) -> str:
    """Begin a footnote with its number, like a list item, or with its word."""
    label = match[1]
    return f"{label}. " if label.isdigit() and len(label) < 10 else f"{label}: "


def footnote_of(piece: Piece) -> tuple[str, str] | None:
    """Return the label and the text of a footnote, as plain text."""
    match = _NOTE.match(piece.source) if piece.kind is PieceKind.FOOTNOTE else None
    return None if match is None else (match[1], _plain(piece.source[match.end() :]).strip())


_TILDE = re.compile(
    r"(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)"
    r"|<[^<>\s]*>|\]\([^()\n]*\)|^ {0,3}\[[^\[\]\n]+\]:[^\n]*|\\.|~{2,}"
    r"|(?P<single>~)",
    re.DOTALL | re.MULTILINE,
)


def escape_single_tildes(source: str) -> str:
    """Escape single tildes: only `~~` means strikethrough ("~5 minutes", "好呀~")."""
    if "~" not in source:
        return source
    return _TILDE.sub(lambda found: "\\~" if found["single"] else found[0], source)


def separate_emphasis(source: str) -> str:
    """Insert zero-width spaces so that `**重点：**然后` is parsed as emphasis."""
    if source.isascii() or "**" not in source:
        return source
    opened: set[str] = set()

    def set_apart(match: re.Match[str]) -> str:
        run = match["run"]
        if run is None:
            if match["code"] is None:
                opened.clear()  # end of a line
            return match[0]
        before = source[match.start() - 1 : match.start()]
        after = source[match.end() : match.end() + 1]
        if run in opened and not before.isspace():
            opened.remove(run)
            return _ZERO + run if _INNER_OUTER.match(before + after) else run
        if after and not after.isspace():
            opened.add(run)
            return run + _ZERO if _INNER_OUTER.match(after + before) else run
        return match[0]

    return _RUN.sub(set_apart, source)


def _escape(match: re.Match[str]) -> str:
    mark = match[2]
    return f"{match[1]}{mark}\\" if mark.isdigit() else f"{match[1]}\\{mark}"


def close_open_markup(source: str) -> str:
    """Close the markup that is open at the end of a streamed text, so that it doesn't flicker."""
    source = _OPEN_LINK.sub(r"\1", source)
    source = _OPEN_LABEL.sub(r"\1", source)
    source = _DANGLING.sub("", source)
    outside = _CODE_SPAN.sub("", source)
    if outside.count("`") % 2:
        return source.rstrip() + "`"
    for mark in ("**", "~~"):
        if outside.count(mark) % 2:
            source = source.rstrip("*~ \n") + mark
    if len(_SLANT_OPENS.findall(outside)) > len(_SLANT_ENDS.findall(outside)):
        source = source.rstrip() + "*"
    return source


def quote_markdown(markdown: str) -> str:
    """Return a passage as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in markdown.strip("\n").split("\n"))


@dataclass(frozen=True, slots=True)
class SpokenNames:
    """Words that screen readers read before the description of a picture and before a formula."""

    picture: str
    formula: str


_PICTURE = re.compile(r"!\[([^\[\]]*)\]\([^()]*\)")


def plain_text_of(piece: Piece, names: SpokenNames | None = None) -> str:
    """Return the piece as plain text without marks: close to the shown text, and cheap. With
    `names` it is the text for screen readers.
    """
    if piece.kind in (PieceKind.CODE, PieceKind.FORMULA):
        return piece.source
    if piece.kind is PieceKind.RULE:
        return ""
    if piece.kind is PieceKind.TABLE:
        rows = piece.lines[2:] if piece.head else [piece.lines[0], *piece.lines[2:]]
        return rows_as_tsv([[_plain(cell, names) for cell in table_cells(row)] for row in rows])
    return _plain(piece.source, names)


def _plain(text: str, names: SpokenNames | None = None) -> str:
    if _ANY_MARK.search(text) is None and (names is None or "$" not in text):
        return text
    if names is not None and "![" in text:
        text = _PICTURE.sub(lambda found: f"{names.picture} {found[1]}".strip(), text)
    text, formulas = extract_formulas(text)
    for marks, pattern, replacement in _PLAIN:
        if any(mark in text for mark in marks):
            text = pattern.sub(replacement, text)
    if names is not None:
        formulas = tuple(replace(one, source=f"{names.formula} {one.tex}") for one in formulas)
    return restore_formulas(text, formulas)


def text_chunks(text: str, lines: int, chars: int) -> list[tuple[str, Continuation]]:
    """Return plain text in parts of at most `lines` lines and `chars` characters each."""
    out: list[tuple[str, Continuation]] = []
    part: list[str] = []
    size, joint = 0, Continuation.NONE
    for line in text.split("\n"):
        if part and (len(part) >= lines or size + len(line) > chars):
            out.append(("\n".join(part), joint))
            part, size, joint = [], 0, Continuation.LINE
        while len(line) > chars:
            out.append((line[:chars], joint))
            line, joint = line[chars:], Continuation.INLINE
        part.append(line)
        size += len(line) + 1
    out.append(("\n".join(part), joint))
    return out
