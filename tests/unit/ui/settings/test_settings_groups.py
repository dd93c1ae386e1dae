"""Every setting has its place in one of the groups, or a reason why it has none."""

import pytest

from neodeskpet.app.settings_pages import list_sections
from neodeskpet.settings.setting_fields import ControlKind
from neodeskpet.settings.settings_model import SECTIONS, setting_info
from neodeskpet.ui.settings.settings_groups import ALL_GROUPS, GROUPS, groups_with

ELSEWHERE = {
    "local.file": "the row of the model's file",
    "voice.voice": "the row of the voice",
    "voice.output_device": "the row of the speaker",
    "voice.input_device": "the row of the microphone",
    "voice.wake_word_recorded": "the row of the recorded wake word",
    "service.titles": "the row of the model for titles",
    "mode.mode": "the form of a service",
    "mode.dialect": "the form of a service",
    "mode.native_services": "the form of a service",
    "mode.toolless_services": "the form of a service",
    "mode.text_services": "the form of a service",
    "mode.always_allowed": "the list of what was always allowed",
    "mode.tool_rules": "the rows of the tools",
    "mode.source_rules": "the rows of the tools",
    "mode.tool_files": "the card of tools of your own",
    "files.folders": "the list of folders",
    "programs.token": "the row of the token",
    "companion.quiet": "the menu",
    "mode.hidden_lists": 'the line at the bottom of the window "Today"',
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

FIRST_MODEL = {
    "service": "protocol base_url model stall_timeout titles plain_hosts local_patience",
    "spending": "budget",
    "local": "file source idle_minutes context reply threads",
    "mode": "mode dialect apps read_leaks parallel_tools max_rounds max_tag_rounds max_calls"
    " ask_before_every_change answer_patience shell task_end due new_tools always_allowed"
    " tool_rules source_rules met_tools tool_files allowed_tool_files",
    "files": "folders",
    "web": "search searxng",
    "programs": "allowed http port token",
    "companion": "model scale opacity always_on_top click_through gaze quiet welcome_back"
    " click_to_say fall perch walk walk_areas peek aside full_screen start_at_login timer_sound"
    " bubble fps_active fps_idle positions",
    "guests": "talk turns tokens",
    "initiative": "on idle time task silence memory quiet_from quiet_to",
    "pastimes": "days hemisphere feasts birthday music typing spans snacks seek",
    "appearance": "theme language font_size contrast reduced_motion",
    "keys": "show_chat say toggle_pet take_clicks",
    "memory": "recall facts learn knowledge meaning keep",
    "sharing": "address",
    "updates": "look address key",
    "data": "detailed_log",
}
"""The settings before they were put into seven groups, by section."""


def test_there_are_seven_groups() -> None:
    assert len(GROUPS) == 7


def test_every_card_is_in_one_group() -> None:
    cards = [card for group in ALL_GROUPS for card in group.cards]
    assert len(cards) == len(set(cards))
    assert {section.name for section in list_sections()} <= set(cards)


def test_a_card_without_a_group_is_an_error() -> None:
    with pytest.raises(KeyError):
        groups_with(["memory", "unknown"])


def test_every_setting_is_on_one_card_or_omitted_on_purpose() -> None:
    shown = [info.path for section in list_sections() for info in section.settings]
    assert len(shown) == len(set(shown))
    for section, kind in SECTIONS.items():
        for name in kind.model_fields:
            path = f"{section}.{name}"
            hidden = setting_info(section, name).control is ControlKind.HIDDEN
            assert hidden == (path in ELSEWHERE or path in FILE_ONLY), path
            assert hidden != (path in shown), path


def test_every_setting_of_the_first_version_is_kept_and_has_a_place() -> None:
    """The fields of the settings when they had 21 pages: a file from then still works."""
    shown = {info.path for section in list_sections() for info in section.settings}
    paths = [
        f"{section}.{name}" for section, names in FIRST_MODEL.items() for name in names.split()
    ]
    assert len(paths) == 103
    for path in paths:
        section, _, name = path.partition(".")
        assert name in SECTIONS[section].model_fields, path
        assert path in shown or path in ELSEWHERE or path in FILE_ONLY, path
