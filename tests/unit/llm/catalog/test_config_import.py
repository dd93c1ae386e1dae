"""Configurations of other programs, in the forms that their manuals show."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.language import set_language
from neodeskpet.llm.catalog.config_import import ImportedServices, import_config, merge_imported
from neodeskpet.llm.catalog.model_catalog import Catalog, catalog_of_service
from neodeskpet.llm.catalog.yaml_config import read_yaml

KNOWN = {
    "openai": ("openai", "https://api.openai.com/v1"),
    "anthropic": ("anthropic", "https://api.anthropic.com/v1"),
    "ollama": ("openai", "http://127.0.0.1:11434/v1"),
}
LITELLM = {
    "model_list": [
        {
            "model_name": "talk",
            "litellm_params": {
                "model": "openai/llama3-70b",
                "api_base": "https://api.groq.example/v1",
                "api_key": "os.environ/GROQ_API_KEY",
                "rpm": 30,
            },
            "model_info": {
                "input_cost_per_token": 0.000002,
                "output_cost_per_token": 0.00001,
                "max_input_tokens": 8192,
                "supports_vision": False,
            },
        },
        {"model_name": "far", "litellm_params": {"model": "bedrock/claude"}},
    ]
}
CONTINUE = {
    "models": [
        {"title": "GPT", "provider": "openai", "model": "gpt-4o", "apiKey": "sk-abcdefgh12345678"},
        {
            "title": "Local",
            "provider": "llama.cpp",
            "model": "qwen",
            "apiBase": "http://localhost:8080",
            "contextLength": 4096,
        },
    ]
}
OPENCODE = {
    "$schema": "https://opencode.ai/config.json",
    "provider": {
        "mine": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "My service",
            "options": {"baseURL": "https://mine.example/v1", "apiKey": "{env:MINE_KEY}"},
            "models": {"m1": {"name": "Model one", "limit": {"context": 65536, "output": 4096}}},
        },
        "anthropic": {"models": {"claude-x": {}}},
    },
}
CHERRY = {
    "localStorage": {
        "persist:cherry-studio": json.dumps(
            {
                "llm": json.dumps(
                    {
                        "providers": [
                            {
                                "id": "silicon",
                                "name": "Silicon",
                                "type": "openai",
                                "apiKey": "sk-one11111111111,sk-two",
                                "enabled": True,
                                "apiHost": "https://api.silicon.example",
                                "models": [{"id": "a/b", "name": "B", "type": ["vision"]}],
                            },
                            {"id": "off", "name": "Off", "enabled": False, "models": []},
                        ]
                    }
                )
            }
        )
    }
}
ZED = {
    "language_models": {
        "openai_compatible": {
            "Gate": {
                "api_url": "https://gate.example/v1",
                "available_models": [
                    {"name": "g-1", "max_tokens": 200000, "max_output_tokens": 32000}
                ],
            }
        }
    }
}
CODEX = {
    "model": "gpt-5",
    "model_providers": {
        "proxy": {
            "name": "Proxy",
            "base_url": "https://proxy.example/v1",
            "env_key": "PROXY_KEY",
            "wire_api": "responses",
            "http_headers": {"X-T": "1", "Authorization": "Bearer x"},
        }
    },
}
OWN = {
    "endpoints": {"here": {"protocol": "gemini", "baseUrl": "https://g.example"}},
    "models": {"flash": {"endpoint": "here", "maxOutput": 100, "vision": True}},
}


@pytest.fixture(autouse=True)
def english() -> None:
    set_language("en")


def read(document: object) -> ImportedServices:
    return import_config(document, KNOWN)


def test_litellm() -> None:
    found = read(LITELLM)
    (endpoint,) = found.endpoints
    assert (endpoint.base_url, endpoint.key_variable, endpoint.requests_per_minute) == (
        "https://api.groq.example/v1",
        "GROQ_API_KEY",
        30,
    )
    (model,) = found.models
    assert (model.id, model.name, model.context, model.vision) == (
        "llama3-70b",
        "talk",
        8192,
        False,
    )
    assert model.prices is not None
    assert model.prices.input == pytest.approx(2)
    assert found.notes == ("“bedrock” is left out: its protocol isn't supported.",)


def test_continue() -> None:
    found = read(CONTINUE)
    assert [one.base_url for one in found.endpoints] == [
        "https://api.openai.com/v1",
        "http://localhost:8080",
    ]
    assert [(one.id, one.name, one.context) for one in found.models] == [
        ("gpt-4o", "GPT", None),
        ("qwen", "Local", 4096),
    ]
    assert found.keys == {"openai": "sk-abcdefgh12345678"}
    assert "sk-" not in repr(found)


def test_opencode() -> None:
    found = read(OPENCODE)
    mine, claude = found.endpoints
    assert (mine.name, mine.protocol, mine.base_url, mine.key_variable) == (
        "My service",
        "openai",
        "https://mine.example/v1",
        "MINE_KEY",
    )
    assert (claude.protocol, claude.base_url) == KNOWN["anthropic"]
    one, other = found.models
    assert (one.id, one.name, one.context, one.max_output) == ("m1", "Model one", 65536, 4096)
    assert (other.id, other.endpoint) == ("claude-x", claude.name)


def test_cherry_studio() -> None:
    found = read(CHERRY)
    (endpoint,) = found.endpoints
    assert (endpoint.name, endpoint.base_url) == ("Silicon", "https://api.silicon.example")
    assert (found.models[0].id, found.models[0].vision) == ("a/b", True)
    assert found.keys == {"Silicon": "sk-one11111111111"}
    assert set(found.notes) == {
        "“Silicon” has several keys; the first is used.",
        "“Off” is left out: it is switched off.",
    }


def test_zed() -> None:
    found = read(ZED)
    assert [one.name for one in found.endpoints] == ["Gate"]
    (model,) = found.models
    assert (model.id, model.context, model.max_output) == ("g-1", 200000, 32000)


def test_codex() -> None:
    found = read(CODEX)
    (endpoint,) = found.endpoints
    assert (endpoint.protocol, endpoint.key_variable, endpoint.headers) == (
        "openai-responses",
        "PROXY_KEY",
        {"X-T": "1"},
    )
    assert found.notes == ("The header Authorization of “Proxy” may hold a key and is left out.",)


YAML = {
    "aichat": """
model: local:llama3.1
clients:
  - type: openai-compatible
    name: local
    api_base: http://localhost:11434/v1
    models:
      - name: llama3.1
        max_input_tokens: 128000
        supports_function_calling: true
  - type: openai
    api_key: sk-abcdefgh12345678
""",
    "llm": """
- model_id: orca
  model_name: orca-mini-3b
  api_base: "http://localhost:8080"
  api_key_name: mine
  vision: true
""",
    "Continue": """
name: Mine
version: 1.0.0
schema: v1
models:
  - uses: anthropic/claude-4-sonnet
  - name: GPT
    provider: openai
    model: gpt-4o
    apiKey: ${{ secrets.OPENAI_API_KEY }}
    roles: [chat, edit]
    capabilities: [tool_use, image_input]
    defaultCompletionOptions: {contextLength: 64000, maxTokens: 2000}
""",
    "LiteLLM": """
x: &common
  api_base: https://proxy.example/v1
  api_key: os.environ/PROXY_KEY
model_list:
  - model_name: small
    litellm_params: {<<: *common, model: openai/qwen-7b}
  - model_name: large
    litellm_params: {<<: *common, model: openai/qwen-72b}
litellm_settings: {drop_params: true}
""",
    "LibreChat": """
version: 1.2.1
endpoints:
  custom:
    - name: Groq
      apiKey: "${GROQ_API_KEY}"
      baseURL: https://api.groq.example/openai/v1
      models: {default: [llama3-70b, mixtral], fetch: false}
    - name: Own
      apiKey: user_provided
      baseURL: https://own.example/v1
""",
    "Open WebUI": """
openai:
  enable: true
  api_base_urls: [https://a.example/v1, https://b.example/v1]
  api_keys: [sk-abcdefgh12345678, ""]
  api_configs: {"0": {enable: true, model_ids: [one]}, "1": {enable: false}}
ollama: {enable: true, base_urls: ["http://localhost:11434"]}
""",
    "its container": """
services:
  open-webui:
    image: ghcr.io/open-webui/open-webui:main
    environment:
      - OPENAI_API_BASE_URLS=https://a.example/v1;https://b.example/v1
      - OPENAI_API_KEYS=${A_KEY};sk-abcdefgh12345678
      - 'OLLAMA_BASE_URL=http://ollama:11434'
""",
    "mods": """
default-model: gpt-4o
apis:
  openai:
    base-url: https://api.openai.com/v1
    api-key:
    api-key-env: OPENAI_API_KEY
    models: {gpt-4o: {aliases: ["4o"], max-input-chars: 392000}}
""",
    "aider": """
model: openai/deepseek-chat
openai-api-base: https://deep.example/v1
openai-api-key: sk-abcdefgh12345678
""",
}


@pytest.mark.parametrize(
    ("form", "endpoints", "models", "keys"),
    [
        (
            "aichat",
            {"local": "http://localhost:11434/v1", "openai": "https://api.openai.com/v1"},
            [("local", "llama3.1")],
            ["openai"],
        ),
        (
            "llm",
            {"orca-mini-3b": "http://localhost:8080"},
            [("orca-mini-3b", "orca-mini-3b")],
            [],
        ),
        ("Continue", {"openai": "https://api.openai.com/v1"}, [("openai", "gpt-4o")], []),
        (
            "LiteLLM",
            {"openai": "https://proxy.example/v1"},
            [("openai", "qwen-7b"), ("openai", "qwen-72b")],
            [],
        ),
        (
            "LibreChat",
            {"Groq": "https://api.groq.example/openai/v1", "Own": "https://own.example/v1"},
            [("Groq", "llama3-70b"), ("Groq", "mixtral")],
            [],
        ),
        (
            "Open WebUI",
            {"a.example": "https://a.example/v1", "localhost:11434": "http://localhost:11434/v1"},
            [("a.example", "one")],
            ["a.example"],
        ),
        (
            "its container",
            {
                "a.example": "https://a.example/v1",
                "b.example": "https://b.example/v1",
                "ollama:11434": "http://ollama:11434/v1",
            },
            [],
            ["b.example"],
        ),
        ("mods", {"openai": "https://api.openai.com/v1"}, [("openai", "gpt-4o")], []),
        (
            "aider",
            {"openai": "https://deep.example/v1"},
            [("openai", "deepseek-chat")],
            ["openai"],
        ),
    ],
)
def test_yaml_of_other_programs(
    form: str, endpoints: dict[str, str], models: list[tuple[str, str]], keys: list[str]
) -> None:
    found = read(read_yaml(YAML[form]))
    assert {one.name: one.base_url for one in found.endpoints} == endpoints
    assert [(one.endpoint, one.id) for one in found.models] == models
    assert list(found.keys) == keys
    assert merge_imported(Catalog(), found).notes == ()


def test_model_settings_in_yaml_are_kept() -> None:
    (gpt,) = read(read_yaml(YAML["Continue"])).models
    assert (gpt.name, gpt.tools, gpt.vision, gpt.context) == ("GPT", True, True, 64000)
    (llama,) = read(read_yaml(YAML["aichat"])).models
    assert (llama.tools, llama.context) == (True, 128000)
    (orca,) = read(read_yaml(YAML["llm"])).models
    assert (orca.name, orca.vision) == ("orca", True)
    (openai,) = read(read_yaml(YAML["Continue"])).endpoints
    assert openai.key_variable == "OPENAI_API_KEY"


def test_our_own_form_with_names_as_keys_and_in_camel_case() -> None:
    found = read(OWN)
    assert [(one.name, one.protocol) for one in found.endpoints] == [("here", "gemini")]
    (model,) = found.models
    assert (model.endpoint, model.id, model.max_output, model.vision) == (
        "here",
        "flash",
        100,
        True,
    )


@pytest.mark.parametrize(
    "document",
    [
        {"provider": "openai", "model": "m", "apiKey": "none"},
        {"openai": {"models": ["m"], "apiKey": "<YOUR KEY>"}},
        [{"name": "openai", "models": ["m"]}],
        [{"provider": "openai", "model": "m"}],
    ],
)
def test_short_forms(document: object) -> None:
    found = read(document)
    assert [(one.base_url) for one in found.endpoints] == ["https://api.openai.com/v1"]
    assert [one.id for one in found.models] == ["m"]
    assert found.keys == {}


def test_existing_entries_stay_and_the_rest_is_added() -> None:
    before = catalog_of_service("openai", "https://mine.example", "m1")
    merged = merge_imported(before, read(OPENCODE))
    assert merged.catalog.endpoints[0] == before.endpoints[0]
    assert merged.names["My service"] == "service"
    assert [(one.endpoint, one.id) for one in merged.catalog.models] == [
        ("service", "m1"),
        ("anthropic", "claude-x"),
    ]
    assert merge_imported(merged.catalog, read(OPENCODE)).catalog == merged.catalog


def test_invalid_entries_are_left_out_with_a_reason() -> None:
    found = read({"providers": {"bad": {"baseUrl": "ftp://x"}, "none": {}, "odd": 3}})
    merged = merge_imported(Catalog(), found)
    assert merged.catalog == Catalog()
    assert merged.notes == ("“bad” is left out: this isn't a valid address.",)
    assert set(found.notes) == {
        "“none” is left out: it has no address.",
        "“odd” is left out: its format is unknown.",
    }


def test_a_text_that_may_be_a_key_is_not_shown() -> None:
    found = read({"providers": ["sk-abcdefgh12345678"]})
    assert found.notes == ("“?” is left out: its format is unknown.",)


_LEAVES: list[Any] = [None, True, False, 0, -3, 2.5, "", "openai", "https://x.example", "{", "a/b"]
_NAMES = [
    "providers",
    "models",
    "model_list",
    "apiKey",
    "baseURL",
    "name",
    "id",
    "type",
    "options",
    "model",
    "llm",
    "headers",
    "limit",
    "cost",
    "npm",
    "capabilities",
    "openai",
    "api_base_urls",
    "services",
    "environment",
    "endpoints",
    "custom",
    "clients",
]
_ITEM = st.sampled_from(_LEAVES) | st.dictionaries(
    st.sampled_from(_NAMES), st.sampled_from(_LEAVES), max_size=4
)
_JSON = st.dictionaries(
    st.sampled_from(_NAMES),
    _ITEM | st.lists(_ITEM, max_size=2) | st.dictionaries(st.sampled_from(_NAMES), _ITEM),
    max_size=4,
)


@settings(max_examples=50)
@given(_JSON)
def test_no_document_raises_another_error(document: object) -> None:
    merge_imported(Catalog(), read(document))
