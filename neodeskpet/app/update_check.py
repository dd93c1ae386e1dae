"""Asks the publisher for the newest release over HTTPS and checks its minisign signature.

Nothing is downloaded or replaced.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from neodeskpet.app.update_source import UpdateSource
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.release_notes import InvalidReleaseNote, Release, is_newer, read_release
from neodeskpet.documents.web.fetcher import Fetched

_KEY_BYTES = 2 + 8 + 32
_SIGNATURE_BYTES = 2 + 8 + 64
_PLAIN_ALGORITHM, _HASHED_ALGORITHM = b"Ed", b"ED"
_FORMAT_ERROR = N_("The key or the signature is not in minisign format.")
_COMMENT = "trusted comment: "


class SignatureInvalid(ValueError):
    """The signature is not by that key, or the signature or the key is malformed; the message says
    which.
    """


def verify(content: bytes, signature: str, key: str) -> str:
    """Return the signed comment of `content`. `signature` is the text of a `.minisig` file, `key`
    the line of a public key. Raises SignatureInvalid.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    kind, number, public = _split_signature(_decoded(key, _KEY_BYTES))
    lines = signature.splitlines()
    if kind != _PLAIN_ALGORITHM or len(lines) < 4 or not lines[2].startswith(_COMMENT):
        raise SignatureInvalid(_FORMAT_ERROR)
    way, signer, signed = _split_signature(_decoded(lines[1], _SIGNATURE_BYTES))
    if way not in (_PLAIN_ALGORITHM, _HASHED_ALGORITHM):
        raise SignatureInvalid(N_("The signature uses an unknown algorithm."))
    if signer != number:
        raise SignatureInvalid(N_("The signature was made with another key."))
    comment = lines[2].removeprefix(_COMMENT)
    message = hashlib.blake2b(content).digest() if way == _HASHED_ALGORITHM else content
    verifier = Ed25519PublicKey.from_public_bytes(public)
    try:
        verifier.verify(signed, message)
        verifier.verify(_decoded(lines[3], 64), signed + comment.encode())
    except InvalidSignature:
        raise SignatureInvalid(N_("The content was changed after it was signed.")) from None
    return comment


def _split_signature(data: bytes) -> tuple[bytes, bytes, bytes]:
    return data[:2], data[2:10], data[10:]


def _decoded(line: str, length: int) -> bytes:
    try:
        data = base64.b64decode(line.strip(), validate=True)
    except (binascii.Error, ValueError):
        raise SignatureInvalid(_FORMAT_ERROR) from None
    if len(data) != length:
        raise SignatureInvalid(_FORMAT_ERROR)
    return data


MAX_RESPONSE_BYTES = 256 * 1024
_FETCH_TIMEOUT = 15.0


class UpdateSourceMissing(KnownError):
    code = "update_unnamed"
    what = N_("This copy of NeoDeskPet has no address for updates.")
    hint = N_("Look for updates where you got it, or enter the publisher's address and key.")


class UpdateInsecure(KnownError):
    code = "update_insecure"
    what = N_("{address} does not use HTTPS, so no update was requested.")
    hint = N_("Enter an address that starts with https.")


class UpdateUnsigned(KnownError):
    code = "update_unsigned"
    what = N_("The answer of {address} is not signed by the publisher, so it was ignored.")
    hint = N_("Nothing was changed. Try again later; if this continues, tell the publisher.")


class UpdateUnreadable(KnownError):
    code = "update_unreadable"
    what = N_("The answer of {address} about the newest version can't be read.")
    hint = N_("Nothing was changed. Try again later.")


Fetch = Callable[..., Awaitable[Fetched]]
"""`Fetcher.fetch`."""


async def fetch_newest_release(source: UpdateSource, fetch: Fetch, than: str) -> Release | None:
    """Return the newest release if it is newer than the version `than`. Raises KnownError."""
    if not source:
        raise UpdateSourceMissing
    content = await _fetch_bytes(source.address, fetch)
    signature = await _fetch_bytes(_signature_address(source.address), fetch)
    address = urlsplit(source.address).hostname or source.address
    try:
        verify(content, signature.decode("utf-8", "replace"), source.key)
        release = read_release(content)
    except SignatureInvalid as error:
        raise UpdateUnsigned(reason=str(error), address=address) from None
    except InvalidReleaseNote as error:
        raise UpdateUnreadable(reason=str(error), address=address) from None
    return release if is_newer(release.version, than) else None


async def _fetch_bytes(address: str, fetch: Fetch) -> bytes:
    _require_https(address)
    found = await fetch(address, most=MAX_RESPONSE_BYTES, seconds=_FETCH_TIMEOUT)
    _require_https(found.address)
    return found.content


def _require_https(address: str) -> None:
    if urlsplit(address).scheme != "https":
        raise UpdateInsecure(address=address[:120])


def _signature_address(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(path=f"{parts.path}.minisig").geturl()
