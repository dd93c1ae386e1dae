"""Windows are opened, rendered and closed, and are open again after a restart."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from neodeskpet.core.app_windows.window import WindowOptions
from neodeskpet.core.errors import InvalidArguments, StoreError
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.registry import tool
from tests.unit.tools.apps.house import house


async def _still(target: str) -> str:
    return "still"


def test_the_launcher_is_always_open_and_lists_the_other_apps() -> None:
    async def run() -> None:
        async with house() as home:
            told = await home.render()
            assert told.startswith('<Window id="launcher"><description>')
            for name in ("notes", "timers", "activity", "body"):
                assert f"\n{name}: " in told or f"<content>{name}: " in told
            assert 'id="open" params="{app:' in told
            assert 'id="close"' not in told
            assert not await home.apps.host.close("launcher")

    asyncio.run(run())


def test_a_window_shows_the_present_content_until_it_is_closed() -> None:
    async def run() -> None:
        async with house() as home:
            host = home.apps.host
            heard: list[dict[str, str]] = []
            end = host.subscribe(lambda: heard.append(dict(host.open_targets)))
            await host.open("notes", "milk")
            note = await home.notes.add("milk <b>", ["todo"])
            await home.notes.add("bread")
            told = await home.render()
            assert f"Notes with “milk”:\n{note.id}: milk &lt;b&gt; #todo</content>" in told
            assert 'params="{text:string, tag?:string}" mode="sync">Add a note</action>' in told
            await home.notes.delete(note.id)
            assert "(none)" in await home.render()
            assert await host.close("notes")
            assert 'Window id="notes"' not in await home.render()
            assert not await host.close("notes")
            assert not await host.close("nothing")
            end()
            await host.open("timers")
            assert heard == [{"launcher": "", "notes": "milk"}, {"launcher": ""}]

    asyncio.run(run())


def test_unchanged_windows_keep_their_place_and_changed_ones_come_last() -> None:
    async def run() -> None:
        steady = App("clock", "Clock", "Stands.", _still)
        async with house(more=[steady]) as home:
            for name in ("notes", "clock", "timers"):
                await home.apps.host.open(name)
            before, changing, *_ = await home.apps.host.render(10_000)
            assert before.index('"launcher"') < before.index('"clock"')
            assert changing.index('"notes"') < changing.index('"timers"')
            await home.notes.add("milk")
            same, changed, *_ = await home.apps.host.render(10_000)
            assert same == before
            assert changed.index('"timers"') < changed.index('"notes"')
            _, again, *_ = await home.apps.host.render(10_000)
            assert again == changed

    asyncio.run(run())


def test_open_windows_are_open_at_the_next_start(tmp_path: Path) -> None:
    file = tmp_path / "notebook.db"

    async def run() -> None:
        gone = App("gone", "Gone", "Was there once.", _still)
        async with house(file, more=[gone]) as home:
            for name in ("timers", "gone", "notes"):
                await home.apps.host.open(name, "milk")
        async with house(file) as home:
            assert home.apps.host.open_targets == {
                "launcher": "",
                "timers": "milk",
                "notes": "milk",
            }

    asyncio.run(run())


def test_a_failing_window_says_so_and_the_others_stay() -> None:
    async def known(target: str) -> str:
        raise StoreError("the disk is full")

    async def bug(target: str) -> str:
        raise RuntimeError("oh")

    async def run() -> None:
        apps = [App("known", "", "", known), App("bug", "", "", bug)]
        async with house(more=apps) as home:
            await home.apps.host.open("known")
            await home.apps.host.open("bug")
            told = await home.render()
            assert "(It can't be shown: " in told and "the disk is full" in told
            assert "(It can't be shown: RuntimeError)" in told
            assert '<Window id="launcher">' in told

    asyncio.run(run())


def test_a_tool_that_is_off_is_no_action_and_open_windows_hide_their_tools() -> None:
    async def run() -> None:
        async with house(enabled=lambda spec: spec.name != "note.delete") as home:
            host = home.apps.host
            assert host.hidden_tools() == {"launcher.open"}
            for name in ("notes", "timers", "body"):
                await host.open(name)
            told = await home.render()
            assert '<action id="edit"' in told
            assert '<action id="delete"' not in told
            assert {"note.add", "timer.list", "timer.set"} <= host.hidden_tools()
            assert "live2d.motion" not in host.hidden_tools()  # it acts in the middle of a reply

    asyncio.run(run())


def test_an_unknown_app_is_answered_with_the_existing_ones() -> None:
    async def run() -> None:
        async with house() as home:
            with pytest.raises(
                InvalidArguments,
                match="notes, timers, todo, calendar, files, clipboard, body, activity",
            ):
                await home.apps.host.open("nots")

    asyncio.run(run())


def test_an_app_with_invalid_actions_is_refused_at_once() -> None:
    @tool("app.close", risk=Risk.APP_DATA)
    def close() -> None:
        """Close"""

    with pytest.raises(ValueError, match="close"):
        App("odd", "", "", _still, {"close": close})

    async def twice() -> None:
        async with house(more=[App("notes", "", "", _still)]):
            pass

    with pytest.raises(ValueError, match="Two apps"):
        asyncio.run(twice())


def test_a_pinned_window_stays_without_room_for_others() -> None:
    async def run() -> None:
        loud = App("loud", "", "x" * 4000, _still, options=WindowOptions(pinned=True))
        async with house(more=[loud]) as home:
            await home.apps.host.open("notes")
            steady, changing, left_out, _ = await home.apps.host.render(10)
            assert '"launcher"' in steady and '"loud"' in steady
            assert changing == ""
            assert "Notes" in left_out

    asyncio.run(run())
