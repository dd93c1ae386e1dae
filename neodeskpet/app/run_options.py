"""The options of the command line for this run. This module imports little: the figure is shown
before the rest is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neodeskpet.documents.web.addresses import is_public
from neodeskpet.settings.store import SettingKey

if TYPE_CHECKING:
    from neodeskpet.llm.catalog.known_models import Effort


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run; None means that the settings decide. `recall_timeout`: how many seconds a
    request waits for the memory (None: the default); `is_address_allowed`: whether a tool may fetch
    a page from this IP address. `ask_for_untrusted_flow`: whether calls ask because of what the
    model has read (`core/information_flow.py`). Only the benchmark of these rules switches it off;
    no setting or command does.
    """

    base_url: str | None = None
    model: str | None = None
    protocol: str | None = None
    mode: str | None = None
    dialect: str | None = None
    thinking: Effort | None = None
    stream: bool | None = None
    memory: bool | None = None
    knowledge: bool | None = None
    recall_timeout: float | None = None
    is_address_allowed: Callable[[str], bool] = is_public
    ask_for_untrusted_flow: bool = True

    def overrides(self) -> Mapping[SettingKey, object]:
        named: dict[SettingKey, object | None] = {
            ("service", "base_url"): self.base_url,
            ("service", "model"): self.model,
            ("service", "protocol"): self.protocol,
            ("mode", "mode"): self.mode,
            ("memory", "recall"): self.memory,
            ("memory", "knowledge"): self.knowledge,
            ("mode", "dialect"): self.dialect,
        }
        return {key: value for key, value in named.items() if value is not None}
