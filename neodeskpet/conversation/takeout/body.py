"""A message as HTML, for the page and for paper. Whatever stands in it is text."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from neodeskpet.conversation.takeout.form import speaker, when
from neodeskpet.conversation.takeout.prose import Prose, prose_of
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
from neodeskpet.language import say_code, say_failure, sentences, titled, tr

Picture = Callable[[Image | ResultImage], str]
"""HTML that shows it; "" when it is gone."""

LONGEST = 20_000
"""Characters of a tool's result that are shown; JSON has all of it."""


class Body:
    """`name` is the companion's, `title(tool)` what people call a tool. What can be folded away
    is (`fold`), or is shown small.
    """

    def __init__(self, name: str, title: Callable[[str], str], *, fold: bool) -> None:
        self._name = name
        self._title = title
        self._fold = fold

    def of(self, message: Message, picture: Picture) -> Prose:
        """The message with its head."""
        own = message.role is Role.USER
        model = f' <span class="model">{escape(message.model)}</span>' if message.model else ""
        who, at = escape(speaker(message, self._name)), when(message)
        parts: list[str | Formula] = [
            f'<div class="{"own" if own else "reply"}">'
            f'<p class="head"><b>{who}</b> <span class="time">{at}</span>{model}</p>\n'
        ]
        for block in message.blocks:
            parts += self._block(block, picture)
        return Prose((*parts, "</div>\n"))

    def _block(self, block: Block, picture: Picture) -> list[str | Formula]:
        match block:
            case Text(text=text) if text.strip():
                return list(prose_of(text).parts)
            case Thinking(text=text) if text.strip():
                inside = f"<p>{_lines(text.strip())}</p>"
                return [self._folded("thinking", escape(tr("Thoughts")), inside)]
            case ToolUse():
                return [self._tool(block), *(_shown(one, picture) for one in block.images)]
            case Image():
                return [_shown(block, picture)]
            case Document(name=name, text=text):
                more = " …" if len(text) > LONGEST else ""
                inside = _code(text[:LONGEST].replace("\f", "\n\n") + more)
                return [self._folded("file", escape(name), inside)]
            case Notice():
                said = sentences(
                    *say_code(block.code, titled(block.params, self._title), block.detail)
                )
                return [f'<p class="notice">{_lines(said.strip())}</p>\n']
            case _:
                return []

    def _tool(self, call: ToolUse) -> str:
        title = self._title(call.name) or call.name
        said = call.output or say_failure(call, title) or call.status.value
        more = " …" if len(said) > LONGEST else ""
        asked = _code(call.raw_arguments[:LONGEST]) if call.raw_arguments.strip("{} \n") else ""
        return self._folded("tool", escape(title), asked + _code(said[:LONGEST] + more))

    def _folded(self, kind: str, head: str, inside: str) -> str:
        if self._fold:
            summary = f"<summary>{head}</summary>"
            return f'<details class="{kind}">{summary}{inside}</details>\n'
        return f'<div class="{kind}"><p class="small"><b>{head}</b></p>{inside}</div>\n'


def _shown(image: Image | ResultImage, picture: Picture) -> str:
    said = image.description if isinstance(image, Image) else ""
    shown = picture(image) or f"[{escape(image.name or tr('Picture'))}]"
    under = f'<p class="small">{_lines(said)}</p>' if said else ""
    return f'<p class="picture">{shown}</p>{under}\n'


def _code(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")
