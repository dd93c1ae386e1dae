from __future__ import annotations

from neodeskpet.core.tool_settings import (
    MODE_NAMES,
    MODE_NOTES,
    SERVICE_MODE_NAMES,
    mode_name,
)


def test_every_mode_has_a_name_and_a_note() -> None:
    assert SERVICE_MODE_NAMES.keys() == MODE_NOTES.keys() > MODE_NAMES.keys()
    assert [mode_name(mode) for mode in SERVICE_MODE_NAMES] == [
        "Auto",
        "Native",
        "Text",
        "No tools",
    ]
    assert mode_name("later") == "later"
