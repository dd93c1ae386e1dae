"""The companion's body as tools: they act the moment the model has written them, mid-reply.

No `from __future__ import annotations` here: the schemas refer to the body the tools are built for.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Protocol

from pydantic import Field

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.toolspec import Risk
from neodeskpet.tools.registry import OneOf, Tool, tool


class Body(Protocol):
    """The Live2D model on stage now; called on the loop's thread. The lists may change when
    another model is loaded, and are empty while there is none.
    """

    def expressions(self) -> Sequence[str]: ...

    def motions(self) -> Mapping[str, int]:
        """Group → number of motions in it."""
        ...

    def express(self, name: str) -> None: ...

    def play(self, group: str, index: int | None) -> None:
        """Play a motion; with no index any of the group."""
        ...


def live2d_tools(body: Body) -> list[Tool]:
    """A tool is on offer only while the model has expressions, or motions, at all."""

    @tool(
        "live2d.expression",
        risk=Risk.OWN,
        eager=True,
        main_argument="name",
        timeout=10,
        offered=lambda: bool(body.expressions()),
    )
    async def expression(
        name: Annotated[str, OneOf(body.expressions), Field(description="Which expression.")],
    ) -> str:
        """Change your facial expression on the desktop. Use it in the middle of a reply, where
        the feeling fits.
        """
        body.express(name)
        return f"Your face now shows “{name}”."

    @tool(
        "live2d.motion",
        risk=Risk.OWN,
        eager=True,
        main_argument="group",
        timeout=10,
        offered=lambda: bool(body.motions()),
    )
    async def motion(
        group: Annotated[str, OneOf(body.motions), Field(description="Which kind of motion.")],
        index: Annotated[
            int | None,
            Field(ge=0, description="Which motion of the group, from 0. Left out: any."),
        ] = None,
    ) -> str:
        """Move your body on the desktop. Use it in the middle of a reply, where it fits."""
        count = body.motions()[group]
        if index is not None and index >= count:
            last = f"0 to {count - 1}" if count > 1 else "only 0"
            raise InvalidArguments(f"index: “{group}” has {last}, got {index}")
        body.play(group, index)
        which = f"motion {index} of " if index is not None else ""
        return f"You are playing {which}“{group}”."

    return [expression, motion]
