"""Foreign folders and archives: nothing is written outside of the target, nothing fills
the disk.
"""

from __future__ import annotations

import os
import stat
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files import model_import
from neodeskpet.figure.files.model_import import MOST_FILES, copy_import, remove_folder, settings_in


def pack(file: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file


def files(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def refused(source: Path, target: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        copy_import(source, target)
    assert caught.value.params["file"] == source.name
    return caught.value.detail


def test_a_folder_is_copied_without_its_hidden_files(tmp_path: Path) -> None:
    source = tmp_path / "model"
    for name in ("a.json", "sub/b.png", ".git/config", ".DS_Store", "__MACOSX/a.json"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(name.encode())
    copy_import(source, tmp_path / "out")
    assert files(tmp_path / "out") == ["a.json", "sub/b.png"]
    assert (tmp_path / "out/sub/b.png").read_bytes() == b"sub/b.png"


def test_a_settings_file_imports_its_folder(tmp_path: Path) -> None:
    source = tmp_path / "model"
    source.mkdir()
    (source / "x.model3.json").write_text("{}")
    (source / "y.moc3").write_text("y")
    copy_import(source / "x.model3.json", tmp_path / "out")
    assert files(tmp_path / "out") == ["x.model3.json", "y.moc3"]


def test_a_zip_is_unpacked(tmp_path: Path) -> None:
    archive = pack(
        tmp_path / "m.zip", {"cat/cat.moc3": b"1", "cat\\t.png": b"2", "__MACOSX/x": b""}
    )
    copy_import(archive, tmp_path / "out")
    assert files(tmp_path / "out") == ["cat/cat.moc3", "cat/t.png"]


def test_chinese_names_of_old_archives_are_read(tmp_path: Path) -> None:
    archive = tmp_path / "m.zip"
    raw = "模型/表情.exp3.json".encode("gbk")
    with zipfile.ZipFile(archive, "w") as writing:
        writing.writestr("x" * len(raw), b"{}")
    archive.write_bytes(archive.read_bytes().replace(b"x" * len(raw), raw))
    copy_import(archive, tmp_path / "out")
    assert files(tmp_path / "out") == ["模型/表情.exp3.json"]


@pytest.mark.parametrize(
    "name", ["../up.png", "a/../../up.png", "/etc/up.png", "C:/up.png", "..\\up.png", "\\up.png"]
)
def test_names_that_lead_outside_are_refused(tmp_path: Path, name: str) -> None:
    archive = pack(tmp_path / "m.zip", {"a.json": b"{}", name: b"x"})
    said = refused(archive, tmp_path / "deep" / "out")
    assert "outside" in said or "forbidden" in said
    assert not list(tmp_path.rglob("up.png"))


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30),
        max_size=4,
    )
)
def test_no_name_leads_outside(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("zip")
    archive = pack(folder / "m.zip", {f"{name}../x": b"x" for name in names})
    before = files(folder)
    try:
        copy_import(archive, folder / "deep" / "out")
    except ModelFileError as error:
        assert error.detail
    outside = [name for name in files(folder) if not name.startswith("deep/out/")]
    assert outside == before


def test_links_are_refused(tmp_path: Path) -> None:
    archive = tmp_path / "m.zip"
    with zipfile.ZipFile(archive, "w") as writing:
        link = zipfile.ZipInfo("link.png")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        writing.writestr(link, "/etc/passwd")
    assert "link" in refused(archive, tmp_path / "out")
    source = tmp_path / "folder"
    source.mkdir()
    (source / "secret.png").symlink_to("/etc/passwd")
    assert "link" in refused(source, tmp_path / "out2")


def test_pipes_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "folder"
    source.mkdir()
    os.mkfifo(source / "pipe.png")
    assert "not a file" in refused(source, tmp_path / "out")


def test_zip_bombs_are_refused(tmp_path: Path) -> None:
    archive = pack(tmp_path / "m.zip", {"zeros.png": bytes(60_000_000)})
    assert "far larger unpacked" in refused(archive, tmp_path / "out")
    written = sum(path.stat().st_size for path in (tmp_path / "out").rglob("*"))
    assert written < 30_000_000


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, method: int) -> None:
    archive = tmp_path / "m.zip"
    with zipfile.ZipFile(archive, "w", method) as writing:
        writing.writestr("cat.json", b"{}" * 10)
    assert "plain zip" in refused(archive, tmp_path / "out")
    assert files(tmp_path / "out") == []


def test_an_endless_list_of_files_is_refused(tmp_path: Path) -> None:
    # A directory of 50,000 entries, each with a long comment, and no file.
    comment = b"x" * 100
    entry = b"PK\x01\x02" + struct.pack(
        "<4B4HL2L5H2L", 20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, len(comment), 0, 0, 0, 0
    )
    listing = (entry + b"a" + comment) * 50_000
    end = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 50_000, 50_000, len(listing), 0, 0)
    archive = tmp_path / "m.zip"
    archive.write_bytes(listing + end)
    assert "list of files" in refused(archive, tmp_path / "out")


def test_a_pipe_or_a_device_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "cat.model3.json"
    os.mkfifo(pipe)
    assert "neither" in brought_apart(pipe, tmp_path / "out")
    assert "neither" in brought_apart(Path("/dev/zero"), tmp_path / "out2")


def brought_apart(source: Path, target: Path) -> str:
    """Run `bring` in a process that may hang; return why it refused."""
    code = """
import sys
from pathlib import Path
from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_import import copy_import
try:
    copy_import(Path(sys.argv[1]), Path(sys.argv[2]))
except ModelFileError as error:
    print(error.detail)
"""
    command = [sys.executable, "-c", code, str(source), str(target)]
    done = subprocess.run(command, capture_output=True, timeout=30, check=True)
    return done.stdout.decode().strip()


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    archive = pack(
        tmp_path / "m.zip", {f"{n}.json": b"" for n in range(model_import.MOST_FILES + 1)}
    )
    assert str(model_import.MOST_FILES) in refused(archive, tmp_path / "out")


def test_folders_too_deep_are_refused(tmp_path: Path) -> None:
    archive = pack(tmp_path / "m.zip", {"a/" * 20 + "x.json": b""})
    assert "deep" in refused(archive, tmp_path / "out")
    (tmp_path / "f" / Path("a/" * 20)).mkdir(parents=True)
    assert "deep" in refused(tmp_path / "f", tmp_path / "out2")


@pytest.mark.parametrize("spoil", [b"PK\x03\x04 nothing", b"PK\x05\x06" + bytes(18), b"{}", b""])
def test_a_file_that_is_no_archive_is_reported(tmp_path: Path, spoil: bytes) -> None:
    file = tmp_path / "m.zip"
    file.write_bytes(spoil)
    if spoil.startswith(b"PK\x05"):
        copy_import(file, tmp_path / "out")
        assert files(tmp_path / "out") == []
    else:
        assert refused(file, tmp_path / "out")


@settings(max_examples=80, deadline=None)
@given(at=st.integers(0, 400), bit=st.integers(0, 7), cut=st.integers(0, 400))
def test_damaged_archives_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, at: int, bit: int, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("zip")
    archive = pack(folder / "m.zip", {"cat/cat.json": b"{}" * 60, "b.png": b"png" * 40})
    data = bytearray(archive.read_bytes())
    data[at % len(data)] ^= 1 << bit
    archive.write_bytes(data[: len(data) - cut % 3])
    try:
        copy_import(archive, folder / "out")
    except ModelFileError as error:
        assert error.detail


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    assert refused(tmp_path / "nothing", tmp_path / "out")


def test_discard_removes_a_link_and_not_its_target(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    remove_folder(tmp_path / "link")
    assert (tmp_path / "real").is_dir()
    remove_folder(tmp_path / "real")
    assert not (tmp_path / "real").exists()


def test_a_folder_with_a_model_is_recognised_by_names(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    assert not settings_in(tmp_path)
    (folder / "x.model3.json").write_text("{}")
    assert settings_in(tmp_path)
    assert settings_in(folder / "x.model3.json")
    assert not settings_in(folder / "notes.json")
    assert settings_in(pack(tmp_path / "m.zip", {"in/Model.json": b"{}"}))
    assert not settings_in(pack(tmp_path / "n.zip", {"in/readme.txt": b"{}"}))
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04nothing")
    assert not settings_in(tmp_path / "broken.zip")
    assert not settings_in(tmp_path / "gone.zip")


def test_the_number_of_examined_files_is_limited(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdef")
    deep.mkdir(parents=True)
    (deep / "x.model3.json").write_text("{}")
    assert not settings_in(tmp_path), "it isn't found when it is imported"
    many = {f"{number:05}.txt": b"" for number in range(2 * MOST_FILES)}
    assert not settings_in(pack(tmp_path / "m.zip", {**many, "x.model3.json": b"{}"}))
