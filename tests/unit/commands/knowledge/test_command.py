"""`neodeskpet knowledge`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.commands.knowledge import command

SECRET = "xyzzyplughword"


def run(home: Path, *words: str) -> int:
    return command.run([*words, "--data-dir", str(home)])


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


def test_what_can_not_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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


def test_a_page_of_ones_own_network_is_not_fetched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "home", "add", "http://127.0.0.1:9/secret") == 1
    assert "no address of the internet" in capsys.readouterr().out.replace("\n", " ")
