"""Notes on releases, and which version is newer."""

from __future__ import annotations

import json

import pytest

from neodeskpet.core.release_notes import InvalidReleaseNote, is_newer, read_release
from tests.unit.app.vectors import NOTE


def note(**fields: object) -> bytes:
    return json.dumps({"version": "1.2", **fields}).encode()


def test_a_note_is_read_in_both_languages() -> None:
    release = read_release(NOTE)
    assert (release.version, release.day) == ("0.2.0", "2026-12-01")
    assert release.page == "https://example.org/neodeskpet"
    assert release.news_in("zh_CN") == ("形象会眨眼。", "更快。")
    assert release.news_in("fr") == release.news_in("en") == ("Figures blink.", "Faster.")


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[]", b"{", b"{}", b'{"version": "new"}', b'{"version": "1.2 "}']
)
def test_an_invalid_note_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidReleaseNote):
        read_release(content)


def test_the_text_of_a_note_is_plain_and_short() -> None:
    lines = ["a\u202eb\x1b[2J", 5, "", "x" * 999, *["y"] * 50]
    release = read_release(note(date="soon", page="http://a", news={"en": lines, "zh_CN": "no"}))
    assert (release.day, release.page) == ("", "")
    first, long, *rest = release.news_in("en")
    assert "\u202e" not in first
    assert "\x1b" not in first
    assert len(long) == 300
    assert len(rest) == 18
    assert release.news_in("zh_CN") == release.news_in("en")
    assert read_release(note(news=7)).news_in("en") == ()
    assert read_release(note(page="https://a\n.b")).page == ""


@pytest.mark.parametrize(
    ("version", "than", "newer"),
    [
        ("0.2.0", "0.1.9", True),
        ("0.10", "0.9.5", True),
        ("0.1.0", "0.1", False),
        ("0.1.1", "0.1", True),
        ("0.1.0", "0.2.0", False),
        ("1", "0.9.9.9", True),
        ("0.2.0", "0.2.0.dev3", False),
        ("newest", "0.1", False),
        ("1.0", "?", True),
    ],
)
def test_which_version_is_newer(version: str, than: str, newer: bool) -> None:
    assert is_newer(version, than) is newer
