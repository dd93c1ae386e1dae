"""The token of the port for programs."""

from __future__ import annotations

import pytest

from neodeskpet.visitors.token import is_right, new_token


def test_only_the_token_is_right() -> None:
    token, digest = new_token()
    assert token not in digest
    assert is_right(f"Bearer {token}", digest)
    assert is_right(f"bearer {token}", digest)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic {token}", "Bearer x{token}"])
def test_nothing_else_is(header: str) -> None:
    token, digest = new_token()
    assert not is_right(header.format(token=token), digest)
    assert not is_right(f"Bearer {digest}", digest)
    assert not is_right(f"Bearer {token}", ""), "no token yet"
