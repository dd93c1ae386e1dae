"""A conversation as a PDF: laid out and painted by a process of its own (`ui/paper`), message by
message, so that its length costs no memory.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Protocol

from neodeskpet.conversation.takeout.body import Body
from neodeskpet.conversation.takeout.form import Entry, Pictures
from neodeskpet.conversation.takeout.prose import Prose, source_of
from neodeskpet.conversation.takeout.target import part_of
from neodeskpet.core.blocks import Image
from neodeskpet.core.markdown.formulas import MOST, Formula, mark_of
from neodeskpet.core.records import ConversationInfo
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.files import take_mode
from neodeskpet.language import tr


class Asked(Protocol):
    """A process that answers (`children.Answering`)."""

    def ask(self, question: bytes) -> bytes | None: ...

    def end(self) -> None: ...


class PaperForm:
    """`press(path)` starts the process that paints on `path`; None where what it paints on is no
    file of ours. `draw` gives the packed drawings of formulas.
    """

    whole = False

    def __init__(
        self,
        path: Path | None,
        press: Callable[[Path | None], Asked],
        draw: Callable[[list[tuple[str, bool]]], list[object | None]],
        name: str = "",
        title: Callable[[str], str] = str,
    ) -> None:
        self._path = path
        self._part = part_of(path) if path is not None else None
        self._press = press(self._part)
        self._draw = draw
        self._body = Body(name, title, fold=False)
        self._ended = False

    def begin(self, info: ConversationInfo) -> None:
        title = " ".join(info.title.split()) or tr("Conversation")
        heading = f'<h1 class="title">{escape(title)}</h1>'
        self._print({"title": title, "html": heading, "formulas": [], "pictures": {}})

    def add(self, entry: Entry, pictures: Pictures) -> None:
        used: dict[str, str] = {}

        def picture(image: Image | ResultImage) -> str:
            data = pictures.get(image.digest)
            if data is None:
                return ""
            used[image.digest] = base64.b64encode(data).decode()
            return f'<img src="picture:{image.digest}">'

        html, formulas = _marked(self._body.of(entry.message, picture))
        drawings = self._draw([(one.tex, one.display) for one in formulas]) if formulas else []
        told = [
            [one.tex, one.source, one.display, drawing]
            for one, drawing in zip(formulas, drawings, strict=True)
        ]
        self._print({"html": html, "formulas": told, "pictures": used})

    def end(self) -> None:
        self._print({"end": True})
        self._press.end()
        if self._part is not None and self._path is not None:
            take_mode(self._part, self._path)
            self._part.replace(self._path)
        self._ended = True

    def drop(self) -> None:
        if not self._ended:
            self._press.end()
            if self._part is not None:
                self._part.unlink(missing_ok=True)

    def _print(self, told: dict[str, object]) -> None:
        answer = self._press.ask(json.dumps(told).encode())
        if answer is None:
            raise OSError(tr("The process that paints the pages ended."))
        if answer:
            raise OSError(answer.decode("utf-8", "replace"))


def _marked(prose: Prose) -> tuple[str, list[Formula]]:
    """HTML with a mark in the place of each formula."""
    formulas: list[Formula] = []
    parts: list[str] = []
    for part in prose.parts:
        if isinstance(part, str):
            parts.append(part)
        elif len(formulas) < MOST:
            parts.append(mark_of(len(formulas)))
            formulas.append(part)
        else:
            parts.append(source_of(part))
    return "".join(parts), formulas
