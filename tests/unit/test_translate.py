"""What `packaging/translate.py --check` reports about a catalogue."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

FILE = Path(__file__).parents[2] / "packaging" / "translate.py"


@pytest.fixture
def translate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("translate", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checked(translate: ModuleType, folder: Path, texts: dict[str, str]) -> list[str]:
    """Return the report about a catalogue with these texts and their translations."""
    source = folder / "zh_CN" / "LC_MESSAGES" / "neodeskpet.po"
    source.parent.mkdir(parents=True, exist_ok=True)
    template, catalog = Catalog(), Catalog(locale="zh_CN")
    for text, translated in texts.items():
        template.add(text)
        catalog.add(text, translated)
    file = io.BytesIO()
    write_po(file, catalog)
    source.write_bytes(file.getvalue())
    _, text, compiled = translate.render(source, template)
    source.write_bytes(text)
    source.with_suffix(".mo").write_bytes(compiled)
    found: list[str] = translate.faults(source, template)
    return found


def test_quoted_names_equal_those_of_the_buttons(translate: ModuleType, tmp_path: Path) -> None:
    names = {"Save": "保存", "Delete…": "删除…"}
    quoting = "Press “Save”, or “Delete…”."
    assert checked(translate, tmp_path, {**names, quoting: "按“保存”或“删除”。"}) == []
    assert checked(translate, tmp_path, {**names, quoting: "按“存储”或“删除”。"}) == [
        f"'Save' is called otherwise: {quoting!r}"
    ]
    assert checked(translate, tmp_path, {"Say “Hello”.": "说“你好”。"}) == [], "no button's name"


def test_a_text_has_a_translation_with_the_same_fields(
    translate: ModuleType, tmp_path: Path
) -> None:
    assert checked(translate, tmp_path, {"{count} notes": "笔记", "Add": ""}) == [
        "no translation: 'Add'",
        "fields differ: '{count} notes'",
    ]
