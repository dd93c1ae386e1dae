"""The user's files as tools: what is possible in allowed folders, and what isn't at all."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.errors import CannotUndo, InvalidArguments
from neodeskpet.core.tool_result import ShownDiff, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.toolkit.undo import UndoService
from neodeskpet.tools.builtin.file_tools import file_tools, file_undoers
from neodeskpet.tools.files.allowed_folders import AllowedFolders, FileRefused, NoFolderAllowed
from neodeskpet.tools.files.text_files import FileBackups


@dataclass
class Files:
    """Two allowed folders, another one, and the tools."""

    allowed: list[Path]
    outside: Path
    home: Path

    def __post_init__(self) -> None:
        self.kept = FileBackups(self.home / "kept")
        folders = AllowedFolders(lambda: self.allowed, closed=[self.home])
        self.toolbox = Toolbox(AppTools(file_tools(folders, self.kept)))
        self.undo = UndoService(file_undoers(self.kept, folders))

    @property
    def root(self) -> Path:
        return self.allowed[0]

    def run(self, called: str, /, **arguments: object) -> ToolResult:
        return asyncio.run(self.toolbox.offer().run(called, arguments, lambda fraction, text: None))

    def preview(self, called: str, /, **arguments: object) -> object:
        return asyncio.run(self.toolbox.offer().preview(called, arguments)).shown

    def undo_call(self, name: str, result: ToolResult) -> ToolUse:
        call = ToolUse(0, 0, "id", name, status=ToolStatus.SUCCESS, data=result.data)
        assert self.undo.can_undo(call)
        return asyncio.run(self.undo.undo_call(call))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    made = [tmp_path / name for name in ("work", "more", "outside", "home")]
    for folder in made:
        folder.mkdir()
    return Files(made[:2], made[2], made[3])


def test_a_file_is_created_read_edited_and_each_step_undone(files: Files) -> None:
    made = files.run("file.write", path="a.txt", text="one\ntwo\n")
    path = files.root / "a.txt"
    assert path.read_text() == "one\ntwo\n"
    assert isinstance(made.shown, ShownDiff)
    assert "+two" in made.shown.text
    assert files.run("file.read", path=str(path)).text == "one\ntwo\n"
    second = files.run("file.read", path="a.txt", first_line=2, lines=1).text
    assert second.startswith("two\n[1 more")
    edited = files.run("file.edit", path="a.txt", old="two", new="三")
    assert path.read_text("utf-8") == "one\n三\n"
    assert "-two\n+三" in edited.text
    undone = files.undo_call("file.edit", edited)
    assert "undid this" in undone.output
    assert path.read_text() == "one\ntwo\n"
    files.undo_call("file.write", made)
    assert not path.exists()


def test_an_undo_does_not_overwrite_later_changes(files: Files) -> None:
    made = files.run("file.write", path="a.txt", text="one")
    (files.root / "a.txt").write_text("mine")
    with pytest.raises(CannotUndo):
        files.undo_call("file.write", made)
    assert (files.root / "a.txt").read_text() == "mine"


def test_encoding_line_ends_and_permissions_are_kept(files: Files) -> None:
    path = files.root / "old.txt"
    path.write_bytes("你好\r\n世界\r\n".encode("gb18030"))
    path.chmod(0o640)
    assert files.run("file.read", path="old.txt").text == "你好\n世界\n"
    files.run("file.edit", path="old.txt", old="世界", new="朋友")
    assert path.read_bytes() == "你好\r\n朋友\r\n".encode("gb18030")
    assert path.stat().st_mode & 0o777 == 0o640
    (files.root / "wide.txt").write_text("wide", "utf-16")
    assert files.run("file.read", path="wide.txt").text == "wide"


def test_an_edit_needs_a_unique_place_or_the_argument_all(files: Files) -> None:
    (files.root / "a.txt").write_text("x x")
    with pytest.raises(InvalidArguments, match="2 times"):
        files.run("file.edit", path="a.txt", old="x", new="y")
    with pytest.raises(InvalidArguments, match="not in the file"):
        files.run("file.edit", path="a.txt", old="z", new="y")
    files.run("file.edit", path="a.txt", old="x", new="y", which="all")
    assert (files.root / "a.txt").read_text() == "y y"


def test_folders_are_listed_and_searched_by_name_and_text(files: Files) -> None:
    (files.root / "sub").mkdir()
    (files.root / "sub" / "日记.md").write_text("Milk\nand tea", "utf-8")
    (files.root / "b.bin").write_bytes(b"milk\0")
    (files.allowed[1] / "c.txt").write_text("MILK")
    assert files.run("file.list").text.split("\n") == [str(one) for one in files.allowed]
    listed = files.run("file.list", path=str(files.root)).text
    assert listed.splitlines()[0].startswith("sub/\t")
    assert "b.bin\t5\t" in listed
    found = files.run("file.search", text="milk")
    assert found.data == {
        "files": [str(files.root / "sub" / "日记.md"), str(files.allowed[1] / "c.txt")]
    }
    assert "日记.md:1: Milk" in found.text
    named = files.run("file.search", name="*.BIN")
    assert named.data == {"files": [str(files.root / "b.bin")]}
    assert files.run("file.search", text="coffee").text == "Nothing was found."
    with pytest.raises(InvalidArguments):
        files.run("file.search")


def test_a_move_can_be_undone_and_overwrites_nothing(files: Files) -> None:
    (files.root / "a.txt").write_text("a")
    (files.root / "b.txt").write_text("b")
    with pytest.raises(FileRefused, match="with that name"):
        files.run("file.move", path="a.txt", to="b.txt")
    moved = files.run("file.move", path="a.txt", to=str(files.allowed[1]))
    assert (files.allowed[1] / "a.txt").read_text() == "a"
    files.undo_call("file.move", moved)
    assert (files.root / "a.txt").read_text() == "a"


def test_the_trash_takes_a_file_and_restores_it(files: Files) -> None:
    (files.root / "a b.txt").write_text("a")
    gone = files.run("file.trash", path="a b.txt")
    assert not (files.root / "a b.txt").exists()
    files.undo_call("file.trash", gone)
    assert (files.root / "a b.txt").read_text() == "a"
    with pytest.raises(FileRefused, match="allowed folder itself"):
        files.run("file.trash", path=str(files.root))


def test_a_symbolic_link_itself_is_moved_and_trashed(files: Files) -> None:
    target = files.root / "target.txt"
    target.write_text("a")
    (files.root / "link").symlink_to(target)
    moved = files.run("file.move", path="link", to="link2")
    assert target.read_text() == "a" and (files.root / "link2").is_symlink()
    files.undo_call("file.move", moved)
    assert (files.root / "link").is_symlink() and not (files.root / "link2").is_symlink()
    gone = files.run("file.trash", path="link")
    assert target.read_text() == "a" and not (files.root / "link").is_symlink()
    files.undo_call("file.trash", gone)
    assert (files.root / "link").is_symlink()


def test_a_link_to_the_outside_is_neither_moved_nor_trashed(files: Files) -> None:
    (files.outside / "secret.txt").write_text("a")
    (files.root / "link").symlink_to(files.outside / "secret.txt")
    for name, more in (("file.trash", {}), ("file.move", {"to": "x"})):
        with pytest.raises(FileRefused):
            files.run(name, path="link", **more)
    assert (files.root / "link").is_symlink()


def test_new_files_have_the_permissions_of_the_umask(files: Files) -> None:
    before = os.umask(0o077)
    try:
        files.run("file.write", path="private.txt", text="a")
        os.umask(0o022)
        files.run("file.write", path="shared.txt", text="a")
    finally:
        os.umask(before)
    modes = [(files.root / name).stat().st_mode & 0o777 for name in ("private.txt", "shared.txt")]
    assert modes == [0o600, 0o644]


def test_a_write_protected_file_is_not_replaced(files: Files) -> None:
    path = files.root / "a.txt"
    path.write_text("a")
    path.chmod(0o444)
    with pytest.raises(FileRefused, match="write-protected"):
        files.run("file.write", path="a.txt", text="b")
    with pytest.raises(FileRefused, match="write-protected"):
        files.run("file.edit", path="a.txt", old="a", new="b")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("a", 0o444)


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt",
        "/etc/passwd",
        "link.txt",
        "linked/secret.txt",
        "sub/../../outside/secret.txt",
        "~/.bashrc",
        ".ssh/id",
        "nul",
        "COM1.txt",
        "a\0b",
        "   ",
        "x" * 4_097,
    ],
)
def test_nothing_outside_the_allowed_folders_is_reached(files: Files, path: str) -> None:
    secret = files.outside / "secret.txt"
    secret.write_text("secret")
    (files.root / "link.txt").symlink_to(secret)
    (files.root / "linked").symlink_to(files.outside)
    (files.root / ".ssh").mkdir()
    (files.root / ".ssh" / "id").write_text("key")
    for name, more in (
        ("file.read", {}),
        ("file.list", {}),
        ("file.search", {"text": "s"}),
        ("file.write", {"text": "x"}),
        ("file.edit", {"old": "s", "new": "x"}),
        ("file.move", {"to": "here.txt"}),
        ("file.trash", {}),
    ):
        if name in ("file.list", "file.search") and not path.strip():
            continue
        arguments: Mapping[str, object] = {"path": path, **more}
        with pytest.raises((FileRefused, InvalidArguments)):
            files.run(name, **arguments)
    with pytest.raises((FileRefused, InvalidArguments)):
        (files.root / "mine.txt").write_text("mine")
        files.run("file.move", path="mine.txt", to=path)
    assert secret.read_text() == "secret"


def test_the_apps_own_folder_is_closed_even_inside_an_allowed_one(files: Files) -> None:
    files.allowed.insert(0, files.home.parent)
    (files.home / "settings.json").write_text("{}")
    with pytest.raises(FileRefused, match="NeoDeskPet itself"):
        files.run("file.read", path="home/settings.json")


def test_a_search_doesnt_follow_links_out(files: Files) -> None:
    (files.outside / "secret.txt").write_text("secret")
    (files.root / "linked").symlink_to(files.outside)
    (files.root / "link.txt").symlink_to(files.outside / "secret.txt")
    assert files.run("file.search", text="secret").text == "Nothing was found."


def test_without_an_allowed_folder_only_the_tool_that_adds_one_is_offered(files: Files) -> None:
    files.allowed.clear()
    assert [spec.name for spec in files.toolbox.specs()] == ["file.list"]
    with pytest.raises(NoFolderAllowed, match="Settings › Tools & permissions › Files"):
        files.run("file.list")
    with pytest.raises(NoFolderAllowed):
        files.run("file.list", path="/")


def test_binary_files_and_other_entries_are_refused_with_a_reason(files: Files) -> None:
    (files.root / "a.bin").write_bytes(b"\0\1")
    os.mkfifo(files.root / "pipe")
    (files.root / "large.txt").write_bytes(b"a" * 5_000_001)
    for path, why in (
        ("a.bin", "isn't a text file"),
        ("pipe", "neither a file nor a folder"),
        ("large.txt", "larger than 5 MB"),
        (".", "is a folder"),
        ("none.txt", "no such file"),
    ):
        with pytest.raises(FileRefused, match=why):
            files.run("file.read", path=path)
    with pytest.raises(FileRefused, match="its folder"):
        files.run("file.write", path="none/a.txt", text="")
    with pytest.raises(FileRefused, match="is a file"):
        files.run("file.list", path="large.txt")


def test_changing_files_asks_and_reading_gives_untrusted_text(files: Files) -> None:
    specs = {spec.name: spec for spec in files.toolbox.specs()}
    changing = {"file.write", "file.edit", "file.move", "file.trash"}
    assert {name for name, spec in specs.items() if spec.risk is Risk.WRITE} == changing
    assert all(specs[name].scope for name in changing)
    assert {name for name, spec in specs.items() if spec.brings_foreign} == specs.keys() - changing


TOKEN = "ghp_" + "abc123DEF456" * 3
KEY = "-----BEGIN PRIVATE KEY-----\n" + "abc123DEF456" * 5 + "\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize("name", [".netrc", ".env", ".config/gh/hosts.yml", ".bash_history"])
def test_credentials_are_not_read_listed_or_found(files: Files, name: str) -> None:
    place = files.root / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("machine a password hush")
    for called in ("file.read", "file.trash"):
        with pytest.raises(FileRefused, match="this place holds secrets"):
            files.run(called, path=name)
    with pytest.raises(FileRefused):
        files.run("file.write", path=name, text="mine")
    assert files.run("file.search", text="hush").text == "Nothing was found."
    assert files.run("file.search", name="*rc").text == "Nothing was found."


def test_tokens_in_other_files_are_replaced(files: Files) -> None:
    path = files.root / "notes.txt"
    path.write_text(f"one\n{KEY}\ntoken {TOKEN} here\nlast\n")
    assert "abc123" not in files.run("file.read", path="notes.txt").text
    assert files.run("file.read", path="notes.txt", first_line=6).text == "last\n"
    assert files.run("file.read", path="notes.txt", first_line=3, lines=1).text.startswith("\n[")
    found = files.run("file.search", text="here").text
    assert found.endswith("notes.txt:5: token [hidden] here")
    assert files.run("file.search", text="abc123def456").text == "Nothing was found."
    edited = files.run("file.edit", path="notes.txt", old="last", new="end")
    assert "+end" in edited.text
    assert "abc123" not in edited.text
    assert TOKEN in path.read_text()
    with pytest.raises(InvalidArguments, match="replaces a secret"):
        files.run("file.write", path="notes.txt", text="token [hidden] here")
    assert TOKEN in path.read_text()


def test_pipes_and_devices_block_nothing(files: Files) -> None:
    (files.root / "a.txt").write_text("needle")
    os.mkfifo(files.root / "pipe.txt")
    (files.root / "zero.txt").symlink_to("/dev/zero")
    assert files.run("file.search", text="needle").text.endswith("a.txt:1: needle")
    for called in ({"path": "pipe.txt"}, {"path": "zero.txt"}):
        with pytest.raises(FileRefused):
            files.run("file.read", **called)
        with pytest.raises(FileRefused):
            files.run("file.write", text="x", **called)
        assert files.preview("file.write", text="x", **called) is None


def test_undo_requires_that_the_folder_is_still_allowed(files: Files) -> None:
    path = files.root / "a.txt"
    made = files.run("file.write", path=str(path), text="new")
    files.allowed, kept = [files.outside], files.allowed
    with pytest.raises(CannotUndo):
        files.undo_call("file.write", made)
    files.allowed = kept
    files.undo_call("file.write", made)
    assert not path.exists()
