"""The adapter of model services on a real engine: the simple service, the file, and accepting a
proposal.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from neodeskpet.app.engine import Engine
from neodeskpet.app.service_settings import CatalogAdapter
from neodeskpet.llm.catalog.catalog_editing import (
    EditRefused,
    add_endpoint,
    add_model,
    change_endpoint,
    make_endpoint,
    remove_endpoint,
    use_model,
)
from neodeskpet.llm.catalog.catalog_file import CatalogInTheWay
from neodeskpet.llm.catalog.model_catalog import FILE_NAME, Catalog
from neodeskpet.ui.settings.settings_ports import EndpointTestProposal
from tests.unit.app.engines import with_engine


def play(home: Path, scene: Callable[[Engine, CatalogAdapter], None], url: str = "") -> None:
    async def work(engine: Engine) -> None:
        scene(engine, CatalogAdapter(engine))

    with_engine(home, work, url)


def serve(engine: Engine, address: str = "https://api.deepseek.com", model: str = "m") -> None:
    for name, value in (("protocol", "openai"), ("base_url", address), ("model", model)):
        engine.settings.change("service", name, value)


def test_the_simple_service_is_the_first_until_the_first_edit_writes_the_file(
    tmp_path: Path,
) -> None:
    def scene(engine: Engine, desk: CatalogAdapter) -> None:
        assert desk.catalog == Catalog()
        serve(engine)
        told: list[int] = []
        end = desk.subscribe(lambda: told.append(1))
        assert [one.name for one in desk.catalog.endpoints] == ["DeepSeek"]
        assert not desk.kept
        undo = desk.edit(lambda catalog: add_model(catalog, "DeepSeek", "other"))
        assert desk.kept
        assert [one.id for one in engine.models.turn_factory.catalog().models] == ["m", "other"]
        engine.settings.change("service", "model", "no matter any more")
        assert engine.models.turn_factory.model().label == "m"
        undo()
        assert not desk.kept
        assert engine.models.turn_factory.model().label == "no matter any more"
        end()
        told.clear()
        desk.edit(lambda catalog: add_model(catalog, "DeepSeek", "other"))
        desk.edit(lambda catalog: remove_endpoint(catalog, "DeepSeek"))
        assert told == []
        assert desk.kept
        assert engine.models.turn_factory.model().label.startswith("Offline helper")

    play(tmp_path, scene)


def test_one_service_stays_in_the_settings_if_possible(tmp_path: Path) -> None:
    def scene(engine: Engine, desk: CatalogAdapter) -> None:
        def service() -> tuple[str, str, str]:
            now = engine.settings.settings.service
            return now.protocol, now.base_url, now.model

        told: list[int] = []
        desk.subscribe(lambda: told.append(1))
        made = make_endpoint(
            name="DeepSeek", protocol="openai", base_url="https://api.deepseek.com/v1"
        )
        desk.edit(lambda catalog: add_endpoint(catalog, made))
        desk.edit(lambda catalog: use_model(catalog, "DeepSeek", "deepseek-chat"))
        assert service() == ("openai", "https://api.deepseek.com/v1", "deepseek-chat")
        assert told == [1, 1], "settings_that_change_together are reported once"
        undo = desk.edit(lambda catalog: remove_endpoint(catalog, "DeepSeek"))
        assert (service()[0], desk.catalog) == ("offline", Catalog())
        undo()
        assert [one.id for one in desk.catalog.models] == ["deepseek-chat"]
        assert not desk.kept
        undo = desk.edit(lambda catalog: change_endpoint(catalog, "DeepSeek", name="Mine"))
        assert desk.kept
        undo()
        assert not desk.kept
        told.clear()
        engine.settings.change("service", "model", "other")
        assert told == [1], "a change made elsewhere is reported"

    play(tmp_path, scene)


def test_the_models_that_a_service_reported_are_stored(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        desk = CatalogAdapter(engine)
        serve(engine)
        await engine.models.reported.update("https://api.deepseek.com", ["m", "n"])
        assert desk.reported("DeepSeek") == ("m", "n")
        assert desk.reported("gone") == ()

    with_engine(tmp_path, work, "")


@pytest.mark.parametrize(
    ("address", "name"), [("http://box.lan:99/v1", "box.lan:99"), ("localhost:1", "localhost:1")]
)
def test_other_services_are_named_by_their_host(tmp_path: Path, address: str, name: str) -> None:
    def scene(engine: Engine, desk: CatalogAdapter) -> None:
        serve(engine, address, "")
        catalog = desk.catalog
        assert ([one.name for one in catalog.endpoints], catalog.models) == ([name], ())

    play(tmp_path, scene)


def test_a_proposal_is_applied_and_undone(tmp_path: Path) -> None:
    def scene(engine: Engine, desk: CatalogAdapter) -> None:
        serve(engine)
        usual = EndpointTestProposal(
            "text", "x", "tool_request", "m", {"tools": True, "vision": False}
        )
        desk.take(usual)()
        assert not desk.kept, "a value that holds anyway needs no file"
        seeing = EndpointTestProposal(
            "text", "x", "tool_request", "m", {"tools": False, "vision": True}
        )
        undo = desk.take(seeing)
        assert engine.settings.settings.mode.mode == "text"
        (entry,) = engine.models.turn_factory.catalog().models
        assert (entry.tools, entry.vision) == (False, True)
        undo()
        assert engine.settings.settings.mode.mode == "auto"
        assert not desk.kept

        assert desk.is_needed(seeing)
        assert not desk.is_needed(replace(usual, mode="auto", dialect=""))
        assert desk.is_needed(replace(usual, mode="auto", measured={"vision": True}))
        desk.edit(lambda catalog: add_model(catalog, "DeepSeek", "other"))
        desk.take(usual, "DeepSeek")
        entry = engine.models.turn_factory.catalog().models[0]
        assert (entry.tools, entry.vision) == (True, False)
        desk.take(EndpointTestProposal("native", "x", "", "gone", {"tools": True}), "DeepSeek")
        assert engine.settings.settings.mode.mode == "native"

    play(tmp_path, scene)


def test_a_service_of_the_command_line_leaves_the_file_unchanged(tmp_path: Path) -> None:
    def scene(engine: Engine, desk: CatalogAdapter) -> None:
        assert desk.outside
        desk.take(EndpointTestProposal("text", "x", "", "m", {"tools": False}))
        assert engine.settings.settings.mode.mode == "text"
        with pytest.raises(EditRefused, match="outside"):
            desk.edit(lambda catalog: change_endpoint(catalog, "127.0.0.1:9", name="x"))
        assert not desk.kept
        desk.edit(lambda catalog: use_model(catalog, "127.0.0.1:9", "m"))
        assert engine.settings.settings.service.model == "m"

    play(tmp_path, scene, "http://127.0.0.1:9/v1")


def test_a_broken_file_is_reported_and_replaced_beside_a_copy(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME

    def scene(engine: Engine, desk: CatalogAdapter) -> None:
        serve(engine)
        assert desk.fault is None
        desk.edit(lambda catalog: add_model(catalog, "DeepSeek", "n"))
        engine.storage.file_thread.flush()
        told: list[int] = []
        desk.subscribe(lambda: told.append(1))
        desk.refresh()
        assert told == []
        broken = json.dumps({"endpoints": [{"name": "x"}]})
        file.write_text(broken, encoding="utf-8")
        desk.refresh()
        assert told == [1]
        assert desk.fault is not None
        assert "endpoints[0].protocol" in str(desk.fault)
        assert [one.name for one in desk.catalog.endpoints] == ["DeepSeek"]
        with pytest.raises(CatalogInTheWay):
            desk.edit(lambda catalog: catalog)
        assert desk.file.read_text(encoding="utf-8") == broken
        copy = desk.start_over()
        assert copy is not None
        assert json.loads(copy.read_text(encoding="utf-8")) == json.loads(broken)
        assert desk.fault is None
        assert [one.name for one in desk.catalog.endpoints] == ["DeepSeek"]

    play(tmp_path, scene)
