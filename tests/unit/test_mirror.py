"""Every module of the package has a test file in the same place, and no test file is an orphan.

`neodeskpet/core/turn.py` is tested by `tests/unit/core/test_turn.py`, and, where one file is not
enough, by `test_turn_<aspect>.py` beside it.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "neodeskpet"
TESTS = ROOT / "tests" / "unit"

# Modules that have no test file of their own, and why. Keep it short.
EXCEPTIONS = {
    "conversation/ports.py": "protocols only; whoever implements one is tested",
    "core/dialects/dialect.py": "protocols only",
    "ui/settings/model_port.py": "protocols and values only",
    "app/desk.py": "joins the windows; tests/stories drive them",
    "app/start.py": "opens and closes the desk; tests/stories do nothing else",
    "commands/demo.py": "tests/stories/test_demo.py runs it",
    "ui/settings/ports.py": "protocols only",
    "ui/chat/presenter.py": "joins chat and window; tests/stories drive both",
}

# Of the tests themselves.
OF_THE_TESTS = {"test_mirror.py", "test_playbook.py"}


def modules() -> set[Path]:
    """The modules, relative to the package; packages' own files hold no logic to test."""
    found = {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")}
    return {path for path in found if path.name != "__init__.py"}


def mirror(module: Path) -> Path:
    return TESTS / module.with_name(f"test_{module.name}")


def test_every_module_has_its_test_file() -> None:
    missing = [
        module.as_posix()
        for module in sorted(modules())
        if not mirror(module).exists() and module.as_posix() not in EXCEPTIONS
    ]
    assert missing == []


def test_every_test_file_belongs_to_a_module_or_to_a_package() -> None:
    orphans = [
        path.relative_to(TESTS).as_posix()
        for path in sorted(TESTS.rglob("test_*.py"))
        if not belongs(path.relative_to(TESTS))
    ]
    assert orphans == []


def belongs(test: Path) -> bool:
    """Whether it is for a module beside it, an aspect of one, or a package (`test_language.py`)."""
    if not (PACKAGE / test.parent).is_dir() or test.as_posix() in OF_THE_TESTS:
        return True  # what is not in the package, the companion's source for instance
    name = test.stem.removeprefix("test_")
    stems = {module.stem for module in modules() if module.parent == test.parent}
    aspect = any(name.startswith(f"{stem}_") for stem in stems)
    return name in stems or aspect or (PACKAGE / test.parent / name / "__init__.py").exists()


def test_every_exception_is_needed() -> None:
    known = {module.as_posix() for module in modules()}
    needless = [name for name in EXCEPTIONS if name not in known or mirror(Path(name)).exists()]
    assert needless == []


def test_the_package_is_found() -> None:
    assert Path("core/turn.py") in modules()
    assert mirror(Path("core/turn.py")) == TESTS / "core" / "test_turn.py"
    assert belongs(Path("core/test_turn_orders.py"))
    assert not belongs(Path("core/test_nothing.py"))
