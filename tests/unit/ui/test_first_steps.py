"""The decisions of the first steps without a window."""

import pytest

from neodeskpet.ui.first_steps import (
    DOTS,
    Step,
    choose_model,
    dot_of,
    next_step,
    services_of_key,
)
from neodeskpet.ui.settings.services.service_presets import PRESETS


def test_the_order_of_the_steps() -> None:
    seen, step = [], Step.LANGUAGE
    while (following := next_step(step, with_key=True)) is not None:
        seen.append(step)
        step = following
    assert [*seen, step] == list(Step)
    assert next_step(Step.SERVICE) is Step.TRY, "without a key none is asked for"
    assert sorted({dot_of(one) for one in Step}) == list(range(DOTS))


@pytest.mark.parametrize(
    ("key", "services"),
    [
        ("", ()),
        ("sk-short", ()),
        ("not a key at all, but words", ()),
        ("sk-ant-api03-abcdefghijkl", ("anthropic",)),
        ("sk-or-v1-abcdefghijklmnop", ("openrouter",)),
        ("sk-proj-abcdefghijklmnop", ("openai",)),
        ("AIzaSyabcdefghijklmnop", ("gemini",)),
        (" sk-abcdefghijklmnopqrst\n", ("openai", "deepseek", "moonshot", "qwen")),
    ],
)
def test_a_key_identifies_its_service(key: str, services: tuple[str, ...]) -> None:
    assert services_of_key(key) == services


def test_at_most_four_services_are_offered_and_each_has_a_preset() -> None:
    ids = {preset.id for preset in PRESETS}
    for key in ("sk-abcdefghijklmnopqrst", "0123456789abcdef0123456789abcdef"):
        assert 1 < len(services_of_key(key)) <= 4
        assert set(services_of_key(key)) <= ids


@pytest.mark.parametrize(
    ("models", "chosen"),
    [
        ([], ""),
        (["text-embedding-3-small", "whisper-1"], ""),
        (["gpt-5", "gpt-5-mini-2026", "gpt-5-mini", "tts-1"], "gpt-5-mini"),
        (["deepseek-reasoner", "deepseek-chat"], "deepseek-chat"),
        (["nomic-embed-text", "qwen3:8b", "llama3:8b"], "qwen3:8b"),
    ],
)
def test_the_model_to_begin_with(models: list[str], chosen: str) -> None:
    assert choose_model(models) == chosen
