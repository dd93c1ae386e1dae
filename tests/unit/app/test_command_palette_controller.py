"""The entries of the command palette."""

from neodeskpet.ui.chat.chat_commands import COMMANDS, MENU


def test_the_menu_of_the_chat_contains_its_commands() -> None:
    ids = [command.id for command in COMMANDS]
    assert len(set(ids)) == len(ids)
    assert all(command in COMMANDS for group in MENU for command in group)
