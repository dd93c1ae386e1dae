"""The first word chooses a command; everything else starts the app."""

from __future__ import annotations

import importlib

import pytest

from neodeskpet.__main__ import COMMANDS, main


@pytest.mark.parametrize("module", COMMANDS.values())
def test_every_command_can_be_run(module: str) -> None:
    assert callable(importlib.import_module(module).run)


def test_a_command_gets_the_arguments_after_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", "--help"]) == 0
    assert "--split" in capsys.readouterr().out


def test_the_help_names_every_command_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    listed = said.partition("Commands: ")[2].partition("(")[0].replace("\n", " ")
    assert [name.strip() for name in listed.split(",")] == sorted(COMMANDS.keys() - {"child"})


def test_other_arguments_are_for_the_app(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--no-such-option"])
    assert ended.value.code == 2
    assert "neodeskpet" in capsys.readouterr().err
