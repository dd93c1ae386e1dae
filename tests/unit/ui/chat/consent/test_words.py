"""What an answer means, in words."""

import pytest

from neodeskpet.core.scope import Bound, Grant, Reach
from neodeskpet.ui.chat.consent.words import bounds_words, button_words


def grant(*bounds: Bound) -> Grant:
    return Grant("tool", bounds)


@pytest.mark.parametrize(
    ("given", "button", "whole"),
    [
        (grant(), "Always", ""),
        (
            grant(Bound("path", Reach.FOLDER, "/home/docs")),
            "Always in docs",
            "path in /home/docs",
        ),
        (grant(Bound("path", Reach.FOLDER, "C:\\me")), "Always in me", "path in C:\\me"),
        (grant(Bound("url", Reach.HOST, "a.example")), "Always at a.example", "url at a.example"),
        (grant(Bound("command", Reach.COMMAND, "git")), "Always for git", "command: git"),
        (
            grant(Bound("a", Reach.FOLDER, "/x/y"), Bound("b", Reach.FOLDER, "/x/z")),
            "Always in y → z",
            "a in /x/y, b in /x/z",
        ),
        (grant(Bound("city", Reach.VALUE, "\u202ex")), "Always for \\u202ex", "city: \\u202ex"),
    ],
)
def test_a_grant_in_words(given: Grant, button: str, whole: str) -> None:
    assert (button_words(given), bounds_words(given)) == (button, whole)


def test_a_button_stays_short() -> None:
    long = grant(Bound("city", Reach.VALUE, "x" * 100))
    assert len(button_words(long)) < 45
    assert "x" * 100 in bounds_words(long)
