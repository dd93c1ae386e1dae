"""Pictures that a person names by their address: fetched once, then like those of a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from neodeskpet.core.attachments import Picture
from neodeskpet.documents.web.addresses import file_name
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.storage.image_resize import fit_picture, run_in_picture_queue


async def fetch_picture(address: str, fetcher: Fetcher) -> Callable[[], Picture]:
    """Fetch it; what is returned makes it fit to be sent: slow, for a thread of the caller's own
    choice, and may raise PictureRefused. Raises FetchRefused.
    """
    found = await fetcher.fetch(address)
    return partial(fit_picture, found.content, file_name(found.address) or file_name(address))


async def fetch_and_fit(address: str, fetcher: Fetcher) -> Picture:
    """The picture at `address`, fit to be sent. Raises FetchRefused or PictureRefused."""
    return await run_in_picture_queue(await fetch_picture(address, fetcher))
