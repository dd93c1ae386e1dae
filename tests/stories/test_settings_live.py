"""Settings take effect at once: theme, language, text size, mode, figure, key, the test of a
service.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from neodeskpet.language import LOCALES
from neodeskpet.ui.settings.field_controls import SegmentedFieldControl, SliderControl
from neodeskpet.ui.settings.services.service_editor import ServiceEditor
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_page import FieldRow
from neodeskpet.ui.settings.settings_ports import EndpointTestVerdict
from neodeskpet.ui.widgets.controls import ComboBox
from tests.support.desk import DeskStory
from tests.support.reader import messages
from tests.support.replies import calling, end
from tests.support.sseserver import Reply, Request, ScriptedServer, text

Play = Callable[..., None]
ON_TOP = Qt.WindowType.WindowStaysOnTopHint


def field(person: DeskStory, section: str, name: str) -> FieldRow:
    """The row of a setting, its page open before the user."""
    settings = person.desk.side_windows.settings
    settings.present(section)
    settings.pages[section].unfold()
    row = settings.pages[section].fields[name]
    assert row.isVisible()
    return row


def choose(person: DeskStory, section: str, name: str, value: str) -> None:
    """Press the segment of this value."""
    control = field(person, section, name).control
    assert isinstance(control, SegmentedFieldControl)
    person.click(control.segments.button(value))


def pick(choice: ComboBox, value: str) -> None:
    """Choose an entry with the keyboard."""
    choice.setFocus()
    while choice.value() != value:
        before = choice.currentIndex()
        down = before < choice.findData(value)
        QTest.keyClick(choice, Qt.Key.Key_Down if down else Qt.Key.Key_Up)
        assert choice.currentIndex() != before


def service_page(person: DeskStory) -> ServicesPage:
    page = person.desk.side_windows.settings.pages["service"]
    assert isinstance(page, ServicesPage)
    person.desk.side_windows.settings.present("service")
    return page


def service_editor(person: DeskStory) -> ServiceEditor:
    """The editor of the only service, which is open."""
    editor = service_page(person).services.editor
    assert editor is not None
    return editor


def lightness(widget: QWidget) -> int:
    """The lightness of a window's background, 0 to 255."""
    picture = widget.grab().toImage()
    return picture.pixelColor(4, picture.height() // 2).lightness()


def words(person: DeskStory) -> list[str]:
    """All texts in the windows and menus."""
    desk = person.desk
    found: list[str] = []
    for window in (desk.chat.window, desk.side_windows.settings, desk.first_run.guide):
        found += [window.accessibleName(), window.accessibleDescription()]
        for part in window.findChildren(QWidget):
            found += [part.accessibleName(), part.toolTip()]
            if isinstance(part, QLabel | QAbstractButton):
                found.append(part.text())
            if isinstance(part, QLineEdit):
                found.append(part.placeholderText())
        found += [action.text() for action in window.findChildren(QAction)]
    found += [action.text().partition("\t")[0] for action in desk.menu.menu.actions.values()]
    found.append(desk.chat.window.composer.field.placeholderText())
    return [line for line in found if line.strip()]


def test_the_theme(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        choose(person, "appearance", "theme", "light")
        windows = (person.desk.chat.window, person.desk.side_windows.settings)
        await person.until(lambda: all(lightness(w) > 200 for w in windows), "not light")
        choose(person, "appearance", "theme", "dark")
        await person.until(lambda: all(lightness(w) < 80 for w in windows), "not dark")
        assert person.desk.chat.view.item_style.theme == person.desk.theme_manager.theme
        assert person.desk.engine.settings.settings.appearance.theme == "dark"

    async def next_start(person: DeskStory) -> None:
        assert lightness(person.desk.chat.window) < 80

    desk_story(story)
    desk_story(next_start)


def test_the_language(desk_story: Play, server: ScriptedServer) -> None:
    chinese = gettext.translation("neodeskpet", LOCALES, ["zh_CN"])

    async def story(person: DeskStory) -> None:
        server.reply(*calling("native", ("calc.evaluate", {"expression": "1/0"})), *end())
        server.reply({"error": {"message": "bad key"}}, status=401)
        person.type("hello")
        await person.until(lambda: "refused the key" in person.shown())
        await person.idle()
        person.press_in_message("Calculate, 1/0, failed")
        assert "Arguments · calc.evaluate" in person.shown()
        assert "expression: it divides by zero." in person.shown()
        while person.desk.side_windows.settings.pages.create_next("service"):
            pass  # so that the texts of all of them are compared
        english = words(person)
        before = person.picture()

        choose(person, "appearance", "language", "zh_CN")
        left = [line for line in words(person) if chinese.gettext(line) != line]
        assert left == []
        assert "服务拒绝了这个密钥。" in person.shown()
        assert "refused" not in person.shown()
        assert "计算, 1/0, 失败" in person.shown()
        assert "参数不符合要求。expression：除数为零。" in person.shown()
        assert "The arguments are not valid. expression: it divides by zero." in person.shown()
        person.desk.chat.view.select_all()
        assert "服务拒绝了这个密钥。" in person.desk.chat.view.selected_text()
        QTest.keyClick(person.desk.chat.view, Qt.Key.Key_Escape)
        assert "打开设置" in person.buttons()
        assert "复制" in person.buttons()
        assert person.picture() != before

        choose(person, "appearance", "language", "en")
        missing = {one for one in english if chinese.gettext(one) != one} - set(words(person))
        # Another group is open now, so another title is above it.
        assert missing <= {"Who you talk with, and how it behaves."}
        assert "refused the key" in person.shown()
        person.press_in_message("Open settings")

    desk_story(story, server.url)


def test_the_next_start_has_the_language(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        assert person.button("发送").isVisible()
        person.type("现在几点？")
        await person.until(lambda: "查看时间" in person.shown())
        await person.idle()
        assert "查看时间, " in person.shown()

    desk_story(story, settings={"appearance": {"language": "zh_CN"}})


def test_the_text_size(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("Some words to measure."), *end())
        person.type("hello")
        await person.until(lambda: "Some words" in person.shown())
        await person.idle()
        view, composer = person.desk.chat.view, person.desk.chat.window.composer
        heights = messages(view)[-1].rect().height(), composer.field.line_height()
        control = field(person, "appearance", "font_size").control
        assert isinstance(control, SliderControl)
        control.scale.slider.setFocus()
        for _ in range(3):
            QTest.keyClick(control.scale.slider, Qt.Key.Key_Right)
        await person.until(lambda: view.item_style.theme.font_px == 17)
        assert messages(view)[-1].rect().height() > heights[0]
        await person.until(lambda: composer.field.line_height() > heights[1])

    desk_story(story, server.url)


def test_the_tool_mode(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        editor = service_editor(person)
        person.click(editor.more)
        pick(editor.tool_mode, "text")
        assert person.desk.engine.settings.settings.mode.mode == "text"
        server.reply(*calling("text", ("calc.evaluate", {"expression": "6*7"})), *end())
        server.reply(text("42"), *end())
        person.type("6*7?")
        await person.until(lambda: "42" in person.shown() and len(server.requests) == 2)
        await person.idle()
        assert "tools" not in server.requests[0].body

        pick(editor.tool_mode, "native")
        server.reply(text("hi"), *end())
        person.type("hi")
        await person.until(lambda: len(server.requests) == 3)
        await person.idle()
        assert server.requests[2].body["tools"]

    desk_story(story, server.url, mode=None)


def test_always_on_top_and_the_other_switches_of_the_tray(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        pet, menu = person.desk.companion.pet, person.desk.menu.menu.actions
        assert pet.flags() & ON_TOP
        menu["on_top"].trigger()
        assert not pet.flags() & ON_TOP
        row = field(person, "figure", "always_on_top")
        switch = row.control.findChild(QAbstractButton)
        assert not switch.isChecked()
        person.click(switch)
        assert pet.flags() & ON_TOP
        assert menu["on_top"].isChecked()
        menu["quiet"].trigger()
        assert person.desk.engine.settings.settings.companion.quiet
        menu["settings"].trigger()
        assert person.desk.side_windows.settings.isVisible()

    desk_story(story)


def test_a_broken_figure_keeps_the_present_one(desk_story: Play, tmp_path: Path) -> None:
    broken = tmp_path / "broken figure"
    broken.mkdir()
    (broken / "cat.model3.json").write_text('{"Version": 3, "FileReferences": {"Moc": "c')

    async def story(person: DeskStory) -> None:
        desk = person.desk
        await person.until(desk.companion.pet.expressions, "the figure has no names")
        names = desk.companion.pet.expressions()
        desk.side_windows.settings.present("companion")
        desk.engine.settings.change("companion", "model", str(broken))
        await person.until(lambda: said(person, "cat.model3.json"), "nothing is said")
        words = said(person, "cat.model3.json")
        assert "The figure cat.model3.json can't be used." in words
        assert "not JSON" in words or "line 1" in words, words
        await person.until(lambda: "cat.model3.json" in desk.companion.bubble.page_text)
        assert desk.companion.pet.expressions() == names

        desk.engine.settings.change("companion", "model", str(tmp_path / "nowhere"))
        await person.until(lambda: said(person, "nowhere"), "nothing is said")
        await person.until(lambda: not said(person, "cat.model3.json"), "the old fault stays")
        assert desk.companion.pet.expressions() == names

    desk_story(story)


def said(person: DeskStory, word: str) -> str:
    """The line of the settings with this word."""
    labels = person.desk.side_windows.settings.findChildren(QLabel)
    lines = [label.text() for label in labels if label.isVisible() and word in label.text()]
    return lines[0] if lines else ""


def test_a_figure_that_was_broken_meanwhile_is_replaced_at_the_start(
    desk_story: Play, tmp_path: Path
) -> None:
    async def story(person: DeskStory) -> None:
        await person.until(person.desk.companion.pet.expressions, "no figure at all")
        assert "nowhere" in person.desk.companion.bubble.page_text
        assert "nowhere" in person.desk.engine.settings.settings.companion.model

    desk_story(story, settings={"companion": {"model": str(tmp_path / "nowhere")}})


# The service


class Ring(KeyringBackend):
    """A keyring in memory."""

    priority = 9

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def ring() -> Iterator[Ring]:
    before, ring = keyring.get_keyring(), Ring()
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)


async def asks_with(person: DeskStory, server: ScriptedServer) -> str | None:
    """The key that is sent with the next message."""
    count = len(server.requests)
    server.reply(text("hi"), *end())
    person.type("hello")
    await person.until(lambda: len(server.requests) > count)
    await person.idle()
    return server.requests[-1].headers.get("authorization")


def test_the_key_is_stored_in_the_keyring_and_deleted(
    desk_story: Play, server: ScriptedServer, ring: Ring, tmp_path: Path
) -> None:
    key = "sk-a-key-of-the-story-7431"

    async def story(person: DeskStory) -> None:
        row = service_editor(person).key
        await person.until(lambda: not row.entry.isReadOnly(), "the keyring wasn't asked")
        assert "keyring" in row.note.text()
        QTest.keyClicks(row.entry, key)
        assert key not in row.entry.displayText()
        person.click(row.first)
        await person.until(lambda: row.first.text() == "Replace", "it wasn't kept")
        assert row.entry.text().endswith("7431")
        assert key not in row.entry.text()
        assert list(ring.kept.values()) == [key]
        assert await asks_with(person, server) == f"Bearer {key}"

        person.click(row.second)
        assert "Delete this key?" in row.note.text()
        assert row.first.text() == "Delete"
        person.click(row.first)
        await person.until(lambda: not row.entry.isReadOnly(), "it wasn't deleted")
        assert ring.kept == {}
        assert await asks_with(person, server) in (None, "Bearer")

    desk_story(story, server.url)
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


def test_without_a_keyring_the_user_decides(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    async def first(person: DeskStory) -> None:
        row = service_editor(person).key
        await person.until(lambda: not row.entry.isReadOnly())
        assert "has no keyring: kept in memory" in row.note.text()
        QTest.keyClicks(row.entry, "sk-another-key-1234")
        person.click(row.first)
        await person.until(lambda: row.first.text() == "Replace", "it wasn't kept")
        file = tmp_path / "secrets.json"
        assert not file.exists()
        person.click(row.file)
        await person.until(lambda: "readable by you alone" in row.note.text())
        assert file.stat().st_mode & 0o777 == 0o600

    async def second(person: DeskStory) -> None:
        assert await asks_with(person, server) == "Bearer sk-another-key-1234"

    desk_story(first, server.url)
    desk_story(second, server.url)


def able(request: Request) -> Reply:
    """A good service: it makes the requested calls completely, and streams in pieces."""
    said = str(request.body["messages"][-1].get("content"))
    tools = [tool["function"]["name"] for tool in request.body.get("tools", [])]
    if "twice" in said:
        both = [(tools[0], {"word": word}) for word in ("one", "two")]
        return Reply([*calling("native", *both), *end("tool_calls")])
    if tools and said.startswith("Call"):
        arguments: dict[str, object] = {"word": "neo"} if "echo" in tools[0] else {}
        return Reply([*calling("native", (tools[0], arguments)), *end("tool_calls")])
    return Reply([text("one "), text("two "), text("three"), *end()])


def unable(request: Request) -> Reply:
    """A service that refuses tools."""
    if request.body.get("tools"):
        return Reply([{"error": {"message": "tools are not supported by this model"}}], 400)
    return able(request)


@pytest.mark.parametrize(("service", "mode"), [(able, "auto"), (unable, "none")])
def test_the_test_fills_a_table_and_proposes_a_mode(
    desk_story: Play, service: Callable[[Request], Reply], mode: str
) -> None:
    with ScriptedServer() as server:
        server.fallback = service
        server.pages["/v1/models"] = {"data": [{"id": "test-model"}, {"id": "other"}]}

        async def story(person: DeskStory) -> None:
            trial = service_editor(person).trial
            person.click(trial.button)
            assert trial.button.text() == "Stop"
            await person.until(lambda: trial.button.text() == "Test again", "it didn't end")
            rows = {finding.id: finding.verdict for finding in trial.report.findings()}
            assert rows["connection"] is EndpointTestVerdict.GOOD
            assert rows["streaming"] is EndpointTestVerdict.GOOD
            assert rows["tools"] is (
                EndpointTestVerdict.GOOD if mode == "auto" else EndpointTestVerdict.FAILED
            )
            assert EndpointTestVerdict.RUNNING not in rows.values()
            assert trial.text.text().startswith("Works")
            person.click(trial.details)
            assert trial.report.isVisible()
            assert trial.proposal.isVisible()
            person.click(trial.proposal.take)
            chosen = person.desk.engine.settings.settings.mode
            assert chosen.mode == "auto"
            assert bool(chosen.toolless_services) == (mode == "none")
            assert not trial.proposal.isVisible()

        desk_story(story, server.url, mode="native")


def test_the_test_of_an_unreachable_service(desk_story: Play) -> None:
    with ScriptedServer() as gone:
        address = gone.url

    async def story(person: DeskStory) -> None:
        trial = service_editor(person).trial
        person.click(trial.button)
        await person.until(lambda: trial.button.text() == "Test again", "the test didn't end")
        rows = {finding.id: finding for finding in trial.report.findings()}
        assert rows["connection"].verdict is EndpointTestVerdict.FAILED
        assert "Check the address" in trial.text.text()
        assert not trial.proposal.isVisible()

    desk_story(story, address)


def test_the_offered_models(desk_story: Play, server: ScriptedServer) -> None:
    server.pages["/v1/models"] = {"data": [{"id": "small"}, {"id": "large"}]}

    async def story(person: DeskStory) -> None:
        field = service_editor(person).model
        person.click(field)
        assert field.picker is not None
        await person.until(lambda: len(field.rows()) == 3, "the models weren't listed")
        assert field.picker.note.text() == "2 models."
        QTest.keyClicks(field.picker.search, "large")
        QTest.keyClick(field.picker.search, Qt.Key.Key_Return)
        assert person.desk.engine.settings.settings.service.model == "large"
        await asks_with(person, server)
        assert server.requests[-1].body["model"] == "large"
        assert "large" in person.desk.chat.window.header.model_button.toolTip()

    desk_story(story, server.url)


def test_activities_of_the_companion_can_be_turned_off(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        pet, settings = person.desk.companion.pet, person.desk.engine.settings
        await person.until(lambda: not pet.portrait(8).isNull(), "the figure didn't load")
        settings.change("companion", "fps_active", 10)
        settings.change("companion", "fps_idle", 1)
        assert pet.frames.frames_per_second() <= 10
        settings.change("companion", "quiet", True)
        assert person.desk.menu.menu.actions["quiet"].isChecked()

    desk_story(story, pet=True)
