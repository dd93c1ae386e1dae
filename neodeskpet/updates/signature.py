"""Signatures as the program `minisign` makes them (https://jedisct1.github.io/minisign).

Pure. Ed25519 is `cryptography`'s; what is here is the form of two small files.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from neodeskpet.core.wording import N_

_KEY_BYTES = 2 + 8 + 32
_SIGNATURE_BYTES = 2 + 8 + 64
_PLAIN_ALGORITHM, _HASHED_ALGORITHM = b"Ed", b"ED"
_FORMAT_ERROR = N_("The key or the signature isn't in the form of minisign.")
_COMMENT = "trusted comment: "


class SignatureInvalid(ValueError):
    """It isn't signed by that key, or the signature or the key is none: a sentence says which."""


def verify(content: bytes, signature: str, key: str) -> str:
    """The comment that was signed along with `content`. `signature` is the text of a `.minisig`
    file, `key` the line of a public key. Raises SignatureInvalid.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    kind, number, public = _split_signature(_decoded(key, _KEY_BYTES))
    lines = signature.splitlines()
    if kind != _PLAIN_ALGORITHM or len(lines) < 4 or not lines[2].startswith(_COMMENT):
        raise SignatureInvalid(_FORMAT_ERROR)
    way, signer, signed = _split_signature(_decoded(lines[1], _SIGNATURE_BYTES))
    if way not in (_PLAIN_ALGORITHM, _HASHED_ALGORITHM):
        raise SignatureInvalid(N_("It is signed in a way that isn't known here."))
    if signer != number:
        raise SignatureInvalid(N_("It is signed with another key."))
    comment = lines[2].removeprefix(_COMMENT)
    message = hashlib.blake2b(content).digest() if way == _HASHED_ALGORITHM else content
    verifier = Ed25519PublicKey.from_public_bytes(public)
    try:
        verifier.verify(signed, message)
        verifier.verify(_decoded(lines[3], 64), signed + comment.encode())
    except InvalidSignature:
        raise SignatureInvalid(N_("What it says was altered after it was signed.")) from None
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
