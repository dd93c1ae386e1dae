"""Selects the models for a purpose, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from neodeskpet.llm.catalog.known_models import (
    KnownModel,
    ThinkingForm,
    is_known,
    known_model,
    render_effort,
)
from neodeskpet.llm.catalog.model_catalog import (
    TIERS,
    Catalog,
    Endpoint,
    ModelEntry,
    Prices,
    Purpose,
)
from neodeskpet.llm.protocols.protocol import ModelOptions

_DEFAULTS: dict[Purpose, str] = {
    "chat": "complex",
    "errand": "medium",
    "summary": "simple",
    "title": "simple",
}
_QUICK = frozenset({"title", "summary", "vision"})
"""Purposes that don't need thinking; it is switched off where that is possible."""
_WRITES_AT_MOST = 32_000
"""The reply limit in tokens, where a protocol requires one and the user set none."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model with all its properties: from the file, otherwise known by its name. `context` and
    `max_output` in tokens, None if unknown.
    """

    endpoint: Endpoint
    entry: ModelEntry
    tools: bool
    vision: bool
    thinking: ThinkingForm
    streaming: bool
    context: int | None
    max_output: int | None

    @property
    def name(self) -> str:
        return self.entry.display_name

    @property
    def abilities(self) -> Mapping[str, bool]:
        """The assumed abilities, by the name of their field in the catalogue."""
        return {
            "tools": self.tools,
            "parallel": self.entry.parallel is not False,
            "vision": self.vision,
            "thinking": self.thinking is not ThinkingForm.NONE,
            "streaming": self.streaming,
        }

    @property
    def prices(self) -> Prices | None:
        return self.entry.prices

    @property
    def vision_unknown(self) -> bool:
        """Whether it is unknown if the model accepts pictures."""
        return self.entry.vision is None and not is_known(self.entry.id)

    def options(self, *, quick: bool = False) -> ModelOptions:
        """Return the request options without the key. `quick` switches thinking off."""
        entry, protocol = self.entry, self.endpoint.protocol
        form, effort = self.thinking, entry.effort or "on"
        if quick or entry.thinking is False:
            form, effort = entry.thinking_form or known_model(entry.id).thinking, "off"
        thinking, extra = render_effort(protocol, form, effort, self.max_output)
        most = entry.max_output
        if most is None and protocol == "anthropic" and self.max_output is not None:
            most = min(self.max_output, _WRITES_AT_MOST)
        return ModelOptions(
            self.endpoint.base_url,
            entry.id,
            stream=self.streaming,
            max_tokens=most,
            temperature=entry.temperature,
            thinking=thinking,
            parallel=entry.parallel is not False,
            headers=self.endpoint.headers,
            extra=extra | entry.extra,
        )


def complete_choice(endpoint: Endpoint, entry: ModelEntry) -> ModelChoice:
    """Return `entry` with missing properties filled in by its name."""
    known = known_model(entry.id)
    return ModelChoice(
        endpoint,
        entry,
        tools=known.tools if entry.tools is None else entry.tools,
        vision=known.vision if entry.vision is None else entry.vision,
        thinking=_thinking(entry, known),
        streaming=entry.streaming is not False,
        context=entry.context or known.context,
        max_output=entry.max_output or known.max_output,
    )


def model_choices(catalog: Catalog, purpose: Purpose, model: str = "") -> tuple[ModelChoice, ...]:
    """Return the models for `purpose` in the order in which they are asked, possibly none. With
    `model`, those with that name.

    A purpose that names nothing uses a default tier (chat complex, background prompts medium, the
    others simple), an empty tier the next one, and without tiers every model in the order of the
    file. Pictures are described by models that accept them; vectors come from embedding models.
    """
    named = getattr(catalog.purposes, purpose) or _DEFAULTS.get(purpose, "")
    chain = _tier(catalog, named) if named in (*TIERS, "") else (named,)
    chain = (model,) if model else chain
    found = _find(catalog, chain) if chain else _all(catalog)
    if purpose == "embedding":
        asked = bool(catalog.purposes.embedding)
        return tuple(one for one in found if asked or known_model(one.entry.id).embedding)
    if purpose == "vision":
        return tuple(one for one in found if one.vision) or _trusted(found if chain else [])
    return tuple(one for one in found if chain or not known_model(one.entry.id).embedding)


def chat_models(catalog: Catalog) -> tuple[ModelChoice, ...]:
    """Return all chat models, in the order of the file."""
    return tuple(one for one in _settled(catalog) if not known_model(one.entry.id).embedding)


def is_quick(purpose: Purpose) -> bool:
    """Return whether thinking is useless for this purpose."""
    return purpose in _QUICK


def _thinking(entry: ModelEntry, known: KnownModel) -> ThinkingForm:
    if entry.thinking is False:
        return ThinkingForm.NONE
    form = entry.thinking_form or known.thinking
    return ThinkingForm.EFFORT if entry.thinking and form is ThinkingForm.NONE else form


def _tier(catalog: Catalog, name: str) -> tuple[str, ...]:
    """Return the chain of this tier; if it is empty, of the next stronger, then the next simpler
    tier.
    """
    if not name:
        return ()
    names: list[str] = list(TIERS)
    at = names.index(name)
    for tier in (*TIERS[at:], *reversed(TIERS[:at])):
        chain: tuple[str, ...] = getattr(catalog.tiers, tier)
        if chain:
            return chain
    return ()


def _find(catalog: Catalog, chain: tuple[str, ...]) -> list[ModelChoice]:
    found: list[ModelChoice] = []
    for name in chain:
        same = [one for one in _all(catalog) if one.name == name and one not in found]
        found += sorted(same, key=lambda one: one.endpoint.priority)
    return found


def _trusted(found: list[ModelChoice]) -> tuple[ModelChoice, ...]:
    """Mark models as accepting pictures because the user chose them for that."""
    return tuple(replace(one, vision=True) for one in found if one.entry.vision is None)


def _all(catalog: Catalog) -> list[ModelChoice]:
    return list(_settled(catalog))


def _settled(catalog: Catalog) -> Iterator[ModelChoice]:
    for entry in catalog.models:
        endpoint = catalog.endpoint(entry.endpoint)
        if endpoint is not None and endpoint.on:
            yield complete_choice(endpoint, entry)
