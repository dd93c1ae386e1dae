r"""Formulas in Markdown: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. Pure.

The usual rules (of Pandoc and GitHub) distinguish formulas from money: no space inside next to a
dollar, no letter or digit outside next to it. Text that begins like an amount and continues with
words is no formula either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind

FORMULA_CLOSERS = {"$$": "$$", "\\[": "\\]"}
"""The closing mark of a display formula by its opening mark."""

FIRST_FORMULA_MARK = 0xF0000
"""The first private-use character that replaces a formula during parsing."""
MOST_FORMULAS = 0xFFF

_FOUND = re.compile(
    r"(?P<kept>(`+)(?!`)[^\n]+?(?<!`)\2(?!`)|\]\([^()\s]*\)|https?://[^\s<>]+)"
    r"|\\\((?P<round>[^\n]+?)\\\)"
    r"|\\\[(?P<square>[^\n]+?)\\\]"
    r"|(?P<escaped>\\.)"
    r"|(?<!\$)\$\$(?!\$)(?P<double>(?:\\[^\n]|[^\\$\n])+)\$\$(?!\$)"
    r"|(?<![A-Za-z0-9$])\$(?![\s$])(?P<single>(?:\\[^\n]|[^\\$`\n])+)(?<!\s)\$(?![A-Za-z0-9$])"
)
_AMOUNT = re.compile(r"[\d.,]+")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\{[^{}]*\})?")
_WORDS = re.compile(r"[\s,，、;]\s*[A-Za-z]{2,}|[\u3040-\u30ff\u3400-\u9fff]")
_STANDS = re.compile(
    r"\s*(?:\$\$(?P<double>.+?)\$\$|\\\[(?P<square>.+?)\\\])(?P<after>\s*[.,;:!?。，；：！？]?)\s*",
    re.DOTALL,
)
_PRIVATE = re.compile(
    f"[{chr(FIRST_FORMULA_MARK)}-{chr(FIRST_FORMULA_MARK + MOST_FORMULAS)}\ufffc]"
)


@dataclass(frozen=True, slots=True)
class Formula:
    """`tex` is drawn; `source` is the original text with its marks."""

    tex: str
    source: str
    display: bool = False


_MANY, _DENSE = 16, 8
"""More formulas than this, each with fewer characters (marks included), are not mathematics:
drawing a screen full of them would take a second. They are shown as written.
"""


def extract_formulas(text: str) -> tuple[str, tuple[Formula, ...]]:
    """Return `text` with a private-use character (`formula_mark`) in place of each formula, and the
    formulas.
    """
    if "$" not in text and "\\" not in text:
        return text, ()
    found: list[Formula] = []

    def take(match: re.Match[str]) -> str:
        formula = _formula(match)
        if formula is None or len(found) > MOST_FORMULAS:
            return match[0]
        found.append(formula)
        return formula_mark(len(found) - 1)

    marked = _FOUND.sub(take, _PRIVATE.sub("\ufffd", text))
    if not found or (len(found) >= _MANY and len(text) < _DENSE * len(found)):
        return text, ()
    return marked, tuple(found)


def _formula(match: re.Match[str]) -> Formula | None:
    if match["single"] is not None:
        return None if _is_money(match["single"]) else Formula(match["single"], match[0])
    if match["round"] is not None and match["round"].strip():
        return Formula(match["round"].strip(), match[0])
    wide = match["double"] or match["square"] or ""
    return Formula(wide.strip(), match[0], display=True) if wide.strip() else None


def _is_money(inside: str) -> bool:
    """Return whether it is an amount followed by words: `5, or 10`."""
    amount = _AMOUNT.match(inside)
    return amount is not None and bool(_WORDS.search(_COMMAND.sub("", inside[amount.end() :])))


def formula_mark(number: int) -> str:
    """Return the character that replaces a formula."""
    return chr(FIRST_FORMULA_MARK + number)


def restore_formulas(text: str, formulas: Sequence[Formula]) -> str:
    """Return `text` with its formulas as they were written."""
    for number, formula in enumerate(formulas):
        text = text.replace(formula_mark(number), formula.source)
    return text


def begins_display(line: str) -> str:
    """Return the mark that opens a display formula on this line, `$$` or `\\[`; "" if there is
    none, or if the formula ends on the line with more text after it.
    """
    text = line.strip()
    mark = text[:2]
    if mark not in FORMULA_CLOSERS or text[2:3] == "$":
        return ""
    at = text.find(FORMULA_CLOSERS[mark], 2)
    return mark if at < 0 or _STANDS.fullmatch(text) else ""


def ends_display(mark: str, line: str, *, first: bool = False) -> bool:
    """Return whether a line ends the formula that `mark` began (for its `first` line: after the
    mark).
    """
    text = line.strip()
    return FORMULA_CLOSERS[mark] in (text[2:] if first else text)


def formula_of(piece: Piece) -> Formula | None:
    """Return the formula of a piece; None if it isn't closed or has other content."""
    if piece.kind is not PieceKind.FORMULA or piece.continuation is Continuation.INLINE:
        return None
    found = _STANDS.fullmatch(piece.source)
    tex = (found["double"] or found["square"]).strip() if found is not None else ""
    if found is None or not tex:
        return None
    after = found["after"].strip()
    if after and not after.isascii():
        after = f"\\text{{{after}}}"
    return Formula(tex + after, piece.source, display=True)
