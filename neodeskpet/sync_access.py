"""How to reach the sync server, from the settings and the keyring."""

from __future__ import annotations

from neodeskpet.memory.shared.server import ServerAccess
from neodeskpet.settings.plain_hosts import parse_hosts
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.shared_password import read_passphrase, read_password
from neodeskpet.settings.store import SettingsStore


def access_from_settings(settings: SettingsStore, secrets: Secrets, address: str) -> ServerAccess:
    """How to reach the sync server at this address. May block: a keyring may ask the person."""
    return ServerAccess(
        read_password(secrets, address),
        read_passphrase(secrets, address),
        parse_hosts(settings.settings.service.plain_hosts),
    )
