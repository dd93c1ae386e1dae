"""Tools for the companion's figure. They run as soon as the model has written them, in the middle
of the reply.

No `from __future__ import annotations` here: the schemas refer to the local variable `body`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, InvalidValue, Reason
from neodeskpet.core.tool_result import ToolResult, text_brief
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import OneOf, Tool, tool

_MOST_RANGES = 120
"""Parameters that are listed with their range. The further parameters of larger models mostly
belong to parts that move by themselves.
"""
_NOTHING = "nothing"
_MOST_STEPS = 300
"""Most steps of a script, including inner ones: validating thousands takes a tenth of a second."""


class FigureControls(Protocol):
    """The current Live2D model. Call it on the event loop's thread. The lists change when another
    model is loaded, and are empty while there is none.
    """

    def expressions(self) -> Sequence[str]: ...

    def motions(self) -> Mapping[str, int]:
        """Return the number of motions of each group."""
        ...

    def parameters(self) -> Mapping[str, tuple[float, float, float]]:
        """Return minimum, maximum and default by id."""
        ...

    def wearables(self) -> Sequence[str]:
        """Return the names of the parts that it can wear."""
        ...

    def notes(self, kind: str) -> Mapping[str, str]:
        """Return short descriptions by name, for a `kind`: "expression", "motion" or
        "parameter".
        """
        ...

    def express(self, name: str) -> None: ...

    def play(self, group: str, index: int | None) -> None:
        """Play a motion; without an index any of the group."""
        ...

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        """Move parameters by a script and return its length in seconds. Raises InvalidArguments."""
        ...

    def wear(self, part: str) -> None:
        """Wear this part, or nothing with ""."""
        ...


class _Step(BaseModel):
    """The fields of a step. Subclasses add `do` and `parameter`; the latter accepts the model's
    parameter names.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    to: float | None = None
    seconds: Annotated[float | None, Field(ge=0, le=10)] = None
    easing: Literal["linear", "ease_in", "ease_out", "ease_in_out"] | None = None
    times: Annotated[int | None, Field(ge=1, le=40)] = None


def live2d_tools(body: FigureControls) -> list[Tool]:
    """Make the tools. A tool is offered only while the model has expressions, motions or
    parameters.
    """
    return [_expression(body), _motion(body), _parameters(body), _wear(body)]


def _expression(body: FigureControls) -> Tool:
    def about() -> str:
        return _with_notes("Which expression.", body.expressions(), body.notes("expression"))

    @tool(
        "live2d.expression",
        title=N_("Change the expression"),
        risk=Risk.GESTURE,
        eager=True,
        main_argument="name",
        timeout=10,
        offered=lambda: bool(body.expressions()),
    )
    async def expression(
        name: Annotated[str, OneOf(body.expressions, about)],
    ) -> ToolResult:
        """Change your facial expression on the desktop. Use it in the middle of a reply, where
        the feeling fits.
        """
        body.express(name)
        return _shown(f"Your face now shows “{name}”.", text_brief(name))

    return expression


def _motion(body: FigureControls) -> Tool:
    def about() -> str:
        return _with_notes("Which kind of motion.", body.motions(), body.notes("motion"))

    @tool(
        "live2d.motion",
        title=N_("Play a motion"),
        risk=Risk.GESTURE,
        eager=True,
        main_argument="group",
        timeout=10,
        offered=lambda: bool(body.motions()),
    )
    async def motion(
        group: Annotated[str, OneOf(body.motions, about)],
        index: Annotated[
            int | None,
            Field(ge=0, description="Which motion of the group, from 0. Left out: any."),
        ] = None,
    ) -> ToolResult:
        """Move your body on the desktop. Use it in the middle of a reply, where it fits."""
        count = body.motions()[group]
        if index is not None and index >= count:
            text = N_("“{group}” has motions from 0 to {last}, got {index}")
            last = str(count - 1)
            raise InvalidArguments.at("index", text, group=group, last=last, index=str(index))
        body.play(group, index)
        which = f"motion {index} of " if index is not None else ""
        return _shown(f"You are playing {which}“{group}”.", text_brief(group))

    return motion


def _parameters(body: FigureControls) -> Tool:
    def ranges() -> str:
        return _with_ranges(body.parameters(), body.notes("parameter"))

    class Inner(_Step):
        # The meaning of the fields and the ranges are described only in the outer step.
        do: Literal["set", "tween", "pulse", "wait", "reset"] = Field(
            description="As above; wait: pause."
        )
        parameter: str | None = None

    class Step(_Step):
        do: Literal["set", "tween", "pulse", "reset", "sequence"] = Field(
            description="set: at once; tween: go there; pulse: there and back; reset: let go; "
            "sequence: `steps` in order."
        )
        to: Annotated[float | None, Field(description="The value to go to.")] = None
        seconds: Annotated[
            float | None, Field(ge=0, le=10, description="How long; pulse: each.")
        ] = None
        times: Annotated[int | None, Field(ge=1, le=40, description="pulse: how often.")] = None
        # Not listed: the description has the names already, and prompt space is limited.
        parameter: Annotated[str, OneOf(body.parameters, ranges, listed=False)] | None = None
        steps: Annotated[list[Inner] | None, Field(max_length=60, description="sequence.")] = None

    @tool(
        "live2d.parameters",
        title=N_("Move parts of the body"),
        risk=Risk.GESTURE,
        eager=True,
        main_argument="script",
        timeout=10,
        offered=lambda: bool(body.parameters()),
    )
    async def parameters(
        script: Annotated[
            list[Step],
            BeforeValidator(_few),
            Field(
                min_length=1,
                max_length=60,
                description="Steps that begin together; at most 10 s in all.",
            ),
        ],
    ) -> ToolResult:
        """Move single parameters of your body by a small script, for a gesture no expression or
        motion has. What it moved goes back by itself at its end; a new script ends the last.
        """
        seconds = body.animate([one.model_dump(exclude_none=True) for one in script])
        brief = text_brief(f"{seconds:.1f} s")
        return _shown(f"You are moving for {seconds:.1f} s.", brief)

    return parameters


def _wear(body: FigureControls) -> Tool:
    def names() -> Sequence[str]:
        return [*body.wearables(), _NOTHING]

    @tool(
        "live2d.wear",
        title=N_("Put something on"),
        risk=Risk.GESTURE,
        eager=True,
        main_argument="part",
        timeout=10,
        offered=lambda: len(names()) > 1,
    )
    async def wear(
        part: Annotated[str, OneOf(names), Field(description="What.")],
    ) -> ToolResult:
        """Put something on, or take it off, when it fits or the user asks for it."""
        body.wear("" if part == _NOTHING else part)
        return _shown(f"You are wearing: {part}.", text_brief(part))

    return wear


def _shown(text: str, brief: Reason) -> ToolResult:
    """Return a result that needs no further round if all calls are gestures."""
    return ToolResult(text, continue_=False, brief=brief)


def _few(script: object) -> object:
    """Refuse a script with too many steps before validating each. Raises InvalidValue."""
    if isinstance(script, list):
        inner = (step.get("steps") for step in script if isinstance(step, Mapping))
        count = len(script) + sum(len(steps) for steps in inner if isinstance(steps, list))
        if count > _MOST_STEPS:
            text = N_("{count} steps are too many; at most {most} in all")
            raise InvalidValue(text, count=str(count), most=str(_MOST_STEPS))
    return script


def _with_notes(lead: str, names: Iterable[str], notes: Mapping[str, str]) -> str:
    text = "; ".join(f"{name}: {notes[name]}" for name in names if notes.get(name))
    return f"{lead} {text}".strip()


def _with_ranges(parameters: Mapping[str, tuple[float, ...]], notes: Mapping[str, str]) -> str:
    """Return the description of the parameters, grouped by range to keep it short: every request
    contains it.
    """
    by_range: dict[str, list[str]] = {}
    for name, (low, high, default) in list(parameters.items())[:_MOST_RANGES]:
        # Names in two languages have the form "English / 中文".
        about = f" {notes[name].split(' / ')[0]}" if notes.get(name) else ""
        rest = f" ({default:g})" if default else ""
        by_range.setdefault(f"{low:g}…{high:g}", []).append(f"{name}{rest}{about}")
    lines = "; ".join(f"{span}: {', '.join(names)}" for span, names in by_range.items())
    return f"Which parameter, by minimum…maximum (at rest, if not 0). {lines}"
