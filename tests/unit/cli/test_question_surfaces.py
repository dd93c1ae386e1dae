"""Each question of the app's tools is the same in the chat, in the bubble and on the terminal."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect
from pytestqt.qtbot import QtBot

from neodeskpet.app.approval_grants import ApprovalGrants
from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.cli.chat_command import question_words
from neodeskpet.conversation.ports import ApprovalQuestion
from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from neodeskpet.core.data_labels import DataSource, FlowCause, FlowQuestion, SourceKind
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.tool_result import CallPreview, ShownDiff
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.core.turn.turn_events import BlockChanged, TurnStarted
from neodeskpet.core.unicode_text import has_hidden_chars
from neodeskpet.figure.stage import NullStage
from neodeskpet.language import tool_title
from neodeskpet.language.approval_text import (
    grant_label,
    question_fact,
    question_subject,
    question_title,
)
from neodeskpet.memory.facts.fact import FactClaim
from neodeskpet.ui.chat.items.tool_card_items import ApprovalButtons
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from tests.bench.flow.places import ClipboardDouble, ScreenDouble
from tests.unit.figure.doubles import description
from tests.unit.ui.chat.doubles import companion, find, open_view

ASKING_RISKS = (Risk.SENSITIVE_READ, Risk.APP_DATA, Risk.WRITE, Risk.RUN)
WITHOUT_ALWAYS = {"shell.run", "memory.delete", "task.cancel"}
READ = FlowQuestion(FlowCause.COMPOSED, (DataSource(SourceKind.PAGE),), to="a.example")


@dataclass(frozen=True, slots=True)
class Asked:
    spec: ToolSpec
    call: ToolUse
    preview: CallPreview
    grants: tuple[Grant, ...]


@dataclass(frozen=True, slots=True)
class Consent:
    """The scopes of "always" that the engine offers."""

    asked: tuple[Grant, ...]

    def grants(self, call: ToolUse) -> tuple[Grant, ...]:
        return self.asked

    def can_refuse(self, call: ToolUse) -> bool:
        return False

    def schema(self, call: ToolUse) -> dict[str, object]:
        return {}

    def argument_error(self, message_id: str, index: int, arguments: object) -> str:
        return ""


def with_engine(home: Path, work: Callable[[Engine], Awaitable[None]]) -> None:
    async def live() -> None:
        data = home / "data"
        engine = await open_engine(data, clipboard=ClipboardDouble("old"), screen=ScreenDouble())
        try:
            folder = home / "docs"
            folder.mkdir()
            (folder / "plan.md").write_text("a\nb\n", encoding="utf-8")
            engine.settings.change("mode", "shell", True)
            engine.settings.change("files", "folders", (str(folder),))
            await work(engine)
        finally:
            await engine.aclose()

    asyncio.run(live())


async def samples(engine: Engine, home: Path) -> dict[str, dict[str, object]]:
    """Arguments for each tool that can ask, for existing things."""
    note = await engine.notebook.notes.add("PIN of the bike lock: 4921", [])
    todo = await engine.notebook.todos.add("Call the dentist", ())
    await engine.notebook.todos.set_done(todo.id, done=True)
    offer = engine.tools.toolbox.offer()
    await offer.run("timer.set", {"minutes": 60, "label": "Tea"}, lambda *_: None)
    timer = (await engine.notebook.timers.timers())[0]
    when = {"title": "Yoga", "when": "2099-01-02 18:00"}
    await offer.run("schedule.add", when, lambda *_: None)
    event = (await engine.notebook.appointments.appointments())[0]
    stored = await engine.memory.store.facts.add(
        "Likes tea", FactClaim(), None, datetime(2026, 1, 1), own=True
    )
    fact = stored.fact
    info = await engine.chat.open()

    async def wait(progress: object) -> object:
        await asyncio.Event().wait()
        raise AssertionError("it waits for ever")

    task = await engine.tools.tasks.start(
        info.id, "web.search", {"query": "rain"}, wait, foreign=False
    )
    plan = str(home / "docs" / "plan.md")
    return {
        "note.add": {"text": "Milk"},
        "note.edit": {"id": note.id, "text": "PIN: 1"},
        "note.delete": {"id": note.id},
        "todo.add": {"text": "Shop"},
        "todo.edit": {"id": todo.id, "text": "Call them"},
        "todo.done": {"id": todo.id, "done": False},
        "todo.delete": {"id": todo.id},
        "todo.clear_done": {},
        "timer.set": {"minutes": 5, "label": "Egg"},
        "timer.pause": {"id": timer.id},
        "timer.resume": {"id": timer.id},
        "timer.cancel": {"id": timer.id},
        "schedule.add": when,
        "schedule.update": {"id": event.id, "title": "Chess"},
        "schedule.cancel": {"id": event.id},
        "memory.add": {"fact": "Likes cats", "quote": "I like cats"},
        "memory.update": {"id": fact.id, "fact": "Likes coffee", "quote": "I like coffee"},
        "memory.delete": {"id": fact.id},
        "task.cancel": {"id": task.id},
        "file.write": {"path": plan, "text": "c"},
        "file.edit": {"path": plan, "old": "a", "new": "c"},
        "file.move": {"path": plan, "to": str(home / "docs" / "old.md")},
        "file.trash": {"path": plan},
        "clipboard.read": {},
        "clipboard.write": {"text": "new"},
        "screen.capture": {},
        "screen.read": {},
        "url.open": {"url": "https://a.example/page"},
        "shell.run": {"command": "git status"},
    }


async def asked_about(engine: Engine, name: str, arguments: Mapping[str, object]) -> Asked:
    offer = engine.tools.toolbox.offer()
    spec = next((one for one in offer.specs if one.name == name), None)
    if spec is None:  # an action of an app window
        app, action = name.split(".")
        window = {"note": "notes", "todo": "todo"}[app]
        preview = await engine.tools.apps.caller.preview_action(window, action, arguments)
        spec = engine.tools.apps.host.app(window).actions[action].spec
    else:
        preview = await offer.preview(name, arguments)
    assert preview.error is None, (name, preview.error)
    assert preview.question is not None, name
    call = ToolUse(
        1,
        0,
        "c",
        name,
        arguments=arguments,
        status=ToolStatus.ASKING,
        question=preview.question,
        shown=preview.shown,
    )
    grants = ApprovalGrants(engine).offers(spec, arguments, flows=False, question=preview.question)
    return Asked(spec, call, preview, grants)


def plain(text: str) -> str:
    return re.sub(r"\s+", "", text)


def bubble_of(asked: Asked) -> tuple[str, list[str]]:
    bubble = SpeechBubble()
    bubble.place_beside(QRect(700, 600, 200, 340), QPoint(800, 700), QRect(0, 0, 1600, 1200))
    presenter = CompanionPresenter(NullStage(description()), bubble)
    presenter.set_tool_titles(lambda _name: tool_title(asked.spec))
    presenter.apply([("m", TurnStarted("m")), ("m", BlockChanged(asked.call))])
    told = bubble.page_text, bubble.choices
    bubble.clear()
    bubble.close()
    bubble.deleteLater()
    return told


def compare(qtbot: QtBot, asked: Asked) -> None:
    call, spec = asked.call, asked.spec
    title, fact = question_title(call, tool_title(spec)), question_fact(call)
    thing = question_subject(call)
    assert call.question is not None
    always = [grant_label(grant) for grant in asked.grants]
    assert bool(always) != (spec.name in WITHOUT_ALWAYS), spec.name

    view = open_view(qtbot, size=(560, 700))
    view.set_approval_info(Consent(asked.grants))
    view.set_tool_titles(lambda _name: tool_title(spec))
    view.add_message(companion("a", call, state=MessageState.RUNNING))
    shown = view.access.message("a").text
    _, buttons = find(view, "a", ApprovalButtons)
    regions = buttons.hit_regions(view.scene)
    yes, keep = (region.name for region in regions[:2])
    offered = [one.name for one in regions[2].choices] if len(regions) == 4 else []
    for part in (title, fact, *thing.splitlines()):
        assert plain(part) in plain(shown), (spec.name, part)
    assert offered == always
    view.close()

    question = ApprovalQuestion("m", 1, spec, call.arguments or {}, flow=call.flow)
    lines = question_words(question, asked.preview, asked.grants)
    for part in (title, thing, fact):
        assert part in lines
    assert lines.endswith(
        "  ".join(
            (f"[y] {yes}", *(f"[{n}] {one}" for n, one in enumerate(always, 1)), f"[N] {keep}: ")
        )
    )

    page, choices = bubble_of(asked)
    assert plain(page).startswith(plain(title)), (spec.name, page)
    changes_file = isinstance(call.shown, ShownDiff) and call.shown.path
    if call.question.undoable is False or call.flow is not None or changes_file:
        assert choices == ["Look at it in the chat"], spec.name
    else:
        assert choices == [yes, keep, "Chat"], spec.name
        assert plain(page) == plain(title + (fact or thing)), spec.name


def test_title_subject_and_answers_are_the_same_everywhere(tmp_path: Path, qtbot: QtBot) -> None:
    async def work(engine: Engine) -> None:
        given_samples = await samples(engine, tmp_path)
        asking = {
            spec.name for spec in engine.tools.toolbox.specs() if spec.risk in ASKING_RISKS
        } - {"app.open"}
        assert asking - {"app.act"} <= set(given_samples)
        for name, arguments in given_samples.items():
            asked = await asked_about(engine, name, arguments)
            compare(qtbot, asked)
            title = question_title(asked.call, tool_title(asked.spec))
            for id_value in (str(arguments.get("id", "")),):
                assert not id_value or id_value not in re.findall(r"\w+", title), title

    with_engine(tmp_path, work)


def test_after_untrusted_text_the_bubble_refers_to_the_chat(tmp_path: Path, qtbot: QtBot) -> None:
    async def work(engine: Engine) -> None:
        asked = await asked_about(engine, "todo.add", {"text": "Send 4921", "due": "tomorrow"})
        flowing = replace(asked, call=replace(asked.call, flow=READ))
        compare(qtbot, flowing)
        assert "due: tomorrow" in question_subject(flowing.call)

    with_engine(tmp_path, work)


CHARACTERS = st.characters(exclude_characters='{}[]"', exclude_categories=("Cs",))
WORDS = st.text(CHARACTERS, max_size=60) | st.sampled_from(
    ["a\u202egpj.exe", "x\ncity: Oslo", "\x1b31m", "\u200b" * 80, "long " * 2_000, "ok"]
)
WRONG: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


def argument(schema: object) -> st.SearchStrategy[object]:
    """A value of the type in the schema, or of any other type."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    fitting: dict[object, st.SearchStrategy[object]] = {
        "string": WORDS,
        "integer": st.integers(-5, 10**9),
        "number": st.floats(allow_nan=False),
        "boolean": st.booleans(),
    }
    return fitting[kind] | WRONG if kind in fitting else WRONG


def arguments_of(spec: ToolSpec) -> st.SearchStrategy[dict[str, object]]:
    properties = spec.parameters.get("properties")
    assert isinstance(properties, Mapping)
    known = {name: argument(schema) for name, schema in properties.items()}
    return st.fixed_dictionaries({}, optional=known) | st.fixed_dictionaries(known)


def test_with_any_arguments_a_question_is_short_and_never_json(tmp_path: Path) -> None:
    loop = asyncio.new_event_loop()
    engine = loop.run_until_complete(open_engine(tmp_path, clipboard=ClipboardDouble("old")))
    engine.settings.change("mode", "shell", True)
    offer = engine.tools.toolbox.offer()
    specs = [spec for spec in offer.specs if spec.risk in ASKING_RISKS]

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.sampled_from(specs).flatmap(lambda spec: st.tuples(st.just(spec), arguments_of(spec)))
    )
    def check(drawn: tuple[ToolSpec, dict[str, object]]) -> None:
        spec, arguments = drawn
        preview = loop.run_until_complete(offer.preview(spec.name, arguments))
        for flow in (None, READ):
            call = ToolUse(
                1, 0, "c", spec.name, arguments=arguments, question=preview.question, flow=flow
            )
            title, thing = question_title(call, tool_title(spec)), question_subject(call)
            assert 0 < len(title) <= 250
            assert "\n" not in title
            assert not has_hidden_chars(title + thing)
            assert not set(title + thing) & set("{}[]")

    try:
        check()
    finally:
        loop.run_until_complete(engine.aclose())
        loop.close()
