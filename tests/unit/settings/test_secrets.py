from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.chainer import ChainerBackend
from keyring.backends.fail import Keyring as FailKeyring
from keyring.errors import InitError, KeyringLocked, PasswordDeleteError

from neodeskpet.platform.redaction import redact
from neodeskpet.settings.config_files import SettingsNotSaved
from neodeskpet.settings.secrets import (
    ENVIRONMENT_KEY,
    FILE_NAME,
    SecretPlace,
    Secrets,
    find_keyring,
    key_name,
)

KEY = "test-key-of-some-length"


class MemoryKeyring(KeyringBackend):
    """A keyring like that of the system; `fault` is raised by every call."""

    priority = 1.0  # type: ignore[assignment]

    def __init__(self, fault: Exception | None = None) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.fault = fault
        self.calls = 0

    def _check(self) -> None:
        self.calls += 1
        if self.fault is not None:
            raise self.fault

    def get_password(self, service: str, username: str) -> str | None:
        self._check()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._check()
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("none")


def none() -> None:
    return None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE_NAME


def make(file: Path, backend: KeyringBackend | None = None, **environ: str) -> Secrets:
    return Secrets(file, environ=environ, find=lambda: backend)


def test_the_keyring_stores_it(file: Path) -> None:
    backend = MemoryKeyring()
    secrets = make(file, backend)
    assert (secrets.get("key"), secrets.where("key")) == ("", SecretPlace.KEYRING)
    secrets.set("key", f"  {KEY}\n")
    assert secrets.get("key") == KEY
    again = make(file, backend)
    assert again.get("key") == KEY
    assert again.get("other") == ""
    again.delete("key")
    again.delete("key")
    assert again.get("key") == ""
    assert make(file, backend).get("key") == ""
    assert not file.exists()


def test_the_keyring_is_read_once(file: Path) -> None:
    backend = MemoryKeyring()
    secrets = make(file, backend)
    for _ in range(5):
        secrets.get("key")
    assert backend.calls == 1


def test_without_a_keyring_it_is_only_in_memory(file: Path) -> None:
    secrets = make(file)
    assert secrets.where() is SecretPlace.MEMORY
    secrets.set("key", KEY)
    assert secrets.get("key") == KEY
    assert make(file).get("key") == ""
    assert not file.exists()


def test_a_file_after_consent_and_only_for_the_user(file: Path) -> None:
    secrets = make(file)
    secrets.set("key", KEY)
    secrets.allow_file()
    assert secrets.where() is SecretPlace.FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    secrets.set("second", "another")
    again = make(file)
    assert (again.get("key"), again.get("second")) == (KEY, "another")
    again.delete("key")
    assert (make(file).get("key"), make(file).get("second")) == ("", "another")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == [FILE_NAME]


def test_consent_with_a_keyring_makes_no_file(file: Path) -> None:
    secrets = make(file, MemoryKeyring())
    secrets.set("key", KEY)
    secrets.allow_file()
    assert not file.exists()


def test_the_environment_overrides_the_stored_key_and_is_overridden_by_an_entered_one(
    file: Path,
) -> None:
    backend = MemoryKeyring()
    make(file, backend).set("key", "kept")
    secrets = make(file, backend, **{ENVIRONMENT_KEY: f" {KEY} "})
    assert (secrets.get("key"), secrets.where("key")) == (KEY, SecretPlace.ENVIRONMENT)
    secrets.set("key", "entered")
    assert (secrets.get("key"), secrets.where("key")) == ("entered", SecretPlace.KEYRING)
    secrets.set("key", "")
    assert secrets.get("key") == KEY
    assert backend.kept == {}


@pytest.mark.parametrize("fault", [KeyringLocked("no one unlocks it"), InitError("no bus")])
def test_a_failing_keyring_is_not_used_again(file: Path, fault: Exception) -> None:
    backend = MemoryKeyring(fault)
    secrets = make(file, backend)
    secrets.set("key", KEY)
    assert (secrets.get("key"), secrets.where("key")) == (KEY, SecretPlace.MEMORY)
    assert backend.calls == 1
    for act in (lambda s: s.get("key"), lambda s: s.delete("key")):
        secrets = make(file, backend)
        act(secrets)
        assert secrets.where() is SecretPlace.MEMORY


def test_a_keyring_that_can_not_be_found(file: Path) -> None:
    def find() -> KeyringBackend | None:
        raise RuntimeError("No recommended backend was available.")

    assert Secrets(file, environ={}, find=find).where() is SecretPlace.MEMORY


@pytest.mark.parametrize("content", [b"\xff\xfe", b"{", b"[1]", b'{"key": 5}'])
def test_a_broken_file_contains_no_keys(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    secrets = make(file)
    assert secrets.get("key") == ""
    secrets.set("key", KEY)
    assert make(file).get("key") == KEY


def test_a_file_that_cant_be_written_says_so(file: Path) -> None:
    file.parent.touch()
    secrets = make(file)
    secrets.set("key", KEY)
    with pytest.raises(SettingsNotSaved):
        secrets.allow_file()
    assert secrets.get("key") == KEY


def test_values_are_in_no_repr(file: Path) -> None:
    secrets = make(file)
    secrets.set("key", KEY)
    assert KEY not in repr(secrets)
    assert KEY not in redact(f"sent {KEY}")
    from_environment = make(file, **{ENVIRONMENT_KEY: "another-long-test-key"})
    from_environment.get("key")
    assert "another" not in redact("sent another-long-test-key")


def test_blocking_calls_run_in_another_thread(file: Path) -> None:
    here: list[bool] = []

    def find() -> KeyringBackend:
        here.append(threading.current_thread() is threading.main_thread())
        return MemoryKeyring()

    async def scene() -> None:
        secrets = Secrets(file, environ={}, find=find)
        await secrets.set_async("key", KEY)
        assert await secrets.get_async("key") == KEY
        assert await secrets.where_async("key") is SecretPlace.KEYRING
        await secrets.delete_async("key")
        assert await secrets.get_async("key") == ""

    asyncio.run(scene())
    assert here == [False]


def test_an_exception_of_the_thread_is_raised_here(file: Path) -> None:
    file.mkdir(parents=True)

    async def scene() -> None:
        with pytest.raises(SettingsNotSaved):
            await make(file).set_async("key", KEY)

    asyncio.run(scene())


def test_an_unanswered_prompt_of_the_keyring_blocks_nothing(file: Path) -> None:
    gate = threading.Event()

    def find() -> None:
        gate.wait(30)

    async def scene() -> None:
        secrets = Secrets(file, environ={}, find=find)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(secrets.get_async("key"), 0.01)

    asyncio.run(scene())
    assert not gate.is_set()
    gate.set()


def test_while_the_keyring_waits_for_the_user_nothing_else_waits(file: Path) -> None:
    gate, asked = threading.Event(), threading.Event()

    class Locked(MemoryKeyring):
        def get_password(self, service: str, username: str) -> str | None:
            asked.set()
            gate.wait(30)
            return KEY

    backend = Locked()
    secrets = Secrets(file, environ={}, find=lambda: backend, timeout=0.01)

    async def scene() -> None:
        waiting = asyncio.gather(secrets.get_async("key"))
        await asyncio.to_thread(asked.wait, 30)
        assert secrets.get("key") == ""
        assert secrets.where() is SecretPlace.KEYRING
        secrets.set("other", "entered")
        assert secrets.get("other") == "entered"
        with pytest.raises(SettingsNotSaved):
            secrets.delete("key")
        gate.set()
        assert await waiting == [KEY]
        assert secrets.get("key") == KEY

    asyncio.run(scene())
    assert backend.kept == {}


def test_plain_text_keyrings_are_refused() -> None:
    class Plain(MemoryKeyring):
        pass

    Plain.__module__ = "keyrings.alt.file"
    before = keyring.get_keyring()
    try:
        for unfit in (Plain(), FailKeyring()):
            keyring.set_keyring(unfit)
            assert find_keyring() is None
        good = MemoryKeyring()
        keyring.set_keyring(good)
        assert find_keyring() is good

        class Chain(ChainerBackend):
            backends = [Plain(), good]  # noqa: RUF012

        keyring.set_keyring(Chain())
        assert find_keyring() is good
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("", "key"),
        (" https://API.example.com/v1 ", "key https://api.example.com"),
        ("https://api.example.com/other", "key https://api.example.com"),
        ("http://localhost:11434/v1", "key http://localhost:11434"),
        ("api.example.com/v1", "key https://api.example.com"),
        ("https://me:pass@api.example.com", "key https://api.example.com"),
    ],
)
def test_one_key_for_each_host(base_url: str, name: str) -> None:
    assert key_name(base_url) == name


def test_an_invalid_address_has_a_name_too() -> None:
    assert key_name("http://[::1/v1") == "key http://[::1/v1"


def test_the_key_of_the_environment_can_be_ignored(file: Path) -> None:
    secrets = make(file, MemoryKeyring(), **{ENVIRONMENT_KEY: KEY})
    assert secrets.get("key") == KEY
    assert secrets.get("key", environment=False) == ""
    assert asyncio.run(secrets.get_async("key", environment=False)) == ""


def test_no_program_is_run_to_find_the_keyring() -> None:
    """The lookup of all backends would run ldconfig and a compiler."""
    look = (
        "import sys\n"
        "from neodeskpet.settings.secrets import find_keyring\n"
        "run = {'subprocess.Popen', 'os.system', 'os.posix_spawn', 'os.exec'}\n"
        "sys.addaudithook(lambda event, args: event in run and print(event, args))\n"
        "find_keyring()\n"
        "print([name for name in sys.modules if name.startswith('keyring.backends.macOS')])"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHON_KEYRING_BACKEND"}
    done = subprocess.run(
        [sys.executable, "-c", look], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_chosen_keyring_is_kept() -> None:
    before = keyring.get_keyring()
    chosen = MemoryKeyring()
    keyring.set_keyring(chosen)
    try:
        assert find_keyring() is chosen
    finally:
        keyring.set_keyring(before)
