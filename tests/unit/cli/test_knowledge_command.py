"""`neodeskpet knowledge`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.cli import knowledge_command

SECRET = "xyzzyplughword"


def run(home: Path, *words: str) -> int:
    return knowledge_command.run([*words, "--data-dir", str(home)])


def test_a_folder_is_added_searched_listed_and_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, papers = tmp_path / "home", tmp_path / "papers"
    papers.mkdir()
    (papers / "kettle.md").write_text(f"# Kettle\n\nIt stands beside the {SECRET}.\n")
    assert run(home, "add", str(papers)) == 0
    assert "Files: 1 · passages: 1" in capsys.readouterr().out
    assert run(home, "search", "where is the kettle?") == 0
    assert "[kettle.md › Kettle]" in capsys.readouterr().out
    assert run(home, "search", "kettle", "--json", "--count", "1") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["source"] == "kettle.md › Kettle"
    assert SECRET in told["text"]
    assert run(home, "list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert (listed["kind"], listed["address"]) == ("folder", str(papers))
    (papers / "pan.md").write_text("A pan of iron.\n")
    assert run(home, "update") == 0
    assert "Files: 2" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert run(home, "remove", "papers") == 0
    assert run(home, "remove", "papers") == 1
    assert "papers" in capsys.readouterr().err
    for path in home.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    assert run(home, "search", "kettle") == 0
    assert "Nothing" in capsys.readouterr().out


def test_an_unreadable_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4")
    assert run(tmp_path / "home", "add", str(broken)) == 1
    told = capsys.readouterr().out
    assert "broken.pdf" in told and "damaged" in told
    assert run(tmp_path / "home", "list") == 0
    assert "Files: 0" in capsys.readouterr().out
    assert run(tmp_path / "home", "add", str(tmp_path / "nowhere")) == 1
    assert "nowhere" in capsys.readouterr().err
    assert run(tmp_path / "home") == 2


def test_a_page_of_the_local_network_is_not_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "home", "add", "http://127.0.0.1:9/secret") == 1
    assert "public internet address" in capsys.readouterr().out.replace("\n", " ")


def test_omissions_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, papers = tmp_path / "home", tmp_path / "papers"
    home.mkdir()
    papers.mkdir()
    (papers / "long.txt").write_text("A line of words.\n" * 7000)
    (papers / "photo.png").write_bytes(b"")
    (papers / "tool.exe").write_bytes(b"")
    settings = {"version": 1, "memory": {"knowledge_characters": 100_000}}
    (home / "settings.json").write_text(json.dumps(settings))
    assert run(home, "add", str(papers)) == 0
    told = capsys.readouterr().out
    assert "long.txt: Left out: everything after the first 100,000 characters" in told
    assert "Files without text: 2" in told and ".png (1)" in told and ".exe (1)" in told
    assert run(home, "list") == 0
    assert "everything after the first 100,000" in capsys.readouterr().out
    assert run(home, "list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    (incomplete,) = listed["incomplete"]
    assert incomplete["omitted"] == {"after_limit": 100_000}
    assert listed["skipped"] == {".exe": 1, ".png": 1}
    settings["memory"] = {"knowledge_characters": 200_000}
    (home / "settings.json").write_text(json.dumps(settings))
    assert run(home, "update") == 0
    assert "Left out" not in capsys.readouterr().out


def test_the_encoding_is_shown_and_another_can_be_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, file = tmp_path / "home", tmp_path / "old.txt"
    file.write_bytes("ДОКУМЕНТ: встреча завтра".encode("cp1251"))
    assert run(home, "add", str(file)) == 0
    assert "Read as cp1251." in capsys.readouterr().out
    assert run(home, "add", str(file), "--encoding", "koi8_r") == 0
    assert "Read as koi8_r." in capsys.readouterr().out
    assert run(home, "search", "встреча") == 0
    assert "Nothing" in capsys.readouterr().out
    assert run(home, "add", str(file), "--encoding", "nonsense") == 2
    assert "There is no encoding" in capsys.readouterr().err


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_path_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], empty: str
) -> None:
    assert run(tmp_path / "home", "add", empty) == 2
    assert "empty" in capsys.readouterr().err
