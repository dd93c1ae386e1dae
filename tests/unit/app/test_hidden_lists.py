"""Lists that the user hides ("Neo sees this" is off): no tool, window or log shows them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from neodeskpet.app.turn_factory import tool_rules
from neodeskpet.core.errors import ListHidden, UnknownTool
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.notebook.appointment_tools import schedule_tools
from neodeskpet.notebook.note_tools import note_tools
from neodeskpet.notebook.timer_tools import timer_tools
from neodeskpet.notebook.todo_tools import todo_tools
from neodeskpet.settings.store import SettingsStore
from neodeskpet.settings.tool_permissions import ListPermissions
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.apps.window_log import Actor
from tests.unit.tools.apps.house import House, call, house, unheard

LISTS = {
    "todo": ("todo", {"add", "clear_done", "delete", "done", "edit", "list"}),
    "schedule": ("calendar", {"add", "cancel", "list", "update"}),
    "note": ("notes", {"add", "delete", "search"}),
    "timer": ("timers", {"cancel", "list", "pause", "resume", "set"}),
}
"""Each list with its app and all tools of the toolbox for it."""


class Home:
    """All tools of the lists, under the rules of the settings."""

    def __init__(self, home: House, settings: SettingsStore) -> None:
        self.apps = home.apps
        self.notes = home.notes
        self.act = home.act
        self.render = home.render
        self.toolbox = Toolbox(
            AppTools(
                [
                    *todo_tools(home.todos),
                    *schedule_tools(home.appointments),
                    *note_tools(home.notes),
                    *timer_tools(home.timers),
                ]
            ),
            enabled=lambda spec: tool_rules(settings.settings).on(spec),
            hidden=lambda spec: tool_rules(settings.settings).hides(spec),
        )
        self.permissions = ListPermissions(settings, self.toolbox.all_specs)

    def names(self) -> set[str]:
        return {spec.name for spec in self.toolbox.specs()}


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[Home]:
    settings = SettingsStore(tmp_path / "settings.json", environ={})

    def enabled(spec: ToolSpec) -> bool:
        return tool_rules(settings.settings).on(spec)

    def hidden(spec: ToolSpec) -> bool:
        return tool_rules(settings.settings).hides(spec)

    async with house(enabled=enabled, hidden=hidden) as home:
        yield Home(home, settings)


@pytest.mark.parametrize("family", LISTS)
def test_no_tool_of_a_hidden_list_is_offered_and_each_call_says_why(
    family: str, tmp_path: Path
) -> None:
    tools = {f"{family}.{name}" for name in LISTS[family][1]}

    async def run() -> None:
        async with opened(tmp_path) as home:
            before = home.toolbox.offer()
            assert {name for name in home.names() if name.startswith(f"{family}.")} == tools
            home.permissions.set_may_see([family], False)
            assert not tools & home.names()
            assert len(home.names()) == sum(len(names) for _, names in LISTS.values()) - len(tools)
            for offer in (before, home.toolbox.offer()):
                for name in tools:
                    for said in (name, name.replace(".", "_")):
                        with pytest.raises(ListHidden, match=f"{name} was not used.*Go on without"):
                            await offer.run(said, {}, unheard)
                        with pytest.raises(ListHidden):
                            offer.check(said, {})
                        assert (await offer.preview(said, {})).question is None
            with pytest.raises(UnknownTool) as caught:
                await home.toolbox.offer().run("todos", {}, unheard)
            assert not any(name in str(caught.value) for name in tools)
            home.permissions.set_may_see([family], True)
            assert tools <= home.names()

    asyncio.run(run())


@pytest.mark.parametrize("family", LISTS)
def test_the_window_of_a_hidden_list_is_neither_opened_nor_shown(
    family: str, tmp_path: Path
) -> None:
    app_id = LISTS[family][0]

    async def run() -> None:
        async with opened(tmp_path) as home:
            host = home.apps.host
            app = host.app(app_id)
            await home.act(call("launcher", "open", app=app_id))
            assert f'<Window id="{app_id}">' in await home.render()
            home.permissions.set_may_see([family], False)
            shown = await home.render()
            assert f'<Window id="{app_id}">' not in shown
            assert f"{app_id}: {app.description}" not in shown
            assert host.offered(app) == []
            assert not host.hidden_tools() & {action.name for action in app.actions.values()}
            with pytest.raises(ListHidden):
                await host.open(app_id)
            with pytest.raises(ListHidden):
                await host.window(app_id)
            for action in app.actions:
                result = await home.act(call(app_id, action))
                assert result.failed
                assert "doesn't let the companion see this list" in result.text
            home.permissions.set_may_see([family], True)
            assert f'<Window id="{app_id}">' in await home.render()

    asyncio.run(run())


def test_the_log_of_actions_leaves_out_hidden_lists(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(tmp_path) as home:
            await home.apps.caller.run_action(Actor.PERSON, "notes", "add", {"text": "PIN 4921"})
            await home.apps.caller.run_action(Actor.PERSON, "todo", "add", {"text": "Milk"})
            await home.apps.host.open("activity")
            assert "PIN 4921" in await home.render()
            home.permissions.set_may_see(["note"], False)
            shown = await home.render()
            assert "PIN 4921" not in shown and "Milk" in shown
            (found,) = await home.notes.search((), 9)
            assert found.text == "PIN 4921"

    asyncio.run(run())


def test_a_hidden_list_keeps_what_may_be_changed_later(tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path / "settings.json", environ={})
    heard = []

    async def run() -> None:
        async with opened(tmp_path) as home:
            permissions = ListPermissions(settings, home.toolbox.all_specs)
            end = permissions.subscribe(lambda: heard.append(1))
            permissions.set_may_change(["todo"], False)
            permissions.set_may_see(["todo", "note"], False)
            assert not permissions.may_see(["note"])
            permissions.set_may_see(["todo"], True)
            assert permissions.may_see(["todo"]) and not permissions.may_change(["todo"])
            settings.change("mode", "shell", True)
            end()
            permissions.set_may_see(["note"], True)
            assert len(heard) == 3

    asyncio.run(run())
