"""The settings window: sections, one search over all, every width, both themes."""

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QLineEdit,
    QScrollArea,
    QScrollBar,
    QSlider,
)
from pytestqt.qtbot import QtBot

from neodeskpet.language import language, set_language, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.settings.settings_model import describe_sections
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.desktop.activity_detector import AvailableSenses
from neodeskpet.ui.settings.field_controls import SwitchControl
from neodeskpet.ui.settings.proactive_page import ProactivePage, set_liveliness
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_groups import GROUPS
from neodeskpet.ui.settings.settings_page import SettingsPage, SettingsPageEntry
from neodeskpet.ui.settings.settings_window import TITLE, SettingsWindow
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle, until
from tests.unit.ui.settings.doubles import Services, live_settings

YOU = ["you", "initiative", "pastimes", "guests"]
MODELS = ["service", "local", "spending"]
SYSTEM = ["appearance", "start", "updates", "sharing", "data"]


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path)


def make(section: SectionInfo, store: SettingsStore, folder: Path) -> SettingsPage:
    match section.name:
        case "service":
            return ServicesPage(section, store, Services(folder), LIGHT)
        case "initiative":
            senses = AvailableSenses(True, True, True, True)
            return ProactivePage(section, store, senses, LIGHT)
        case _:
            return SettingsPage(section, store, LIGHT)


@pytest.fixture
def fresh(qtbot: QtBot, store: SettingsStore, tmp_path: Path) -> SettingsWindow:
    """A new window of the app: no page exists yet."""
    groups = [
        SettingsPageEntry(one, partial(make, one, store, tmp_path)) for one in describe_sections()
    ]
    made = SettingsWindow(groups, store, LIGHT)
    qtbot.addWidget(made)
    return made


@pytest.fixture
def window(fresh: SettingsWindow) -> SettingsWindow:
    while fresh.pages.create_next("service"):
        pass
    fresh.open_section("you")
    return fresh


@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_every_line_is_visible_in_a_window_of_any_width(
    window: SettingsWindow, width: int, qtbot: QtBot
) -> None:
    window.resize(width, 500)
    window.present("memory")
    notes = [one for one in window.findChildren(QLabel) if one.isVisible() and one.wordWrap()]
    assert len(notes) > 3
    # The layout takes several iterations of the loop.
    qtbot.waitUntil(lambda: all(one.heightForWidth(one.width()) <= one.height() for one in notes))


def visible(window: SettingsWindow) -> list[str]:
    return [page.section.name for page in window.pages.created() if not page.isHidden()]


def listed(window: SettingsWindow) -> list[str]:
    return [
        window.navigation.item(row).text()
        for row in range(window.navigation.count())
        if not window.navigation.item(row).isHidden()
    ]


def test_the_title_is_stable(window: SettingsWindow) -> None:
    assert window.windowTitle() == TITLE == "NeoDeskPet Settings"


def test_it_lists_the_seven_groups(window: SettingsWindow) -> None:
    assert listed(window) == [tr(group.title, name="Neo") for group in GROUPS]


def test_it_shows_one_group_at_a_time(window: SettingsWindow) -> None:
    assert visible(window) == YOU
    window.open_section("appearance")
    assert visible(window) == SYSTEM
    assert window.section() == "appearance"
    window.open_section("no such section")
    assert visible(window) == SYSTEM
    window.open_section("voice")
    assert visible(window) == ["voice", "sounds"]


def test_keys_move_through_the_sections(window: SettingsWindow, qtbot: QtBot) -> None:
    window.open_section("you")
    QTest.keyClick(window.navigation, Qt.Key.Key_Down)
    assert visible(window) == MODELS
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    assert visible(window) == SYSTEM


def test_the_keys_search_and_switch(window: SettingsWindow, qtbot: QtBot) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    for at, group in enumerate(GROUPS, 1):
        QTest.keyClick(window, Qt.Key(Qt.Key.Key_0 + at), control)
        assert window.group() is group
    QTest.keyClick(window, Qt.Key.Key_F, control)
    assert window.search.hasFocus()
    QTest.keyClicks(window.search, "Snacks")
    assert visible(window) == ["pastimes"]
    switch = window.pages["pastimes"].fields["snacks"].control
    assert isinstance(switch, SwitchControl)
    QTest.keyClick(window.search, Qt.Key.Key_Return)
    assert switch.switch.hasFocus()
    QTest.keyClick(switch.switch, Qt.Key.Key_Space)
    assert window.pages["pastimes"].port.value("pastimes", "snacks") is True
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.search.text() == "" and window.isVisible()


def test_the_editor_of_the_character_is_a_page_of_the_first_group(
    window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show()
    window.open_section("companion")
    assert visible(window) == ["companion"]
    assert window.navigation.currentRow() == 0
    assert (window.heading.text(), window.back.accessibleName()) == ("Edit Neo", "You & Neo")
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.isVisible() and visible(window) == YOU and window.back.isHidden()
    window.open_section("edit")
    window.back.click()
    assert visible(window) == YOU
    window.open_section("companion")
    QTest.mouseClick(
        window.navigation.viewport(),
        Qt.MouseButton.LeftButton,
        pos=window.navigation.visualItemRect(window.navigation.item(0)).center(),
    )
    assert visible(window) == YOU
    window.open_section("companion")
    window.search.setText("figure")
    assert window.back.isHidden() and "companion" in visible(window)


def test_a_search_opens_folds_and_shows_rows_below_the_title_of_their_card(
    window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show()
    row = window.pages["pastimes"].fields["days"]
    assert row.isHidden()
    window.search.setText("time of day")
    assert not row.isHidden() and window.pages["pastimes"].heading.isVisible()
    assert window.pages["pastimes"].fold is not None
    assert window.pages["pastimes"].fold.isHidden()
    window.search.clear()
    assert row.isHidden()


def test_the_texts_contain_the_name_of_the_companion(
    qtbot: QtBot, store: SettingsStore, tmp_path: Path
) -> None:
    entries = [
        SettingsPageEntry(one, partial(make, one, store, tmp_path)) for one in describe_sections()
    ]
    window = SettingsWindow(entries, store, LIGHT, lambda: "Mochi")
    qtbot.addWidget(window)
    while window.pages.create_next("service"):
        pass
    texts = [one.text() for one in window.findChildren(QLabel)]
    assert "How Mochi behaves" in texts and "Say something to Mochi" in texts
    assert [one for one in texts if "{" in one or "companion" in one.lower().split()] == []
    window.show()
    store.change("keys", "say", "Ctrl+Alt+Y")
    assert window.undo.text.text() == "Changed: Say something to Mochi"


def test_search_covers_all_sections(window: SettingsWindow) -> None:
    window.search.setText("size")
    assert {"figure", "appearance"} <= set(visible(window))
    assert "data" not in visible(window)
    assert "Desktop" in listed(window)
    assert "Voice & sounds" not in listed(window)
    window.search.clear()
    assert visible(window) == YOU
    assert len(listed(window)) == len(GROUPS)


def test_search_in_chinese_finds_an_english_page(window: SettingsWindow) -> None:
    window.search.setText("透明")
    assert visible(window) == ["figure"]


def test_a_search_without_a_result_says_so(window: SettingsWindow) -> None:
    window.search.setText("zzzz")
    assert visible(window) == []
    assert listed(window) == []


def test_escape_ends_the_search_and_then_the_window(window: SettingsWindow) -> None:
    window.open_section("appearance")
    window.show()
    window.search.setText("theme")
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.search.text() == ""
    assert window.isVisible()
    told: list[int] = []
    window.hidden.connect(lambda: told.append(1))
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.isHidden()
    assert told == [1]


def test_a_requested_section_ends_a_search(window: SettingsWindow) -> None:
    window.search.setText("zzz")
    window.present("appearance")
    assert window.search.text() == ""
    assert visible(window) == SYSTEM


def test_the_groups_of_a_narrow_window_are_icons(window: SettingsWindow, qtbot: QtBot) -> None:
    assert (window.minimumWidth(), window.minimumHeight()) == (560, 480)
    window.resize(600, 600)
    window.show()
    qtbot.waitUntil(lambda: window.width() == 600)
    role = Qt.ItemDataRole.AccessibleTextRole
    items = [window.navigation.item(row) for row in range(window.navigation.count())]
    titles = [tr(group.title, name="Neo") for group in GROUPS]
    assert [item.text() for item in items] == [""] * len(GROUPS)
    assert [item.data(role) for item in items] == titles
    assert all(title in item.toolTip() for item, title in zip(items, titles, strict=True))
    room = window.navigation.visualItemRect(items[0]).width()
    assert room >= window.navigation.iconSize().width() + 22, "the icon with its padding is cut"
    assert window.search.isVisible()
    QTest.mouseClick(
        window.navigation.viewport(),
        Qt.MouseButton.LeftButton,
        pos=window.navigation.visualItemRect(items[6]).center(),
    )
    assert visible(window) == SYSTEM
    window.resize(900, 600)
    qtbot.waitUntil(lambda: [item.text() for item in items] == titles)


def test_a_group_with_the_name_of_its_card_opens_at_its_top(window: SettingsWindow) -> None:
    window.open_section("you")
    assert visible(window) == YOU
    assert window.section() == "you"


def test_each_change_can_be_undone_at_the_foot(window: SettingsWindow) -> None:
    store = window.pages["figure"].port
    store.change("companion", "opacity", 0.9)
    assert not window.undo.has_undo, "the change was not visible"
    window.open_section("figure")
    window.show()
    for opacity in (0.8, 0.6, 0.5):
        store.change("companion", "opacity", opacity)
        QApplication.processEvents()
    assert window.undo.isVisible()
    assert "Opacity" in window.undo.text.text()
    window.undo.button.click()
    assert store.value("companion", "opacity") == 0.9
    assert not window.undo.has_undo, "the undo itself isn't a change"


def test_changes_of_one_moment_are_undone_together(window: SettingsWindow) -> None:
    store = window.pages["figure"].port
    window.show()
    store.change("companion", "walk", True)
    store.change("companion", "peek", True)
    store.change("companion", "positions", {"screen": (1, 2)})
    assert "2" in window.undo.text.text()
    window.undo.button.click()
    assert not store.value("companion", "walk")
    assert not store.value("companion", "peek")
    assert store.value("companion", "positions") == {"screen": (1, 2)}


def test_the_liveliness_is_one_change(window: SettingsWindow) -> None:
    store = window.pages["figure"].port
    window.show()
    set_liveliness(store, "calm")
    assert window.undo.text.text() == "Changed: Liveliness"
    window.undo.button.click()
    assert store.value("companion", "welcome_back") and store.value("pastimes", "days")


def test_a_changed_control_stays_above_the_undo(qtbot: QtBot, window: SettingsWindow) -> None:
    window.resize(840, 480)
    window.present("initiative")
    qtbot.waitExposed(window)
    page = window.pages["initiative"]
    assert isinstance(page, ProactivePage)
    calm = page.liveliness.choice.button("calm")
    area = next(one for one in window.findChildren(QScrollArea) if one.isAncestorOf(calm))
    bottom = calm.mapTo(area.widget(), calm.rect().bottomLeft()).y()
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    area.verticalScrollBar().setValue(bottom - area.viewport().height() + 4)
    calm.setFocus()
    calm.click()
    qtbot.waitUntil(lambda: window.undo.isVisible())
    qtbot.waitUntil(
        lambda: calm.mapTo(area.viewport(), calm.rect().bottomLeft()).y() < area.viewport().height()
    )


def test_the_undo_is_offered_for_some_seconds(window: SettingsWindow) -> None:
    store = window.pages["figure"].port
    window.show()
    store.change("companion", "walk", True)
    assert window.undo.timeout.interval() == 8_000
    window.undo.timeout.timeout.emit()
    assert not window.undo.isVisible()


@pytest.mark.parametrize("width", [560, 700, 3800])
def test_nothing_is_wider_than_the_window(window: SettingsWindow, qtbot: QtBot, width: int) -> None:
    def fits(page: SettingsPage) -> bool:
        shown = [row for row in page.rows if row.isVisible()]
        rights = [row.mapTo(window, row.rect().topRight()).x() for row in shown]
        return window.width() == width and max(rights, default=0) <= width

    async def scenario() -> None:
        window.resize(width, 700)
        window.show()
        for name, page in window.pages.items():
            window.open_section(name)
            await settle()
            await until(partial(fits, page))  # the screen reports the size when it can

    play(scenario())


def test_a_change_from_elsewhere_reaches_the_page(
    window: SettingsWindow, store: SettingsStore
) -> None:
    store.change("companion", "fall", True)
    switch = window.pages["ground"].fields["fall"].control.findChild(QAbstractButton)
    assert switch is not None
    assert switch.isChecked()


def test_an_error_is_shown_below_its_setting(window: SettingsWindow) -> None:
    window.show_error("companion", "model", "This model can't be used.")
    row = window.pages["companion"].fields["model"]
    assert row.error_label.text() == "This model can't be used."
    window.show_error("companion", "no such setting", "x")
    window.show_error("nowhere", "model", "x")


def test_everything_has_a_name_for_a_screen_reader(window: SettingsWindow) -> None:
    for page in window.pages.values():
        for kind in (QAbstractButton, QLineEdit, QSlider):
            for widget in page.findChildren(kind):
                if widget.parent() is None or widget.objectName() == "qt_spinbox_lineedit":
                    continue
                text = widget.text() if isinstance(widget, QAbstractButton) else ""
                named = widget.accessibleName() or text or _of_parent(widget)
                assert named, f"{page.section.name}: {widget}"


def _of_parent(widget: object) -> str:
    parent = widget.parentWidget()  # type: ignore[attr-defined]
    return parent.accessibleName() if parent is not None else ""


def test_another_language_is_used_at_once(window: SettingsWindow) -> None:
    before = language()
    try:
        set_language("zh_CN")
        window.retranslate()
        set_language("en")
        window.retranslate()
    finally:
        set_language(before)
    assert listed(window)[0] == tr(GROUPS[0].title, name="Neo")


def test_light_and_dark_look_different(window: SettingsWindow, qapp: object) -> None:
    window.resize(700, 500)
    light = window.grab().toImage()
    window.set_theme(DARK)
    assert window.grab().toImage() != light


def test_the_setting_with_this_name_comes_before_those_that_mention_it(
    window: SettingsWindow, qtbot: QtBot
) -> None:
    window.show()
    window.search.setText("threads")
    assert visible(window) == ["local"]
    window.search.setText("size")
    qtbot.waitUntil(lambda: window.pages["figure"].y() > 0)
    shown = sorted(visible(window), key=lambda name: window.pages[name].y())
    named = [window.pages[name].has_setting_named("size") for name in shown]
    assert named == sorted(named, reverse=True)
    window.search.setText("text")
    qtbot.waitUntil(
        lambda: min(visible(window), key=lambda name: window.pages[name].y()) == "appearance"
    )
    window.search.clear()
    window.open_section("service")
    assert visible(window) == MODELS


def test_found_cards_follow_each_other_without_a_gap(window: SettingsWindow, qtbot: QtBot) -> None:
    window.resize(900, 900)
    window.show()
    window.search.setText("date")
    shown = [window.pages[name] for name in visible(window)]
    assert len(shown) > 1
    qtbot.waitUntil(
        lambda: all(page.height() == page.heightForWidth(page.width()) for page in shown)
    )


def names(window: SettingsWindow) -> list[str]:
    return [page.section.name for page in window.pages.created()]


def test_a_page_is_made_when_it_is_needed(fresh: SettingsWindow) -> None:
    assert names(fresh) == []
    assert fresh.navigation.count() == len(GROUPS)
    fresh.open_section("companion")
    assert names(fresh) == ["companion"]
    assert visible(fresh) == ["companion"]
    fresh.pages["service"]
    assert names(fresh) == ["companion", "service"]
    assert visible(fresh) == ["companion"]


def test_the_frame_comes_first_then_its_page_then_the_others(
    fresh: SettingsWindow, qtbot: QtBot
) -> None:
    fresh.present("appearance")
    assert fresh.isVisible()
    assert names(fresh) == [], "page and frame together block the thread"
    qtbot.waitUntil(lambda: "appearance" in visible(fresh))
    qtbot.waitUntil(lambda: len(names(fresh)) == len(describe_sections()))
    assert visible(fresh) == SYSTEM


def test_a_partly_made_page_is_completed_when_it_is_requested(fresh: SettingsWindow) -> None:
    assert fresh.pages.create_next("appearance")
    assert fresh.pages.create_next("appearance")
    fresh.set_theme(DARK)
    [page] = fresh.pages.created()
    assert page.theme is DARK
    assert page.heading.text()
    assert not page.isWindow()


def test_while_the_window_is_open_the_rest_is_made_and_searched(
    fresh: SettingsWindow, qtbot: QtBot
) -> None:
    fresh.search.setText("theme")
    assert "appearance" not in names(fresh)
    fresh.show()
    qtbot.waitUntil(lambda: len(names(fresh)) == len(describe_sections()))
    assert "appearance" in visible(fresh)
    places = [page.y() for page in fresh.pages.created() if page.isVisible()]
    assert places == sorted(places)


def test_a_page_made_later_has_the_current_theme_and_language(fresh: SettingsWindow) -> None:
    fresh.show_error("companion", "model", "It is broken.")
    fresh.set_theme(DARK)
    page = fresh.pages["companion"]
    assert page.theme is DARK
    assert not page.fields["model"].error_label.isHidden()
    assert page.fields["model"].error_label.text() == "It is broken."
    fresh.pages["data"]
    fresh.show_error("data", "detailed_log", "So is this.")
    assert fresh.pages["data"].fields["detailed_log"].error_label.text() == "So is this."


def test_a_requested_setting_stays_in_view_while_rows_are_added_above_it(
    window: SettingsWindow, qtbot: QtBot
) -> None:
    window.resize(900, 500)
    above, page = window.pages["appearance"], window.pages["updates"]
    row = next(iter(page.fields.values()))
    area = window.findChild(QScrollArea, "pagesArea")
    assert isinstance(area, QScrollArea)

    def in_view() -> bool:
        focus = window.focusWidget()
        middle = row.mapTo(area.viewport(), row.rect().center())
        return (
            focus is not None
            and row.isAncestorOf(focus)
            and area.viewport().rect().contains(middle)
        )

    window.show_setting("updates", row.info.name)
    qtbot.waitUntil(in_view)
    above.setMinimumHeight(3000)
    qtbot.waitUntil(lambda: above.height() >= 3000 and in_view())
    area.verticalScrollBar().triggerAction(QScrollBar.SliderAction.SliderToMinimum)
    above.setMinimumHeight(4000)
    qtbot.waitUntil(lambda: above.height() >= 4000)
    assert area.verticalScrollBar().value() == 0, "the user has scrolled away"
