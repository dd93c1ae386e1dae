"""Reads the model services in the configuration of another program.

Accepted are lists of services or models, and objects keyed by their names, in camelCase or
snake_case: LiteLLM (`model_list`), Continue (`models`), opencode (`provider`), Cherry Studio
(`llm.providers`), Zed (`language_models`), Codex (`model_providers`), LibreChat
(`endpoints.custom`), Open WebUI (`openai.api_base_urls`, or the environment of its container),
aichat (`clients`), llm (`extra-openai-models.yaml`), mods (`apis`), aider and similar programs.
Parts that are not understood are left out and reported in a note. Keys are returned separately from
the services.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from neodeskpet.core.json_text import read_json
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import (
    EditRefused,
    add_endpoint,
    add_model,
    change_model,
    find_model,
    free_name,
)
from neodeskpet.llm.catalog.catalog_validation import KEY_FIELDS
from neodeskpet.llm.catalog.config_shapes import general_form
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, ModelEntry
from neodeskpet.platform.redaction import holds_secret

KnownServices = Mapping[str, tuple[str, str]]
"""Protocol and address of well-known services, by name."""

_Fields = Mapping[str, Any]
_MOST = 1_000
"""The largest number of models read from one file."""
_FRAMES = ("llm", "settings", "config", "data", "localstorage", "persist:cherrystudio")
_PROVIDERS = (
    "providers",
    "provider",
    "endpoints",
    "services",
    "modelproviders",
    "customproviders",
    "languagemodels",
    "openaicompatible",
    "clients",
    "apis",
)
_MODELS = ("models", "modellist", "availablemodels", "custommodels")
_INNER = (
    "options",
    "litellmparams",
    "requestoptions",
    "modelinfo",
    "limit",
    "completionoptions",
    "defaultcompletionoptions",
)
"""Objects whose fields count as fields of the object around them."""
_ADDRESS = (
    "baseurl",
    "apibase",
    "apihost",
    "apiurl",
    "apibaseurl",
    "apiendpoint",
    "url",
    "host",
    "openaiapibase",
)
_KIND = ("protocol", "npm", "wireapi", "apitype", "type", "provider", "api")
_KEY = ("apikey", "key", "token", "accesstoken", "authtoken", "openaiapikey")
_VARIABLE = ("keyvariable", "apikeyenv", "envkey", "apikeyenvvar", "apikeyenvvarname")
_ENVIRONMENT = re.compile(
    r"\{env:(\w+)\}|os\.environ/(\w+)|\$(\w+)|\$\{(?:env:)?(\w+)\}|env\.(\w+)|%(\w+)%"
    r"|process\.env\.(\w+)|\$\{\{\s*secrets\.(\w+)\s*\}\}"
)
_LITELLM = frozenset({"litellmparams", "openaiapibase"})
"""Formats in which a model id begins with its provider."""
_NO_KEY = frozenset(
    {"", "none", "null", "empty", "no-key", "not-needed", "dummy", "ollama", "user_provided"}
)
_UNSUPPORTED = ("bedrock", "vertex", "sagemaker")
_CONTEXT = ("context", "contextlength", "contextwindow", "contextsize", "maxinputtokens")
_OUTPUT = ("maxoutput", "maxoutputtokens", "maxcompletiontokens", "output", "maxtokens")
_TOOLS = ("tools", "toolcall", "supportstools", "supportsfunctioncalling", "functioncalling")
_VISION = ("vision", "supportsvision", "supportsimages", "attachment")
_TOOL_WORDS = frozenset({"tools", "tooluse", "toolcall", "functioncalling", "functioncall"})
_VISION_WORDS = frozenset({"vision", "image", "images", "imageinput"})


@dataclass(frozen=True, slots=True)
class ImportedServices:
    """The services found. `keys` maps endpoint names to keys; `notes` say what was left out, in the
    user's language.
    """

    endpoints: tuple[Endpoint, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MergedCatalog:
    """The catalogue with the new services. `names` maps names in the import to endpoint names in
    the catalogue.
    """

    catalog: Catalog
    names: Mapping[str, str]
    notes: tuple[str, ...] = ()


def import_config(document: object, known: KnownServices) -> ImportedServices:
    """Return the services and models in `document`, a parsed configuration."""
    reader = _ConfigReader(known)
    reader.read(general_form(document))
    return ImportedServices(
        tuple(reader.endpoints.values()),
        tuple(reader.models[:_MOST]),
        reader.keys,
        tuple(dict.fromkeys(reader.notes)),
    )


def merge_imported(catalog: Catalog, found: ImportedServices) -> MergedCatalog:
    """Return `catalog` with the endpoints and models that it lacks. Existing ones stay
    unchanged.
    """
    names: dict[str, str] = {}
    notes: list[str] = []
    for endpoint in found.endpoints:
        same = next((one for one in catalog.endpoints if _place(one) == _place(endpoint)), None)
        if same is not None:
            names[endpoint.name] = same.name
            continue
        try:
            catalog = add_endpoint(catalog, endpoint)
        except EditRefused as error:
            notes.append(_left_out(endpoint.name, error.detail))
        else:
            names[endpoint.name] = catalog.endpoints[-1].name
    for model in found.models:
        place = names.get(model.endpoint)
        if place is None or any(m.endpoint == place and m.id == model.id for m in catalog.models):
            continue
        changes = model.model_dump(exclude_defaults=True, exclude={"endpoint", "id"})
        try:
            added = add_model(catalog, place, model.id)
            find_model(added, place, model.id)
            catalog = change_model(added, place, model.id, **changes) if changes else added
        except EditRefused as error:
            notes.append(_left_out(model.display_name, error.detail))
    return MergedCatalog(catalog, names, tuple(notes))


class _ConfigReader:
    def __init__(self, known: KnownServices) -> None:
        self._known = known
        self._by_key: dict[str, str] = {}
        self.endpoints: dict[str, Endpoint] = {}
        self.models: list[ModelEntry] = []
        self.keys: dict[str, str] = {}
        self.notes: list[str] = []

    def read(self, document: object) -> None:
        if isinstance(document, list):
            models = all("model" in _folded(_unframed(item)) for item in document)
            self._read_lists({"models" if models else "providers": document})
            return
        fields = _folded(document)
        self._read_lists(fields)
        if self.endpoints or self.notes:
            return
        if _first(fields, _ADDRESS) or _first(fields, ("model",)):
            self._alone("", document)
        elif fields and all(isinstance(value, dict) for value in fields.values()):
            self._read_lists({"providers": document})

    def _read_lists(self, fields: _Fields, depth: int = 0) -> None:
        for name in _PROVIDERS:
            if isinstance(fields.get(name), dict | list):
                for key, item in _items(fields[name]):
                    self._provider(key, item)
        for name in _MODELS:
            if isinstance(fields.get(name), dict | list):
                for key, item in _items(fields[name]):
                    self._alone(key, item)
        for name in _FRAMES:
            inner = _folded(_parsed(fields.get(name)))
            if inner and depth < len(_FRAMES):
                self._read_lists(inner, depth + 1)

    def _provider(self, key: str, item: object) -> None:
        if _fold(key) in _PROVIDERS:  # a group of services inside the list
            self._read_lists({_fold(key): item})
            return
        fields = _folded(_unframed(item))
        name = _first(fields, ("name", "title", "label")) or key or _first(fields, ("id", "type"))
        if not isinstance(item, dict):
            # A text without a name may be a key, so it is not shown.
            self.notes.append(_left_out(name or "?", tr("its format is unknown")))
            return
        if fields.get("enabled", fields.get("on")) is False or fields.get("disabled") is True:
            self.notes.append(_left_out(name, tr("it is switched off")))
            return
        place = self._endpoint(name, fields, key or _first(fields, ("id",)))
        if place is None:
            return
        for word in (key, name, _first(fields, ("id",))):
            if word:
                self._by_key[word] = place
        for word in (*_MODELS, "model", "defaultmodel"):
            for model_key, model in _items(fields.get(word)):
                self._model(place, model_key, model)

    def _alone(self, key: str, item: object) -> None:
        """Read a model that is not inside a service, or that names its own service."""
        fields = _folded(_unframed(item))
        own = _first(fields, ("endpoint", "provider", "providerid", "service"))
        place = self._by_key.get(own)
        prefix, slash, _ = _first(fields, ("model",)).partition("/")
        lite = slash and not _LITELLM.isdisjoint(_folded(item))
        if place is None:
            kind = own or (prefix if lite else "")
            name = kind or key or _first(fields, ("title", "name", "model"))
            place = self._endpoint(name, fields, kind)
        if place is not None:
            self._model(place, key, item, prefix + "/" if lite else "")

    def _endpoint(self, name: str, fields: _Fields, kind: str) -> str | None:
        """Return the name of the endpoint with this address; add the endpoint if there is none."""
        kinds = (_first(fields, (word,)) for word in _KIND)
        kind = next((word for word in kinds if word and "://" not in word), kind)
        api = _first(fields, ("api",))
        address = _first(fields, _ADDRESS) or (api if "://" in api else "")
        words = " ".join((kind, name)).casefold()
        known = next((self._known[w] for w in _words(kind, name) if w in self._known), None)
        if any(word in words for word in _UNSUPPORTED):
            self.notes.append(_left_out(name, tr("its protocol isn't supported")))
            return None
        protocol = _protocol(kind, address)
        if not address and known is not None:
            protocol, address = known
        if not address:
            self.notes.append(_left_out(name, tr("it has no address")))
            return None
        variable, key = self._key_in(name, fields)
        made = {"name": name or address, "protocol": protocol, "base_url": address}
        same = next((n for n, e in self.endpoints.items() if _place(e) == _plain(made)), None)
        if same is None:
            made["name"] = free_name(made["name"], self.endpoints)
            try:
                endpoint = Endpoint.model_validate(
                    made
                    | {"key_variable": variable, "headers": self._headers(name, fields)}
                    | _numbers(fields)
                )
            except ValidationError as error:
                self.notes.append(_left_out(name, error.errors()[0]["msg"]))
                return None
            same = endpoint.name
            self.endpoints[same] = endpoint
        if key:
            self.keys.setdefault(same, key)
        return same

    def _key_in(self, name: str, fields: _Fields) -> tuple[str, str]:
        """Return the name of the environment variable with the key, and the key itself."""
        variable = _first(fields, _VARIABLE)
        text = _first(fields, _KEY)
        found = _ENVIRONMENT.fullmatch(text)
        if found:
            return next(group for group in found.groups() if group), ""
        key, comma, _ = text.partition(",")
        if comma:
            self.notes.append(tr("“{name}” has several keys; the first is used.", name=name))
        key = key.strip()
        usable = key.casefold() not in _NO_KEY and "<" not in key and key.isascii()
        return variable, key if usable and "xxx" not in key.casefold() else ""

    def _headers(self, name: str, fields: _Fields) -> dict[str, str]:
        kept: dict[str, str] = {}
        headers = fields.get("headers", fields.get("extraheaders", fields.get("httpheaders")))
        for header, value in (headers if isinstance(headers, dict) else {}).items():
            secret = _fold(header) in KEY_FIELDS or holds_secret(f"{header}: {value}")
            if secret or not isinstance(value, str):
                self.notes.append(
                    tr(
                        "The header {header} of “{name}” may hold a key and is left out.",
                        header=header,
                        name=name,
                    )
                )
            else:
                kept[header] = value
        return kept

    def _model(self, place: str, key: str, item: object, prefix: str = "") -> None:
        fields = _folded(_unframed(item))
        if isinstance(item, str):
            model_id = item
        else:
            model_id = (
                _first(fields, ("model", "modelid", "id")) or key or _first(fields, ("name",))
            )
        model_id = model_id.removeprefix(prefix).strip()
        if not model_id:
            return
        called = _first(fields, ("modelname", "title", "displayname", "name"))
        made: dict[str, object] = {"endpoint": place, "id": model_id}
        if called and called != model_id:
            made["name"] = called
        try:
            entry = ModelEntry.model_validate(made | _abilities(fields))
        except ValidationError:
            entry = ModelEntry(endpoint=place, id=model_id)
        if not any(one.endpoint == place and one.id == model_id for one in self.models):
            self.models.append(entry)


def _abilities(fields: _Fields) -> dict[str, object]:
    """Return what the configuration says about a model, as fields of ModelEntry."""
    words = {_fold(word) for word in _capabilities(fields)}
    made: dict[str, object] = {
        "tools": _flag(fields, _TOOLS) if not words & _TOOL_WORDS else True,
        "vision": _flag(fields, _VISION) if not words & _VISION_WORDS else True,
        "thinking": _flag(fields, ("thinking",)),
    }
    most = _count(fields, _OUTPUT)
    context = _count(fields, _CONTEXT)
    if context is None and "maxoutputtokens" in fields:
        context = _count(fields, ("maxtokens",))
    made |= {"context": context, "max_output": most}
    warm = fields.get("temperature")
    if isinstance(warm, int | float) and not isinstance(warm, bool) and 0 <= warm <= 2:
        made["temperature"] = warm
    cost = _folded(fields.get("cost", fields.get("prices")))
    price = {"input": cost.get("input"), "output": cost.get("output")}
    per_token = {
        "input": fields.get("inputcostpertoken"),
        "output": fields.get("outputcostpertoken"),
    }
    if all(isinstance(value, int | float) for value in price.values()):
        made["prices"] = price
    elif all(isinstance(value, int | float) for value in per_token.values()):
        made["prices"] = {n: v * 1_000_000 for n, v in per_token.items() if v is not None}
    return {name: value for name, value in made.items() if value is not None}


def _capabilities(fields: _Fields) -> Iterator[str]:
    """Yield words such as `vision` from the lists of capabilities of a model."""
    modalities = _folded(fields.get("modalities"))
    for value in (fields.get("capabilities"), fields.get("type"), modalities.get("input")):
        if isinstance(value, dict):
            yield from (str(name) for name, on in value.items() if on is True)
        for item in value if isinstance(value, list) else ():
            yield str(item.get("type", "") if isinstance(item, dict) else item)


def _protocol(kind: str, address: str) -> str:
    words = kind.casefold()
    if "anthropic" in words or "claude" in words:
        return "anthropic"
    if ("gemini" in words or "google" in words) and "/openai" not in address:
        return "gemini"
    return "openai-responses" if "response" in words else "openai"


def _numbers(fields: _Fields) -> dict[str, int]:
    made = {
        "requests_per_minute": _count(fields, ("rpm", "requestsperminute")),
        "tokens_per_minute": _count(fields, ("tpm", "tokensperminute")),
    }
    return {name: value for name, value in made.items() if value is not None}


def _items(value: object) -> Iterable[tuple[str, object]]:
    if isinstance(value, str):
        return [("", value)] if value else []
    if isinstance(value, list):
        return [("", item) for item in value]
    return list(value.items()) if isinstance(value, dict) else []


def _unframed(item: object) -> dict[str, Any]:
    """Return `item` merged with the fields of its inner objects, such as `options`; its own fields
    take precedence.
    """
    if not isinstance(item, dict):
        return {}
    merged: dict[str, Any] = {}
    for name, value in item.items():
        if _fold(name) in _INNER and isinstance(value, dict):
            merged.update(_unframed(value))
    return merged | item


def _folded(value: object) -> dict[str, Any]:
    """Return the fields with names in one spelling: `apiBase`, `api_base` and `API-Base` become
    `apibase`.
    """
    if not isinstance(value, dict):
        return {}
    return {_fold(name): inner for name, inner in value.items()}


def _fold(name: object) -> str:
    return re.sub(r"[-_\s]", "", str(name)).casefold()


def _parsed(value: object) -> object:
    """Parse JSON text stored inside JSON, as in Cherry Studio."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except ValueError:
        return None


def _first(fields: _Fields, names: Iterable[str]) -> str:
    found = (fields.get(name) for name in names)
    return next((text.strip() for text in found if isinstance(text, str) and text.strip()), "")


def _flag(fields: _Fields, names: Iterable[str]) -> bool | None:
    return next((fields[name] for name in names if isinstance(fields.get(name), bool)), None)


def _count(fields: _Fields, names: Iterable[str]) -> int | None:
    found = (fields.get(name) for name in names)
    return next(
        (n for n in found if isinstance(n, int) and not isinstance(n, bool) and n > 0), None
    )


def _words(*texts: str) -> Iterator[str]:
    for text in texts:
        yield re.sub(r"[^a-z0-9]", "", text.casefold().removeprefix("@ai-sdk/"))


def _place(endpoint: Endpoint) -> tuple[str, str]:
    return endpoint.protocol, _address(endpoint.base_url)


def _plain(made: Mapping[str, str]) -> tuple[str, str]:
    return made["protocol"], _address(made["base_url"])


def _address(text: str) -> str:
    return text.strip().rstrip("/").casefold().removesuffix("/v1")


def _left_out(name: str, reason: str) -> str:
    return tr("“{name}” is left out: {reason}.", name=name, reason=reason.rstrip("."))
