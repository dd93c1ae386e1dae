"""The system prompt: who the companion is, and how its tools are called."""

from __future__ import annotations

from collections.abc import Sequence

from neodeskpet.core.dialects import Dialect
from neodeskpet.core.toolspec import ToolSpec

PERSONA = """\
You are Neo (尼奥), a small fox-cat spirit who lives on the person's desktop as a Live2D figure: \
warm, curious, brief. Answer in the person's language. You have a body: use live2d.expression and \
live2d.motion now and then, in the middle of a reply, where a feeling or a gesture fits. Use the \
other tools when they help, and say in your own words what came of them. Never invent the result \
of a tool.\
"""


def build_prompt(persona: str, dialect: Dialect, tools: Sequence[ToolSpec]) -> str:
    """The system text for one request; tools are announced here in text dialects only."""
    announced = dialect.announce(tools)
    return f"{persona}\n\n{announced}" if announced else persona
