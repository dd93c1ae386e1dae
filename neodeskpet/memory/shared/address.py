"""The address of the server: `postgresql://name@computer:port/database`. Never with a password."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from neodeskpet.memory.shared.faults import AddressHoldsPassword, InvalidAddress

ADDRESS_SCHEMES = ("postgresql", "postgres")
_KNOWN_OPTIONS = frozenset(
    (
        *("host", "port", "user", "dbname", "options", "sslmode", "channel_binding"),
        *("sslrootcert", "sslcert", "sslkey", "sslcrl"),
    )
)
"""Allowed parameters after the question mark. None of them holds a password."""


def check_address(text: str) -> str:
    """The address, without blanks around it. Raises InvalidAddress and AddressHoldsPassword."""
    address = text.strip()
    try:
        parts = urlsplit(address)
        named = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        port, password = parts.port, parts.password
    except ValueError as error:
        raise InvalidAddress from error
    keys = {key for key, _ in named}
    if password is not None or keys & {"password", "passfile", "sslpassword"}:
        raise AddressHoldsPassword
    has_base = parts.path.strip("/") or "dbname" in keys
    if (
        parts.scheme not in ADDRESS_SCHEMES
        or not has_base
        or port == 0
        or not keys <= _KNOWN_OPTIONS
    ):
        raise InvalidAddress
    return address
