"""A toolbox of sources that change, and one snapshot for each round."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from neodeskpet.core.errors import InvalidArguments, UnknownTool
from neodeskpet.core.toolspec import Risk, ToolNames, ToolSpec
from neodeskpet.platform.observers import Observers
from neodeskpet.toolkit.executor import Runnable
from neodeskpet.toolkit.registry import tool
from neodeskpet.toolkit.schema_tool import SchemaTool, schema_tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox


def silent(fraction: float | None, text: str) -> None: ...


def made(name: str, says: str = "", *, offered: Callable[[], bool] = lambda: True) -> SchemaTool:
    return schema_tool(ToolSpec(name, name), lambda given, progress: says or name, offered=offered)


class Server:
    """A source that changes."""

    def __init__(self, name: str, *tools: Runnable) -> None:
        self.name = self.label = name
        self.failing = False
        self._tools = list(tools)
        self._changed: Observers[[]] = Observers()

    def tools(self) -> Sequence[Runnable]:
        if self.failing:
            raise ConnectionError("the server is gone")
        return self._tools

    def change(self, *tools: Runnable) -> None:
        self._tools = list(tools)
        self._changed.notify()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._changed.subscribe(observer)


@tool("own.clock", risk=Risk.READ)
def clock() -> str:
    """Tell the time."""
    return "nine"


def names(toolbox: Toolbox) -> list[str]:
    return [spec.name for spec in toolbox.specs()]


def run(toolbox: Toolbox, name: str, **arguments: object) -> str:
    return asyncio.run(toolbox.offer().run(name, arguments, silent)).text


def test_sources_are_added_removed_and_changed_and_each_change_is_reported() -> None:
    changes: list[list[str]] = []
    toolbox = Toolbox(AppTools([clock]))
    end = toolbox.subscribe(lambda: changes.append(names(toolbox)))
    server = Server("files", made("read"))
    remove = toolbox.add(server)
    server.change(made("read"), made("write"))
    remove()
    remove()
    server.change()
    end()
    toolbox.add(Server("other"))
    assert changes == [
        ["own.clock", "read"],
        ["own.clock", "read", "write"],
        ["own.clock"],
    ]


def test_a_round_keeps_its_tools_and_a_removed_one_is_not_run() -> None:
    kept, gone = made("kept"), made("gone")
    server = Server("files", kept, gone)
    toolbox = Toolbox(server)
    offer = toolbox.offer()
    server.change(kept, made("new"))
    assert [spec.name for spec in offer.specs] == ["kept", "gone"]
    assert asyncio.run(offer.run("kept", {}, silent)).text == "kept"
    with pytest.raises(UnknownTool, match="no longer available"):
        asyncio.run(offer.run("gone", {}, silent))
    with pytest.raises(UnknownTool, match="no tool named new"):
        asyncio.run(offer.run("new", {}, silent))
    assert names(toolbox) == ["kept", "new"]


def test_a_tool_that_is_switched_off_in_the_middle_of_a_round_is_not_run() -> None:
    on = [True]
    toolbox = Toolbox(AppTools([made("a", offered=lambda: on[0])]))
    offer = toolbox.offer()
    on.clear()
    on.append(False)
    with pytest.raises(UnknownTool):
        asyncio.run(offer.run("a", {}, silent))
    assert names(toolbox) == []


def test_names_are_unique_and_valid_and_the_first_tool_keeps_its_name() -> None:
    one, two, three = (made("read", says=said) for said in ("1", "2", "3"))
    odd = Server("x", made("「末」"))
    files, more = Server("my files", two), Server("my_files", three)
    toolbox = Toolbox(AppTools([one]), files, more, odd)
    assert names(toolbox) == ["read", "my_files.read", "my_files.read_2", "_末_"]
    assert [run(toolbox, name) for name in names(toolbox)[:3]] == ["1", "2", "3"]
    wires = ToolNames(names(toolbox))
    assert len({wires.wire(name) for name in names(toolbox)}) == 4


def test_a_failing_source_only_loses_its_own_tools(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("files", made("read"))
    toolbox = Toolbox(server, AppTools([clock]))
    server.failing = True
    assert names(toolbox) == ["own.clock"]
    assert "The tools of files can't be offered" in caplog.text
    assert run(toolbox, "own.clock") == "nine"


def test_typed_and_raw_tools_stand_side_by_side() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    raw = schema_tool(ToolSpec("raw", "Raw.", schema), lambda given, progress: given)
    toolbox = Toolbox(AppTools([clock, raw]))
    assert run(toolbox, "raw", n="3") == '{"n":3}'
    with pytest.raises(InvalidArguments, match="n: is required"):
        run(toolbox, "raw")


def test_tools_that_can_not_be_offered_yet_are_known() -> None:
    toolbox = Toolbox(AppTools([clock, made("body.wave", offered=lambda: False)]))
    assert names(toolbox) == ["own.clock"]
    assert [spec.name for spec in toolbox.all_specs()] == ["own.clock", "body.wave"]


def test_each_source_lists_its_tools_and_a_failing_one_none() -> None:
    server, broken = Server("files", made("read")), Server("broken")
    broken.failing = True
    toolbox = Toolbox(AppTools([clock]), server, broken)
    own, files, none = toolbox.sources()
    assert (own.name, own.label, none.specs) == ("app", "NeoDeskPet", None)
    assert [(spec.id, spec.foreign) for spec in own.specs or ()] == [("own.clock", False)]
    assert [(spec.id, spec.foreign) for spec in files.specs or ()] == [("files/read", True)]
    with pytest.raises(ValueError, match="Two sources of tools are named files"):
        toolbox.add(Server("files"))


def test_a_tool_keeps_its_id_if_its_name_is_taken() -> None:
    toolbox = Toolbox(AppTools([made("read")]), Server("my files", made("read")))
    assert [(one.name, one.id) for one in toolbox.specs()] == [
        ("read", "read"),
        ("my_files.read", "my%20files/read"),
    ]


def test_foreign_descriptions_are_escaped_once() -> None:
    tool_of_others = made("own")
    box = Toolbox(server := Server("srv", tool_of_others))
    first, second = box.offer().specs[0], box.offer().specs[0]
    assert first is second
    server.change(made("own", "other"))
    assert box.offer().specs[0] is not first
