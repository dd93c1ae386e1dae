"""How our child processes are started: a module, or a bundle's own program; without secrets."""

import importlib
import sys

import pytest

from neodeskpet.platform.child_process import MODULES, child_command, child_environment


@pytest.mark.parametrize("name", MODULES)
def test_every_child_can_be_started_in_both_ways(name: str) -> None:
    assert callable(importlib.import_module(MODULES[name]).main)
    assert child_command(name) == [sys.executable, "-m", MODULES[name]]


def test_a_bundle_runs_its_own_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert child_command("probe") == [sys.executable, "child", "probe"]


def test_keys_are_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = {
        "NEODESKPET_API_KEY": "k1",
        "OPENAI_API_KEY": "k2",
        "HF_TOKEN": "k3",
        "PGPASSWORD": "k4",
    }
    for name, value in secret.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LANGUAGE", "zh")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    found = child_environment()
    assert not secret.keys() & found.keys()
    assert found["LANGUAGE"] == "zh"
    assert found["PYTHONPATH"].endswith("/elsewhere")
