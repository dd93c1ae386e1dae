"""The test folders mirror those of the package, so that tests are easy to find.

Inside a folder the tests are free: a file for a module, for an aspect of one, or for a story of
several modules.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "neodeskpet"
TESTS = ROOT / "tests" / "unit"

# Folders of tests for code outside of the package.
OTHERS = {"companion"}


def rooms(top: Path, pattern: str) -> set[str]:
    """Return the folders below `top` that hold files like `pattern`, as posix paths."""
    return {path.parent.relative_to(top).as_posix() for path in top.rglob(pattern)}


def test_every_room_of_the_package_has_tests() -> None:
    code = {
        path.parent.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    assert code - rooms(TESTS, "test_*.py") == set()


def test_every_folder_of_tests_mirrors_a_room() -> None:
    assert rooms(TESTS, "test_*.py") - rooms(PACKAGE, "*.py") == OTHERS


def test_the_rooms_are_found() -> None:
    assert {"core", "ui/chat/view"} <= rooms(PACKAGE, "*.py")
    assert "core/dialects" in rooms(TESTS, "test_*.py")
