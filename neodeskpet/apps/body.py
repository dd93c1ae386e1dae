"""The companion's body as an app: its expressions and motions are actions."""

from __future__ import annotations

from collections.abc import Mapping

from neodeskpet.apps.app import App
from neodeskpet.core.wording import N_
from neodeskpet.tools.builtin.live2d import FigureControls
from neodeskpet.tools.registry import Tool


def body_app(body: FigureControls, tools: Mapping[str, Tool]) -> App:

    async def content(target: str) -> str:
        motions = ", ".join(f"{group} ({count})" for group, count in body.motions().items())
        expressions = ", ".join(body.expressions())
        return f"Expressions: {expressions or '—'}\nMotions: {motions or '—'}"

    return App(
        "body",
        N_("Body"),
        "Your body on the person's desktop. What is called here acts when the reply has ended; "
        "the live2d tools act in its middle.",
        content,
        {"expression": tools["live2d.expression"], "motion": tools["live2d.motion"]},
    )
