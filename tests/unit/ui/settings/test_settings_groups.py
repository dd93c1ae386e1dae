"""Every setting has its place in one of the groups, or a reason why it has none."""

import pytest

from neodeskpet.app.settings_pages import list_sections, settings_that_work
from neodeskpet.settings.setting_fields import ControlKind
from neodeskpet.settings.settings_model import SECTIONS, setting_info
from neodeskpet.ui.settings.settings_groups import GROUPS, groups_with

ELSEWHERE = {
    "local.file": "the row of the model's file",
    "voice.voice": "the row of the voice",
    "voice.output_device": "the row of the speaker",
    "voice.input_device": "the row of the microphone",
    "mode.always_allowed": "the list of what was always allowed",
    "mode.tool_rules": "the rows of the tools",
    "mode.source_rules": "the rows of the tools",
    "mode.tool_files": "the card of tools of your own",
    "files.folders": "the list of folders",
    "programs.token": "the row of the token",
    "companion.quiet": "the menu",
    "companion.positions": "dragging the figure",
    "companion.walk_areas": "the menu",
    "companion.aside": "dragging the figure",
}
"""Settings that are changed by another control than a generated row."""

FILE_ONLY = {
    "mode.max_tag_rounds": "a limit that nobody needs to change",
    "mode.met_tools": "what the program remembers",
    "mode.allowed_tool_files": "what the program remembers",
}


def test_there_are_seven_groups() -> None:
    assert len(GROUPS) == 7


def test_every_card_is_in_one_group() -> None:
    cards = [card for group in GROUPS for card in group.cards]
    assert len(cards) == len(set(cards))
    assert {section.name for section in list_sections()} <= set(cards)


def test_a_card_without_a_group_is_an_error() -> None:
    with pytest.raises(KeyError):
        groups_with(["memory", "unknown"])


def test_every_setting_is_on_one_card_or_dropped_on_purpose() -> None:
    shown = [info.path for section in list_sections() for info in section.settings]
    assert len(shown) == len(set(shown))
    for section, kind in SECTIONS.items():
        for name in kind.model_fields:
            path = f"{section}.{name}"
            hidden = setting_info(section, name).control is ControlKind.HIDDEN
            assert hidden == (path in ELSEWHERE or path in FILE_ONLY), path
            assert hidden != (path in shown), path


def test_settings_that_need_x11_are_hidden_elsewhere() -> None:
    def shown(platform: str) -> set[str]:
        sections = [settings_that_work(one, platform) for one in list_sections()]
        return {info.path for section in sections for info in section.settings}

    assert shown("xcb") - shown("wayland") == {"companion.perch", "companion.full_screen"}
    assert shown("xcb") == {info.path for one in list_sections() for info in one.settings}
