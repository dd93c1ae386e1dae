"""The services one can choose by name: an address, a protocol, and whether a key is needed.

What is chosen isn't stored: it follows from the protocol and the address in the settings.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from neodeskpet.core.wording import N_
from neodeskpet.language import tr

OFFLINE = "offline"
CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class Preset:
    """`title` is a service's own name, or a text to translate. `keyless` services run on this
    computer.
    """

    id: str
    title: str
    base_url: str = ""
    protocol: str = "openai"
    keyless: bool = False

    @property
    def words(self) -> str:
        """What the person reads."""
        return tr(self.title) if self.id in (OFFLINE, CUSTOM) else self.title


PRESETS = (
    Preset("openai", "OpenAI", "https://api.openai.com/v1"),
    Preset("anthropic", "Anthropic", "https://api.anthropic.com", "anthropic"),
    Preset("gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
    Preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1"),
    Preset("deepseek", "DeepSeek", "https://api.deepseek.com/v1"),
    Preset("qwen", "Qwen 通义千问", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
    Preset("moonshot", "Moonshot 月之暗面", "https://api.moonshot.cn/v1"),
    Preset("siliconflow", "SiliconFlow 硅基流动", "https://api.siliconflow.cn/v1"),
    Preset("ollama", "Ollama", "http://127.0.0.1:11434/v1", keyless=True),
    Preset("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", keyless=True),
    Preset("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", keyless=True),
    Preset(CUSTOM, N_("Other, OpenAI-compatible")),
    Preset(OFFLINE, N_("Offline helper"), protocol=OFFLINE, keyless=True),
)


def offered(protocols: Container[str]) -> tuple[Preset, ...]:
    """The presets whose protocol is one of `protocols`."""
    return tuple(preset for preset in PRESETS if preset.protocol in protocols)


def preset_of(protocol: str, base_url: str) -> Preset:
    """The preset these settings amount to; CUSTOM when the address is none of the known."""
    if protocol == OFFLINE:
        return named(OFFLINE)
    address = _plain(base_url)
    for preset in PRESETS:
        if preset.base_url and preset.protocol == protocol and _plain(preset.base_url) == address:
            return preset
    return named(CUSTOM)


def named(preset_id: str) -> Preset:
    """Raises StopIteration for an unknown id."""
    return next(preset for preset in PRESETS if preset.id == preset_id)


def _plain(address: str) -> str:
    address = address.strip().rstrip("/").casefold()
    return address.replace("://localhost", "://127.0.0.1")
