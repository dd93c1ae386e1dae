"""A source of tools like a server's, which may change while it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.platform.observers import Observers
from neodeskpet.toolkit.schema_tool import SchemaTool, schema_tool


class ToolServer:
    """`ran` lists which of its tools ran, with which arguments. `says` is the result of each."""

    def __init__(self, name: str, label: str = "") -> None:
        self.name = name
        self.label = label or name
        self.ran: list[tuple[str, Mapping[str, object]]] = []
        self._tools: list[SchemaTool] = []
        self._changed: Observers[[]] = Observers()

    def add(
        self,
        name: str,
        says: str = "done",
        *,
        description: str = "Do it.",
        risk: Risk = Risk.READ,
        properties: Mapping[str, object] | None = None,
        **more: object,
    ) -> ToolServer:
        def work(arguments: Mapping[str, object], _progress: object) -> str:
            self.ran.append((name, arguments))
            return says

        schema = {"type": "object", "properties": dict(properties or {})}
        spec = ToolSpec(name, description, schema, risk=risk, **more)  # type: ignore[arg-type]
        self._tools.append(schema_tool(spec, work))
        self._changed.notify()
        return self

    def take(self, tool: SchemaTool) -> ToolServer:
        self._tools.append(tool)
        self._changed.notify()
        return self

    def change(self, name: str, **more: object) -> ToolServer:
        """The tool with this name is another one from now on."""
        self._tools = [one for one in self._tools if one.spec.name != name]
        return self.add(name, **more)  # type: ignore[arg-type]

    def tools(self) -> Sequence[SchemaTool]:
        return list(self._tools)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._changed.subscribe(observer)
