"""Pages: their content, and where they are split."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from neodeskpet.conversation.export_chats.export_format import (
    HTML,
    JSON,
    MARKDOWN,
    PDF,
    ExportEntry,
)
from neodeskpet.core.blocks import ConversationInfo, Image, Message, MessageState, Role, Text
from neodeskpet.platform.child_process import FrameWorker
from neodeskpet.ui.rendering.export_formats import ExportFormats
from neodeskpet.ui.rendering.pdf_worker import PdfRenderer, line_ends, next_break
from tests.support.pictures import picture

INFO = ConversationInfo("c", "A talk", 0.0, 0.0)
RED = picture("red", "red.png")
SAID = Message(
    "m",
    Role.ASSISTANT,
    (
        Text(0, 0, "# Title\n\nIt is $x^2$ and 中文.\n\n|a|b|\n|-|-|\n|1|2|"),
        Image(1, 0, RED.digest, "image/png"),
    ),
    MessageState.DONE,
    0.0,
)


def test_lines_are_not_split() -> None:
    assert line_ends([(0, 10), (10, 20), (12, 30), (30, 40)]) == [10, 30, 40]
    cuts = [10.0, 30.0, 40.0]
    assert next_break(cuts, 0, 35, 40) == 30
    assert next_break(cuts, 10, 30, 40) == 40, "the rest has room"
    assert next_break(cuts, 10, 15, 40) == 10, "not a line more"
    assert next_break([], 0, 5, 40) == 0


def test_long_content_takes_several_pages(tmp_path: Path, qapp: object) -> None:
    path = tmp_path / "a.pdf"
    press = PdfRenderer(str(path))

    def tell(**told: object) -> bytes:
        return press.answer(json.dumps({"formulas": [], "pictures": {}, **told}).encode())

    assert tell(title="A talk", html="<h1>A talk</h1>") == b""
    assert tell(html="<p>word</p>" * 200) == b""
    tall = base64.b64encode(RED.data).decode()
    assert tell(html='<p><img src="picture:a"></p>' * 3, pictures={"a": tall, "b": ""}) == b""
    drawn = {"width": 500.0, "ascent": 90_000.0, "descent": 0.0, "glyphs": {}, "strokes": []}
    formulas = [["x", "$x$", False, drawn], ["y", "$y$", False, None]]
    assert tell(html="<p>a \U000f0000 b \U000f0001</p>", formulas=formulas) == b""
    assert press.answer(b'{"end": true}') == b""
    written = path.read_bytes()
    assert written.startswith(b"%PDF") and written.count(b"/Type /Page\n") > 4


def test_a_place_that_can_not_be_written(tmp_path: Path, qapp: object) -> None:
    press = PdfRenderer(str(tmp_path / "no" / "a.pdf"))
    assert b"No such" in press.answer(b'{"title": "", "html": "", "formulas": [], "pictures": {}}')


def test_every_kind_by_its_real_processes(tmp_path: Path) -> None:
    forms = ExportFormats("Neo")
    try:
        for kind in (MARKDOWN, JSON, HTML, PDF):
            form = forms.maker_for(kind)(tmp_path / kind)
            form.start(INFO)
            form.add(ExportEntry(SAID), {RED.digest: RED.data})
            form.finish()
            form.abort()
    finally:
        forms.close()
    assert (tmp_path / PDF).read_bytes().startswith(b"%PDF")
    assert '<svg role="img" aria-label="$x^2$"' in (tmp_path / HTML).read_text("utf-8")


def test_a_process_that_ends_gives_no_answer_and_is_restarted(tmp_path: Path) -> None:
    child = FrameWorker("print", 20.0, str(tmp_path / "a.pdf"))
    try:
        assert child.ask(b"no json") is None
        assert child.ask(b'{"title": "", "html": "", "formulas": [], "pictures": {}}') == b""
    finally:
        child.close()
    child.close()
