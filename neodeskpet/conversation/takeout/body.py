"""A message as HTML, for the page and for paper. Whatever stands in it is text."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from neodeskpet.conversation.takeout.form import message_time, speaker_name
from neodeskpet.conversation.takeout.prose import HtmlText, html_from_markdown
from neodeskpet.core.blocks import (
    Block,
    Document,
    Image,
    Message,
    Notice,
    Role,
    Text,
    Thinking,
    ToolUse,
)
from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.language import (
    join_sentences,
    tr,
    translate_code,
    translate_failure,
    with_tool_title,
)

PictureSource = Callable[[Image | ResultImage], str]
"""HTML that shows it; "" when it is gone."""

MAX_CODE_CHARS = 20_000
"""Characters of a tool's result that are shown; JSON has all of it."""


class MessageHtml:
    """`name` is the companion's, `title(tool)` what people call a tool. What can be folded away
    is (`fold`), or is shown small.
    """

    def __init__(self, name: str, title: Callable[[str], str], *, fold: bool) -> None:
        self._name = name
        self._title = title
        self._fold = fold

    def render(self, message: Message, picture: PictureSource) -> HtmlText:
        """The message with its head."""
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
