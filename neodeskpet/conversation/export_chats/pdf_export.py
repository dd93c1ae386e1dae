"""Exports a conversation as a PDF. A child process (`ui/rendering`) lays out and paints it message
by message, so that memory use does not grow with its length.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Protocol

from neodeskpet.conversation.export_chats.export_format import (
    ExportEntry,
    PictureData,
    partial_path,
)
from neodeskpet.conversation.export_chats.html_export import HtmlText, MessageHtml, formula_source
from neodeskpet.core.blocks import ConversationInfo, Image
from neodeskpet.core.markdown.formulas import MOST_FORMULAS, Formula, formula_mark
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.language import tr
from neodeskpet.platform.private_files import copy_mode


class PdfProcess(Protocol):
    """A child process with requests and answers (`child_process.FrameWorker`)."""

    def ask(self, question: bytes) -> bytes | None: ...

    def close(self) -> None: ...


class PdfFormat:
    """`press(path)` starts the process that writes `path`; None if `path` isn't a regular file.
    `draw` returns the packed drawings of formulas.
    """

    all_versions = False

    def __init__(
        self,
        path: Path | None,
        press: Callable[[Path | None], PdfProcess],
        draw: Callable[[list[tuple[str, bool]]], list[object | None]],
        name: str = "",
        title: Callable[[str], str] = str,
    ) -> None:
        self._path = path
        self._part = partial_path(path) if path is not None else None
        self._press = press(self._part)
        self._draw = draw
        self._body = MessageHtml(name, title, fold=False)
        self._ended = False

    def start(self, info: ConversationInfo) -> None:
        title = " ".join(info.title.split()) or tr("Conversation")
        heading = f'<h1 class="title">{escape(title)}</h1>'
        self._print({"title": title, "html": heading, "formulas": [], "pictures": {}})

    def add(self, entry: ExportEntry, pictures: PictureData) -> None:
        used: dict[str, str] = {}

        def picture(image: Image | ResultImage) -> str:
            data = pictures.get(image.digest)
            if data is None:
                return ""
            used[image.digest] = base64.b64encode(data).decode()
            return f'<img src="picture:{image.digest}">'

        html, formulas = _with_formula_marks(self._body.render(entry.message, picture))
        drawings = self._draw([(one.tex, one.display) for one in formulas]) if formulas else []
        told = [
            [one.tex, one.source, one.display, drawing]
            for one, drawing in zip(formulas, drawings, strict=True)
        ]
        self._print({"html": html, "formulas": told, "pictures": used})

    def finish(self) -> None:
        self._print({"end": True})
        self._press.close()
        if self._part is not None and self._path is not None:
            copy_mode(self._part, self._path)
            self._part.replace(self._path)
        self._ended = True

    def abort(self) -> None:
        if not self._ended:
            self._press.close()
            if self._part is not None:
                self._part.unlink(missing_ok=True)

    def _print(self, frame: dict[str, object]) -> None:
        answer = self._press.ask(json.dumps(frame).encode())
        if answer is None:
            raise OSError(tr("The process that paints the pages ended."))
        if answer:
            raise OSError(answer.decode("utf-8", "replace"))


def _with_formula_marks(prose: HtmlText) -> tuple[str, list[Formula]]:
    """Return HTML with a placeholder for each formula."""
    formulas: list[Formula] = []
    parts: list[str] = []
    for part in prose.parts:
        if isinstance(part, str):
            parts.append(part)
        elif len(formulas) < MOST_FORMULAS:
            parts.append(formula_mark(len(formulas)))
            formulas.append(part)
        else:
            parts.append(formula_source(part))
    return "".join(parts), formulas
