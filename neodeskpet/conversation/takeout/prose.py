"""Markdown that models and people wrote as safe HTML: text is data.

Nothing of it becomes markup but what Markdown means: HTML in it is shown as it was written, a
picture of the web becomes its words with a link, and a link leads to the web or to a mail or
nowhere. Formulas are left out for the moment, for others draw them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from neodeskpet.core.markdown.formulas import FIRST, MOST, Formula, formula_of
from neodeskpet.core.markdown.markup import NOTE_SCHEME, markdown_of
from neodeskpet.core.markdown.pieces import Joint, Kind, Piece
from neodeskpet.core.markdown.splitter import Splitter

Drawn = Callable[[Sequence[Formula]], Sequence[str | None]]
"""HTML for each of these formulas; None for one that can't be drawn."""

_LONGEST = 20_000
"""Characters of a paragraph: longer ones were cut into pieces, and stay in pieces."""
_MARKS = re.compile(f"([{chr(FIRST)}-{chr(FIRST + MOST)}])")
_SAFE = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_BOX = re.compile(r"\[([ xX])\][ \t]+")
_BLOCKS = ("paragraph_open", "heading_open", "td_open", "th_open", "blockquote_open")
_LISTS = ("bullet_list_open", "ordered_list_open")

_markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": 60}).enable(
    ["table", "strikethrough"]
)
_markdown.validateLink = lambda url: True  # type: ignore[method-assign]  # judged below


@dataclass(frozen=True, slots=True)
class Prose:
    """HTML with formulas in between, in their order."""

    parts: tuple[str | Formula, ...]

    @property
    def formulas(self) -> list[Formula]:
        return [part for part in self.parts if isinstance(part, Formula)]


def prose_of(text: str) -> Prose:
    """A message's text. Linear in its length."""
    splitter = Splitter()
    splitter.feed(text)
    splitter.finish()
    parts: list[str | Formula] = []
    for piece in _joined(splitter.pieces):
        indent = f' style="margin-left: {piece.indent * 1.6:g}em"' if piece.indent else ""
        parts += [f"<div{indent}>", *_piece(piece), "</div>\n"] if indent else _piece(piece)
    return Prose(tuple(parts))


def html_of(prose: Prose, drawn: Drawn) -> str:
    """With its formulas; what can't be drawn is shown as it was written."""
    pictures = iter(drawn(prose.formulas))
    return "".join(
        part if isinstance(part, str) else next(pictures) or source_of(part) for part in prose.parts
    )


def source_of(formula: Formula) -> str:
    return f"<code>{escape(formula.source)}</code>"


def _piece(piece: Piece) -> list[str | Formula]:
    if piece.kind is Kind.CODE:
        named = f'<p class="language">{escape(piece.language)}</p>' if piece.language else ""
        code = escape(piece.source)
        return [f'<div class="code" dir="ltr">{named}<pre><code>{code}</code></pre></div>\n']
    if piece.kind is Kind.FORMULA:
        formula = formula_of(piece)
        if formula is None:
            return [f"<p>{source_of(Formula('', piece.source))}</p>\n"]
        return ['<p class="display">', formula, "</p>\n"]
    prepared = markdown_of(piece)
    tokens = _markdown.parse(prepared.source)
    _make_safe(tokens)
    html = str(_markdown.renderer.render(tokens, _markdown.options, {}))
    if not prepared.formulas:
        return [_MARKS.sub("\ufffd", html)]
    return [
        prepared.formulas[ord(part) - FIRST] if place % 2 else part
        for place, part in enumerate(_MARKS.split(html))
    ]


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """What was cut for the window's sake, whole again."""
    whole: list[Piece] = []
    for piece in pieces:
        last = whole[-1] if whole else None
        if last is None or not _continues(last, piece):
            whole.append(replace(piece, lines=list(piece.lines), closed=True))
            continue
        lines = piece.lines[2:] if piece.head else piece.lines
        if piece.joint is Joint.INLINE and lines:
            last.lines[-1] += lines[0]
            lines = lines[1:]
        last.lines += lines
        last.size += piece.size
    return whole


def _continues(last: Piece, piece: Piece) -> bool:
    same = (last.kind, last.indent) == (piece.kind, piece.indent)
    if not same or piece.kind in (Kind.FORMULA, Kind.RULE, Kind.NOTE, Kind.HEADING):
        return False
    if piece.kind is Kind.TABLE:
        return bool(piece.head)
    if piece.kind is Kind.CODE:
        return piece.joint is not Joint.NONE
    return piece.joint is not Joint.NONE and last.size + piece.size < _LONGEST


def _make_safe(tokens: Sequence[Token]) -> None:
    for place, token in enumerate(tokens):
        if token.type in (*_BLOCKS, *_LISTS):
            token.attrSet("dir", "auto")
        if token.type == "inline" and token.children:
            if place > 1 and tokens[place - 2].type == "list_item_open":
                _draw_box(token.children[0])
            _judge_links(token.children)


def _draw_box(first: Token) -> None:
    found = _BOX.match(first.content) if first.type == "text" else None
    if found is not None:
        first.content = ("☐ " if found[1] == " " else "☑ ") + first.content[found.end() :]


def _judge_links(children: Sequence[Token]) -> None:
    ends: list[str] = []
    for token in children:
        if token.type == "link_open":
            address = str(token.attrGet("href") or "")
            token.tag = "a" if _SAFE.match(address) else "span"
            token.tag = "sup" if address.startswith(NOTE_SCHEME) else token.tag
            safe = {"href": address, "rel": "noopener noreferrer"} if token.tag == "a" else {}
            token.attrs = dict(safe)
            ends.append(token.tag)
        elif token.type == "link_close":
            token.tag = ends.pop()
        elif token.type == "image":
            _tell_image(token)


def _tell_image(token: Token) -> None:
    """Its words, and where it is: nothing is loaded."""
    address = str(token.attrGet("src") or "")
    alt = "".join(one.content for one in token.children or ())
    token.type, token.tag, token.children, token.attrs = "text", "", [], {}
    token.content = f"[{alt}: {address}]" if alt and alt != address else f"[{address}]"
