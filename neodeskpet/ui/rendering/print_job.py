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
    told = json.loads(job)
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    if told["file"]:
        printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        printer.setOutputFileName(told["file"])
    else:
        printer.setPrinterName(told["printer"])
    name, width, height = told["size"]
    ways = QPageLayout.Orientation
    printer.setPageLayout(
        QPageLayout(
            QPageSize(QSizeF(width, height), QPageSize.Unit.Point, name),
            ways.Landscape if told["landscape"] else ways.Portrait,
            QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN),
            QPageLayout.Unit.Millimeter,
        )
    )
    printer.setCopyCount(told["copies"])
    printer.setCollateCopies(told["collate"])
    printer.setDuplex(QPrinter.DuplexMode(told["duplex"]))
    printer.setColorMode(QPrinter.ColorMode(told["colour"]))
    printer.setPageRanges(QPageRanges.fromString(told["pages"]))
    printer.setCreator("NeoDeskPet")
    return printer
