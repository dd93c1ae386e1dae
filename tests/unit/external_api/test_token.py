"""The token of the port for programs."""

from __future__ import annotations

import pytest

from neodeskpet.external_api.access_control import is_valid_header, new_token


def test_only_the_token_is_right() -> None:
    token, digest = new_token()
    assert token not in digest
    assert is_valid_header(f"Bearer {token}", digest)
    assert is_valid_header(f"bearer {token}", digest)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic {token}", "Bearer x{token}"])
def test_nothing_else_is(header: str) -> None:
    token, digest = new_token()
    assert not is_valid_header(header.format(token=token), digest)
    assert not is_valid_header(f"Bearer {digest}", digest)
    assert not is_valid_header(f"Bearer {token}", ""), "no token yet"
