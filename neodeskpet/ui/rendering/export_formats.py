"""The file formats of exported conversations, and what each needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from neodeskpet.conversation.export_chats.export_format import HTML, JSON, MARKDOWN, ExportFormat
from neodeskpet.conversation.export_chats.exporter import CreateFormat
from neodeskpet.conversation.export_chats.html_export import HtmlFormat
from neodeskpet.conversation.export_chats.pdf_export import PdfFormat
from neodeskpet.conversation.export_chats.text_export import JsonFormat, MarkdownFormat
from neodeskpet.platform.child_process import FrameWorker
from neodeskpet.ui.rendering.formula_svg import BlockingFormulaRenderer

_SECONDS = 60.0
"""Time limit for painting one message."""


class ExportFormats:
    """Creates export files. Call `close` when no more are needed."""

    def __init__(self, name: str = "", title: Callable[[str], str] = str) -> None:
        """`name` is the companion's name, `title(tool)` the display name of a tool."""
        self._name = name
        self._title = title
        self._drawer = BlockingFormulaRenderer()

    def maker_for(self, kind: str) -> CreateFormat:
        return partial(self._make, kind)

    def printer_maker(self, job: str) -> CreateFormat:
        """Return the format for a printer (`ui.rendering.print_job`), independent of the path."""

        def press(_path: Path | None) -> FrameWorker:
            return FrameWorker("print", _SECONDS, "", job)

        return lambda _path: PdfFormat(None, press, self._drawer.packed, self._name, self._title)

    def close(self) -> None:
        self._drawer.end()

    def _make(self, kind: str, path: Path) -> ExportFormat:
        if kind == JSON:
            return JsonFormat(path)
        if kind == MARKDOWN:
            return MarkdownFormat(path, self._name, self._title)
        if kind == HTML:
            return HtmlFormat(path, self._drawer.svg, self._name, self._title)
        return PdfFormat(path, _start_pdf_worker, self._drawer.packed, self._name, self._title)


def _start_pdf_worker(path: Path | None) -> FrameWorker:
    return FrameWorker("print", _SECONDS, str(path))
