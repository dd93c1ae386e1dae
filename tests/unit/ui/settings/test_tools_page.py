"""All tools of all sources: rules are changed, permissions are removed."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.grant_scope import Constraint, Grant, ScopeKind
from neodeskpet.core.tool_settings import AskWhen, ToolRule
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.language import set_language
from neodeskpet.settings.store import SettingsStore
from neodeskpet.toolkit.schema_tool import schema_tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.calculator import calc_tools
from neodeskpet.ui.settings.tool_rows import (
    TOOL_KINDS,
    GrantRow,
    RuleChoice,
    RuleRow,
    SourceRow,
    ToolKindRow,
    ToolRow,
)
from neodeskpet.ui.settings.tools_page import ToolsPage
from neodeskpet.ui.theme import DARK, LIGHT, Theme
from tests.support.toolsource import ToolServer
from tests.unit.ui.settings.doubles import live_settings, section

DOCS = Grant("file.write", (Constraint("path", ScopeKind.FOLDER, "/home/docs"),))


class Scene:
    def __init__(self, qtbot: QtBot, home: Path, theme: Theme = LIGHT) -> None:
        self.settings: SettingsStore = live_settings(home)
        self.server = ToolServer("files", "My <b>files</b>")
        for number in range(20):
            self.server.add(f"tool_{number}", risk=Risk.WRITE if number else Risk.RUN)
        self.toolbox = Toolbox(AppTools([]), self.server)
        self.settings.change("mode", "always_allowed", (Grant("note.add"), DOCS))
        self.page = ToolsPage(section("mode"), self.settings, self.toolbox, theme)
        self.page.set_theme(theme)
        self.settings.subscribe(lambda kind, name, value: self.page.setting_changed(kind, name))
        qtbot.addWidget(self.page)
        self.page.retranslate()
        self.page.show()
        qtbot.waitUntil(lambda: len(self.tools()) == 20)
        self.rows(SourceRow)[0].open.click()

    def tools(self) -> list[ToolRow]:
        return self.rows(ToolRow)

    def rows(self, kind: type) -> list:  # type: ignore[type-arg]
        return [row for row in self.page.rows if isinstance(row, kind)]

    @property
    def mode(self) -> object:
        return self.settings.settings.mode


@pytest.fixture
def scene(qtbot: QtBot, tmp_path: Path) -> Scene:
    return Scene(qtbot, tmp_path)


def choose(row: RuleRow, asks: AskWhen | RuleChoice) -> None:
    row.asks.set_value(asks)
    row.asks.chosen.emit(asks)


def test_a_tool_is_turned_off_and_asks_as_chosen(scene: Scene) -> None:
    row = scene.tools()[0]
    row.switch.click()
    rules = scene.settings.settings.mode.tool_rules
    assert rules == {"files/tool_0": ToolRule(on=False)}
    assert not row.asks.isEnabled()
    row.switch.click()
    choose(row, AskWhen.NEVER)
    assert scene.settings.settings.mode.tool_rules == {
        "files/tool_0": ToolRule(asks=AskWhen.NEVER, forms=(row.spec.form,)),
    }
    assert "without anybody looking" in row.note.text()


def test_a_tool_of_a_server_is_marked_as_one_that_only_reads(scene: Scene) -> None:
    row = scene.tools()[0]
    choose(row, RuleChoice.READS)
    rules = scene.settings.settings.mode.tool_rules
    marked = ToolRule(asks=AskWhen.NEVER, forms=(row.spec.form,), reads_only=True)
    assert rules == {"files/tool_0": marked}
    assert row.asks.value() == RuleChoice.READS and "only reads" in row.note.text()
    choose(row, RuleChoice.RISK)
    assert scene.settings.settings.mode.tool_rules == {"files/tool_0": ToolRule()}


def test_a_tool_that_never_asked_and_was_redefined_asks_again_and_says_so(
    qtbot: QtBot, scene: Scene
) -> None:
    choose(scene.tools()[0], AskWhen.NEVER)
    choose(scene.rows(SourceRow)[0], AskWhen.NEVER)
    assert {row.asks.value() for row in scene.tools()} == {"never"}
    for name in ("tool_0", "tool_1"):
        scene.server.change(name, description="Does more.", risk=Risk.WRITE)
    qtbot.waitUntil(lambda: len({row.asks.value() for row in scene.tools()}) == 2)
    changed = [row for row in scene.tools() if "has changed it since" in row.note.text()]
    assert {row.spec.id for row in changed} == {"files/tool_0", "files/tool_1"}
    assert {row.asks.value() for row in changed} == {"risk"}
    choose(changed[0], AskWhen.NEVER)
    assert changed[0].asks.value() == "never"
    assert "has changed it since" not in changed[0].note.text()


def test_a_source_is_turned_off_as_a_whole(scene: Scene) -> None:
    (files,) = scene.rows(SourceRow)
    assert files.title.text() == "My <b>files</b>"
    assert files.note.text() == "20 tools"
    choose(files, AskWhen.ALWAYS)
    assert {row.asks.value() for row in scene.tools()} == {"always"}
    files.switch.click()
    assert not any(row.isEnabled() or row.switch.isChecked() for row in scene.tools())
    assert scene.settings.settings.mode.source_rules == {"files": ToolRule(False, AskWhen.ALWAYS)}


def test_permissions_are_listed_and_removed(scene: Scene) -> None:
    first, second = scene.rows(GrantRow)
    assert "Whatever" in first.note.text()
    assert second.note.text() == "path in /home/docs"
    first.button.setFocus()
    first.button.click()
    assert scene.settings.settings.mode.always_allowed == (DOCS,)
    (left,) = scene.rows(GrantRow)
    assert scene.page.window().focusWidget() is left.button
    left.button.click()
    assert scene.rows(GrantRow) == []
    assert scene.page.none_allowed.isVisible()
    assert scene.page.window().focusWidget() is scene.page.fold


@pytest.mark.parametrize("words", ["take back", "allowed tools", "总是允许", "收回", "撤回"])
def test_permissions_are_found_by_what_is_done_with_them(scene: Scene, words: str) -> None:
    scene.page.search(words)
    assert scene.page.has_setting_named(words)
    assert [row for row in scene.page.rows if not row.isHidden()] == scene.rows(GrantRow)
    scene.settings.change("mode", "always_allowed", ())
    scene.page.search(words)
    assert scene.page.none_allowed.isVisible()


def test_a_new_tool_is_listed_as_new(qtbot: QtBot, scene: Scene) -> None:
    met = tuple(f"files/tool_{number}" for number in range(20))
    scene.settings.change("mode", "met_tools", {"files": met})
    scene.settings.change("mode", "new_tools", "off")
    scene.server.add("late", description="Reads\u202e.")
    qtbot.waitUntil(lambda: len(scene.tools()) == 21)
    late = scene.tools()[-1]
    assert late.note.text().startswith("New. ")
    assert late.note.text().endswith("(From files:) Reads\\u202e.")
    assert not late.switch.isChecked()
    late.switch.click()
    assert scene.settings.settings.mode.tool_rules == {"files/late": ToolRule()}
    assert not late.note.text().startswith("New.")


def test_a_search_finds_a_tool(qtbot: QtBot, scene: Scene) -> None:
    assert scene.page.search("tool_7") == 1
    assert [row.spec.own_name for row in scene.tools() if not row.isHidden()] == ["tool_7"]
    assert scene.page.listed.isVisible() and not scene.page.allowed.isVisible()
    scene.page.search("")
    scene.page.search("")
    scene.page.set_narrow(True)
    scene.page.set_theme(DARK)
    scene.page.retranslate()
    qtbot.waitUntil(lambda: all(row.isVisible() for row in scene.tools()))


def test_after_a_search_everything_is_listed_again(qtbot: QtBot, scene: Scene) -> None:
    scene.page.hide()
    scene.page.show()
    assert not all(row.isVisible() for row in scene.tools()), "a few at a time"
    qtbot.waitUntil(lambda: all(row.isVisible() for row in scene.tools()))
    scene.page.hide()
    assert scene.page.search("tool_7") == 1
    scene.page.show()
    assert [row.spec.own_name for row in scene.tools() if row.isVisible()] == ["tool_7"]


def test_a_later_theme_looks_like_the_first_one(qtbot: QtBot, scene: Scene, tmp_path: Path) -> None:
    steps = scene.page.set_theme_in_steps(DARK)
    next(steps)
    next(steps)
    scene.server.add("late", risk=Risk.WRITE)  # all rows are recreated, between two steps
    qtbot.waitUntil(lambda: len(scene.tools()) == 21)
    assert len(list(steps)) < 3, "removed rows aren't styled"
    other = Scene(qtbot, tmp_path / "other", DARK)
    other.server.add("late", risk=Risk.WRITE)
    qtbot.waitUntil(lambda: len(other.tools()) == 21)
    assert seen(scene) == seen(other)

    for page in (scene.page, other.page):
        page.set_theme(LIGHT)
    assert seen(scene) == seen(other)


def seen(scene: Scene) -> QImage:
    scene.page.resize(700, 3000)
    QApplication.processEvents()  # the rows arrange themselves for this width
    return scene.page.grab().toImage()


def test_own_tools_have_their_readable_names(qtbot: QtBot, tmp_path: Path) -> None:
    settings = live_settings(tmp_path)
    settings.change("mode", "always_allowed", (Grant("calc.evaluate"),))
    page = ToolsPage(section("mode"), settings, Toolbox(AppTools(calc_tools())), LIGHT)
    qtbot.addWidget(page)
    set_language("zh_CN")
    try:
        page.retranslate()
        page.show()
        qtbot.waitUntil(lambda: any(isinstance(row, ToolRow) for row in page.rows))
        (row,) = (row for row in page.rows if isinstance(row, ToolRow))
        (grant,) = (row for row in page.rows if isinstance(row, GrantRow))
        assert row.isHidden(), "its kind is closed"
        assert row.title.text() == grant.title.text() == "计算"
        assert row.note.text().splitlines()[1] == "calc.evaluate"
        assert row.switch.accessibleName().endswith("计算")
    finally:
        set_language("en")
    assert page.search("calculate") and page.search("计算") and page.search("calc.evaluate")


def _do(_arguments: Mapping[str, object], _progress: object) -> str:
    return ""


class Kinds:
    """A page with some of the app's own tools."""

    def __init__(self, qtbot: QtBot, home: Path) -> None:
        self.settings = live_settings(home)
        tools = [
            ("note.add", Risk.APP_DATA),
            ("note.delete", Risk.WRITE),
            ("file.read", Risk.READ),
            ("file.write", Risk.WRITE),
            ("shell.run", Risk.RUN),
            ("live2d.motion", Risk.GESTURE),
            ("calc.evaluate", Risk.READ),
        ]
        made = [schema_tool(ToolSpec(name, "x", risk=risk), _do) for name, risk in tools]
        self.page = ToolsPage(section("mode"), self.settings, Toolbox(AppTools(made)), LIGHT)
        self.settings.subscribe(lambda kind, name, value: self.page.setting_changed(kind, name))
        qtbot.addWidget(self.page)
        self.page.retranslate()
        self.page.show()
        qtbot.waitUntil(lambda: len([r for r in self.page.rows if isinstance(r, ToolRow)]) == 7)
        kinds = [row for row in self.page.rows if isinstance(row, ToolKindRow)]
        self.rows = {row.kind.name: row for row in kinds}

    def rules(self) -> dict[str, ToolRule]:
        return dict(self.settings.settings.mode.tool_rules)


@pytest.fixture
def kinds(qtbot: QtBot, tmp_path: Path) -> Kinds:
    return Kinds(qtbot, tmp_path)


def test_there_are_seven_kinds_and_each_says_what_asks(kinds: Kinds) -> None:
    assert len(TOOL_KINDS) == 7
    assert {name: row.asks.itemText(0) for name, row in kinds.rows.items()} == {
        "notebook": "Default (deleting asks)",
        "files": "Default (changes ask)",
        "commands": "Default (always asks)",
        "gestures": "Default (never asks)",
        "others": "Default (never asks)",
    }
    assert kinds.rows["files"].note.text().endswith("2 tools")


def test_a_rule_for_a_kind_holds_for_all_its_tools(kinds: Kinds) -> None:
    row = kinds.rows["files"]
    choose(row, RuleChoice.NEVER)
    never = ToolRule(asks=AskWhen.NEVER)
    assert kinds.rules() == {"file.read": never, "file.write": never}
    row.switch.click()
    assert {name: rule.on for name, rule in kinds.rules().items()} == {
        "file.read": False,
        "file.write": False,
    }
    row.switch.click()
    choose(row, RuleChoice.RISK)
    assert set(kinds.rules().values()) == {ToolRule()}


def test_tools_with_different_rules_are_custom_and_shown_on_demand(
    qtbot: QtBot, kinds: Kinds
) -> None:
    row = kinds.rows["notebook"]
    tools = [one for one in kinds.page.rows if isinstance(one, ToolRow)]
    added, deleted = (one for one in tools if one.spec.id.startswith("note."))
    assert added.isHidden()
    row.open.click()
    assert not added.isHidden()
    choose(added, AskWhen.ALWAYS)
    assert row.asks.value() == RuleChoice.CUSTOM
    choose(row, RuleChoice.CUSTOM)
    assert kinds.rules() == {"note.add": ToolRule(asks=AskWhen.ALWAYS)}
    row.open.click()
    assert deleted.isHidden()
    assert kinds.page.search("note.delete") == 1
    assert not deleted.isHidden(), "a search shows closed kinds"


def test_a_kind_is_switched_on_alone_after_all_were_off(kinds: Kinds) -> None:
    kinds.settings.change("mode", "source_rules", {"app": ToolRule(on=False)})
    assert not any(row.switch.isChecked() for row in kinds.rows.values())
    kinds.rows["files"].switch.click()
    assert kinds.settings.settings.mode.source_rules == {}
    assert [name for name, row in kinds.rows.items() if row.switch.isChecked()] == ["files"]
