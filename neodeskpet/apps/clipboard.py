"""The person's clipboard as an app. Nothing of it is shown unasked: reading asks, as always."""

from __future__ import annotations

from collections.abc import Mapping

from neodeskpet.apps.app import App
from neodeskpet.core.wording import N_
from neodeskpet.tools.registry import Tool


def clipboard_app(tools: Mapping[str, Tool]) -> App:
    """`tools` are those of the toolbox, by name."""

    async def content(target: str) -> str:
        return "(What is in it is told by `read`, which asks the person.)"

    return App(
        "clipboard",
        N_("Clipboard"),
        "What the person has copied.",
        content,
        {"read": tools["clipboard.read"], "write": tools["clipboard.write"]},
        private=True,
    )
