"""The presets: which ones are offered, and which one the settings match."""

import pytest

from neodeskpet.ui.settings.services.service_presets import (
    CUSTOM,
    OFFLINE,
    PRESETS,
    Preset,
    name_for,
    preset_of,
    presets_for,
)

ALL = ("openai", "anthropic", "gemini", "offline")


def test_only_presets_with_a_known_protocol_are_offered() -> None:
    ids = list(presets_for(["openai", "offline"]))
    assert "anthropic" not in ids
    assert {"openai", "deepseek", "gemini", "ollama", CUSTOM, OFFLINE} <= set(ids)
    assert "anthropic" in presets_for(["anthropic"])


def test_a_service_uses_its_own_protocol_if_there_is_one() -> None:
    assert presets_for(["openai"])["gemini"].protocol == "openai"
    assert presets_for(ALL)["gemini"].protocol == "gemini"


@pytest.mark.parametrize("preset", [p for p in PRESETS if p.base_url], ids=lambda p: p.base_url)
def test_each_is_recognised_by_its_address(preset: Preset) -> None:
    assert preset_of(PRESETS, preset.protocol, preset.base_url) is preset


@pytest.mark.parametrize(
    ("protocol", "address", "expected"),
    [
        ("openai", "https://API.openai.com/v1/", "openai"),
        ("openai", "https://api.openai.com", "openai"),
        ("openai", "http://localhost:11434/v1", "ollama"),
        ("openai", "https://gateway.example/v1", CUSTOM),
        ("anthropic", "https://gateway.example", f"{CUSTOM} anthropic"),
        ("openai", "", CUSTOM),
        ("offline", "https://api.openai.com/v1", OFFLINE),
        ("smoke signals", "https://api.openai.com/v1", CUSTOM),
    ],
)
def test_the_preset_that_the_settings_match(protocol: str, address: str, expected: str) -> None:
    assert preset_of(PRESETS, protocol, address).id == expected


def test_ids_and_addresses_are_unique() -> None:
    presets = presets_for(ALL)
    assert all(name == preset.id for name, preset in presets.items())
    addresses = [preset.base_url for preset in presets.values() if preset.base_url]
    assert len(set(addresses)) == len(addresses)


def test_words() -> None:
    presets = presets_for(ALL)
    assert presets["openai"].words == "OpenAI"
    assert presets[OFFLINE].words == "Offline helper"
    assert [p.id for p in presets.values() if p.custom] == [
        CUSTOM,
        f"{CUSTOM} anthropic",
        f"{CUSTOM} gemini",
    ]


@pytest.mark.parametrize(
    ("protocol", "address", "name"),
    [
        ("openai", "https://api.deepseek.com/", "DeepSeek"),
        ("anthropic", "https://me:x@gateway.example:8/v1", "gateway.example:8"),
        ("openai", "box.lan", "box.lan"),
        ("openai", " ", "?"),
        ("openai", "local:/models/Qwen3-4B.gguf", "Qwen3-4B"),
    ],
)
def test_a_service_gets_a_name(protocol: str, address: str, name: str) -> None:
    assert name_for(protocol, address) == name
