"""Which keys may be hot keys of all programs, and their names."""

import pytest

from neodeskpet.ui.desktop.hotkeys import Modifier, parse_hotkey


@pytest.mark.parametrize(
    ("text", "symbol", "trigger"),
    [
        ("Ctrl+Alt+Space", 0x20, "CTRL+ALT+space"),
        ("Meta+Shift+A", 0x61, "SHIFT+LOGO+a"),
        ("Alt+/", 0x2F, "ALT+slash"),
        ("F9", 0xFFC6, "F9"),
        ("Ctrl+PgDown", 0xFF56, "CTRL+Next"),
        ("Ctrl+7", 0x37, "CTRL+7"),
    ],
)
def test_keys(text: str, symbol: int, trigger: str) -> None:
    keys = parse_hotkey(text)
    assert keys is not None
    assert (keys.symbol, keys.trigger) == (symbol, trigger)


def test_modifiers() -> None:
    keys = parse_hotkey("Ctrl+Shift+X")
    assert keys is not None
    assert Modifier.CTRL in keys and Modifier.SHIFT in keys
    assert Modifier.ALT not in keys and Modifier.META not in keys


@pytest.mark.parametrize(
    "text",
    ["", "A", "Shift+A", "Space", "Ctrl+", "Ctrl++", "Ctrl+F36", "Ctrl+é", "Hyper+A", "Ctrl+Nope"],
)
def test_keys_that_can_not_be_taken(text: str) -> None:
    assert parse_hotkey(text) is None
