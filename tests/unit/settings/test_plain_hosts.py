"""Which computers may be sent a key without encryption: each one separately, never all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.settings.secrets import add_host, hosts_from_old_switch, parse_hosts
from neodeskpet.settings.store import SettingsStore


def test_a_line_names_hosts() -> None:
    assert parse_hosts("") == ()
    assert parse_hosts(" Box.lan, 192.168.1.7；box.lan\t::2") == ("box.lan", "192.168.1.7", "::2")


def test_a_host_is_added_once() -> None:
    assert add_host("", "box.lan") == "box.lan"
    assert add_host("box.lan", "Box.LAN") == "box.lan"
    assert parse_hosts(add_host("a b", "c")) == ("a", "b", "c")


@pytest.mark.parametrize(
    ("base_url", "switch", "hosts"),
    [
        ("http://box.lan:8080/v1", True, "box.lan"),
        ("http://box.lan/v1", False, ""),
        ("https://box.lan/v1", True, ""),
        ("http://[broken", True, ""),
        ("", True, ""),
    ],
)
def test_the_former_switch_for_all_becomes_the_host_of_its_address(
    base_url: str, switch: bool, hosts: str
) -> None:
    assert hosts_from_old_switch({"base_url": base_url, "plain_keys": switch}) == hosts


def test_an_older_file_is_upgraded_once(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    old = {"protocol": "openai", "base_url": "http://box.lan/v1", "plain_keys": True}
    file.write_text(json.dumps({"service": old}), encoding="utf-8")
    store = SettingsStore(file, environ={})
    assert store.settings.service.plain_hosts == "box.lan"
    written = json.loads(file.read_text("utf-8"))["service"]
    assert written["plain_hosts"] == "box.lan"
    assert "plain_keys" not in written
    store.change("service", "plain_hosts", "")
    assert SettingsStore(file, environ={}).settings.service.plain_hosts == ""


def test_a_switch_that_was_off_adds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"service": {"plain_keys": False}}), encoding="utf-8")
    assert SettingsStore(file, environ={}).settings.service.plain_hosts == ""
    assert json.loads(file.read_text("utf-8")) == {}
