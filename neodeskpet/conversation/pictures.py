"""Pictures that a person names by their address: fetched once, then like those of a file."""

from __future__ import annotations

import asyncio

from neodeskpet.core.picture import Picture
from neodeskpet.llm.fitting import fit_picture
from neodeskpet.web.addresses import file_name
from neodeskpet.web.fetcher import Fetcher


async def picture_at(address: str, fetcher: Fetcher) -> Picture:
    """The picture at `address`, fit to be sent. Raises FetchRefused or PictureRefused."""
    found = await fetcher.fetch(address)
    name = file_name(found.address) or file_name(address)
    return await asyncio.to_thread(fit_picture, found.content, name)
