"""Addresses of servers: accepted and refused ones."""

from __future__ import annotations

import pytest

from neodeskpet.sync.sync_errors import AddressHoldsPassword, InvalidAddress, check_address


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me@home/pet",
        "postgres://me@home:5433/pet?sslmode=verify-full",
        " postgresql://me@[::1]/pet ",
        "postgresql:///?host=/run/postgresql&dbname=pet",
    ],
)
def test_addresses(address: str) -> None:
    assert check_address(address) == address.strip()


@pytest.mark.parametrize(
    "address",
    ["", "home", "http://home/pet", "postgresql://me@home", "postgresql://me@home/p?x=1",
     "postgresql://me@home:abc/pet", "postgresql://[/pet", "postgresql://me@home/p?service=x"],
)  # fmt: skip
def test_invalid_addresses(address: str) -> None:
    with pytest.raises(InvalidAddress):
        check_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:secret@home/pet",
        "postgresql://me:@home/pet",
        "postgresql://me@home/pet?password=secret",
        "postgresql://me@home/pet?passfile=/tmp/x",
    ],
)
def test_a_password_in_it_is_refused(address: str) -> None:
    with pytest.raises(AddressHoldsPassword) as caught:
        check_address(address)
    assert "secret" not in str(caught.value)
