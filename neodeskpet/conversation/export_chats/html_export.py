"""Exports a conversation as one HTML page without scripts, with a policy that forbids the browser
to load anything. Markdown becomes safe HTML: text of models and users never becomes markup.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from neodeskpet.conversation.export_chats.export_format import (
    ExportEntry,
    PictureData,
    TargetFile,
    message_time,
    speaker_name,
)
from neodeskpet.core.blocks import (
    Block,
    ConversationInfo,
    Document,
    Image,
    Message,
    Notice,
    Role,
    Text,
    Thinking,
    ToolUse,
)
from neodeskpet.core.markdown.formulas import FIRST_FORMULA_MARK, MOST_FORMULAS, Formula, formula_of
from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind
from neodeskpet.core.markdown.preparation import FOOTNOTE_SCHEME, prepare_markdown
from neodeskpet.core.markdown.splitter import MarkdownSplitter
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.language import (
    join_sentences,
    language,
    tr,
    translate_code,
    translate_failure,
    with_tool_title,
)

DrawFormulas = Callable[[Sequence[Formula]], Sequence[str | None]]
"""Returns HTML for each formula; None for one that can't be drawn."""

_MAX_PARAGRAPH = 20_000
"""Characters of a paragraph. Longer ones were split, and stay split."""
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
    """Convert a message's text. Linear in its length."""
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
    """Return the HTML with its formulas; one that can't be drawn is shown as text."""
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
    """Rejoin text that was split for the chat view."""
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
    """Replace an image by its text and address, because pages load nothing."""
    address = str(token.attrGet("src") or "")
    alt = "".join(one.content for one in token.children or ())
    token.type, token.tag, token.children, token.attrs = "text", "", [], {}
    token.content = f"[{alt}: {address}]" if alt and alt != address else f"[{address}]"


PictureSource = Callable[[Image | ResultImage], str]
"""Returns HTML that shows the picture, "" if it was deleted."""

MAX_CODE_CHARS = 20_000
"""Characters of a tool's result that are shown; JSON exports contain all of it."""


class MessageHtml:
    """Renders messages. `name` is the companion's, `title(tool)` the title of a tool. Details can
    be folded (`fold`), or are shown in small type.
    """

    def __init__(self, name: str, title: Callable[[str], str], *, fold: bool) -> None:
        self._name = name
        self._title = title
        self._fold = fold

    def render(self, message: Message, picture: PictureSource) -> HtmlText:
        """Return the message with its heading."""
        own = message.role is Role.USER
        model = f' <span class="model">{escape(message.model)}</span>' if message.model else ""
        who, at = escape(speaker_name(message, self._name)), message_time(message)
        parts: list[str | Formula] = [
            f'<div class="{"own" if own else "reply"}">'
            f'<p class="head"><b>{who}</b> <span class="time">{at}</span>{model}</p>\n'
        ]
        for block in message.blocks:
            parts += self._block(block, picture)
        return HtmlText((*parts, "</div>\n"))

    def _block(self, block: Block, picture: PictureSource) -> list[str | Formula]:
        match block:
            case Text(text=text) if text.strip():
                return list(html_from_markdown(text).parts)
            case Thinking(text=text) if text.strip():
                inside = f"<p>{_lines_html(text.strip())}</p>"
                return [self._folded("thinking", escape(tr("Thoughts")), inside)]
            case ToolUse():
                return [self._tool(block), *(_image_html(one, picture) for one in block.images)]
            case Image():
                return [_image_html(block, picture)]
            case Document(name=name, text=text):
                more = " …" if len(text) > MAX_CODE_CHARS else ""
                inside = _code_html(text[:MAX_CODE_CHARS].replace("\f", "\n\n") + more)
                return [self._folded("file", escape(name), inside)]
            case Notice():
                said = join_sentences(
                    *translate_code(
                        block.code, with_tool_title(block.params, self._title), block.detail
                    )
                )
                return [f'<p class="notice">{_lines_html(said.strip())}</p>\n']
            case _:
                return []

    def _tool(self, call: ToolUse) -> str:
        title = self._title(call.name) or call.name
        said = call.output or translate_failure(call, title) or call.status.value
        more = " …" if len(said) > MAX_CODE_CHARS else ""
        asked = (
            _code_html(call.raw_arguments[:MAX_CODE_CHARS])
            if call.raw_arguments.strip("{} \n")
            else ""
        )
        return self._folded("tool", escape(title), asked + _code_html(said[:MAX_CODE_CHARS] + more))

    def _folded(self, kind: str, head: str, inside: str) -> str:
        if self._fold:
            summary = f"<summary>{head}</summary>"
            return f'<details class="{kind}">{summary}{inside}</details>\n'
        return f'<div class="{kind}"><p class="small"><b>{head}</b></p>{inside}</div>\n'


def _image_html(image: Image | ResultImage, picture: PictureSource) -> str:
    said = image.description if isinstance(image, Image) else ""
    shown = picture(image) or f"[{escape(image.name or tr('Picture'))}]"
    under = f'<p class="small">{_lines_html(said)}</p>' if said else ""
    return f'<p class="picture">{shown}</p>{under}\n'


def _code_html(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _lines_html(text: str) -> str:
    return escape(text).replace("\n", "<br>")


CONTENT_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_EMBEDDED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})

PAGE_STYLE = """
:root { color-scheme: light dark; --text: #1f2430; --muted: #667085; --line: #d9dee7;
  --back: #ffffff; --own: #eef3fb; --code: #f5f6f8; --accent: #2f5fb3; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e6ec; --muted: #98a1b3; --line: #3a4150;
  --back: #1b1e25; --own: #262d3a; --code: #232730; --accent: #8db4f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; background: var(--back);
  color: var(--text); font: 16px/1.6 system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC",
  "Microsoft YaHei", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 1.5rem; }
.own, .reply { margin: 0 0 1.75rem; }
.own { background: var(--own); border-radius: 12px; padding: .6rem 1rem; }
.own > :last-child, .reply > :last-child { margin-bottom: 0; }
.reply h1, .own h1 { font-size: 1.35rem; } .reply h2, .own h2 { font-size: 1.2rem; }
.reply h3, .own h3 { font-size: 1.08rem; }
.reply h1, .reply h2, .reply h3, .own h1 { margin: 1.2em 0 .4em; line-height: 1.3; }
p { margin: 0 0 .75em; }
.head { margin-bottom: .3em; } .time, .model, .small, .language { color: var(--muted);
  font-size: .8rem; }
a { color: var(--accent); }
pre, code { font: .875em/1.5 "Cascadia Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
  "Noto Sans Mono CJK SC", monospace; }
code { background: var(--code); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--code); border-radius: 8px; padding: .75rem 1rem; margin: 0 0 .75em;
  overflow-x: auto; white-space: pre; overflow-wrap: normal; }
pre code { background: none; padding: 0; font-size: 1em; }
.code { margin: 0 0 .75em; } .language { margin: 0 0 .2em; }
blockquote { margin: 0 0 .75em; padding: .1em 1em; border-inline-start: 3px solid var(--line);
  color: var(--muted); }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 0 0 .75em; }
th, td { border: 1px solid var(--line); padding: .35em .7em; text-align: start;
  overflow-wrap: normal; }
th { background: var(--code); }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.25em 0; }
img { max-width: 100%; border-radius: 8px; }
svg { fill: currentColor; stroke: none; overflow: visible; max-width: 100%; }
.display { text-align: center; overflow-x: auto; padding: .3em 0; }
details { border: 1px solid var(--line); border-radius: 8px; padding: .4em .8em;
  margin: 0 0 .75em; } summary { cursor: pointer; color: var(--muted); }
details pre { white-space: pre-wrap; overflow-wrap: anywhere; margin-top: .5em; }
.notice { border-inline-start: 3px solid #c9892b; padding-inline-start: .8em; }
@media print { body { max-width: none; } pre { white-space: pre-wrap; } }
"""


class HtmlFormat:
    all_versions = False

    def __init__(
        self, path: Path, drawn: DrawFormulas, name: str = "", title: Callable[[str], str] = str
    ) -> None:
        self._out = TargetFile(path)
        self._drawn = drawn
        self._body = MessageHtml(name, title, fold=True)

    def start(self, info: ConversationInfo) -> None:
        self._out.write(page_head(" ".join(info.title.split()) or tr("Conversation")))

    def add(self, entry: ExportEntry, pictures: PictureData) -> None:
        prose = self._body.render(entry.message, lambda image: _embedded_image(image, pictures))
        self._out.write(join_html(prose, self._drawn))

    def finish(self) -> None:
        self._out.write("</body>\n</html>\n")
        self._out.finish()

    def abort(self) -> None:
        self._out.abort()


def page_head(title: str) -> str:
    """Return the beginning of a page."""
    shown = escape(title)
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language().replace("_", "-"))}">\n<head>\n'
        f'<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{shown}</title>\n<style>{PAGE_STYLE}</style>\n</head>\n<body>\n"
        f'<h1 dir="auto">{shown}</h1>\n'
    )


def _embedded_image(image: Image | ResultImage, pictures: PictureData) -> str:
    data = pictures.get(image.digest)
    if data is None or image.media_type not in _EMBEDDED_TYPES:
        return ""
    packed = base64.b64encode(data).decode()
    alt = escape(image.name or tr("Picture"))
    return f'<img alt="{alt}" src="data:{image.media_type};base64,{packed}">'
