"""The choices of the print dialog reach the process that paints the pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

from PySide6.QtGui import QPageLayout, QPageRanges, QPageSize
from PySide6.QtPrintSupport import QPrinter

from neodeskpet.conversation.export_chats.export_format import ExportEntry
from neodeskpet.core.blocks import ConversationInfo, Message, MessageState, Role, Text
from neodeskpet.ui.rendering.export_formats import ExportFormats
from neodeskpet.ui.rendering.pdf_worker import PdfRenderer
from neodeskpet.ui.rendering.print_job import load_job, output_file, serialize_job

INFO = ConversationInfo("c", "A talk", 0.0, 0.0)
LONG = Message("m", Role.ASSISTANT, (Text(0, 0, "word\n\n" * 300),), MessageState.DONE, 0.0)


def chosen(file: Path, pages: str = "") -> QPrinter:
    """As the dialog leaves it."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(file))
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.Letter))
    printer.setPageOrientation(QPageLayout.Orientation.Landscape)
    printer.setPageRanges(QPageRanges.fromString(pages))
    return printer


def boxes(file: Path) -> list[bytes]:
    """The size of each page in points."""
    return re.findall(rb"/MediaBox \[([^\]]*)\]", file.read_bytes())


def test_the_choices_are_transferred(tmp_path: Path, qapp: object) -> None:
    given = chosen(tmp_path / "a.pdf", "2-3,7")
    given.setColorMode(QPrinter.ColorMode.GrayScale)
    job = serialize_job(given)
    assert output_file(job) == str(tmp_path / "a.pdf")
    found = load_job(job)
    assert found.pageLayout().orientation() is QPageLayout.Orientation.Landscape
    assert found.pageLayout().pageSize().id() is QPageSize.PageSizeId.Letter
    assert found.pageRanges().toString() == "2-3,7"
    assert found.colorMode() is QPrinter.ColorMode.GrayScale
    assert found.outputFileName() == given.outputFileName()


def test_a_printer_is_found_by_its_name(qapp: object) -> None:
    named = json.loads(serialize_job(QPrinter()))
    named |= {"printer": "Laser", "file": ""}
    assert output_file(json.dumps(named)) == ""
    assert load_job(json.dumps(named)).outputFileName() == ""


def test_only_the_chosen_pages_are_painted(tmp_path: Path, qapp: object) -> None:
    counts = []
    for pages in ("", "2-3", "900"):
        file = tmp_path / f"{pages or 'all'}.pdf"
        press = PdfRenderer.for_printer(serialize_job(chosen(file, pages)))
        told = {"html": "<p>word</p>" * 300, "formulas": [], "pictures": {}, "title": "A talk"}
        assert press.answer(json.dumps(told).encode()) == b""
        assert press.answer(b'{"end": true}') == b""
        counts.append(len(boxes(file)))
    every, some, _ = counts
    assert every > 6
    assert some == 2


def test_by_its_real_process(tmp_path: Path, qapp: object) -> None:
    file = tmp_path / "a.pdf"
    forms = ExportFormats("Neo")
    try:
        form = forms.printer_maker(serialize_job(chosen(file)))(file)
        form.start(INFO)
        form.add(ExportEntry(LONG), {})
        form.finish()
        form.abort()
    finally:
        forms.close()
    sizes = boxes(file)
    assert len(sizes) > 2
    assert all(b"792" in size and b"612" in size for size in sizes)
