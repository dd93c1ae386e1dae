"""The arguments of the chat command; its behaviour is in tests/stories/test_terminal.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.cli.chat_command import _options, parser, run


def test_the_accepted_arguments() -> None:
    words = parser().parse_args(
        ["hi", "--json", "--mode", "text", "--base-url", "u", "--model", "m", "--new"]
    )
    assert (words.text, words.json, words.mode, words.new) == ("hi", True, "text", True)


def test_a_model_file_is_the_service_of_this_run(tmp_path: Path) -> None:
    options = _options(parser().parse_args(["hi", "--local", str(tmp_path / "Tiny 小.gguf")]))
    assert options.base_url == f"local:{tmp_path}/Tiny 小.gguf"
    assert options.model == "Tiny 小"
    assert options.protocol is None


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["hi", "--mode", "x"],
        ["hi", "--approve", "x"],
        ["hi", "--approve", "ask"],
        ["hi", "--protocol", "x"],
        [" "],
        ["--image", "x"] * 9,
        ["hi", "--local", "a.gguf", "--base-url", "u"],
    ],
)
def test_invalid_arguments_are_wrong_usage(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(argv)
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


def test_a_file_that_is_no_picture_is_refused_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, wrong = tmp_path / "home", tmp_path / "notes.png"
    wrong.write_text("not a picture", encoding="utf-8")
    told = ["Look", "--data-dir", str(home), "--image"]
    assert run([*told, str(wrong)]) == 2
    plain = capsys.readouterr()
    assert plain.out == ""
    assert "notes.png can't be used as a picture" in plain.err
    assert run([*told, str(tmp_path / "gone.png"), "--json"]) == 2
    told_as_json = capsys.readouterr()
    result = json.loads(told_as_json.out)
    assert (result["type"], result["error"]["type"]) == ("result", "picture")
    assert "gone.png" in told_as_json.err
    assert not home.exists()
