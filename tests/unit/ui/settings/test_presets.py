"""The presets: which are offered, and which one the settings amount to."""

import pytest

from neodeskpet.ui.settings.presets import CUSTOM, OFFLINE, PRESETS, named, offered, preset_of


def test_only_those_whose_protocol_there_is() -> None:
    ids = [preset.id for preset in offered(["openai", "offline"])]
    assert "anthropic" not in ids
    assert {"openai", "deepseek", "ollama", CUSTOM, OFFLINE} <= set(ids)
    assert "anthropic" in [preset.id for preset in offered(["anthropic"])]


@pytest.mark.parametrize("preset", [p for p in PRESETS if p.base_url], ids=lambda p: p.id)
def test_each_is_known_by_its_address(preset: object) -> None:
    assert preset_of(preset.protocol, preset.base_url) is preset  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("protocol", "address", "expected"),
    [
        ("openai", "https://API.openai.com/v1/", "openai"),
        ("openai", "http://localhost:11434/v1", "ollama"),
        ("openai", "https://gateway.example/v1", CUSTOM),
        ("openai", "", CUSTOM),
        ("offline", "https://api.openai.com/v1", OFFLINE),
    ],
)
def test_what_the_settings_amount_to(protocol: str, address: str, expected: str) -> None:
    assert preset_of(protocol, address).id == expected


def test_ids_and_addresses_are_unique() -> None:
    assert len({preset.id for preset in PRESETS}) == len(PRESETS)
    addresses = [preset.base_url for preset in PRESETS if preset.base_url]
    assert len(set(addresses)) == len(addresses)


def test_words() -> None:
    assert named("openai").words == "OpenAI"
    assert named(OFFLINE).words == "Offline helper"
