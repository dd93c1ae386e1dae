"""The token of the HTTP port."""

from __future__ import annotations

import pytest

from neodeskpet.external_api.access_control import is_valid_header, new_token


def test_only_the_token_is_accepted() -> None:
    token, digest = new_token()
    assert token not in digest
    assert is_valid_header(f"Bearer {token}", digest)
    assert is_valid_header(f"bearer {token}", digest)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic {token}", "Bearer x{token}"])
def test_other_values_are_refused(header: str) -> None:
    token, digest = new_token()
    assert not is_valid_header(header.format(token=token), digest)
    assert not is_valid_header(f"Bearer {digest}", digest)
    assert not is_valid_header(f"Bearer {token}", ""), "no token yet"
