from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.errors import SettingsError
from neodeskpet.language import translate_error
from neodeskpet.settings.config_files import (
    InvalidSetting,
    SettingsNotSaved,
    SettingsRestored,
    WrongValues,
)
from neodeskpet.settings.settings_model import SECTIONS, Settings, validate_setting
from neodeskpet.settings.store import FILE_NAME, SettingsStore, overrides_from


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE_NAME


def load(path: Path, **options: object) -> SettingsStore:
    return SettingsStore(path, environ={}, **options)  # type: ignore[arg-type]


def written(path: Path) -> object:
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, content: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8")


def test_without_a_file_all_is_default_and_nothing_is_written(path: Path) -> None:
    store = load(path)
    assert store.settings == Settings()
    assert store.fault is None
    store.close()
    assert not path.exists()


def test_a_change_takes_effect_at_once_and_after_a_restart(path: Path) -> None:
    store = load(path)
    store.change("companion", "scale", 1.5)
    store.change("companion", "positions", {"DP-1": (3, 4)})
    store.change("mode", "always_allowed", ["files.write"])
    assert store.settings.companion.scale == store.value("companion", "scale") == 1.5
    assert written(path) == {
        "companion": {"scale": 1.5, "positions": {"DP-1": [3, 4]}},
        "mode": {
            "always_allowed": [
                {"tool": "files.write", "bounds": [], "form": "", "untrusted": False}
            ]
        },
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    store.close()
    again = load(path)
    assert again.settings == store.settings
    assert again.settings.companion.positions == {"DP-1": (3, 4)}
    assert again.fault is None
    assert not list(path.parent.glob(".*"))


def test_observers_get_the_changed_settings(path: Path) -> None:
    store = load(path)
    heard: list[tuple[str, str, object]] = []
    end = store.subscribe(lambda *change: heard.append(change))
    store.change("companion", "scale", "1.5")
    store.change("companion", "scale", 1.5)
    store.change("appearance", "theme", "dark")
    assert heard == [("companion", "scale", 1.5), ("appearance", "theme", "dark")]
    end()
    end()
    store.change("appearance", "theme", "light")
    assert len(heard) == 2


def test_an_observer_may_change_settings_and_unsubscribe(path: Path) -> None:
    store = load(path)
    heard: list[object] = []

    def once(section: str, name: str, value: object) -> None:
        end()
        heard.append(value)
        store.change("appearance", "theme", "light")

    end = store.subscribe(once)
    store.change("appearance", "theme", "dark")
    assert heard == ["dark"]
    assert store.settings.appearance.theme == "light"


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("companion", "scale", 99),
        ("companion", "scale", "wide"),
        ("appearance", "theme", "pink"),
        ("service", "model", None),
        ("service", "model", "\ud83d"),
        ("mode", "max_rounds", 1.5),
    ],
)
def test_a_wrong_value_is_refused_and_changes_nothing(
    path: Path, section: str, name: str, value: object
) -> None:
    store = load(path)
    with pytest.raises(InvalidSetting) as caught:
        store.change(section, name, value)
    assert translate_error(caught.value)[0].startswith("“")
    assert store.settings == Settings()
    assert not path.exists()


def test_an_unknown_setting_is_a_bug(path: Path) -> None:
    store = load(path)
    with pytest.raises(KeyError):
        store.change("companion", "colour", 1)
    with pytest.raises(KeyError):
        store.value("nothing", "scale")


def test_reset_goes_back_to_defaults(path: Path) -> None:
    store = load(path, overrides={("service", "model"): "for this run"})
    heard: list[tuple[str, str, object]] = []
    store.change("companion", "scale", 2)
    store.change("companion", "quiet", True)
    store.change("appearance", "theme", "dark")
    store.subscribe(lambda *change: heard.append(change))
    store.reset("companion", "scale")
    assert written(path) == {"companion": {"quiet": True}, "appearance": {"theme": "dark"}}
    store.reset("companion")
    assert written(path) == {"appearance": {"theme": "dark"}}
    store.reset()
    assert written(path) == {}
    assert store.settings == Settings()
    assert [name for _, name, _ in heard] == ["scale", "quiet", "model", "theme"]


def test_unknown_keys_are_kept(path: Path) -> None:
    write(path, '{"future": {"a": [1]}, "companion": {"hat": "red"}, "service": 5, "x": null}')
    store = load(path)
    assert store.settings == Settings()
    store.change("companion", "quiet", True)
    store.change("service", "model", "m")
    assert written(path) == {
        "future": {"a": [1]},
        "companion": {"hat": "red", "quiet": True},
        "service": {"model": "m"},
        "x": None,
    }


def test_wrong_values_are_named_with_their_lines(path: Path) -> None:
    write(
        path,
        '{\n "companion": {\n  "quiet": true,\n  "scale": "huge"\n },\n "mode": 5,\n'
        ' "service": {\n  "hosts": 1, "model":\n   7\n }\n}',
    )
    store = load(path)
    assert isinstance(store.fault, WrongValues)
    reasons = store.fault.detail.splitlines()
    places = [reason.split(": ")[0] for reason in reasons]
    assert sorted(places) == ["line 4, companion.scale", "line 6, mode", "line 9, service.model"]


def test_only_a_wrong_value_falls_back_and_stays_to_be_repaired(path: Path) -> None:
    write(path, '{"companion": {"scale": "huge", "quiet": true}, "mode": {"max_calls": -1}}')
    store = load(path)
    assert store.settings.companion.scale == 1.0
    assert store.settings.companion.quiet is True
    assert isinstance(store.fault, WrongValues)
    said = " ".join(translate_error(store.fault))
    for part in ("companion.scale: ", "mode.max_calls: ", str(path)):
        assert part in said
    store.change("appearance", "theme", "dark")
    assert written(path)["companion"]["scale"] == "huge"  # type: ignore[index]
    store.change("companion", "scale", 1)
    assert written(path)["companion"]["scale"] == 1  # type: ignore[index]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{\n "companion": {"scale": 2,,}\n}', "line 2, column 27"),
        ("", "line 1"),
        ("[]", "object in braces"),
        ("5", "object in braces"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "nested too deeply"),
    ],
)
def test_a_broken_file_is_reported_copied_and_replaced(
    path: Path, content: str, reason: str
) -> None:
    write(path, content)
    store = load(path)
    assert store.settings == Settings()
    assert type(store.fault) is SettingsError
    assert reason in store.fault.detail
    assert str(path) in translate_error(store.fault)[0]
    (copy,) = path.parent.glob("settings.broken-*")
    assert copy.read_text(encoding="utf-8") == content
    # The next start finds no error.
    assert load(path).fault is None
    store.change("companion", "scale", 2)
    assert written(path) == {"companion": {"scale": 2.0}}


def test_the_last_valid_values_are_restored(path: Path) -> None:
    store = load(path)
    store.change("companion", "scale", 2)
    store.change("service", "model", "tiny")
    path.write_bytes(b"\xff\xfe\x00")
    again = load(path)
    assert again.settings == store.settings
    assert isinstance(again.fault, SettingsRestored)
    assert "UTF-8" in again.fault.detail
    (copy,) = path.parent.glob("settings.broken-*")
    assert copy.name in translate_error(again.fault)[1]
    assert load(path).settings == store.settings
    assert load(path).fault is None


def test_manual_edits_in_the_meantime_stay(path: Path) -> None:
    store = load(path)
    store.change("companion", "scale", 2)
    write(path, '{"appearance": {"theme": "dark"}}')
    store.change("companion", "quiet", True)
    assert written(path) == {"appearance": {"theme": "dark"}, "companion": {"quiet": True}}


def test_a_file_that_was_broken_meanwhile_is_copied_before_it_is_written(path: Path) -> None:
    store = load(path)
    store.change("companion", "scale", 2)
    write(path, "{oops")
    store.change("companion", "quiet", True)
    (copy,) = path.parent.glob("settings.broken-*")
    assert copy.read_text(encoding="utf-8") == "{oops"
    assert written(path) == {"companion": {"scale": 2.0, "quiet": True}}


def test_a_failing_save_is_reported_once_and_repeated_later(path: Path) -> None:
    faults: list[SettingsError] = []
    store = load(path, on_fault=faults.append)
    path.parent.touch()  # a file in the place of the folder
    store.change("companion", "scale", 2)
    store.change("companion", "quiet", True)
    assert store.settings.companion.scale == 2
    assert [type(fault) for fault in faults] == [SettingsNotSaved]
    path.parent.unlink()
    store.close()
    assert written(path) == {"companion": {"scale": 2.0, "quiet": True}}
    store.change("companion", "scale", 1)
    assert len(faults) == 1


def test_a_file_that_can_neither_be_read_nor_copied_is_never_overwritten(path: Path) -> None:
    path.mkdir(parents=True)
    faults: list[SettingsError] = []
    store = load(path, on_fault=faults.append)
    assert store.fault is not None
    store.change("companion", "scale", 2)
    assert store.settings.companion.scale == 2
    assert [type(fault) for fault in faults] == [SettingsNotSaved]
    assert path.is_dir()
    store.close()


def test_no_partial_file_is_left_when_writing_fails(path: Path) -> None:
    store = load(path)
    store.change("companion", "scale", 2)
    copy = path.with_name("settings.last-good.json")
    copy.unlink()
    copy.mkdir()  # a file can't replace a folder
    store.change("companion", "scale", 1)
    assert written(path) == {"companion": {"scale": 1.0}}
    assert not list(path.parent.glob(".*"))


def test_values_for_this_run_override_and_are_never_written(path: Path) -> None:
    write(path, '{"service": {"model": "kept", "protocol": "offline"}}')
    environ = {"NEODESKPET_BASE_URL": "http://localhost:1/v1", "NEODESKPET_MODEL": "tiny"}
    store = SettingsStore(path, environ=environ, overrides={("service", "model"): "typed"})
    service = store.settings.service
    assert (service.base_url, service.protocol) == ("http://localhost:1/v1", "openai")
    assert service.model == "typed"
    assert store.overridden("service", "model")
    assert not store.overridden("companion", "scale")
    store.change("companion", "quiet", True)
    assert written(path) == {
        "service": {"model": "kept", "protocol": "offline"},
        "companion": {"quiet": True},
    }
    # A later choice of the user in the window ends that, and is stored.
    store.change("service", "model", "typed")
    assert not store.overridden("service", "model")
    assert written(path)["service"]["model"] == "typed"  # type: ignore[index]
    assert store.settings.service.protocol == "openai"


def test_an_invalid_environment_is_reported_and_ignored(path: Path) -> None:
    store = SettingsStore(path, environ={"NEODESKPET_PROTOCOL": "carrier pigeon"})
    assert store.settings.service.protocol == "offline"
    assert isinstance(store.fault, WrongValues)
    assert "service.protocol" in store.fault.detail


def test_the_process_environment_is_the_default(path: Path) -> None:
    os.environ["NEODESKPET_MODEL"] = "from the process"
    try:
        assert SettingsStore(path).settings.service.model == "from the process"
    finally:
        del os.environ["NEODESKPET_MODEL"]


def test_an_address_alone_means_a_service() -> None:
    assert overrides_from({"NEODESKPET_BASE_URL": "u", "NEODESKPET_MODEL": ""}) == {
        ("service", "base_url"): "u",
        ("service", "protocol"): "openai",
    }
    explicit = {"NEODESKPET_BASE_URL": "u", "NEODESKPET_PROTOCOL": "offline"}
    assert overrides_from(explicit)["service", "protocol"] == "offline"


sections = st.sampled_from([*SECTIONS, "unknown"])
fields = st.sampled_from([f for kind in SECTIONS.values() for f in kind.model_fields])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
documents = st.dictionaries(
    sections, values | st.dictionaries(fields | st.text(), values, max_size=5), max_size=5
).map(json.dumps)


@given(content=documents | st.text() | st.binary())
def test_with_any_file_the_app_starts(
    tmp_path_factory: pytest.TempPathFactory, content: str | bytes
) -> None:
    path = tmp_path_factory.mktemp("settings") / FILE_NAME
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    path.write_bytes(raw)
    store = load(path)
    for section, kind in SECTIONS.items():
        for name in kind.model_fields:
            validate_setting(section, name, store.value(section, name))
    store.change("companion", "scale", 1.25)
    store.change("service", "model", "m")
    again = load(path)
    assert again.settings == store.settings
    if type(store.fault) is SettingsError:
        (copy,) = path.parent.glob("settings.broken-*")
        assert copy.read_bytes() == raw


def test_comments_and_layout_stay(path: Path) -> None:
    text = '{\n\t// big enough\n\t"companion": { "scale": 2, "hat": "红" },\n\t"x": null,\n}\n'
    write(path, text)
    store = load(path)
    assert store.fault is None and store.settings.companion.scale == 2
    store.change("companion", "scale", 1.5)
    assert path.read_text("utf-8") == text.replace("2,", "1.5,")
    store.change("companion", "quiet", True)
    assert path.read_text("utf-8") == text.replace("2,", "1.5,").replace(
        '"红"', '"红", "quiet": true'
    )
