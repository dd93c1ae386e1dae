"""What `packaging/doc_links.py` finds in pages, and what it accepts."""

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
def test_valid_links(checker: ModuleType, tmp_path: Path, text: str) -> None:
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
def test_broken_links(checker: ModuleType, tmp_path: Path, text: str, reason: str) -> None:
    (fault,) = faults(checker, tmp_path, text)
    assert reason in fault


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("See Settings › System › Sync, please.", True),
        ("Settings › Tools & permissions › Tools of your\nown › Look for files", True),
        ("Settings › You & Neo › “Play”", False),
        ("Settings › Models (any)", True),
        ("“设置 › 系统 › 同步”", True),
        ("设置 › 系统 › 同步里", True),
        ("Settings › Sync", False),
        ("Settings › System › Synced", False),
        ("Settings › System › Tools of your own", False),
        ("Settings › System › Sync › Dance", False),
        ("“设置 › 同步”", False),
    ],
)
def test_places_in_the_settings(checker: ModuleType, text: str, known: bool) -> None:
    tree = checker.SettingsTree
    trees = {
        "Settings": tree(
            {
                "System": ["Sync"],
                "Tools & permissions": ["Tools", "Tools of your own"],
                "Models": [],
                "You & Neo": [],
            },
            ["Look for files"],
        ),
        "设置": tree({"系统": ["同步"]}, []),
    }
    assert (checker.unknown_places(text, trees) == []) == known


def test_the_real_tree_has_seven_groups(checker: ModuleType) -> None:
    trees = checker.settings_trees()
    assert [len(tree.groups) for tree in trees.values()] == [7, 7]
    assert trees["Settings"].has("Models › Services")
    assert trees["设置"].has("模型 › 服务")
    assert list(checker.package_texts(checker.ROOT))


def test_all_pages_of_this_project(checker: ModuleType) -> None:
    assert checker.main() == 0


@pytest.mark.parametrize(
    ("folder", "name", "text", "unknown"),
    [
        ("en", "chat.md", "Press *Stop* or *Begin*, which is **bold**.", ["Begin"]),
        ("en", "chat.md", "`*Begin*` is code, and *Settings › Begin* is a place.", []),
        ("en", "tasks.md", "Press **Stop** or **Begin**, which is *said*.", ["Begin"]),
        ("zh", "chat.md", "点“停止”或“开始”，例如“每周二”。", ["开始"]),
        ("zh", "tasks.md", "点**停止**或**开始**，输入“明天”。", ["开始"]),
    ],
)
def test_texts_of_the_interface_in_the_guide(
    checker: ModuleType, tmp_path: Path, folder: str, name: str, text: str, unknown: list[str]
) -> None:
    page = tmp_path / folder / name
    page.parent.mkdir()
    page.write_text(text, encoding="utf-8")
    faults = list(checker.unknown_texts(page, {"en": {"Stop"}, "zh": {"停止"}}))
    assert faults == [f"1: the interface has no “{words}”" for words in unknown]


def test_the_companions_name_in_texts(checker: ModuleType) -> None:
    texts = checker.guide_texts()
    assert "What Neo knows about you…" in texts["en"]
    assert "尼奥对你的了解…" in texts["zh"]


def test_every_task_has_a_picture_in_its_language(checker: ModuleType) -> None:
    """The pictures of both guides are the same, each is used, and together they are small."""
    docs = checker.ROOT / "docs"
    used = {}
    for folder in ("en", "zh"):
        page = (docs / "guide" / folder / "tasks.md").read_text(encoding="utf-8")
        sections = page.split("\n## ")[1:]
        assert all(section.count(f"](../../pictures/{folder}/") == 1 for section in sections)
        names = {file.name for file in (docs / "pictures" / folder).iterdir()}
        assert all(f"pictures/{folder}/{name})" in page for name in names)
        used[folder] = names
    assert used["en"] == used["zh"]
    assert sum(file.stat().st_size for file in docs.rglob("*.png")) < 3_000_000
