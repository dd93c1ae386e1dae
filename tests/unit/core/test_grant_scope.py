"""The scope of "always". A value that can't be read for certain is in no scope."""

import pytest

from neodeskpet.core.grant_scope import (
    Constraint,
    ScopeKind,
    constraints_of,
    covers,
    read_scope_value,
)


@pytest.mark.parametrize(
    ("reach", "value", "read"),
    [
        (ScopeKind.VALUE, "Berlin", "Berlin"),
        (ScopeKind.VALUE, 3, "3"),
        (ScopeKind.VALUE, ["Berlin"], None),
        (ScopeKind.FOLDER, "/home/me/docs/a.txt", "/home/me/docs"),
        (ScopeKind.FOLDER, "//home/./me//a.txt", "/home/me"),
        (ScopeKind.FOLDER, "/home/me/docs/", "/home/me/docs"),
        (ScopeKind.FOLDER, "~/docs/a.txt", "~/docs"),
        (ScopeKind.FOLDER, "~/a.txt", None),
        (ScopeKind.FOLDER, "~root/docs/a.txt", None),
        (ScopeKind.FOLDER, "c:\\Users\\me\\a.txt", "C:\\Users\\me"),
        (ScopeKind.FOLDER, "C:/Users/me/a.txt", "C:\\Users\\me"),
        (ScopeKind.FOLDER, "C:\\Users\\me\\.. \\x\\a", None),
        (ScopeKind.FOLDER, "C:\\Users\\a.txt.", None),
        (ScopeKind.FOLDER, "/home/me/docs/../../other/a.txt", None),
        (ScopeKind.FOLDER, "/home/me/docs/..", None),
        (ScopeKind.FOLDER, "/home/me\\docs/a.txt", None),
        (ScopeKind.FOLDER, "/home/me/\0/a.txt", None),
        (ScopeKind.FOLDER, "docs/a.txt", None),
        (ScopeKind.FOLDER, "/a.txt", None),
        (ScopeKind.FOLDER, "\\\\server\\share\\a.txt", None),
        (ScopeKind.FOLDER, 7, None),
        (ScopeKind.HOST, "https://Example.com/a?b", "example.com"),
        (ScopeKind.HOST, "https://example.com:443/", "example.com"),
        (ScopeKind.HOST, "http://example.com:8080/", "example.com:8080"),
        (ScopeKind.HOST, "http://[::1]:8080/", "[::1]:8080"),
        (ScopeKind.HOST, "https://example.com@evil.example/", None),
        (ScopeKind.HOST, "https://example.com\\@evil.example/", None),
        (ScopeKind.HOST, "https://exa mple.com/", None),
        (ScopeKind.HOST, "https://example.com\n/", None),
        (ScopeKind.HOST, "https://еxample.com/", None),
        (ScopeKind.HOST, "https://example.com:99999/", None),
        (ScopeKind.HOST, "file:///etc/passwd", None),
        (ScopeKind.HOST, "javascript:alert(1)", None),
        (ScopeKind.HOST, None, None),
        (ScopeKind.UNBOUNDED, "git status", None),
        (ScopeKind.COMMAND, "git status", None),
    ],
)
def test_the_part_of_a_value_that_counts(reach: ScopeKind, value: object, read: str | None) -> None:
    assert read_scope_value(reach, value) == read


def test_a_folder_covers_its_content_and_nothing_else() -> None:
    def within(folder: str) -> tuple[Constraint, ...]:
        return (Constraint("path", ScopeKind.FOLDER, folder),)

    docs = within("/home/me/docs")
    assert covers(docs, docs)
    assert covers(docs, within("/home/me/docs/deep/er"))
    assert not covers(docs, within("/home/me/docs2"))
    assert not covers(docs, within("/home/me"))
    assert covers(within("C:\\Users\\me"), within("C:\\Users\\me\\docs"))
    assert not covers(within("C:\\Users\\me"), within("C:\\Users\\me2"))


def test_all_arguments_of_the_scope_must_be_in_it() -> None:
    scope = {"source": ScopeKind.FOLDER, "target": ScopeKind.FOLDER}
    both = constraints_of(scope, {"source": "/a/b/c", "target": "/d/e/f", "other": 1})
    assert both == (
        Constraint("source", ScopeKind.FOLDER, "/a/b"),
        Constraint("target", ScopeKind.FOLDER, "/d/e"),
    )
    one = constraints_of(scope, {"source": "/a/b/c", "target": None})
    assert one == (Constraint("source", ScopeKind.FOLDER, "/a/b"),)
    assert not covers(one, both)
    assert not covers(both, one)
    assert constraints_of(scope, {"source": "/a/b/c", "target": "f"}) is None
    assert constraints_of(scope, {}) is None
    assert constraints_of({}, {"source": "/a/b/c"}) is None
