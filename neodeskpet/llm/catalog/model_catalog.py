"""The model catalogue: the content of `llm-config.json`.

Endpoints are addresses; each model belongs to an endpoint; tiers are chains of models in order of
fallback; a purpose names a tier or a model. Keys are never stored here: they are in the keyring
under the endpoint's address, or in the environment. Omitted properties of a model are known from
its name (`known_models.py`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    WithJsonSchema,
)

from neodeskpet.llm.catalog.known_models import Effort, ThinkingForm
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS

FILE_NAME = "llm-config.json"

Tier = Literal["simple", "medium", "complex"]
Purpose = Literal["chat", "errand", "vision", "summary", "title", "embedding"]
TIERS: tuple[Tier, ...] = get_args(Tier)
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


def _known_protocol(name: str) -> str:
    if name not in PROTOCOLS:
        raise ValueError(f"must be one of: {', '.join(sorted(PROTOCOLS))}")
    return name


def _valid_upload(address: str) -> str:
    scheme, _, rest = address.partition("://")
    if not rest or scheme not in ("http", "https"):
        raise ValueError("must be an address such as https://example.com/v1/files")
    return address


def _valid_proxy(address: str) -> str:
    scheme, found, rest = address.partition("://")
    if address and not (found and rest and scheme in ("http", "https")):
        raise ValueError("must be an address such as http://127.0.0.1:8080")
    return address


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
ProtocolName = Annotated[
    str,
    AfterValidator(_known_protocol),
    WithJsonSchema({"type": "string", "enum": sorted(PROTOCOLS)}),
]
Address = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Positive = Annotated[int, Field(gt=0, strict=True)]
Price = Annotated[float, Field(ge=0)]


class _Part(BaseModel):
    """Base of all parts. An unknown field is an error: in a file written by hand it is usually a
    typing mistake.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Upload(_Part):
    """How a picture is uploaded before a model is asked about it: as multipart/form-data. The
    service answers in JSON, and the address in its answer is sent in place of the picture."""

    url: Annotated[Address, AfterValidator(_valid_upload)]
    """Where the picture is posted to. On the server of `base_url` the endpoint's key and headers
    are sent along."""
    field: Name = "file"
    """The form's field that holds the picture."""
    fields: dict[str, str] = {}
    """Further fields of the form. Keys don't belong here."""
    result: Name = "url"
    """Where the address is in the JSON answer: names of fields and numbers in lists, separated by
    dots, such as data.0.url."""
    key_variable: str = ""
    """The environment variable that holds the key for the upload, if it is another key; without it,
    on another server, the key that the keyring holds for that server."""


class Endpoint(_Part):
    """An address where models answer."""

    name: Name
    protocol: ProtocolName
    base_url: Address
    """The address that the service publishes, with or without /v1. Or `local:` and the path of a
    GGUF file: a model on this computer (extra `local`), used over the chosen protocol.
    """
    priority: Annotated[int, Field(strict=True)] = 100
    """If several endpoints have the same model, the one with the lowest number is asked first."""
    on: bool = True
    """A disabled endpoint stays in the file but is not used."""
    headers: dict[str, str] = {}
    """Added to every request. Keys don't belong here."""
    key_variable: str = ""
    """The environment variable that holds the key, if it isn't in the keyring."""
    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None
    proxy: Annotated[str, AfterValidator(_valid_proxy)] = ""
    """The address of a proxy that only this endpoint uses."""
    upload: Upload | None = None
    """For services that only accept the address of a picture: where pictures are uploaded first."""


class Prices(_Part):
    """Prices per million tokens."""

    input: Price
    output: Price
    cached: Price | None = None
    """Input that the service had cached. Without it the price of other input applies."""
    currency: str = "USD"

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """Return the cost of a reply. Cached tokens are part of the input."""
        cached = min(cached_tokens, input_tokens)
        price = self.input if self.cached is None else self.cached
        paid = (input_tokens - cached) * self.input + cached * price + output_tokens * self.output
        return paid / 1_000_000


class ModelEntry(_Part):
    """A model on an endpoint. Omitted properties are known from its id."""

    endpoint: Name
    """The name of its endpoint."""
    id: str
    """The model's name as the service calls it."""
    name: str = ""
    """The name used in tiers and purposes; the id if omitted. Models with the same name on several
    endpoints are alternatives to each other.
    """
    tools: bool | None = None
    """Whether it supports native tool calls."""
    parallel: bool | None = None
    """Whether one reply may contain several tool calls. If not, the service is asked for one at a
    time.
    """
    vision: bool | None = None
    """Whether it sees pictures."""
    thinking: bool | None = None
    """Whether it thinks; false switches it off."""
    streaming: bool | None = None
    """Whether replies can be streamed. If not, the whole reply arrives at once."""
    thinking_form: ThinkingForm | None = None
    """The parameter that controls thinking."""
    effort: Effort | None = None
    """The thinking effort. If omitted it is on, and the service chooses the effort."""
    context: Positive | None = None
    """The context length in tokens."""
    max_output: Positive | None = None
    """The longest reply in tokens, thinking included."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    prices: Prices | None = None
    extra: dict[str, JsonValue] = {}
    """Parameters sent with every request as they are."""

    @property
    def display_name(self) -> str:
        return self.name or self.id


class Tiers(_Part):
    """Chains of models: the first that answers is used."""

    simple: tuple[Name, ...] = ()
    medium: tuple[Name, ...] = ()
    complex: tuple[Name, ...] = ()


class Purposes(_Part):
    """The tier or model for each purpose. "" lets NeoDeskPet choose."""

    chat: str = ""
    errand: Annotated[str, Field(validation_alias=AliasChoices("errand", "schedule"))] = ""
    """Scheduled turns; `schedule` is another name for it."""
    vision: str = ""
    summary: str = ""
    title: str = ""
    embedding: str = ""


class Catalog(_Part):
    """The model services of NeoDeskPet. Keys are never in this file."""

    json_schema: str = Field(default="", alias="$schema")
    endpoints: tuple[Endpoint, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    tiers: Tiers = Tiers()
    purposes: Purposes = Purposes()

    def endpoint(self, name: str) -> Endpoint | None:
        return next((endpoint for endpoint in self.endpoints if endpoint.name == name), None)


def catalog_of_service(protocol: str, base_url: str, model: str) -> Catalog:
    """Return the catalogue of the simple settings: one endpoint with one model, both named
    "service". Empty for the offline helper, or without an address.
    """
    if protocol not in PROTOCOLS or not base_url.strip():
        return Catalog()
    return Catalog(
        endpoints=(Endpoint(name="service", protocol=protocol, base_url=base_url),),
        models=(ModelEntry(endpoint="service", id=model),),
    )


def with_named_model(catalog: Catalog, model: str) -> Catalog:
    """Return the catalogue for a run that names its chat `model`. If the catalogue lacks it, it is
    requested from the first enabled endpoint.
    """
    entries = catalog.models
    name = next((one.display_name for one in entries if model in (one.display_name, one.id)), model)
    if name not in {one.display_name for one in entries}:
        place = next((endpoint.name for endpoint in catalog.endpoints if endpoint.on), "")
        if not place:
            return catalog
        entries = (*entries, ModelEntry(endpoint=place, id=model))
    purposes = catalog.purposes.model_copy(update={"chat": name})
    return catalog.model_copy(update={"models": entries, "purposes": purposes})


def with_options(catalog: Catalog, *, thinking: Effort | None, stream: bool | None) -> Catalog:
    """Return the catalogue with the options of one run applied to all models; None keeps each
    model's own value.
    """
    changes: dict[str, object] = {}
    if thinking is not None:
        changes |= {"thinking": thinking != "off", "effort": thinking}
    if stream is not None:
        changes["streaming"] = stream
    if not changes:
        return catalog
    models = tuple(model.model_copy(update=changes) for model in catalog.models)
    return catalog.model_copy(update={"models": models})


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the file, for editors. Fields that begin with "_" are notes."""
    schema = Catalog.model_json_schema(by_alias=True)
    purposes = schema["$defs"]["Purposes"]["properties"]
    purposes["schedule"] = purposes["errand"]
    for part in (schema, *schema["$defs"].values()):
        if part.get("additionalProperties") is False:
            part["patternProperties"] = {"^_": {}}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
