"""How `packaging/doc_pictures.py` writes its pictures."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

FILE = Path(__file__).resolve().parents[2] / "packaging" / "doc_pictures.py"


def test_a_picture_keeps_its_size_and_its_few_colours(qapp: QApplication, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("doc_pictures", FILE)
    assert spec is not None and spec.loader is not None
    pictures = importlib.util.module_from_spec(spec)
    sys.modules["doc_pictures"] = pictures
    spec.loader.exec_module(pictures)

    image = QImage(300, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("#17767f"))
    file = tmp_path / "en" / "one.png"
    pictures.write_small(image, file)
    written = QImage(str(file))
    assert written.size() == image.size()
    assert written.pixelColor(5, 5) == QColor("#17767f")
    assert written.colorCount() <= 128
