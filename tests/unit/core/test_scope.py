"""How far "always" reaches. What can't be read for certain reaches nowhere."""

import pytest

from neodeskpet.core.scope import Bound, Reach, bounds_of, covers, read_reach


@pytest.mark.parametrize(
    ("reach", "value", "read"),
    [
        (Reach.VALUE, "Berlin", "Berlin"),
        (Reach.VALUE, 3, "3"),
        (Reach.VALUE, ["Berlin"], None),
        (Reach.FOLDER, "/home/me/docs/a.txt", "/home/me/docs"),
        (Reach.FOLDER, "//home/./me//a.txt", "/home/me"),
        (Reach.FOLDER, "/home/me/docs/", "/home/me/docs"),
        (Reach.FOLDER, "~/docs/a.txt", "~/docs"),
        (Reach.FOLDER, "~/a.txt", None),
        (Reach.FOLDER, "~root/docs/a.txt", None),
        (Reach.FOLDER, "c:\\Users\\me\\a.txt", "C:\\Users\\me"),
        (Reach.FOLDER, "C:/Users/me/a.txt", "C:\\Users\\me"),
        (Reach.FOLDER, "C:\\Users\\me\\.. \\x\\a", None),
        (Reach.FOLDER, "C:\\Users\\a.txt.", None),
        (Reach.FOLDER, "/home/me/docs/../../other/a.txt", None),
        (Reach.FOLDER, "/home/me/docs/..", None),
        (Reach.FOLDER, "/home/me\\docs/a.txt", None),
        (Reach.FOLDER, "/home/me/\0/a.txt", None),
        (Reach.FOLDER, "docs/a.txt", None),
        (Reach.FOLDER, "/a.txt", None),
        (Reach.FOLDER, "\\\\server\\share\\a.txt", None),
        (Reach.FOLDER, 7, None),
        (Reach.HOST, "https://Example.com/a?b", "example.com"),
        (Reach.HOST, "https://example.com:443/", "example.com"),
        (Reach.HOST, "http://example.com:8080/", "example.com:8080"),
        (Reach.HOST, "http://[::1]:8080/", "[::1]:8080"),
        (Reach.HOST, "https://example.com@evil.example/", None),
        (Reach.HOST, "https://example.com\\@evil.example/", None),
        (Reach.HOST, "https://exa mple.com/", None),
        (Reach.HOST, "https://example.com\n/", None),
        (Reach.HOST, "https://еxample.com/", None),
        (Reach.HOST, "https://example.com:99999/", None),
        (Reach.HOST, "file:///etc/passwd", None),
        (Reach.HOST, "javascript:alert(1)", None),
        (Reach.HOST, None, None),
        (Reach.UNBOUNDED, "git status", None),
        (Reach.COMMAND, "git status", None),
    ],
)
def test_what_of_a_value_counts(reach: Reach, value: object, read: str | None) -> None:
    assert read_reach(reach, value) == read


def test_a_folder_covers_what_is_below_and_nothing_beside() -> None:
    def within(folder: str) -> tuple[Bound, ...]:
        return (Bound("path", Reach.FOLDER, folder),)

    docs = within("/home/me/docs")
    assert covers(docs, docs)
    assert covers(docs, within("/home/me/docs/deep/er"))
    assert not covers(docs, within("/home/me/docs2"))
    assert not covers(docs, within("/home/me"))
    assert covers(within("C:\\Users\\me"), within("C:\\Users\\me\\docs"))
    assert not covers(within("C:\\Users\\me"), within("C:\\Users\\me2"))


def test_a_call_is_bound_by_all_its_arguments_of_the_scope() -> None:
    scope = {"source": Reach.FOLDER, "target": Reach.FOLDER}
    both = bounds_of(scope, {"source": "/a/b/c", "target": "/d/e/f", "other": 1})
    assert both == (
        Bound("source", Reach.FOLDER, "/a/b"),
        Bound("target", Reach.FOLDER, "/d/e"),
    )
    one = bounds_of(scope, {"source": "/a/b/c", "target": None})
    assert one == (Bound("source", Reach.FOLDER, "/a/b"),)
    assert not covers(one, both)
    assert not covers(both, one)
    assert bounds_of(scope, {"source": "/a/b/c", "target": "f"}) is None
    assert bounds_of(scope, {}) is None
    assert bounds_of({}, {"source": "/a/b/c"}) is None
