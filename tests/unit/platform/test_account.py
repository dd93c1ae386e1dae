"""The name of the account."""

from neodeskpet.platform.account import full_name


def test_it_is_one_line_or_empty() -> None:
    name = full_name()
    assert name == " ".join(name.split())
    assert "," not in name
