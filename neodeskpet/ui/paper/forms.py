"""Which kinds of files a conversation can be written to, and what each needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from neodeskpet.children import Answering
from neodeskpet.conversation.takeout.export import MakeForm
from neodeskpet.conversation.takeout.form import JSON, MARKDOWN, PAGE, Form
from neodeskpet.conversation.takeout.json_file import JsonForm
from neodeskpet.conversation.takeout.markdown import MarkdownForm
from neodeskpet.conversation.takeout.page import PageForm
from neodeskpet.conversation.takeout.paper import PaperForm
from neodeskpet.ui.formulas.waiting import WaitingDrawer

_SECONDS = 60.0
"""What one message may take on paper."""


class Forms:
    """Begins files. `end` when no more are wanted."""

    def __init__(self, name: str = "", title: Callable[[str], str] = str) -> None:
        """`name` is the companion's, `title(tool)` what people call a tool."""
        self._name = name
        self._title = title
        self._drawer = WaitingDrawer()

    def of(self, kind: str) -> MakeForm:
        return partial(self._make, kind)

    def on_printer(self, job: str) -> MakeForm:
        """Pages of a printer (`ui.paper.printing`), whatever the path."""

        def press(_path: Path | None) -> Answering:
            return Answering("print", _SECONDS, "", job)

        return lambda _path: PaperForm(None, press, self._drawer.packed, self._name, self._title)

    def end(self) -> None:
        self._drawer.end()

    def _make(self, kind: str, path: Path) -> Form:
        if kind == JSON:
            return JsonForm(path)
        if kind == MARKDOWN:
            return MarkdownForm(path, self._name, self._title)
        if kind == PAGE:
            return PageForm(path, self._drawer.svg, self._name, self._title)
        return PaperForm(path, _press, self._drawer.packed, self._name, self._title)


def _press(path: Path | None) -> Answering:
    return Answering("print", _SECONDS, str(path))
