"""The errors of sync for the user, and the check of the server's address
(`postgresql://name@computer:port/database`, never with a password).
"""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import parse_qsl, urlsplit

from neodeskpet.core.errors import StoreError
from neodeskpet.core.i18n import N_
from neodeskpet.platform.installation import extra_command


class SyncError(StoreError):
    """`keeps_connection`: the connection can still be used."""

    code = "sharing"
    keeps_connection: ClassVar[bool] = False
    what = N_("Sync failed.")
    hint = N_("Everything is stored on this computer and will be sent later.")


class ServerUnreachable(SyncError):
    code = "sharing_unreachable"
    what = N_("The PostgreSQL server does not answer.")
    hint = N_(
        "Everything is stored on this computer and will be sent when the server answers again."
    )


class ServerBusy(SyncError):
    code = "sharing_busy"
    what = N_("The PostgreSQL server is busy: another computer is writing, or it has no free slot.")
    hint = N_("Everything is stored on this computer. Sync is tried again automatically.")


class ServerRefused(SyncError):
    code = "sharing_refused"
    what = N_("The PostgreSQL server does not accept the name or the password.")
    hint = N_("Check the name in the address, and enter the password again.")


class ServerUnencrypted(SyncError):
    code = "sharing_unencrypted"
    what = N_("This server offers no encryption.")
    hint = N_(
        "Turn on TLS on the server. If you trust the network, add the server "
        "under “Send keys without encryption to”."
    )


class ServerUntrusted(SyncError):
    code = "sharing_untrusted"
    what = N_("The identity of the PostgreSQL server cannot be verified.")
    hint = N_("Check its certificate, and sslmode and sslrootcert in the address.")


class ServerLoginUnsafe(SyncError):
    code = "sharing_unsafe"
    what = N_("The PostgreSQL server requests the password in an unsafe way.")
    hint = N_("Use scram-sha-256 in its pg_hba.conf, and set the password again.")


class DatabaseMissing(SyncError):
    code = "sharing_no_database"
    what = N_("There is no such database on the PostgreSQL server.")
    hint = N_("Create it there, or correct its name at the end of the address.")


class DatabaseNotUnicode(SyncError):
    code = "sharing_not_unicode"
    what = N_(
        "The database on the PostgreSQL server has the encoding {encoding}; UTF8 is required."
    )
    hint = N_("Create another one: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0")


class InvalidAddress(SyncError):
    code = "sharing_address"
    what = N_("This is not the address of a PostgreSQL database.")
    hint = N_("Use this form: postgresql://name@computer/database")


class AddressHoldsPassword(SyncError):
    code = "sharing_password_in_address"
    what = N_("The address contains a password, which would be readable in the settings.")
    hint = N_("Remove it from the address, and enter it as the password.")


class ServerTooOld(SyncError):
    code = "sharing_too_old"
    what = N_("The PostgreSQL server has version {version}; 15 or newer is required.")
    hint = N_("Update it, or use another one.")


class ServerDataTooNew(SyncError):
    code = "sharing_too_new"
    what = N_("A newer version of NeoDeskPet has written to this server.")
    hint = N_("Update NeoDeskPet on this computer. Everything is stored here until then.")


class ServerDataDamaged(SyncError):
    code = "sharing_damaged"
    what = N_("The sync data on the PostgreSQL server is incomplete.")
    hint = N_(
        "Delete it with “neodeskpet store delete”, then sync again: everything is still on this "
        "computer."
    )


class ServerEmptied(SyncError):
    code = "sharing_cleared"
    what = N_("Everything on this server was deleted intentionally.")
    hint = N_("Clear the address, or start again: neodeskpet store move --to ADDRESS")


class ServerFull(SyncError):
    code = "sharing_full"
    what = N_("The disk of the PostgreSQL server is full.")
    hint = N_(
        "Free some space on the server. Everything is stored on this computer and"
        " will be sent later."
    )


class ServerWriteForbidden(SyncError):
    code = "sharing_forbidden"
    what = N_("This user name has no write permission for the database on the PostgreSQL server.")
    hint = N_("Give it the right to create a schema there (GRANT CREATE ON DATABASE …).")


class RecordRefused(SyncError):
    """The server does not accept a value; the caller determines which record it is."""

    code = "sharing_record"
    keeps_connection = True


class VectorsNotShared(SyncError):
    """With encryption, vectors are not sent, because they would reveal contents."""

    code = "sharing_vectors"
    keeps_connection = True


class PassphraseMissing(SyncError):
    code = "sharing_passphrase"
    what = N_("The data on this server is encrypted, and there is no passphrase on this computer.")
    hint = N_("Enter the passphrase that you chose on the other computer.")


class PassphraseWrong(SyncError):
    code = "sharing_wrong_passphrase"
    what = N_("The passphrase is not the one that the data on this server is encrypted with.")
    hint = N_("Enter the passphrase that you chose on the other computer.")


class ServerNotEncrypted(SyncError):
    code = "sharing_not_encrypted"
    what = N_("This server already holds data that is not encrypted.")
    hint = N_("Delete it with “neodeskpet store delete”, or remove the passphrase.")


class SyncStopped(SyncError):
    """Sync stopped because of a bug; it is in the log, and sync is tried again."""

    code = "sharing_bug"
    what = N_("Sync failed because of an error in NeoDeskPet.")
    hint = N_("Sync is tried again automatically. The log has the details.")


class DriverMissing(SyncError):
    code = "sharing_no_driver"
    what = N_("The PostgreSQL driver is not installed.")
    hint = N_("Install it: {command}")

    def __init__(self, detail: str = "", **params: str) -> None:
        params.setdefault("command", extra_command("postgres"))
        super().__init__(detail, **params)


ADDRESS_SCHEMES = ("postgresql", "postgres")
_KNOWN_OPTIONS = frozenset(
    (
        "host",
        "port",
        "user",
        "dbname",
        "options",
        "sslmode",
        "channel_binding",
        "sslrootcert",
        "sslcert",
        "sslkey",
        "sslcrl",
    )
)
"""Allowed parameters after the question mark; none of them contains a password."""


def check_address(text: str) -> str:
    """Return the stripped address. Raises InvalidAddress and AddressHoldsPassword."""
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
