"""Converts configurations with a structure of their own into the general form that
`config_import.py` reads.

Open WebUI has lists of addresses beside lists of keys, in its exported configuration or in the
environment of its container. LibreChat lists the models of a service under `default`. The program
llm calls a model by `model_id` and its service's name for it is `model_name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_WEBUI = {"openai": "api_base_urls", "ollama": "base_urls"}
_VARIABLES = {"OPENAI_API_BASE_URL": "OPENAI_API_KEY", "OLLAMA_BASE_URL": ""}
"""Environment variables with addresses, and the variables with their keys. A variable with several
values has an S at the end.
"""
_OLLAMA_PATH = "/v1"
_Fields = Mapping[str, Any]


def general_form(document: object) -> object:
    """Return the services and models of `document` in the general form; other documents
    unchanged.
    """
    if isinstance(document, list):
        return [_llm_model(item) for item in document]
    if not isinstance(document, dict):
        return document
    found = [*_lists_of_addresses(document), *_containers(document)]
    if found:
        return {"providers": found}
    custom = _fields(document.get("endpoints")).get("custom")
    if isinstance(custom, list):
        return {"providers": [_librechat_service(item) for item in custom]}
    return document


def _llm_model(item: object) -> object:
    fields = _fields(item)
    if not {"model_id", "model_name"} <= fields.keys():
        return item
    rest = {name: value for name, value in fields.items() if name != "api_key_name"}
    return rest | {"model": fields["model_name"], "model_name": fields["model_id"]}


def _librechat_service(item: object) -> object:
    models = _fields(_fields(item).get("models")).get("default")
    return {**_fields(item), "models": models} if isinstance(models, list) else item


# Open WebUI


def _lists_of_addresses(document: _Fields) -> Iterator[object]:
    for name, field in _WEBUI.items():
        part = _fields(document.get(name))
        configs = _fields(part.get("api_configs"))
        keys = _texts(part.get("api_keys"))
        for at, address in enumerate(_texts(part.get(field))):
            config = _fields(configs.get(str(at), configs.get(address)))
            key = keys[at] if at < len(keys) else config.get("key", "")
            yield _service(name, address, key) | {
                "enabled": config.get("enable", True),
                "models": config.get("model_ids") or [],
            }


def _containers(document: _Fields) -> Iterator[object]:
    """Yield the services named in the environment of a container, from a Docker Compose file."""
    for container in _fields(document.get("services")).values():
        environment = _environment(_fields(container).get("environment"))
        for variable, key_variable in _VARIABLES.items():
            addresses = _values_of(environment, variable)
            keys = _values_of(environment, key_variable)
            for at, address in enumerate(addresses):
                name = "ollama" if variable.startswith("OLLAMA") else "openai"
                yield _service(name, address, keys[at] if at < len(keys) else "")


def _environment(value: object) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else ()
    found = {str(name): str(one) for name, one in pairs}
    for line in _texts(value):
        name, equals, text = line.partition("=")
        if equals:
            found[name.strip()] = text.strip().strip("\"'")
    return found


def _values_of(environment: Mapping[str, str], variable: str) -> list[str]:
    if not variable:
        return []
    text = environment.get(f"{variable}S") or environment.get(variable, "")
    return [one.strip() for one in text.split(";") if one.strip()]


def _service(kind: str, address: str, key: object) -> dict[str, object]:
    place = address.rstrip("/")
    if kind == "ollama" and not place.endswith(_OLLAMA_PATH):
        place += _OLLAMA_PATH  # its OpenAI-compatible interface
    host = place.partition("://")[2].partition("/")[0]
    return {"name": host, "base_url": place, "api_key": key, "type": "openai"}


def _fields(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
