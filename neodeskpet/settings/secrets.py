"""Keys and passwords: stored in the system's keyring; if there is none, in the environment, in
memory, or, with the user's consent, in a file that only the user can read. Also the password of the
sync server and the hosts to which keys may be sent without encryption. A key entered in this run
takes precedence over `NEODESKPET_API_KEY`, and that over the stored one. Every value is registered
for redaction.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl, urlsplit

from neodeskpet.platform.private_files import write_private
from neodeskpet.platform.redaction import register_secret
from neodeskpet.settings.config_files import SettingsNotSaved

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

    from neodeskpet.settings.store import SettingsStore


_BETWEEN = re.compile(r"[\s,;，；、]+")


def parse_hosts(setting: str) -> tuple[str, ...]:
    """Return the hosts listed in the setting, in order."""
    return tuple(dict.fromkeys(one.casefold() for one in _BETWEEN.split(setting) if one))


def plain_host_check(settings: SettingsStore) -> Callable[[str], bool]:
    """Return a function that checks, with the current settings, whether a key may be sent to a host
    without encryption.
    """
    return lambda host: host in parse_hosts(settings.settings.service.plain_hosts)


def add_host(setting: str, host: str) -> str:
    """Return the setting with this host added."""
    return ", ".join(dict.fromkeys((*parse_hosts(setting), host.casefold())))


def hosts_from_old_switch(service: Mapping[str, object]) -> str:
    """Return the setting for an older file, in which one switch (`plain_keys`) applied to all
    hosts: if it was on, the host of the address in the same section.
    """
    try:
        parts = urlsplit(str(service.get("base_url", "")))
        host = parts.hostname or ""
    except ValueError:
        return ""
    return host if service.get("plain_keys") is True and parts.scheme == "http" else ""


FILE_NAME = "secrets.json"
ENVIRONMENT_KEY = "NEODESKPET_API_KEY"
_SERVICE = "NeoDeskPet"
# keyrings.alt writes plain text without warning; the other two store nothing.
_UNFIT = ("keyrings.alt", "keyring.backends.fail", "keyring.backends.null")
_BACKENDS = {
    "darwin": ("keyring.backends.macOS.Keyring",),
    "win32": ("keyring.backends.Windows.WinVaultKeyring",),
}
_ELSEWHERE = (
    "keyring.backends.SecretService.Keyring",
    "keyring.backends.kwallet.DBusKeyring",
    "keyring.backends.libsecret.Keyring",
)

T = TypeVar("T")

_log = logging.getLogger(__name__)


class SecretPlace(StrEnum):
    """Where a key is stored, or would be stored."""

    KEYRING = "keyring"
    ENVIRONMENT = "environment"
    MEMORY = "memory"
    FILE = "file"


def key_name(base_url: str) -> str:
    """Return the name of the key for this address. Each host has its own key: it is never sent to
    another.
    """
    address = base_url.strip()
    if not address:
        return "key"
    try:
        parts = urlsplit(address if "://" in address else f"https://{address}")
    except ValueError:  # a request to it will report the error
        return f"key {address}".casefold()
    return f"key {parts.scheme}://{parts.netloc.rpartition('@')[2]}".casefold()


def find_keyring() -> KeyringBackend | None:
    """Return the system's keyring, None if there is no secure one."""
    from keyring.backends.chainer import ChainerBackend

    chosen = _chosen_backend() or _best_backend()
    if chosen is None:
        return None
    backends = list(chosen.backends) if isinstance(chosen, ChainerBackend) else [chosen]
    return next((one for one in backends if not type(one).__module__.startswith(_UNFIT)), None)


def _chosen_backend() -> KeyringBackend | None:
    """Return the keyring set in this process or chosen by environment or keyringrc.cfg."""
    from keyring import core

    named: KeyringBackend | None = vars(core).get("_keyring_backend")
    return named or core.load_env() or core.load_config()


def _best_backend() -> KeyringBackend | None:
    """Return the best keyring of this system. `keyring` itself would load those of all systems and
    plugins; the one for macOS searches for its libraries, for which Python runs ldconfig and a
    compiler on other systems.
    """
    from keyring.core import load_keyring
    from keyring.errors import KeyringError

    found: list[KeyringBackend] = []
    for name in _BACKENDS.get(sys.platform, _ELSEWHERE):
        try:
            found.append(load_keyring(name))
        except (KeyringError, RuntimeError, ImportError, AttributeError, OSError) as error:
            _log.debug("The keyring %s can't be used: %s", name, error)
    return max(found, key=lambda backend: backend.priority, default=None)


class Secrets:
    """Stores keys by name, "" for none. Thread-safe; `repr` shows no value."""

    def __init__(
        self,
        file: Path,
        *,
        environ: Mapping[str, str] | None = None,
        find: Callable[[], KeyringBackend | None] = find_keyring,
        timeout: float = 3.0,
    ) -> None:
        """`file` stores keys after `allow_file()`; an existing file counts as allowed. While one
        call waits for the user to unlock the keyring, other calls wait for it for `timeout` seconds
        and then continue without the keyring.
        """
        self.file = file
        self._environ = os.environ if environ is None else environ
        self._find = find
        self._looked = False
        self._backend: KeyringBackend | None = None
        self._entered: dict[str, str] = {}  # entered in this run
        self._kept: dict[str, str] = {}  # cache of keys read
        self._timeout = timeout
        self._asking = threading.RLock()  # held while the keyring may ask the user
        self._writing = threading.RLock()  # protects the file

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.file)!r})"

    def get(self, name: str, *, environment: bool = True) -> str:
        """Return the key, "" for none. Without `environment` the variable is skipped: it holds a
        key for one service, not for every host.
        """
        value = self._entered.get(name)
        if value is None:
            general = self._from_environment() if environment else ""
            value = general or self._read(name)
        register_secret(value)
        return value

    def set(self, name: str, value: str) -> None:
        """Store `value` (stripped) in the best available place; `where` returns which. "" deletes
        the key. Raises SettingsNotSaved if the allowed file can't be written.
        """
        value = value.strip()
        if not value:
            self.delete(name)
            return
        register_secret(value)
        self._entered[name] = value
        if self._put_into_keyring(name, value):
            self._kept[name] = value
        elif self.file.exists():
            with self._writing:
                self._write_file(self._read_file() | {name: value})

    def delete(self, name: str) -> None:
        """Delete the key everywhere except in the environment. Raises SettingsNotSaved."""
        from keyring.errors import PasswordDeleteError

        self._entered.pop(name, None)
        self._kept.pop(name, None)
        try:
            self._ask(lambda backend: backend.delete_password(_SERVICE, name))
        except PasswordDeleteError:
            pass  # there was none
        except TimeoutError as error:
            raise SettingsNotSaved(str(error), file="keyring") from error
        with self._writing:
            stored = self._read_file()
            if stored.pop(name, None) is not None:
                self._write_file(stored)

    def where(self, name: str = "key", *, environment: bool = True) -> SecretPlace:
        """Return where the key is stored, or where a new one would be; `environment` as
        in `get`.
        """
        if environment and name not in self._entered and self._from_environment():
            return SecretPlace.ENVIRONMENT
        if self._has_keyring():
            return SecretPlace.KEYRING
        return SecretPlace.FILE if self.file.exists() else SecretPlace.MEMORY

    def allow_file(self) -> None:
        """Allow the file, after the user agreed: keys that are only in memory are written to it,
        and new ones too.

        Raises SettingsNotSaved.
        """
        if not self._has_keyring():
            with self._writing:
                self._write_file(self._read_file() | self._entered)

    # Without blocking the loop

    async def get_async(self, name: str, *, environment: bool = True) -> str:
        return await _on_daemon_thread(lambda: self.get(name, environment=environment))

    async def set_async(self, name: str, value: str) -> None:
        await _on_daemon_thread(lambda: self.set(name, value))

    async def delete_async(self, name: str) -> None:
        await _on_daemon_thread(lambda: self.delete(name))

    async def where_async(self, name: str = "key", *, environment: bool = True) -> SecretPlace:
        return await _on_daemon_thread(lambda: self.where(name, environment=environment))

    def _from_environment(self) -> str:
        return self._environ.get(ENVIRONMENT_KEY, "").strip()

    # The keyring

    def _has_keyring(self) -> bool:
        try:
            return self._ask(lambda backend: True) is not None
        except TimeoutError:
            return True

    def _ask(self, question: Callable[[KeyringBackend], T]) -> T | None:
        """Call the keyring and return its answer; None if there is none or it fails. Raises
        TimeoutError while another call waits for the user, and PasswordDeleteError.
        """
        from keyring.errors import KeyringError, PasswordDeleteError

        if not self._asking.acquire(timeout=self._timeout):
            raise TimeoutError("The keyring waits for the user to unlock it.")
        try:
            if not self._looked:
                self._backend = self._find()
                self._looked = True
            return None if self._backend is None else question(self._backend)
        except PasswordDeleteError:
            raise
        except (KeyringError, RuntimeError, ImportError, OSError, ValueError) as error:
            # Don't use the keyring again in this run: it would ask the user again.
            _log.warning("The keyring can't be used: %s", error)
            self._looked, self._backend = True, None
            return None
        finally:
            self._asking.release()

    def _read(self, name: str) -> str:
        if name in self._kept:
            return self._kept[name]
        try:
            value = self._ask(lambda backend: backend.get_password(_SERVICE, name))
        except TimeoutError as error:
            _log.warning("No key for now: %s", error)
            return ""
        self._kept[name] = value or self._read_file().get(name, "")
        return self._kept[name]

    def _put_into_keyring(self, name: str, value: str) -> bool:
        def put(backend: KeyringBackend) -> bool:
            backend.set_password(_SERVICE, name, value)
            return True

        try:
            return self._ask(put) or False
        except TimeoutError as error:
            _log.warning("The key is kept in memory: %s", error)
            return False

    # The file

    def _read_file(self) -> dict[str, str]:
        try:
            document = json.loads(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            # Don't log the error's message: it may quote the file.
            _log.warning("The keys in %s can't be read (%s)", self.file, type(error).__name__)
            return {}
        if not isinstance(document, dict):
            return {}
        return {str(name): value for name, value in document.items() if isinstance(value, str)}

    def _write_file(self, keys: Mapping[str, str]) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_private(self.file, json.dumps(dict(keys), indent=2))
        except OSError as error:
            raise SettingsNotSaved(str(error), file=str(self.file)) from error


async def _on_daemon_thread(work: Callable[[], T]) -> T:
    """Run `work()` on a daemon thread, which, unlike a pool's, doesn't delay the interpreter's
    exit.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001 - raised again in the awaiting task
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="keyring", daemon=True).start()
    return await future


ENVIRONMENT = "NEODESKPET_SHARED_PASSWORD"
PASSPHRASE_ENVIRONMENT = "NEODESKPET_SYNC_PASSPHRASE"
_NAMES = frozenset(("password", "passfile", "sslpassword"))


def holds_password(address: str) -> bool:
    """Return whether an address contains a password or the path of a password file, as far as it
    can be parsed.
    """
    try:
        parts = urlsplit(address.strip())
        named = {key.casefold() for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
        return parts.password is not None or bool(named & _NAMES)
    except ValueError:
        return "@" in address and ":" in address.partition("://")[2].partition("@")[0]


def password_name(address: str) -> str:
    """Return the key name of the password: one for each user name on each server."""
    try:
        parts = urlsplit(address.strip())
        return f"key postgresql://{parts.netloc}".casefold()
    except ValueError:
        return f"key {address}".casefold()


def passphrase_name(address: str) -> str:
    """Return the key name of the passphrase: one for each user name on each server."""
    return password_name(address).replace("key ", "passphrase ", 1)


def read_passphrase(secrets: Secrets, address: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the passphrase for this address, "" for no encryption. May block."""
    found = secrets.get(passphrase_name(address), environment=False)
    found = found or environ.get(PASSPHRASE_ENVIRONMENT, "")
    register_secret(found)
    return found


def read_password(secrets: Secrets, address: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the password for this address, "" for none: the entered one, else that of the
    environment. May block.
    """
    found = secrets.get(password_name(address), environment=False)
    if not found:
        found = environ.get(ENVIRONMENT, "")
        register_secret(found)
    return found
