"""The wrappers around a model have the order that the docstring draws."""

from __future__ import annotations

import re

from neodeskpet.core.model import Model
from neodeskpet.llm import model_pipeline
from neodeskpet.llm.catalog.model_catalog import Endpoint, ModelEntry, Upload
from neodeskpet.llm.chain.endpoint_state import EndpointState
from neodeskpet.llm.chain.fallback_model import FallbackModel
from neodeskpet.llm.chain.model_selection import complete_choice
from neodeskpet.llm.chain.tool_support import IgnoredToolsRecord
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.model_pipeline import ModelPipeline, ReplyTimeouts
from neodeskpet.llm.vision_fallback import PictureDescriber, VisionFailures


async def no_key(_endpoint: Endpoint) -> str:
    return ""


async def forget(_digest: str, _description: str) -> None:
    """Descriptions of pictures are not stored here."""


def wrappers(model: Model | None) -> list[str]:
    """The class names from the outermost wrapper to the innermost model."""
    found = []
    while model is not None:
        found.append(type(model).__name__)
        model = getattr(model, "_model", None)
    return found


def test_the_order_is_the_drawn_one() -> None:
    endpoint = Endpoint(
        name="here",
        protocol="openai",
        base_url="http://127.0.0.1:9/v1",
        upload=Upload(url="http://127.0.0.1:9/up"),
    )
    choice = complete_choice(endpoint, ModelEntry(endpoint="here", id="m"))
    traffic = EndpointState()
    pipeline = ModelPipeline(lambda _proxy: HttpClient(), no_key, traffic)
    link = pipeline.link(
        choice,
        False,
        ReplyTimeouts(),
        PictureDescriber(None, forget, VisionFailures()),
        IgnoredToolsRecord(),
    )
    fallback = FallbackModel([link], traffic)
    drawn = re.findall(r"^ {4,}(\w+Model|\w+Detector) {2,}", model_pipeline.__doc__ or "", re.M)
    assert [type(fallback).__name__, *wrappers(link.model)] == drawn


def test_what_a_model_learned_is_kept_until_the_catalogue_changes() -> None:
    endpoint = Endpoint(name="here", protocol="openai", base_url="http://127.0.0.1:9/v1")
    choice = complete_choice(endpoint, ModelEntry(endpoint="here", id="m"))
    pipeline = ModelPipeline(lambda _proxy: HttpClient(), no_key, EndpointState())

    def innermost() -> Model:
        model = pipeline.link(choice, False, ReplyTimeouts()).model
        while hasattr(model, "_model"):
            model = model._model
        return model

    first = innermost()
    assert innermost() is first
    pipeline.clear()
    assert innermost() is not first
