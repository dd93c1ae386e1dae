"""Downloads pictures from addresses that the user entered; afterwards they are handled
like files.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from neodeskpet.core.attachments import Picture
from neodeskpet.documents.web.addresses import file_name
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.storage.image_resize import fit_picture, run_in_picture_queue


async def fetch_picture(address: str, fetcher: Fetcher) -> Callable[[], Picture]:
    """Download the picture. Returns a function that resizes it: it is slow (call it on a thread)
    and may raise PictureRefused. Raises FetchRefused.
    """
    found = await fetcher.fetch(address)
    return partial(fit_picture, found.content, file_name(found.address) or file_name(address))


async def fetch_and_fit(address: str, fetcher: Fetcher) -> Picture:
    """Return the picture at `address`, resized for sending. Raises FetchRefused or
    PictureRefused.
    """
    return await run_in_picture_queue(await fetch_picture(address, fetcher))
