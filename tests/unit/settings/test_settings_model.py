from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from neodeskpet.core.grant_scope import Constraint, Grant, ScopeKind
from neodeskpet.settings.setting_fields import ControlKind, SettingInfo
from neodeskpet.settings.settings_model import (
    SECTIONS,
    Settings,
    describe_sections,
    setting_info,
    validate_setting,
)

ALL = [setting_info(name, field) for name, kind in SECTIONS.items() for field in kind.model_fields]


@pytest.mark.parametrize("info", ALL, ids=lambda info: info.path)
def test_every_setting_is_described_and_its_default_fits(info: SettingInfo) -> None:
    assert info.title
    assert info.title.replace("{name}", "Neo")[0].isupper()
    assert validate_setting(info.section, info.name, info.default) == info.default
    assert getattr(getattr(Settings(), info.section), info.name) == info.default
    if info.control is ControlKind.SCALE:
        assert info.minimum < info.maximum
        assert isinstance(info.default, int | float)
        assert info.minimum <= info.default <= info.maximum
        for value in (info.minimum, info.maximum):
            validate_setting(info.section, info.name, value)
        with pytest.raises(ValidationError):
            validate_setting(info.section, info.name, info.maximum + 1)
        with pytest.raises(ValidationError):
            validate_setting(info.section, info.name, float("nan"))
    if info.control in (ControlKind.CHOICE, ControlKind.SEGMENTS):
        annotation = SECTIONS[info.section].model_fields[info.name].annotation
        values = ("true", "false") if annotation is bool else get_args(annotation)
        assert tuple(value for value, _ in info.choices) == values
        with pytest.raises(ValidationError):
            validate_setting(info.section, info.name, "something else")


def test_the_pages_are_the_sections_without_hidden_settings() -> None:
    pages = describe_sections()
    names = [page.name for page in pages]
    assert len(names) == len(set(names))
    assert list(SECTIONS) == list(Settings.model_fields)
    shown = {info.path for page in pages for info in page.settings}
    assert shown == {info.path for info in ALL if info.control is not ControlKind.HIDDEN}
    assert {info.path for info in ALL} - shown == {
        "local.file",  # a page of its own sets it
        "service.titles",  # the row of the model for titles
        "mode.mode",  # the form of a service sets these five
        "mode.dialect",
        "mode.native_services",
        "mode.toolless_services",
        "mode.text_services",
        "mode.always_allowed",  # so do rules and grants
        "mode.tool_rules",
        "mode.source_rules",
        "mode.hidden_lists",  # the window "Today"
        "mode.met_tools",
        "mode.tool_files",  # and the user's tool files
        "mode.allowed_tool_files",
        "files.folders",  # and its folders
        "programs.token",
        "companion.positions",
        "companion.walk_areas",
        "companion.quiet",  # it is in the menu
        "mode.max_tag_rounds",  # only in the file
        "companion.aside",
        "voice.voice",
        "voice.output_device",  # its page sets them
        "voice.input_device",
        "voice.wake_word_recorded",
    }
    assert all(page.title and page.icon for page in pages)
    assert [page.name for page in pages if not page.settings] == ["files"]


def test_values_are_never_modified_in_place() -> None:
    with pytest.raises(ValidationError):
        Settings().service.model = "x"  # type: ignore[misc]
    assert Settings().companion.positions is not Settings().mode


def test_lines_are_stripped_and_unknown_settings_are_errors() -> None:
    assert validate_setting("service", "base_url", " https://x/v1\n") == "https://x/v1"
    assert validate_setting("companion", "positions", {"DP-1": [3, 4]}) == {"DP-1": (3, 4)}
    with pytest.raises(KeyError):
        validate_setting("service", "nothing", 1)
    with pytest.raises(KeyError):
        setting_info("nothing", "model")


def test_grants_from_before_scopes_are_still_valid() -> None:
    assert validate_setting("mode", "always_allowed", ["note.add"]) == (Grant("note.add"),)


def test_a_grant_for_a_program_of_an_older_version_still_loads() -> None:
    bound = {"argument": "command", "reach": "command", "value": "git"}
    grants = validate_setting("mode", "always_allowed", [{"tool": "shell.run", "bounds": [bound]}])
    assert grants == (Grant("shell.run", (Constraint("command", ScopeKind.UNBOUNDED, "git"),)),)
