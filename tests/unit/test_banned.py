"""What `packaging/banned.py` refuses and accepts."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "packaging" / "banned.py"


@pytest.fixture(scope="module")
def offences() -> Callable[[str, str], list[str]]:
    spec = importlib.util.spec_from_file_location("banned", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["banned"] = module
    spec.loader.exec_module(module)
    found: Callable[[str, str], list[str]] = module.offences
    return found


@pytest.mark.parametrize(
    "line",
    [
        "menu.exec(spot)",
        "painter = QPainter(self)",
        "painter.save()",
        "class Colours(QRunnable):",
        "QThreadPool.globalInstance().start(work)",
        "self.note = QLabel()",
        "button.setToolTip(name)",
        "QToolTip.showText(spot, address, self)",
        "case Qt.ItemDataRole.ToolTipRole:",
        "item.setData(Qt.ItemDataRole.ToolTipRole, name)",
        "icon.showMessage(title, text)",
        "QMessageBox.warning(self, title, text)",
        "document.setHtml(text)",
        "label.setTextFormat(Qt.TextFormat.RichText)",
    ],
)
def test_refused_lines(offences: Callable[[str, str], list[str]], line: str) -> None:
    (told,) = offences("ui/new.py", f"first\n{line}\n")
    assert told.startswith("ui/new.py:2: ")


@pytest.mark.parametrize(
    "line",
    [
        "with QPainter(self) as painter:",
        "with QPainterStateGuard(painter):",
        "self.note = PlainLabel()",
        "set_tooltip(button, name)",
        "QToolTip.showText(spot, tooltip_text(address), self)",
        "item.setData(Qt.ItemDataRole.ToolTipRole, tooltip_text(name))",
        "menu.popup(spot)",
        "image.save(path)",
    ],
)
def test_accepted_lines(offences: Callable[[str, str], list[str]], line: str) -> None:
    assert offences("ui/new.py", line) == []


@pytest.mark.parametrize(
    ("page", "count"),
    [
        ("It is made anew.", 1),
        ("What is told\nhere: a deed, a Feast.", 3),
        ("`anew` and “anew” and [a](made-anew.md)", 0),
        ("```\nanew\n```\nagain", 0),
        ("```\nagain\n```\nanew", 1),
        ("Indeed: newer, amended.", 0),
    ],
)
def test_odd_words_of_the_documentation(
    offences: Callable[[str, str], list[str]], page: str, count: int
) -> None:
    module = sys.modules["banned"]
    found = module.odd_words("docs/page.md", page)
    assert len(found) == count
    assert all(line.startswith("docs/page.md:") for line in found)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""It is made anew."""\n', [1]),
        ("x = 1  # made anew\n", [1]),
        ('x = N_("It is made\\nanew")\n', [1]),
        ('x = (\n    "Tell the "\n    "person."\n)\n', [2]),
        ('def f():\n    """One.\n\n    It is in\n    step.\n    """\n', [2]),
        ("anew = 1\n", []),
        ('x = "anew"\n', []),
    ],
)
def test_odd_words_of_code(
    offences: Callable[[str, str], list[str]], source: str, lines: list[int]
) -> None:
    """Comments, docstrings and texts are checked; names and values are not."""
    found = sys.modules["banned"].odd_words_in_code("room/file.py", source)
    assert [int(line.split(":")[1]) for line in found] == lines
