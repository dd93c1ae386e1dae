"""The token of the port for programs: shown once, kept as its SHA-256, which opens nothing."""

from __future__ import annotations

import hashlib
import hmac
import secrets


def new_token() -> tuple[str, str]:
    """A token, and what is kept of it."""
    token = secrets.token_urlsafe(32)
    return token, token_digest(token)


def token_digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def is_valid_header(header: str, digest: str) -> bool:
    """Whether `header` (of Authorization) has the token that `digest` is of."""
    scheme, _, token = header.partition(" ")
    right = hmac.compare_digest(token_digest(token.strip()), digest)
    return scheme.casefold() == "bearer" and right
