"""Rows of lists are values."""

from dataclasses import FrozenInstanceError

import pytest

from neodeskpet.core.blocks import ConversationInfo, MessageHead


def test_rows_compare_by_value() -> None:
    assert ConversationInfo("c", "Cats", 1.0, 2.0) == ConversationInfo("c", "Cats", 1.0, 2.0, False)
    assert MessageHead("m", "user", 3) == MessageHead("m", "user", 3, 1)


def test_rows_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        MessageHead("m", "user", 3).chars = 4  # type: ignore[misc]
