"""The settings show no row that has no effect on this system."""

from __future__ import annotations

import pytest

from neodeskpet.app.settings_pages import list_sections
from neodeskpet.app.system_features import (
    NEEDS,
    SystemFeatures,
    current_features,
    detect_features,
    section_for,
)
from neodeskpet.settings.settings_model import SECTIONS

BUS = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus"}
WAYLAND = {"XDG_SESSION_TYPE": "wayland"}
POSITIONS = {"companion.perch", "companion.full_screen"}
OWN_POSITIONS = {path for path, feature in NEEDS.items() if feature == "own_positions"}
KEYS = {path for path in NEEDS if path.startswith("keys.")}


def detect(
    platform: str, system: str, environ: dict[str, str], *, autostart: bool = True
) -> SystemFeatures:
    return detect_features(platform, system, environ, autostart=autostart, sync=True)


def shown(features: SystemFeatures) -> set[str]:
    sections = [section_for(one, features) for one in list_sections()]
    return {info.path for one in sections if one is not None for info in one.settings}


def hidden(features: SystemFeatures) -> set[str]:
    return shown(SystemFeatures()) - shown(features)


@pytest.mark.parametrize(
    ("features", "missing"),
    [
        (detect("xcb", "linux", BUS), set()),
        (detect("xcb", "linux", {}), {"pastimes.music"}),
        (detect("xcb", "linux", BUS | WAYLAND), set()),
        (
            detect("xcb", "linux", {"DBUS_SESSION_BUS_ADDRESS": "disabled:"} | WAYLAND),
            KEYS | {"pastimes.music"},
        ),
        (
            detect("wayland", "linux", BUS | WAYLAND),
            POSITIONS | OWN_POSITIONS | {"pastimes.typing"},
        ),
        (detect("windows", "win32", {}), POSITIONS | {"pastimes.typing", "pastimes.music"}),
        (detect("cocoa", "darwin", BUS), POSITIONS | {"pastimes.typing", "pastimes.music"}),
        (
            detect("offscreen", "freebsd14", {}, autostart=False),
            POSITIONS | KEYS | {"pastimes.typing", "pastimes.music", "companion.start_at_login"},
        ),
        (SystemFeatures(sync=False), {"sharing.address"}),
    ],
)
def test_each_system_hides_what_it_does_not_support(
    features: SystemFeatures, missing: set[str]
) -> None:
    assert hidden(features) == missing


def test_a_section_without_rows_is_not_shown() -> None:
    without = SystemFeatures(hot_keys=False, sync=False, autostart=False)
    names = {one.name for one in list_sections() if section_for(one, without) is None}
    assert names == {"keys", "sharing", "start"}


def test_sections_without_own_settings_stay() -> None:
    nothing = SystemFeatures(*[False] * 7)
    (roles,) = [one for one in list_sections() if one.name == "roles"]
    assert section_for(roles, nothing) == roles


def test_every_requirement_names_a_setting_and_a_feature() -> None:
    for path, feature in NEEDS.items():
        section, _, name = path.partition(".")
        assert name in SECTIONS[section].model_fields
        assert isinstance(getattr(SystemFeatures(), feature), bool)


def test_the_features_of_this_system_are_found() -> None:
    assert isinstance(current_features(), SystemFeatures)
