from __future__ import annotations

import pytest

from neodeskpet.core.errors import SettingsError, content_class
from neodeskpet.language import translate_error
from neodeskpet.settings.config_files import (
    InvalidSetting,
    SettingsNotSaved,
    SettingsRestored,
    WrongValues,
)


@pytest.mark.parametrize("kind", [InvalidSetting, SettingsNotSaved, SettingsRestored, WrongValues])
def test_they_are_settings_errors_with_codes_of_their_own(kind: type[SettingsError]) -> None:
    assert issubclass(kind, SettingsError)
    assert content_class(kind.code) is kind


def test_their_fields_are_filled() -> None:
    for error in (
        InvalidSetting(title="Size"),
        SettingsNotSaved(file="/a"),
        SettingsRestored(file="/a", copy="b"),
        WrongValues(file="/a"),
    ):
        assert not any("{" in text for text in translate_error(error))
