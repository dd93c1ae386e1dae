"""The known services: an address, a protocol, and whether a key is needed.

The choice isn't stored: it follows from the protocol and the address.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.llm.local.model_file import is_model_file, model_name

OFFLINE = "offline"
CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class Preset:
    """`title` is the name of a service, or a text to translate. `keyless` services run on this
    computer.
    """

    id: str
    title: str
    base_url: str = ""
    protocol: str = "openai"
    keyless: bool = False

    @property
    def words(self) -> str:
        """The displayed name."""
        return self.title if self.base_url else tr(self.title)

    @property
    def custom(self) -> bool:
        """Whether the user enters the address."""
        return not self.base_url and self.protocol != OFFLINE


PRESETS = (
    Preset("openai", "OpenAI", "https://api.openai.com/v1"),
    Preset("anthropic", "Anthropic", "https://api.anthropic.com/v1", "anthropic"),
    Preset("gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta", "gemini"),
    Preset("gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
    Preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1"),
    Preset("deepseek", "DeepSeek", "https://api.deepseek.com/v1"),
    Preset("qwen", "Qwen 通义千问", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
    Preset("moonshot", "Moonshot 月之暗面", "https://api.moonshot.cn/v1"),
    Preset("zhipu", "Zhipu 智谱", "https://open.bigmodel.cn/api/paas/v4"),
    Preset("siliconflow", "SiliconFlow 硅基流动", "https://api.siliconflow.cn/v1"),
    Preset("ollama", "Ollama", "http://127.0.0.1:11434/v1", keyless=True),
    Preset("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", keyless=True),
    Preset("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", keyless=True),
    Preset(CUSTOM, N_("Other, OpenAI-compatible")),
    Preset(f"{CUSTOM} anthropic", N_("Other, Anthropic-compatible"), protocol="anthropic"),
    Preset(f"{CUSTOM} gemini", N_("Other, Gemini-compatible"), protocol="gemini"),
    Preset(OFFLINE, N_("Offline helper"), protocol=OFFLINE, keyless=True),
)
"""If an id occurs twice, the first one with a supported protocol is used."""


def presets_for(protocols: Container[str]) -> dict[str, Preset]:
    """Return the presets whose protocol is one of `protocols`, by id."""
    found: dict[str, Preset] = {}
    for preset in PRESETS:
        if preset.protocol in protocols:
            found.setdefault(preset.id, preset)
    return found


def preset_of(presets: Iterable[Preset], protocol: str, base_url: str) -> Preset:
    """Return the preset with this protocol and address; otherwise the custom preset of the
    protocol; for an unknown protocol, a custom preset named after it.
    """
    address = _plain(base_url)
    own = [preset for preset in presets if preset.protocol == protocol]
    known = next((p for p in own if p.base_url and _plain(p.base_url) == address), None)
    custom = next((p for p in own if not p.base_url), None)
    return known or custom or Preset(CUSTOM, protocol, protocol=protocol)


def name_for(protocol: str, base_url: str) -> str:
    """Return a name for the service at this address: the name of its preset, its host, or the name
    of a model file.
    """
    if is_model_file(base_url):
        return model_name(Path(base_url.strip()))
    preset = preset_of(PRESETS, protocol, base_url)
    if preset.base_url:
        return preset.title
    rest = base_url.strip().partition("://")[2] or base_url.strip()
    return rest.partition("/")[0].rpartition("@")[2] or "?"


def _plain(address: str) -> str:
    address = address.strip().rstrip("/").casefold().removesuffix("/v1")
    return address.replace("://localhost", "://127.0.0.1")
