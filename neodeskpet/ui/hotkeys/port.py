"""What hears keys wherever the focus is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from PySide6.QtCore import SignalInstance

from neodeskpet.core.wording import N_


class HotKeyProblem(StrEnum):
    """Why keys aren't heard; what people read is `REASONS`."""

    TAKEN = "taken"
    UNSUPPORTED = "unfit"
    UNAVAILABLE = "nowhere"


PROBLEM_TEXTS = {
    HotKeyProblem.TAKEN: N_("Another program has these keys."),
    HotKeyProblem.UNSUPPORTED: N_(
        "These keys can't be taken: Ctrl, Alt or Super has to be among them."
    ),
    HotKeyProblem.UNAVAILABLE: N_("This desktop lets no program hear keys everywhere."),
}


class HotKeys(Protocol):
    """`pressed(id)` tells that keys were pressed, `refused(id, Refusal)` that they aren't heard."""

    pressed: SignalInstance
    rejected: SignalInstance

    def set_hot_keys(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        """Hear these from now on, and no others: by id, the keys and what they do, in the person's
        language.
        """
        ...

    def close(self) -> None:
        """Let go of all."""
        ...
