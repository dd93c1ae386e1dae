"""Fenced code in any split."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.dialects.marker_reader import FenceTracker
from tests.unit.core.dialects.splitting import cut_everywhere, pieces_of


def fed(*pieces: str) -> FenceTracker:
    tracker = FenceTracker()
    for piece in pieces:
        tracker.feed(piece)
    return tracker


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("", False),
        ("plain", False),
        ("``", False),
        ("```", True),
        ("```python", True),
        ("```python\ncode\n", True),
        ("```\ncode\n```", True),  # The rest of the closing line may still make it code.
        ("```\ncode\n```\n", False),
        ("```\ncode\n```  \n", False),
        ("```\ncode\n```\r\n", False),
        ("```\ncode\n``` not\n", True),
        ("~~~\n```\n", True),
        ("~~~\n```\n~~~\n", False),
        ("````\n```\n", True),
        ("````\n`````\n", False),
        ("   ```\n", True),
        ("    ```\n", False),
        ("text ```\n", False),
        ("``` a`b\n", False),
        ("~~~ a`b\n", True),
        ("```\n```\n```\n", True),
    ],
)
def test_whether_a_fence_is_open_at_every_split(text: str, is_open: bool) -> None:
    for pieces in cut_everywhere(text):
        assert fed(*pieces).open is is_open


def test_looking_ahead_changes_no_state() -> None:
    tracker = fed("a\n")
    assert tracker.after("```\n")
    assert not tracker.after("b")
    assert not tracker.open
    tracker.feed("```\ncode")
    assert not tracker.after("\n```\n")
    assert tracker.open


lines = st.sampled_from(["```", "~~~", "````", "``", "`", " ", "a", "\n", "x" * 300, "\r\n"])


@given(st.lists(lines, max_size=20).map("".join), st.data())
def test_splits_change_nothing(text: str, data: st.DataObject) -> None:
    assert fed(*pieces_of(text, data)).open is fed(text).open


def test_an_endless_line_is_not_stored() -> None:
    tracker = fed("```", *["x" * 1000] * 100)
    assert tracker.open
    assert sum(len(value) for value in vars(tracker).values() if isinstance(value, str)) < 1000
