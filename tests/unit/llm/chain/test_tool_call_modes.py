"""How the tools of each service are called: for one service, or for all of them."""

from pathlib import Path

import pytest

from neodeskpet.llm.chain.tool_support import ToolCallModes
from neodeskpet.settings.store import SettingsStore

ONE, TWO, THREE = "https://one.example/v1", "http://127.0.0.1:9/v1", "https://three.example"


@pytest.fixture
def settings(tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "settings.json", environ={})


def test_each_service_has_its_own_mode(settings: SettingsStore) -> None:
    modes = ToolCallModes(settings)
    for address, mode in ((ONE, "text"), (TWO, "none"), (THREE, "native")):
        modes.choose(address, mode, [ONE, TWO, THREE])
    assert [modes.mode_of(one) for one in (ONE, TWO, THREE)] == ["text", "none", "native"]
    assert settings.settings.mode.mode == "auto"
    modes.choose(ONE, "auto", [ONE, TWO, THREE])
    assert [modes.mode_of(one) for one in (ONE, TWO, THREE)] == ["auto", "none", "native"]


@pytest.mark.parametrize("mode", ["native", "text"])
def test_other_services_keep_the_mode_that_an_older_version_stored_for_all(
    settings: SettingsStore, mode: str
) -> None:
    settings.change("mode", "mode", mode)
    settings.change("mode", "toolless_services", "https://three.example")
    modes = ToolCallModes(settings)
    assert [modes.mode_of(one) for one in (ONE, TWO, THREE)] == [mode] * 3
    modes.choose(TWO, "auto", [ONE, TWO, THREE])
    assert [modes.mode_of(one) for one in (ONE, TWO, THREE)] == [mode, "auto", mode]


def test_a_sole_service_uses_the_mode_for_all(settings: SettingsStore) -> None:
    modes = ToolCallModes(settings)
    modes.choose(ONE, "none", [ONE])
    assert modes.mode_of(ONE) == "none"
    modes.choose(ONE, "text", [ONE])
    assert (settings.settings.mode.mode, modes.mode_of(ONE)) == ("text", "text")
    assert settings.settings.mode.toolless_services == ""


def test_a_snapshot_is_restored(settings: SettingsStore) -> None:
    modes = ToolCallModes(settings)
    before = modes.snapshot()
    modes.choose(ONE, "native", [ONE, TWO])
    modes.choose_format("tool_call")
    assert settings.settings.mode.dialect == "tool_call"
    modes.restore(before)
    assert modes.snapshot() == before
