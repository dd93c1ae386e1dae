"""Thumbnails are loaded once, cached, and not requested again when they are missing."""

from __future__ import annotations

import asyncio

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.platform import async_tasks
from neodeskpet.ui.chat import thumbnail_cache
from neodeskpet.ui.chat.thumbnail_cache import CAPACITY, MAX_SIDE, ThumbnailCache, decode_thumbnail
from tests.support.pictures import encoded
from tests.unit.ui.chat.working import new_work


class Store:
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def load(self, digest: str) -> bytes | None:
        self.asked.append(digest)
        return None if digest == "gone" else encoded()


def fetch(held: ThumbnailCache, *digests: str) -> None:
    """Request it as painting does, until everything is loaded."""

    async def main() -> None:
        for digest in digests:
            held.get(digest)
            held.get(digest)
        if async_tasks.running():
            await asyncio.wait(async_tasks.running())

    asyncio.run(main())


def test_a_requested_thumbnail_is_loaded_once(qtbot: QtBot) -> None:
    store = Store()
    held = ThumbnailCache(store.load, new_work())
    arrived: list[str] = []
    held.loaded.connect(arrived.append)
    fetch(held, "a", "gone")
    fetch(held, "a", "gone")
    assert store.asked == ["a", "gone"]
    assert arrived == ["a"]
    picture = held.get("a")
    assert picture is not None
    assert (picture.width(), picture.height()) == (6, 4)


def test_a_missing_thumbnail_can_be_requested_later(qtbot: QtBot) -> None:
    store = Store()
    held = ThumbnailCache(store.load, new_work())
    fetch(held, "gone")
    held.mark_available("gone")
    fetch(held, "gone")
    assert store.asked == ["gone", "gone"]


def test_the_number_of_thumbnails_is_limited(qtbot: QtBot) -> None:
    store = Store()
    held = ThumbnailCache(store.load, new_work())
    fetch(held, "0")
    fetch(held, *(str(n) for n in range(1, CAPACITY + 1)))
    fetch(held, "0")
    assert store.asked[-1] == "0"


def test_thumbnails_of_a_closed_conversation_are_dropped(qtbot: QtBot) -> None:
    store = Store()
    held = ThumbnailCache(store.load, new_work())
    fetch(held, "a")
    held.clear()
    fetch(held, "a")
    assert store.asked == ["a", "a"]
    assert held.get("a") is not None


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_large_picture_is_decoded_small(kind: str) -> None:
    image = decode_thumbnail(encoded(kind, (1500, 500)), MAX_SIDE)
    assert (image.width(), image.height()) == (MAX_SIDE, 133)
    assert decode_thumbnail(encoded(kind, (30, 10))).width() == 30


def test_other_files() -> None:
    assert thumbnail_cache.decode_thumbnail(b"hello", MAX_SIDE).isNull()
