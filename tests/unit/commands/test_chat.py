"""The words of the chat command; what it does is in tests/stories/test_terminal.py."""

from __future__ import annotations

import pytest

from neodeskpet.commands.chat import parser, run


def test_the_words_people_may_use() -> None:
    words = parser().parse_args(
        ["hi", "--json", "--mode", "text", "--base-url", "u", "--model", "m", "--new"]
    )
    assert (words.text, words.json, words.mode, words.new) == ("hi", True, "text", True)


@pytest.mark.parametrize(
    "argv",
    [[], ["hi", "--mode", "x"], ["hi", "--protocol", "x"], [" "], ["--image", "x"] * 9],
)
def test_wrong_words_are_wrong_usage(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(argv)
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""
