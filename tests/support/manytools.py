"""About a thousand tools of real servers of the npm registry, and requests for them.

`tools.jsonl`: the first line names each source's package and licence; then one line per tool:
source, name, the beginning of its description, its parameters. `cases.txt`: a query, and the tools
that fit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.toolkit.executor import Runnable
from neodeskpet.toolkit.schema_tool import schema_tool

_HERE = Path(__file__).parent / "manytools_data"


def many_tools() -> list[ToolSpec]:
    """The specs as the sources have them: names may occur in several sources."""
    found = []
    for line in (_HERE / "tools.jsonl").read_text("utf-8").splitlines()[1:]:
        source, name, description, parameters = json.loads(line)
        properties = {
            key: {"type": "string", "description": words} for key, words in parameters.items()
        }
        schema = {"type": "object", "properties": properties}
        found.append(ToolSpec(name, description, schema, source=source, own_name=name))
    return found


def cases() -> list[tuple[str, frozenset[str]]]:
    """Each query, and the names of the tools that it may find."""
    lines = (_HERE / "cases.txt").read_text("utf-8").splitlines()
    pairs = (line.split(" = ") for line in lines if line and not line.startswith("#"))
    return [(query, frozenset(names.split())) for query, names in pairs]


class ManyTools:
    """A source of all of one server's tools; each answers with its name."""

    def __init__(self, name: str) -> None:
        self.name = self.label = name
        specs = [spec for spec in many_tools() if spec.source == name]
        self._tools = [schema_tool(spec, _says(spec.name)) for spec in specs]

    def tools(self) -> Sequence[Runnable]:
        return self._tools

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


def _says(name: str) -> Callable[[dict[str, object], object], str]:
    return lambda arguments, progress: f"{name} was called"
