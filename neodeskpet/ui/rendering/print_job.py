"""Serializes the choices of the print dialog for the process that paints the pages."""

from __future__ import annotations

import json

from PySide6.QtCore import QMarginsF, QSizeF
from PySide6.QtGui import QPageLayout, QPageRanges, QPageSize
from PySide6.QtPrintSupport import QPrinter

_MARGIN = 18.0  # mm


def serialize_job(printer: QPrinter) -> str:
    """Serialize the choices for `load_job` in another process."""
    layout = printer.pageLayout()
    to_file = printer.outputFormat() is QPrinter.OutputFormat.PdfFormat
    size = layout.pageSize()
    return json.dumps(
        {
            "printer": "" if to_file else printer.printerName(),
            "file": printer.outputFileName() if to_file else "",
            "size": [size.name(), size.sizePoints().width(), size.sizePoints().height()],
            "landscape": layout.orientation() is QPageLayout.Orientation.Landscape,
            "copies": printer.copyCount(),
            "collate": printer.collateCopies(),
            "duplex": printer.duplex().value,
            "colour": printer.colorMode().value,
            "pages": printer.pageRanges().toString(),
        }
    )


def output_file(job: str) -> str:
    """Return the file to print into; "" for a printer."""
    return str(json.loads(job)["file"])


def load_job(job: str) -> QPrinter:
    """Return a printer with the chosen settings."""
    record = json.loads(job)
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    if record["file"]:
        printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        printer.setOutputFileName(record["file"])
    else:
        printer.setPrinterName(record["printer"])
    name, width, height = record["size"]
    ways = QPageLayout.Orientation
    printer.setPageLayout(
        QPageLayout(
            QPageSize(QSizeF(width, height), QPageSize.Unit.Point, name),
            ways.Landscape if record["landscape"] else ways.Portrait,
            QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN),
            QPageLayout.Unit.Millimeter,
        )
    )
    printer.setCopyCount(record["copies"])
    printer.setCollateCopies(record["collate"])
    printer.setDuplex(QPrinter.DuplexMode(record["duplex"]))
    printer.setColorMode(QPrinter.ColorMode(record["colour"]))
    printer.setPageRanges(QPageRanges.fromString(record["pages"]))
    printer.setCreator("NeoDeskPet")
    return printer
