r"""Formulas in Markdown: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. Pure.

Which dollar begins a formula and which is money follows the usual rules (Pandoc's, GitHub's): no
space inside next to a dollar, no letter or digit outside next to it; and what begins like an amount
and goes on in words is no formula either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind

FORMULA_CLOSERS = {"$$": "$$", "\\[": "\\]"}
"""What ends a formula that stands on its own, by what begins it."""

FIRST_FORMULA_MARK = 0xF0000
"""The first of the private characters that stand for formulas while the rest is parsed."""
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
    """`tex` is what is drawn; `source` how it is written, with what encloses it."""

    tex: str
    source: str
    display: bool = False


_MANY, _DENSE = 16, 8
"""So many formulas with fewer characters each than this (marks included) are no mathematics: a
screen full of them would take a second to draw. They are shown as they are written."""


def extract_formulas(text: str) -> tuple[str, tuple[Formula, ...]]:
    """`text` with a private character (`mark_of`) in the place of each of its formulas."""
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
    """`5, or 10`: an amount, and words after it."""
    amount = _AMOUNT.match(inside)
    return amount is not None and bool(_WORDS.search(_COMMAND.sub("", inside[amount.end() :])))


def formula_mark(number: int) -> str:
    """The character that stands for a formula."""
    return chr(FIRST_FORMULA_MARK + number)


def restore_formulas(text: str, formulas: Sequence[Formula]) -> str:
    """`text` with its formulas as they were written."""
    for number, formula in enumerate(formulas):
        text = text.replace(formula_mark(number), formula.source)
    return text


def begins_display(line: str) -> str:
    """What begins a formula of its own in this line, `$$` or `\\[`; "" if it doesn't begin one, or
    ends it with more text behind.
    """
    text = line.strip()
    mark = text[:2]
    if mark not in FORMULA_CLOSERS or text[2:3] == "$":
        return ""
    at = text.find(FORMULA_CLOSERS[mark], 2)
    return mark if at < 0 or _STANDS.fullmatch(text) else ""


def ends_display(mark: str, line: str, *, first: bool = False) -> bool:
    """Whether a line ends the formula that `mark` began (on its `first` line: after the mark)."""
    text = line.strip()
    return FORMULA_CLOSERS[mark] in (text[2:] if first else text)


def formula_of(piece: Piece) -> Formula | None:
    """The formula that a piece is; None while it isn't closed, or when there is more in it."""
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
