"""What `packaging/doc_links.py` finds in pages, and what it lets pass."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).resolve().parents[2] / "packaging" / "doc_links.py"


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("doc_links", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["doc_links"] = module
    spec.loader.exec_module(module)
    return module


def faults(checker: ModuleType, root: Path, text: str) -> list[str]:
    docs = root / "docs"
    docs.mkdir(exist_ok=True)
    (docs / "other.md").write_text(
        "# A `code` heading\n\n## 本地模型\n\n## Twice\n\n## Twice\n", "utf-8"
    )
    page = docs / "page.md"
    page.write_text(text, encoding="utf-8")
    return list(checker.broken_links(page, root))


@pytest.mark.parametrize(
    "text",
    [
        "[a](other.md)",
        "[a](other.md#a-code-heading)",
        "[a](other.md#twice-1)",
        "[本地](other.md#本地模型)",
        "[a](other.md#%E6%9C%AC%E5%9C%B0%E6%A8%A1%E5%9E%8B)",
        "# Here\n\n[a](#here)",
        "[a](https://example.com/nothing)",
        "[folder](../docs/)",
        "`[a](missing.md)` is code",
        "```\n[a](missing.md)\n```",
    ],
)
def test_links_that_lead_somewhere(checker: ModuleType, tmp_path: Path, text: str) -> None:
    assert faults(checker, tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[a](missing.md)", "no such file"),
        ("![a](missing.png)", "no such file"),
        ("[a](other.md#twice-2)", "no such heading"),
        ("[a](#here)", "no such heading"),
        ("[a](../../outside.md)", "out of the project"),
        ("```\ncode\n```\n[a](missing.md)", "no such file"),
        ("[the [first] one](missing.md)", "no such file"),
    ],
)
def test_links_that_lead_nowhere(
    checker: ModuleType, tmp_path: Path, text: str, reason: str
) -> None:
    (fault,) = faults(checker, tmp_path, text)
    assert reason in fault


def test_pages_of_the_settings(checker: ModuleType) -> None:
    texts = {"Sync": "同步", "Tools of your own": "自己的工具"}
    good = "Settings › Sync, Settings › Tools of your\nown. “设置 › 同步”"
    assert checker.unknown_pages(good, texts) == []
    assert checker.unknown_pages("Settings › Synced", texts) == ["Settings › Synced"]
    assert checker.unknown_pages("“设置 › 其他”", texts) == ["设置 › 其他”"]


def test_all_pages_of_this_project(checker: ModuleType) -> None:
    assert checker.main() == 0
