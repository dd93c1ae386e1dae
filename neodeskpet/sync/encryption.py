"""End-to-end encryption of the data on the sync server, with the user's passphrase.

The server sees kinds, ids, order, sizes and times, but no contents: values and pictures are
encrypted with AES-256-GCM, and pictures have other names there. The nonce is derived from the
content (HMAC-SHA-256), so that the same record is the same bytes on every computer: that lets
computers compare by hash, and shows the server only whether a record changed. A lost passphrase
means that the copy on the server is lost.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import lru_cache
from typing import Final

_CHECK_TEXT: Final = b"NeoDeskPet sync"
_FORMAT_VERSION: Final = b"\x01"
_NONCE_BYTES = 12
SALT_BYTES = 16
"""Size of the server's salt in bytes."""


class Cipher:
    """The cipher for a passphrase and the server's salt. Deriving the key takes about 0.1 s."""

    def __init__(self, passphrase: str, salt: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        master = _derive(passphrase, salt)
        self._aead = AESGCM(_subkey(master, b"content"))
        self._nonces = _subkey(master, b"nonce")
        self._names = _subkey(master, b"picture name")

    @property
    def check_value(self) -> bytes:
        """Return a value that is stored on the server to recognise a wrong passphrase."""
        return self.seal("check", "", _CHECK_TEXT)

    def seal(self, kind: str, name: str, plain: bytes) -> bytes:
        """Encrypt `plain` for this kind and name."""
        bound = _associated_data(kind, name)
        nonce = hmac.digest(self._nonces, bound + b"\0" + plain, "sha256")[:_NONCE_BYTES]
        return _FORMAT_VERSION + nonce + self._aead.encrypt(nonce, plain, bound)

    def open(self, kind: str, name: str, sealed: bytes) -> bytes:
        """Decrypt a value. Raises ValueError if it was not encrypted with this passphrase for this
        kind and name.
        """
        from cryptography.exceptions import InvalidTag

        nonce, text = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        if sealed[:1] != _FORMAT_VERSION or len(nonce) != _NONCE_BYTES:
            raise ValueError("it is not encrypted as expected")
        try:
            return self._aead.decrypt(nonce, text, _associated_data(kind, name))
        except InvalidTag as error:
            raise ValueError("it cannot be decrypted with this passphrase") from error

    def picture_name(self, digest: str) -> str:
        """Return the server's name of the picture with this digest."""
        return hmac.new(self._names, digest.encode(), hashlib.sha256).hexdigest()


def _associated_data(kind: str, name: str) -> bytes:
    return f"{kind}\0{name}".encode("utf-8", "surrogatepass")


def _subkey(master: bytes, purpose: bytes) -> bytes:
    return hmac.digest(master, purpose, "sha256")


@lru_cache(maxsize=4)
def _derive(passphrase: str, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(passphrase.encode())


SealValue = Callable[[str, str, bytes], bytes]
"""Returns the server's form of a record's value (kind, id, value)."""


def seal_plain(kind: str, name: str, value: bytes) -> bytes:
    """The `SealValue` without encryption."""
    return value
