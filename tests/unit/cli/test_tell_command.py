"""`neodeskpet tell`: its arguments and exit codes. Its effects are in the stories."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from neodeskpet.cli.tell_command import NOT_DELIVERED, USAGE_ERROR, run


def test_no_app_is_running(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["hello", "--data-dir", str(tmp_path)]) == NOT_DELIVERED
    assert capsys.readouterr().err == "NeoDeskPet isn't running. Start it first.\n"


def test_standard_input_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello"))
    assert run(["-", "--data-dir", str(tmp_path)]) == NOT_DELIVERED
    assert "isn't running" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["  "], ["--choices", "a,b"], ["--no-such-word"]])
def test_invalid_arguments_are_never_a_veto(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(words)
    assert ended.value.code == USAGE_ERROR
