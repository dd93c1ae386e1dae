"""The tokens: complete, readable (WCAG AA), and turned into a palette, fonts and a style sheet."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QColor, QFontMetricsF, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLineEdit,
    QMenu,
    QPushButton,
    QStyle,
    QStyleOptionFrame,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

import neodeskpet
from neodeskpet.language import set_language
from neodeskpet.ui.theme import (
    DARK,
    DARK_CONTRAST,
    LIGHT,
    LIGHT_CONTRAST,
    Theme,
    apply_theme,
    apply_window_theme,
    checkbox_rules,
    code_font,
    font_for_text,
    palette_for,
    preload_fonts,
    style_sheet,
    theme_for,
    ui_font,
)
from neodeskpet.ui.widgets.search_field import SearchField


def contrast(one: str, two: str) -> float:
    def luminance(name: str) -> float:
        color = QColor(name)
        parts = [color.redF(), color.greenF(), color.blueF()]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


_COLOURS = ("text", "muted", "accent", "done", "failed", "asks")
_TEXT_ON = {
    "window": _COLOURS,
    "surface": _COLOURS,
    "code": _COLOURS,
    "hover": _COLOURS,
    "pressed": ("text", "muted", "failed"),
    "person": ("text", "muted", "accent", "asks"),
    "selection": ("text",),
    "mark": ("text",),
    "mark_current": ("text",),
    "accent": ("on_accent",),
    "accent_hover": ("on_accent",),
}
"""The colours of the texts that are painted on each ground."""
_SIGNS = ("muted", "accent", "done", "failed", "asks")
_SIGNS_ON = {
    "window": (*_SIGNS, "control_line"),
    "surface": (*_SIGNS, "control_line"),
    "code": (*_SIGNS, "control_line"),
    "hover": (*_SIGNS, "control_line"),
    "pressed": _SIGNS,
    "person": _SIGNS,
    "selection": ("text",),
}
"""The colours of the borders, focus rings and icons that are painted on each ground."""
_THEMES = [LIGHT, DARK, LIGHT_CONTRAST, DARK_CONTRAST]
_NAMES = ["light", "dark", "light contrast", "dark contrast"]


@pytest.mark.parametrize("theme", _THEMES, ids=_NAMES)
class TestEveryTheme:
    @pytest.mark.parametrize("ground", _TEXT_ON)
    def test_text_reads_on_every_ground_it_is_painted_on(self, theme: Theme, ground: str) -> None:
        for ink in _TEXT_ON[ground]:
            assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 4.5, ink

    @pytest.mark.parametrize("ground", _SIGNS_ON)
    def test_borders_and_icons_are_seen(self, theme: Theme, ground: str) -> None:
        for ink in _SIGNS_ON[ground]:
            assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 3, ink

    def test_code_is_readable_on_its_background(self, theme: Theme) -> None:
        for field in fields(theme.syntax):
            assert contrast(getattr(theme.syntax, field.name), theme.code) >= 4.5, field.name

    def test_every_colour_is_valid(self, theme: Theme) -> None:
        for field in fields(theme):
            value = getattr(theme, field.name)
            if isinstance(value, str) and field.name != "name":
                assert QColor(value).isValid(), field.name

    def test_palette_follows_the_tokens(self, qapp: QApplication, theme: Theme) -> None:
        palette = palette_for(theme)
        assert palette.color(QPalette.ColorRole.Window).name() == QColor(theme.window).name()
        assert palette.color(QPalette.ColorRole.Highlight).name() == QColor(theme.accent).name()

    def test_style_sheet_names_only_tokens(self, theme: Theme) -> None:
        tokens = {getattr(theme, f.name) for f in fields(theme) if f.name != "syntax"}
        assert set(re.findall(r"#[0-9A-Fa-f]{3,8}", style_sheet(theme))) <= tokens

    def test_styling_the_application(self, qapp: QApplication, theme: Theme) -> None:
        before = qapp.palette(), qapp.font(), qapp.styleSheet()
        try:
            apply_theme(qapp, theme)
            button = QPushButton("Send")
            button.setProperty("primary", True)
            assert not button.grab().isNull()
            assert qapp.palette().color(QPalette.ColorRole.Text) == QColor(theme.text)
        finally:
            qapp.setPalette(before[0])
            qapp.setFont(before[1])
            qapp.setStyleSheet(before[2])


def test_themes_by_name(qapp: QApplication) -> None:
    assert theme_for("light") is LIGHT
    assert theme_for("dark") is DARK
    assert theme_for("system") in (LIGHT, DARK)


def test_another_reading_size_changes_all_sizes(qapp: QApplication) -> None:
    theme = theme_for("light", 18)
    assert (theme.font_px, theme.code_px) == (18, 17)
    assert theme.line_px == round(18 * 1.55)
    assert theme.card_height > LIGHT.card_height
    assert LIGHT.font_px == 14


def test_fonts(qapp: QApplication) -> None:
    assert ui_font(LIGHT).pixelSize() == LIGHT.font_px
    assert ui_font(LIGHT, 20, bold=True).weight() > ui_font(LIGHT).weight()
    assert "Noto Sans CJK SC" in ui_font(LIGHT).families()
    assert code_font(LIGHT).pixelSize() == LIGHT.code_px
    preload_fonts(LIGHT)


def test_a_window_with_the_same_style_is_not_styled_again(qapp: QApplication) -> None:
    class Watch(QObject):
        changes = 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            self.changes += event.type() is QEvent.Type.StyleChange
            return False

    window, watch = QPushButton(), Watch()
    window.ensurePolished()
    window.installEventFilter(watch)
    seen = []
    for theme in (LIGHT, LIGHT, DARK, DARK):
        apply_window_theme(window, theme)
        seen.append(watch.changes)
    assert 0 < seen[0] == seen[1] < seen[2] == seen[3]


def test_english_quotes_are_narrow_with_only_a_chinese_font(
    qapp: QApplication,
) -> None:
    def width() -> float:
        return QFontMetricsF(ui_font(LIGHT)).horizontalAdvance("“I’m here”")

    apply_theme(qapp, LIGHT)
    narrow = width()
    assert ui_font(LIGHT).featureTags()
    assert not code_font(LIGHT).featureTags()
    set_language("zh_CN")
    try:
        assert narrow <= width()
        assert not ui_font(LIGHT).featureTags()
    finally:
        set_language("en")


@pytest.mark.parametrize("theme", [LIGHT, DARK, LIGHT_CONTRAST, DARK_CONTRAST], ids=_NAMES)
def test_the_current_row_of_a_menu_is_framed(qtbot: QtBot, theme: Theme) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    apply_window_theme(menu, theme)
    row = [menu.addAction(text) for text in ("One", "Two", "Three")][1]
    menu.popup(QPoint())
    menu.setActiveAction(row)
    area = menu.actionGeometry(row)
    edge = menu.grab().toImage().pixelColor(area.center().x(), area.top()).name()
    assert contrast(edge, theme.surface) >= 3


@pytest.mark.parametrize("theme", [LIGHT_CONTRAST, DARK_CONTRAST], ids=["light", "dark"])
def test_with_high_contrast_all_text_reads_and_the_focus_is_framed(theme: Theme) -> None:
    for ground, inks in _TEXT_ON.items():
        for ink in inks if ground != "pressed" else ("text", "muted"):
            assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 7, (ink, ground)
    assert contrast(theme.control_line, theme.window) >= 7
    for field in fields(theme.syntax):
        assert contrast(getattr(theme.syntax, field.name), theme.code) >= 7, field.name
    assert f"border: {theme.focus_width}px solid {theme.text}" in style_sheet(theme)
    assert theme_for(theme.name, contrast=True) == theme
    assert theme_for(theme.name, 28, contrast=True).contrast


def test_chinese_punctuation_is_as_wide_as_its_letters_in_english_too(qapp: QApplication) -> None:
    apply_theme(qapp, LIGHT)
    font = ui_font(LIGHT)
    assert font_for_text("“I’m here”, 3 % (about)", font) is font
    for text in ("你好，世界", "（大约）", "ひらがな、"):
        wide = font_for_text(text, font)
        assert not wide.featureTags()
        assert wide.families() == font.families()
        assert wide.pixelSize() == font.pixelSize()
        assert QFontMetricsF(wide).horizontalAdvance(text) >= QFontMetricsF(font).horizontalAdvance(
            text
        )
    assert font_for_text("你好，", code_font(LIGHT)).families() == code_font(LIGHT).families()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_disabled_quiet_button_looks_disabled(qtbot: QtBot, theme: Theme) -> None:
    button = QToolButton(text="Delete")
    button.setProperty("quiet", True)
    qtbot.addWidget(button)
    apply_window_theme(button, theme, "")
    on = button.grab().toImage()
    button.setEnabled(False)
    assert button.grab().toImage() != on


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_checked_box_shows_a_tick(qtbot: QtBot, theme: Theme) -> None:
    box = QCheckBox()
    qtbot.addWidget(box)
    box.setStyleSheet(checkbox_rules("QCheckBox", theme))
    box.setChecked(True)
    picture = box.grab().toImage()
    places = [(x, y) for x in range(picture.width()) for y in range(picture.height())]
    colors = {picture.pixelColor(x, y).name() for x, y in places}
    assert {QColor(theme.accent).name(), QColor(theme.on_accent).name()} <= colors


@pytest.mark.parametrize("theme", [LIGHT_CONTRAST, DARK_CONTRAST, DARK])
def test_the_frame_of_the_focus_leaves_a_line_its_height(qtbot: QtBot, theme: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    apply_window_theme(window, theme)
    # Qt keeps the sheet of a destroyed widget that was never shown, by its address: the new one
    # would get it. Another sheet for a polished widget replaces it.
    window.ensurePolished()
    window.setStyleSheet(window.styleSheet() + "\n")
    search = SearchField(theme)
    search.set_theme(theme)
    for field in (QLineEdit(), search):
        field.setParent(window)
        field.resize(200, field.sizeHint().height())
        option = QStyleOptionFrame()
        heights = []
        for state in (QStyle.StateFlag.State_None, QStyle.StateFlag.State_HasFocus):
            field.initStyleOption(option)
            option.state = QStyle.StateFlag.State_Enabled | state
            part = QStyle.SubElement.SE_LineEditContents
            heights.append(field.style().subElementRect(part, option, field).height())
        assert heights[0] == heights[1], type(field).__name__
        placeholder = field.palette().color(QPalette.ColorRole.PlaceholderText)
        assert placeholder == QColor(theme.muted)


FAILURES = {
    "chat/argument_form.py": "an invalid argument",
    "chat/composer/attachment_tiles.py": "an attachment that can't be read",
    "chat/items/item_style.py": "the text of a failed call",
    "chat/items/paint_primitives.py": "the sign of a failed call",
    "chat/items/tool_card_model.py": "the heading of an error",
    "chat/program_questions.py": "removed lines of a diff, by convention",
    "first_steps_bubble.py": "a service that can't be reached",
    "chat/items/tool_result_items.py": "removed lines of a diff, by convention",
    "notebook/quick_add.py": "a sentence that can't be understood",
    "settings/figure/model_tile.py": "a model with a fault",
    "settings/mcp_server_card.py": "a server that has crashed",
    "settings/services/endpoint_test_report.py": "a failed test",
    "settings/services/service_card.py": "a service that doesn't work",
    "settings/services/service_list.py": "a fault in the list of services",
    "settings/user_tool_card.py": "a tool that can't be read",
    "theme.py": "the style of failures and of deleting",
    "widgets/controls.py": "an invalid value",
    "widgets/labels.py": "an invalid value",
    "widgets/model_picker.py": "an invalid value",
}
"""The modules that use the colour of failures, and for what."""


def test_only_failures_are_red() -> None:
    ui = Path(neodeskpet.__file__).parent / "ui"
    name = r'setProperty\("failed"|: "failed"|"failed" if|, "failed"\),'
    uses = re.compile(rf"\b(?:_?theme|t)\.failed\b|{name}")
    found = {
        path.relative_to(ui).as_posix()
        for path in ui.rglob("*.py")
        if uses.search(path.read_text("utf-8"))
    }
    assert found == set(FAILURES)
