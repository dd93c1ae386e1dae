"""How to reach the sync server, from the settings and the keyring."""

from __future__ import annotations

from neodeskpet.memory.shared.server import Access
from neodeskpet.settings.plain_hosts import hosts_in
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.shared_password import read_passphrase, read_password
from neodeskpet.settings.store import SettingsStore


def sync_access(settings: SettingsStore, secrets: Secrets, address: str) -> Access:
    """How to reach the sync server at this address. May block: a keyring may ask the person."""
    return Access(
        read_password(secrets, address),
        read_passphrase(secrets, address),
        hosts_in(settings.settings.service.plain_hosts),
    )
