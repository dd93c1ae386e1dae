"""The programs of this computer, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.tools.builtin.applications import (
    Application,
    application_named,
    installed_applications,
    read_entry,
    similar_applications,
)

ENTRY = """# a comment
[Desktop Entry]
Type=Application
Name=Notes
Name[zh_CN]=便笺
Exec=sh -c "echo %% 'a b'" %U --name %c %i
{more}

[Desktop Action new]
Name=New note
Exec=rm -rf /
"""


def entry(folder: Path, name: str = "org.example.Notes", more: str = "") -> Path:
    file = folder / "applications" / f"{name}.desktop"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(ENTRY.format(more=more), "utf-8")
    return file


def test_an_entry_is_read_without_expanding_anything(tmp_path: Path) -> None:
    found = read_entry(entry(tmp_path))
    assert found is not None
    assert found.command == ("sh", "-c", "echo % 'a b'", "--name", "Notes")
    assert found.names == ("Notes", "便笺", "org.example.Notes", "sh")
    for wanted in ("notes ", "便笺", "NOTES", "sh"):
        assert application_named(wanted, [found]) is found
    assert application_named("New note", [found]) is None


@pytest.mark.parametrize(
    "more",
    [
        "Hidden=true",
        "NoDisplay=true",
        "Terminal=true",
        "Type=Link",
        "TryExec=no-such-program",
        "Exec=no-such-program",
        'Exec="',
        "Exec=",
        "Name=",
        "[broken",
        "x" * 300_000,
    ],
)
def test_entries_that_can_not_be_opened_are_left_out(tmp_path: Path, more: str) -> None:
    assert read_entry(entry(tmp_path, more=more)) is None


def test_no_entry_at_all(tmp_path: Path) -> None:
    empty = tmp_path / "x.desktop"
    empty.write_text("")
    assert read_entry(empty) is None
    assert read_entry(tmp_path / "gone.desktop") is None


def test_the_users_own_entry_overrides_that_of_the_system(tmp_path: Path) -> None:
    own, shared, more = tmp_path / "own", tmp_path / "shared", tmp_path / "more"
    entry(own, "a", "Hidden=true")
    entry(shared, "a")
    entry(more, "b")
    environ = {"XDG_DATA_HOME": str(own), "XDG_DATA_DIRS": f"{shared}:{more}"}
    found = installed_applications(environ, "linux")
    assert [one.file.stem for one in found] == ["b"]


def test_other_systems_have_folders_of_programs(tmp_path: Path) -> None:
    menu = tmp_path / "Microsoft/Windows/Start Menu/Programs/Office"
    menu.mkdir(parents=True)
    (menu / "Writer.lnk").touch()
    (found,) = installed_applications({"APPDATA": str(tmp_path)}, "win32")
    assert (found.name, found.command) == ("Writer", ())
    assert installed_applications({}, "darwin") == []


def test_similar_names() -> None:
    known = [
        Application((name,), Path()) for name in ("Firefox", "Files", "GIMP", "Firefox Nightly")
    ]
    assert similar_applications("firefox", known)[:2] == ["Firefox", "Firefox Nightly"]
    assert similar_applications("Mozilla Firefox", known)[0] == "Firefox"
    assert similar_applications("Fiels", known) == ["Files"]
    assert similar_applications("zzz", known) == []
