"""Style sheets name classes of Qt and of ours: each of them exists."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6 import QtWidgets

import neodeskpet.ui

_SELECTORS = re.compile(r'(?:^|["}\n])\s*([^"{}\n=()]+?)\s*\{\{\s*[a-z-]+:', re.MULTILINE)
_CLASS = re.compile(r"_?[A-Z]\w+")


def test_each_class_in_a_style_sheet_exists() -> None:
    root = Path(neodeskpet.ui.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))]
    classes = {name for text in sources for name in re.findall(r"^class (\w+)", text, re.MULTILINE)}
    named = set()
    for text in sources:
        for found in _SELECTORS.finditer(text):
            for selector in re.split(r"[,\s>]+", found[1]):
                name = _CLASS.match(selector)
                if name:
                    named.add(name[0])
    assert "ComboBox" in named and "QMenu" in named, "the selectors are found"
    unknown = {name for name in named - classes if not hasattr(QtWidgets, name)}
    assert unknown == set()
