"""Vectors are made on this computer, by a child process that may crash; the double counts
letters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from neodeskpet.language import translate_error
from neodeskpet.llm.catalog.catalog_editing import use_local_model
from neodeskpet.llm.catalog.model_catalog import Catalog
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.local.embedding_child import BROKEN_MODEL, LETTERS_MODEL
from neodeskpet.llm.local.local_embedder import ADDRESS, LOCAL_EMBEDDING_MODEL, LocalEmbedder
from neodeskpet.llm.local.local_errors import EmbeddingExtraMissing, LoadFailed, LocalModelStopped
from neodeskpet.llm.model_builder import ModelBuilder
from neodeskpet.platform.installation import extra_command


def play(embedder: LocalEmbedder, scene: Callable[[LocalEmbedder], Awaitable[None]]) -> None:
    async def run() -> None:
        try:
            await scene(embedder)
        finally:
            await embedder.aclose()

    asyncio.run(run())


def ours(child: str = LETTERS_MODEL, **more: float) -> LocalEmbedder:
    return LocalEmbedder(child, installed=lambda: True, **more)


def test_vectors_keep_the_order_of_the_texts_over_a_restart_of_the_child() -> None:
    async def scene(embedder: LocalEmbedder) -> None:
        made = await embedder.embed(["a", "bb", "ccc", "dddd", "e\0e\ud83d", "猫"])
        assert [len(row) for row in made.rows] == [27] * 6
        assert [row[at + 1] for at, row in enumerate(made.rows[:5])] == [1, 2, 3, 4, 2]
        assert made.model == embedder.model
        embedder._child._child.stop()
        embedder._child._child.close()
        (again,) = (await embedder.embed(["zz"], query=True)).rows
        assert again[26] == 2

    play(ours(), scene)


def test_without_the_package_it_says_how_to_get_it() -> None:
    async def scene(embedder: LocalEmbedder) -> None:
        with pytest.raises(EmbeddingExtraMissing) as caught:
            await embedder.embed(["a"])
        assert extra_command("meaning") in " ".join(translate_error(caught.value))

    play(LocalEmbedder(installed=lambda: False), scene)


def test_a_model_that_can_not_be_loaded_is_reported() -> None:
    async def scene(embedder: LocalEmbedder) -> None:
        with pytest.raises(LoadFailed) as caught:
            await embedder.embed(["a"])
        assert "ZeroDivisionError" in caught.value.detail

    play(ours(BROKEN_MODEL), scene)


def test_after_the_end_nothing_starts() -> None:
    async def scene(embedder: LocalEmbedder) -> None:
        await embedder.aclose()
        with pytest.raises(LocalModelStopped):
            await embedder.embed(["a"])

    play(ours(), scene)


def test_it_serves_only_the_model_that_the_catalogue_names_for_vectors() -> None:
    own = ours()

    async def key(_endpoint: object) -> str:
        return ""

    def connect(_proxy: str) -> HttpClient:
        raise AssertionError("nothing goes out")

    builder = ModelBuilder(connect, key, own=own)
    catalog = use_local_model(
        Catalog(), "embedding", ADDRESS, LOCAL_EMBEDDING_MODEL, "This computer"
    )
    (endpoint,) = catalog.endpoints
    assert (endpoint.base_url, catalog.purposes.embedding) == (ADDRESS, LOCAL_EMBEDDING_MODEL)
    assert (
        use_local_model(catalog, "embedding", ADDRESS, LOCAL_EMBEDDING_MODEL, "This computer")
        == catalog
    )

    async def scene(embedder: LocalEmbedder) -> None:
        chosen = builder.build_embedder(catalog)
        assert chosen is not None and chosen.model == embedder.model
        assert (await chosen.embed(["b"])).rows[0][2] == 1
        await builder.aclose()

    play(own, scene)
