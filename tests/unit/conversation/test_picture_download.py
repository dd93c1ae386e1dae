"""A picture from an address becomes an ordinary picture."""

import asyncio

import pytest

from neodeskpet.conversation.picture_download import fetch_and_fit
from neodeskpet.core.errors import PictureRefused
from neodeskpet.documents.web.fetcher import Fetcher
from tests.support.fileserver import file_server
from tests.support.pictures import encoded

HERE = Fetcher(lambda ip: ip == "127.0.0.1")


def test_it_is_downloaded_resized_and_named() -> None:
    with file_server(encoded()) as server:
        picture = asyncio.run(fetch_and_fit(f"{server.url}/cat.png", HERE))
    assert picture.data
    assert picture.media_type.startswith("image/")


def test_other_files_are_refused() -> None:
    with file_server(b"<html>") as server, pytest.raises(PictureRefused):
        asyncio.run(fetch_and_fit(f"{server.url}/cat.png", HERE))
