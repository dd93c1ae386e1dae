from __future__ import annotations

import pytest
from pydantic import ValidationError

from neodeskpet.settings.settings_model import Settings, validate_setting


def test_a_birthday_is_month_and_day() -> None:
    assert validate_setting("pastimes", "birthday", " 5-17 ") == "5-17"
    assert validate_setting("pastimes", "birthday", "") == ""
    with pytest.raises(ValidationError, match="5-17"):
        validate_setting("pastimes", "birthday", "17 May")


def test_by_default_it_is_calm() -> None:
    pastimes = Settings().pastimes
    assert pastimes.hemisphere == "neither"
    assert not pastimes.feasts
