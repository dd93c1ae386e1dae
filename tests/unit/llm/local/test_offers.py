"""The models that can be downloaded by name."""

import re

from neodeskpet.llm.local.model_download import DOWNLOADABLE_MODELS, HUB


def test_each_is_one_revision_with_all_its_facts() -> None:
    for offer in DOWNLOADABLE_MODELS:
        assert re.search(r"/resolve/[0-9a-f]{40}/[\w.-]+\.gguf$", offer.path), offer.path
        assert re.fullmatch(r"[0-9a-f]{64}", offer.sha256)
        assert offer.size > 100_000_000
        assert offer.licence
        assert offer.file.endswith(".gguf")
    assert len({offer.sha256 for offer in DOWNLOADABLE_MODELS}) == len(DOWNLOADABLE_MODELS)


def test_another_hub_has_the_same_paths() -> None:
    offer = DOWNLOADABLE_MODELS[0]
    assert offer.url() == f"{HUB}/{offer.path}"
    assert offer.url("https://mirror.example/") == f"https://mirror.example/{offer.path}"
