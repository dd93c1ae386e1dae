from __future__ import annotations

import pytest

from neodeskpet.llm.catalog.known_models import KnownModel, ThinkingForm, known_model


@pytest.mark.parametrize(
    ("name", "vision", "form", "context"),
    [
        ("gpt-5-mini", True, ThinkingForm.EFFORT, 400_000),
        ("openai/gpt-5.1-chat", True, ThinkingForm.NONE, 128_000),
        ("gpt-4o-mini-2024-07-18", True, ThinkingForm.NONE, 128_000),
        ("o3-mini", False, ThinkingForm.EFFORT, 200_000),
        ("o4-mini", True, ThinkingForm.EFFORT, 200_000),
        ("claude-sonnet-4-5-20250929", True, ThinkingForm.EFFORT, 200_000),
        ("anthropic/claude-3.5-haiku", True, ThinkingForm.NONE, 200_000),
        ("models/gemini-2.5-flash", True, ThinkingForm.EFFORT, 1_048_576),
        ("deepseek-chat", False, ThinkingForm.NONE, 128_000),
        ("deepseek-ai/DeepSeek-V3.1", False, ThinkingForm.TYPE, 128_000),
        ("deepseek-reasoner", False, ThinkingForm.ALWAYS, 128_000),
        ("Qwen/Qwen3-8B", False, ThinkingForm.SWITCH, 131_072),
        ("qwen3:8b", False, ThinkingForm.SWITCH, 131_072),
        ("qwen-vl-max", True, ThinkingForm.NONE, 131_072),
        ("qwen3-vl-plus", True, ThinkingForm.NONE, 131_072),
        ("glm-4.5v", True, ThinkingForm.TYPE, 65_536),
        ("glm-4.6", False, ThinkingForm.TYPE, 131_072),
        ("llava:7b", True, ThinkingForm.NONE, None),
        ("nobody-knows-this", False, ThinkingForm.NONE, None),
        ("", False, ThinkingForm.NONE, None),
    ],
)
def test_known_properties_of_models(
    name: str, vision: bool, form: ThinkingForm, context: int | None
) -> None:
    known = known_model(name)
    assert (known.vision, known.thinking, known.context) == (vision, form, context)


@pytest.mark.parametrize("name", ["text-embedding-3-small", "BAAI/bge-m3", "qwen3-embedding:0.6b"])
def test_models_that_make_vectors(name: str) -> None:
    assert known_model(name).embedding


def test_an_unknown_model_is_assumed_to_call_tools_and_not_to_see() -> None:
    assert known_model("nobody-knows-this") == KnownModel(tools=True, vision=False)


def test_output_is_less_than_context() -> None:
    for name in ("gpt-5", "gpt-4.1", "claude-opus-4-1", "claude-opus-4-5", "gemini-2.5-pro", "o3"):
        known = known_model(name)
        assert known.context is not None
        assert known.max_output is not None
        assert known.max_output < known.context
