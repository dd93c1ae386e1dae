"""Asks the publisher for the newest release."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.updates.release import InvalidReleaseNote, Release, is_newer, read_release
from neodeskpet.updates.signature import SignatureInvalid, verify
from neodeskpet.updates.source import UpdateSource
from neodeskpet.web.fetcher import Fetched

MAX_RESPONSE_BYTES = 256 * 1024
_FETCH_TIMEOUT = 15.0


class UpdateSourceMissing(KnownError):
    code = "update_unnamed"
    what = N_("This copy of NeoDeskPet names nobody who could be asked for a newer version.")
    hint = N_("Look where you got it, or enter the address and the key of who publishes it.")


class UpdateInsecure(KnownError):
    code = "update_insecure"
    what = N_("{address} is not reached over HTTPS, so it is not asked.")
    hint = N_("Enter an address that begins with https.")


class UpdateUnsigned(KnownError):
    code = "update_unsigned"
    what = N_("What {address} says is not signed by its publisher, so it is not believed.")
    hint = N_("Nothing was replaced here. Try again later; if it stays so, tell who publishes it.")


class UpdateUnreadable(KnownError):
    code = "update_unreadable"
    what = N_("What {address} says of the newest version can't be read.")
    hint = N_("Nothing was replaced here. Try again later.")


Fetch = Callable[..., Awaitable[Fetched]]
"""`Fetcher.fetch`."""


async def fetch_newest_release(source: UpdateSource, fetch: Fetch, than: str) -> Release | None:
    """The newest release, if it is newer than the version `than`. Raises KnownError."""
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
