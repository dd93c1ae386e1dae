"""The password of the sync server, and the passphrase that encrypts what is sent there: in the
keyring or the environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from neodeskpet.redaction import register_secret
from neodeskpet.settings.secrets import Secrets

ENVIRONMENT = "NEODESKPET_SHARED_PASSWORD"
PASSPHRASE_ENVIRONMENT = "NEODESKPET_SYNC_PASSPHRASE"
_NAMES = frozenset(("password", "passfile", "sslpassword"))


def holds_password(address: str) -> bool:
    """Whether an address names a password, or where one lies; as far as it can be read."""
    try:
        parts = urlsplit(address.strip())
        named = {key.casefold() for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
        return parts.password is not None or bool(named & _NAMES)
    except ValueError:
        return "@" in address and ":" in address.partition("://")[2].partition("@")[0]


def password_name(address: str) -> str:
    """Its name among the keys: one for each name on each server."""
    try:
        parts = urlsplit(address.strip())
        return f"key postgresql://{parts.netloc}".casefold()
    except ValueError:
        return f"key {address}".casefold()


def passphrase_name(address: str) -> str:
    """The name of the passphrase among the keys: one for each name on each server."""
    return password_name(address).replace("key ", "passphrase ", 1)


def read_passphrase(secrets: Secrets, address: str, environ: Mapping[str, str] = os.environ) -> str:
    """The passphrase for this address, "" for no encryption. May block."""
    found = secrets.get(passphrase_name(address), environment=False)
    found = found or environ.get(PASSPHRASE_ENVIRONMENT, "")
    register_secret(found)
    return found


def read_password(secrets: Secrets, address: str, environ: Mapping[str, str] = os.environ) -> str:
    """The password for this address, "" for none: what was entered, else the environment's. May
    block.
    """
    found = secrets.get(password_name(address), environment=False)
    if not found:
        found = environ.get(ENVIRONMENT, "")
        register_secret(found)
    return found
