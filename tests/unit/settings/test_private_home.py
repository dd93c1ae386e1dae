"""Only the user can read the files in the data folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from neodeskpet.settings.startup import restrict_access


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def open_file(path: Path, rights: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x", encoding="utf-8")
    path.chmod(rights)
    path.parent.chmod(0o755)
    return path


def test_permissions_of_an_older_version_are_restricted(tmp_path: Path) -> None:
    home = tmp_path / "home"
    names = (
        "neodeskpet.db",
        "neodeskpet.db-wal",
        "neodeskpet.before-002.db",
        "notebook.db-shm",
        "notebook.damaged-1.db",
        "notebook.before-002-x.db",
        "notes.db.old",
        "timers.json.old",
        "settings.json",
        "llm-config.json",
        "logs/neodeskpet.log.1",
        "pictures/abc",
        "models/neo/deep/neo.moc3",
        "neodeskpet.db.writers/1",
    )
    files = [open_file(home / name, 0o666) for name in names]
    restrict_access(home)
    assert {mode(file) for file in files} == {0o600}
    assert {mode(path) for path in home.rglob("*") if path.is_dir()} == {0o700}
    assert mode(home) == 0o700


def test_other_files_are_unchanged(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    theirs = open_file(shared / "holiday.jpg")
    own = [open_file(shared / name) for name in ("notes.txt", "notebook.pdf", "timers.md")]
    elsewhere = open_file(tmp_path / "elsewhere" / "model.gguf")
    ours = open_file(shared / "neodeskpet.db")
    (shared / "models").mkdir(mode=0o755)
    (shared / "models" / "link.gguf").symlink_to(elsewhere)
    os.link(elsewhere, shared / "models" / "same.gguf")
    shared.chmod(0o1777)
    restrict_access(shared)
    assert mode(ours) == 0o600
    assert {mode(file) for file in own} == {0o644}
    assert (mode(theirs), mode(elsewhere), mode(shared)) == (0o644, 0o644, 0o1777)


def test_a_missing_folder_is_no_error(tmp_path: Path) -> None:
    restrict_access(tmp_path / "gone")
