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

from neodeskpet.core.markdown.formulas import FIRST_FORMULA_MARK, MOST_FORMULAS, Formula, formula_of
from neodeskpet.core.markdown.markup import FOOTNOTE_SCHEME, prepare_markdown
from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind
from neodeskpet.core.markdown.splitter import MarkdownSplitter

DrawFormulas = Callable[[Sequence[Formula]], Sequence[str | None]]
"""HTML for each of these formulas; None for one that can't be drawn."""

_MAX_PARAGRAPH = 20_000
"""Characters of a paragraph: longer ones were cut into pieces, and stay in pieces."""
_FORMULA_MARKS = re.compile(
    f"([{chr(FIRST_FORMULA_MARK)}-{chr(FIRST_FORMULA_MARK + MOST_FORMULAS)}])"
)
_SAFE_SCHEMES = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_CHECKBOX = re.compile(r"\[([ xX])\][ \t]+")
_BLOCK_TOKENS = ("paragraph_open", "heading_open", "td_open", "th_open", "blockquote_open")
_LIST_TOKENS = ("bullet_list_open", "ordered_list_open")

_markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": 60}).enable(
    ["table", "strikethrough"]
)
_markdown.validateLink = lambda url: True  # type: ignore[method-assign]  # judged below


@dataclass(frozen=True, slots=True)
class HtmlText:
    """HTML with formulas in between, in their order."""

    parts: tuple[str | Formula, ...]

    @property
    def formulas(self) -> list[Formula]:
        return [part for part in self.parts if isinstance(part, Formula)]


def html_from_markdown(text: str) -> HtmlText:
    """A message's text. Linear in its length."""
    splitter = MarkdownSplitter()
    splitter.feed(text)
    splitter.finish()
    parts: list[str | Formula] = []
    for piece in _join_pieces(splitter.pieces):
        indent = f' style="margin-left: {piece.indent * 1.6:g}em"' if piece.indent else ""
        parts += (
            [f"<div{indent}>", *_piece_text(piece), "</div>\n"] if indent else _piece_text(piece)
        )
    return HtmlText(tuple(parts))


def join_html(prose: HtmlText, drawn: DrawFormulas) -> str:
    """With its formulas; what can't be drawn is shown as it was written."""
    pictures = iter(drawn(prose.formulas))
    return "".join(
        part if isinstance(part, str) else next(pictures) or formula_source(part)
        for part in prose.parts
    )


def formula_source(formula: Formula) -> str:
    return f"<code>{escape(formula.source)}</code>"


def _piece_text(piece: Piece) -> list[str | Formula]:
    if piece.kind is PieceKind.CODE:
        named = f'<p class="language">{escape(piece.language)}</p>' if piece.language else ""
        code = escape(piece.source)
        return [f'<div class="code" dir="ltr">{named}<pre><code>{code}</code></pre></div>\n']
    if piece.kind is PieceKind.FORMULA:
        formula = formula_of(piece)
        if formula is None:
            return [f"<p>{formula_source(Formula('', piece.source))}</p>\n"]
        return ['<p class="display">', formula, "</p>\n"]
    prepared = prepare_markdown(piece)
    tokens = _markdown.parse(prepared.source)
    _make_safe(tokens)
    html = str(_markdown.renderer.render(tokens, _markdown.options, {}))
    if not prepared.formulas:
        return [_FORMULA_MARKS.sub("\ufffd", html)]
    return [
        prepared.formulas[ord(part) - FIRST_FORMULA_MARK] if place % 2 else part
        for place, part in enumerate(_FORMULA_MARKS.split(html))
    ]


def _join_pieces(pieces: Sequence[Piece]) -> list[Piece]:
    """What was cut for the window's sake, whole again."""
    whole: list[Piece] = []
    for piece in pieces:
        last = whole[-1] if whole else None
        if last is None or not _continues(last, piece):
            whole.append(replace(piece, lines=list(piece.lines), closed=True))
            continue
        lines = piece.lines[2:] if piece.head else piece.lines
        if piece.continuation is Continuation.INLINE and lines:
            last.lines[-1] += lines[0]
            lines = lines[1:]
        last.lines += lines
        last.size += piece.size
    return whole


def _continues(last: Piece, piece: Piece) -> bool:
    same = (last.kind, last.indent) == (piece.kind, piece.indent)
    if not same or piece.kind in (
        PieceKind.FORMULA,
        PieceKind.RULE,
        PieceKind.FOOTNOTE,
        PieceKind.HEADING,
    ):
        return False
    if piece.kind is PieceKind.TABLE:
        return bool(piece.head)
    if piece.kind is PieceKind.CODE:
        return piece.continuation is not Continuation.NONE
    return piece.continuation is not Continuation.NONE and last.size + piece.size < _MAX_PARAGRAPH


def _make_safe(tokens: Sequence[Token]) -> None:
    for place, token in enumerate(tokens):
        if token.type in (*_BLOCK_TOKENS, *_LIST_TOKENS):
            token.attrSet("dir", "auto")
        if token.type == "inline" and token.children:
            if place > 1 and tokens[place - 2].type == "list_item_open":
                _draw_checkbox(token.children[0])
            _filter_links(token.children)


def _draw_checkbox(first: Token) -> None:
    found = _CHECKBOX.match(first.content) if first.type == "text" else None
    if found is not None:
        first.content = ("☐ " if found[1] == " " else "☑ ") + first.content[found.end() :]


def _filter_links(children: Sequence[Token]) -> None:
    ends: list[str] = []
    for token in children:
        if token.type == "link_open":
            address = str(token.attrGet("href") or "")
            token.tag = "a" if _SAFE_SCHEMES.match(address) else "span"
            token.tag = "sup" if address.startswith(FOOTNOTE_SCHEME) else token.tag
            safe = {"href": address, "rel": "noopener noreferrer"} if token.tag == "a" else {}
            token.attrs = dict(safe)
            ends.append(token.tag)
        elif token.type == "link_close":
            token.tag = ends.pop()
        elif token.type == "image":
            _replace_image(token)


def _replace_image(token: Token) -> None:
    """Its words, and where it is: nothing is loaded."""
    address = str(token.attrGet("src") or "")
    alt = "".join(one.content for one in token.children or ())
    token.type, token.tag, token.children, token.attrs = "text", "", [], {}
    token.content = f"[{alt}: {address}]" if alt and alt != address else f"[{address}]"
