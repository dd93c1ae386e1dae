"""The meaning of an answer in words."""

import pytest

from neodeskpet.core.grant_scope import Constraint, Grant, ScopeKind
from neodeskpet.language.approval_text import grant_label, grant_limits_text


def grant(*bounds: Constraint) -> Grant:
    return Grant("tool", bounds)


@pytest.mark.parametrize(
    ("given", "button", "whole"),
    [
        (grant(), "Always", ""),
        (
            grant(Constraint("path", ScopeKind.FOLDER, "/home/docs")),
            "Always in docs",
            "path in /home/docs",
        ),
        (grant(Constraint("path", ScopeKind.FOLDER, "C:\\me")), "Always in me", "path in C:\\me"),
        (
            grant(Constraint("url", ScopeKind.HOST, "a.example")),
            "Always at a.example",
            "url at a.example",
        ),
        (grant(Constraint("command", ScopeKind.COMMAND, "git")), "Always for git", "command: git"),
        (
            grant(
                Constraint("a", ScopeKind.FOLDER, "/x/y"), Constraint("b", ScopeKind.FOLDER, "/x/z")
            ),
            "Always in y → z",
            "a in /x/y, b in /x/z",
        ),
        (
            grant(Constraint("city", ScopeKind.VALUE, "\u202ex")),
            "Always for \\u202ex",
            "city: \\u202ex",
        ),
    ],
)
def test_a_grant_in_words(given: Grant, button: str, whole: str) -> None:
    assert (grant_label(given), grant_limits_text(given)) == (button, whole)


def test_a_button_stays_short() -> None:
    long = grant(Constraint("city", ScopeKind.VALUE, "x" * 100))
    assert len(grant_label(long)) < 45
    assert "x" * 100 in grant_limits_text(long)
