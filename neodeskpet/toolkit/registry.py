"""Declares tools as typed functions; schema, validation and documentation are derived from them.

::

    def dice_tools(die: Die) -> list[Tool]:
        @tool("dice.roll", risk=Risk.READ, main_argument="sides")
        def roll(sides: Annotated[int, Field(ge=2, description="How many sides.")] = 6) -> int:
            \"\"\"Roll a die.\"\"\"
            return die.roll(sides)

        return [roll]

The first paragraph of the docstring tells the model what the tool does, `Field` describes and
bounds a parameter, `OneOf` offers names that may change while the app runs. A parameter annotated
`Progress` gets the caller's; the model never sees it. In a file whose annotations refer to a
builder's arguments, leave out `from __future__ import annotations`; use it in every other file,
because then the schema is made only once per builder.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from types import FunctionType
from typing import Annotated, Any, cast, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic import create_model as build_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import ToolError
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.tool_result import ApprovalText, CallPreview, Shown
from neodeskpet.core.toolspec import BACKGROUND_ARGUMENT, Disclosure, Mode, Risk, ToolSpec
from neodeskpet.core.toolspec import Progress as Progress
from neodeskpet.toolkit.argument_validation import plain_schema, validate_arguments
from neodeskpet.toolkit.daemon_thread import in_daemon

Preview = Callable[..., "Shown | Awaitable[Shown | None] | None"]
"""Called with a tool's arguments, on a thread; a coroutine function runs on the loop."""
AskText = Callable[..., "ApprovalText | Awaitable[ApprovalText | None] | None"]
"""Like `Preview`: makes the question that the user is asked about a call. It looks up what ids
refer to, and raises ToolError for an unknown id: then the call fails and the user isn't asked.
"""

RunInBackground = Annotated[
    bool,
    Field(
        description="True for what may take minutes: you get a task id at once, can go on talking, "
        "and are told when it has ended."
    ),
]
"""The parameter `background` of a tool with `mode=Mode.EITHER`."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A typed function as a tool. `arguments` is the pydantic model of the parameters. `progress`
    names the parameter of type `Progress`, "" if there is none. `offered` is called before each
    model call. `schema` returns the current schema of the parameters.
    """

    function: Callable[..., object]
    name: str
    description: str
    arguments: type[BaseModel]
    risk: Risk
    mode: Mode
    eager: bool
    main_argument: str
    timeout: float
    offered: Callable[[], bool]
    schema: Callable[[], Mapping[str, object]]
    title: str = ""
    progress: str = ""
    scope: Mapping[str, ScopeKind] = field(default_factory=dict)
    outside: bool = False
    preview: Preview | None = None
    ask: AskText | None = None
    reads: SourceKind | None = None
    sends: Disclosure = Disclosure.NOTHING
    later: tuple[str, ...] = ()
    can_always_allow: bool = True

    @property
    def spec(self) -> ToolSpec:
        """The current description for the model, with the current options of `OneOf`."""
        return ToolSpec(
            self.name,
            self.description,
            self.parameters,
            risk=self.risk,
            mode=self.mode,
            eager=self.eager,
            main_argument=self.main_argument,
            timeout=self.timeout,
            title=self.title,
            scope=self.scope,
            outside=self.outside,
            reads=self.reads,
            sends=self.sends,
            later=self.later,
            can_always_allow=self.can_always_allow,
        )

    @property
    def parameters(self) -> Mapping[str, object]:
        """A JSON Schema object without references, titles and null branches."""
        return self.schema()

    def read(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """Return the function's keyword arguments. Raises InvalidArguments with path and reason of
        every fault.
        """
        return validate_arguments(self.arguments, self.parameters, arguments)

    async def preview_call(self, arguments: Mapping[str, object]) -> CallPreview:
        """Return a preview of a call. Raises InvalidArguments, and any error of a bug in `ask` and
        `preview`.
        """
        if self.ask is None and self.preview is None:
            return CallPreview()
        values = await asyncio.to_thread(self.read, arguments)
        async with asyncio.timeout(self.timeout):
            try:
                question = await _call_with(self.ask, values)
            except ToolError as error:
                return CallPreview(error=error)
            try:
                shown = await _call_with(self.preview, values)
            except ToolError:
                shown = None  # the call itself will report it
        return CallPreview(cast("ApprovalText | None", question), cast("Shown | None", shown))

    def prepare(self, arguments: Mapping[str, object], progress: Progress) -> Callable[[], object]:
        """Return the call, ready to run. Raises InvalidArguments."""
        values = self.read(arguments)
        if self.progress:
            values[self.progress] = progress
        return partial(self.function, **values)


async def _call_with(function: Callable[..., object] | None, values: dict[str, object]) -> object:
    if function is None:
        return None
    call = partial(function, **values)
    answer = call() if inspect.iscoroutinefunction(call) else in_daemon(call)
    return await cast("Awaitable[object]", answer)


def tool(
    name: str,
    *,
    risk: Risk,
    mode: Mode = Mode.SYNC,
    eager: bool = False,
    main_argument: str = "",
    timeout: float = 60.0,
    title: str = "",
    scope: Mapping[str, ScopeKind] | None = None,
    outside: bool = False,
    reads: SourceKind | None = None,
    sends: Disclosure = Disclosure.NOTHING,
    later: tuple[str, ...] = (),
    preview: Preview | None = None,
    ask: AskText | None = None,
    can_always_allow: bool = True,
    offered: Callable[[], bool] = lambda: True,
) -> Callable[[Callable[..., object]], Tool]:
    """Make the decorated function a `Tool`. `timeout` is in seconds; the other arguments are
    described in `ToolSpec`.

    Raises TypeError if the declaration lacks something that the model needs: a bug, found on
    import.
    """

    def declare(function: Callable[..., object]) -> Tool:
        made = _parameter_model(name, function)
        declared = Tool(
            function=function,
            name=name,
            description=_description(function, name),
            arguments=made.arguments,
            risk=risk,
            mode=mode,
            eager=eager,
            main_argument=main_argument,
            timeout=timeout,
            offered=offered,
            schema=made.schema,
            title=title,
            progress=made.progress,
            scope=scope or {},
            outside=outside,
            preview=preview,
            ask=ask,
            reads=reads,
            sends=sends,
            later=later,
            can_always_allow=can_always_allow,
        )
        _check(declared, declared.parameters)
        return declared

    return declare


@dataclass(frozen=True, slots=True)
class _ParameterModel:
    """The parts of a `Tool` that are derived from a function's parameters."""

    arguments: type[BaseModel]
    schema: _Schema
    progress: str
    names: Mapping[str, object]
    """The global names that its annotations were resolved with."""


_known: dict[tuple[object, ...], tuple[_ParameterModel, Callable[..., object]]] = {}
"""Each entry holds its function, so that the id in the key stays unique."""


def _parameter_model(name: str, function: Callable[..., object]) -> _ParameterModel:
    """Return the cached model: making it takes nine tenths of a declaration's time, and each engine
    declares all tools.
    """
    key = _key(name, function)
    if key is None:
        return _make_parameter_model(name, function)
    if key not in _known:
        _known[key] = _make_parameter_model(name, function), function
    return _known[key][0]


def _key(name: str, function: Callable[..., object]) -> tuple[object, ...] | None:
    """Return a key of everything that the parameters depend on; None if that is unknown:
    annotations that are already evaluated may contain arguments of their builder.
    """
    if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
        return None
    annotations = function.__annotations__
    if not all(isinstance(one, str) for one in annotations.values()):
        return None
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    try:
        written = json.dumps(defaults)  # True isn't 1, and [] can be compared
    except TypeError:
        return None
    return (name, function.__code__, id(function.__globals__), written, *annotations.items())


def _make_parameter_model(name: str, function: Callable[..., object]) -> _ParameterModel:
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    progress = next((key for key in parameters if hints.get(key) == Progress), "")
    arguments = _model(name, parameters, hints, progress)
    first = plain_schema(arguments.model_json_schema())  # raises for recursive types
    offers = [offer for hint in hints.values() for offer in _offers(hint)]
    names = getattr(function, "__globals__", {})
    return _ParameterModel(arguments, _Schema(arguments, offers, first), progress, names)


class _Schema:
    """The schema of the parameters, made again only when offered names change: making it takes some
    milliseconds, and each round needs the schemas of all tools.
    """

    def __init__(
        self, arguments: type[BaseModel], offers: Sequence[OneOf], first: Mapping[str, object]
    ) -> None:
        self._arguments = arguments
        self._offers = offers
        self._last = (self._offered(), first)

    def __call__(self) -> Mapping[str, object]:
        last, offered = self._last, self._offered()  # read once: several threads call this
        if last[0] != offered:
            last = self._last = (offered, plain_schema(self._arguments.model_json_schema()))
        return last[1]

    def _offered(self) -> list[tuple[list[str], str]]:
        return [one.now() for one in self._offers]


def _description(function: Callable[..., object], name: str) -> str:
    paragraph = inspect.cleandoc(function.__doc__ or "").split("\n\n", 1)[0]
    if not paragraph:
        raise TypeError(f"The tool {name} needs a docstring: it is what the model reads.")
    return " ".join(paragraph.split())


def _model(
    name: str,
    parameters: Mapping[str, inspect.Parameter],
    hints: Mapping[str, Any],
    progress: str,
) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for key, parameter in parameters.items():
        if key == progress:
            continue
        if key not in hints or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"The tool {name}: parameter {key} needs a type of its own.")
        required = parameter.default is parameter.empty
        fields[key] = (hints[key], ... if required else parameter.default)
    config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())
    return build_model(name, __config__=config, **fields)


def _offers(hint: object) -> Iterator[OneOf]:
    """Yield each `OneOf` in a type."""
    if isinstance(hint, OneOf):
        yield hint
    inner: Iterable[object] = (*get_args(hint), *getattr(hint, "__metadata__", ()))
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        inner = get_type_hints(hint, include_extras=True).values()
    for one in inner:
        yield from _offers(one)


def _check(declared: Tool, schema: Mapping[str, object]) -> None:
    properties = schema["properties"]
    assert isinstance(properties, dict)
    silent = [key for key, schema in properties.items() if not schema.get("description")]
    if silent:
        missing = ", ".join(silent)
        raise TypeError(f"The tool {declared.name} needs Field(description=...) for {missing}.")
    if declared.mode is Mode.EITHER and BACKGROUND_ARGUMENT not in properties:
        raise TypeError(f"The tool {declared.name} needs `background: Background = False`.")
    if declared.main_argument and declared.main_argument not in properties:
        raise TypeError(f"The tool {declared.name} has no argument {declared.main_argument}.")
    if not declared.scope.keys() <= properties.keys():
        raise TypeError(f"The tool {declared.name} has not all arguments of its scope.")


@dataclass(frozen=True, slots=True)
class OneOf:
    """For `Annotated[str, OneOf(names)]`: the schema lists the current result of `options()`, and
    only those values are accepted, ignoring case. `describe()` returns the description if it
    changes too.
    """

    options: Callable[[], Iterable[str]]
    describe: Callable[[], str] | None = None
    listed: bool = True
    """False if the description names the options."""

    def now(self) -> tuple[list[str], str]:
        """Return the current options and description."""
        names = list(self.options()) if self.listed else []
        return names, "" if self.describe is None else self.describe()

    def match(self, value: str) -> str:
        """Return the option that equals `value`, ignoring case. Raises PydanticCustomError that
        lists the options.
        """
        options = list(self.options())
        if value in options:
            return value
        folded = {option.casefold(): option for option in reversed(options)}
        found = folded.get(value.strip().casefold())
        if found is not None:
            return found
        near = get_close_matches(value.casefold(), folded, n=1)
        values = {
            "value": value,
            "near": folded[near[0]] if near else "",
            "names": ", ".join(options) or "—",
        }
        raise PydanticCustomError("not_offered", "there is no {value}", values)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.match, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        out = {**handler(schema)}
        names, description = self.now()
        if self.listed:
            out["enum"] = names
        if self.describe is not None:
            out["description"] = description
        return out
