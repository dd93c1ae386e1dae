from __future__ import annotations

from neodeskpet.core.tool_settings import MODE_NAMES, MODE_NOTES, mode_name


def test_every_mode_has_a_name_and_a_note() -> None:
    assert MODE_NAMES.keys() == MODE_NOTES.keys()
    assert [mode_name(mode) for mode in MODE_NAMES] == ["Native", "Text", "Auto"]
    assert mode_name("later") == "later"
