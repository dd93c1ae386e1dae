"""Checking for the newest release: over HTTPS, signed, newer; all other answers are errors."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from neodeskpet.app.update_check import (
    MAX_RESPONSE_BYTES,
    UpdateInsecure,
    UpdateSourceMissing,
    UpdateUnreadable,
    UpdateUnsigned,
    fetch_newest_release,
)
from neodeskpet.app.update_source import UpdateSource
from neodeskpet.core.errors import KnownError
from neodeskpet.core.release_notes import Release
from neodeskpet.documents.web.fetcher import Fetched
from tests.unit.app.vectors import KEY, NOTE, SIGNATURE

HERE = "https://example.org/latest.json?x=1"
SIGNED = "https://example.org/latest.json.minisig?x=1"


@dataclass
class Web:
    """The existing pages; a page may redirect to another address."""

    pages: dict[str, bytes]
    can_limit: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def fetch(self, address: str, **limits: Any) -> Fetched:
        self.asked.append(address)
        assert limits["most"] == MAX_RESPONSE_BYTES
        return Fetched(self.can_limit.get(address, address), self.pages[address], "")


PUBLISHER = UpdateSource(HERE, KEY)


def look(web: Web, source: UpdateSource = PUBLISHER, than: str = "0.1.0") -> Release | None:
    return asyncio.run(fetch_newest_release(source, web.fetch, than))


def test_a_newer_release_is_reported() -> None:
    web = Web({HERE: NOTE, SIGNED: SIGNATURE.encode()})
    release = look(web)
    assert release is not None
    assert release.version == "0.2.0"
    assert web.asked == [HERE, SIGNED]
    assert look(web, than="0.2.0") is None
    assert look(web, than="0.3") is None


@pytest.mark.parametrize(
    "source", [UpdateSource("", ""), UpdateSource(HERE, ""), UpdateSource("", KEY)]
)
def test_without_an_address_nothing_is_requested(source: UpdateSource) -> None:
    web = Web({})
    with pytest.raises(UpdateSourceMissing):
        look(web, source)
    assert web.asked == []


def test_only_over_https() -> None:
    web = Web({HERE: NOTE}, {HERE: "http://example.org/x"})
    with pytest.raises(UpdateInsecure):
        look(web, UpdateSource("http://example.org/latest.json", KEY))
    assert web.asked == []
    with pytest.raises(UpdateInsecure):
        look(web)


@pytest.mark.parametrize(
    ("note", "signature", "wrong"),
    [
        (NOTE.replace(b"0.2.0", b"9.9.9"), SIGNATURE, UpdateUnsigned),
        (NOTE, "<html>", UpdateUnsigned),
    ],
)
def test_a_note_without_a_valid_signature_is_refused(
    note: bytes, signature: str, wrong: type[KnownError]
) -> None:
    with pytest.raises(wrong):
        look(Web({HERE: note, SIGNED: signature.encode()}))


def test_a_signed_but_invalid_note_is_reported() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key, signature = _signed(Ed25519PrivateKey.generate(), b"hello")
    with pytest.raises(UpdateUnreadable):
        look(Web({HERE: b"hello", SIGNED: signature.encode()}), UpdateSource(HERE, key))


def _signed(secret: Any, content: bytes) -> tuple[str, str]:
    """A public key and a signature in minisign's older format."""
    import base64

    def coded(data: bytes) -> str:
        return base64.b64encode(data).decode()

    number = b"Ed" + bytes(8)
    signed = secret.sign(content)
    whole = secret.sign(signed + b"x")
    lines = ["untrusted", coded(number + signed), "trusted comment: x", coded(whole)]
    return coded(number + secret.public_key().public_bytes_raw()), "\n".join(lines)
