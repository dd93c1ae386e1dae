"""`./run bundle --try`: the package in a fresh Debian without Python, from its installation to its
removal. `python -m tests.bundle PACKAGE [--keep-root CACHE]`.

Exit codes: 0 when all went well, 1 when something is wrong, 75 when this machine can't try it (then
no result is printed).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from configparser import ConfigParser
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import PySide6
import shiboken6

from neodeskpet.cli.demo_command import NoDisplay, virtual_display
from tests.bundle.person import (
    NotSo,
    chat_window,
    figure_window,
    forget,
    noted,
    press,
    replies,
    wait,
    write,
)
from tests.bundle.root import CannotTry, Root, archive, depends_of, look_for_ability
from tests.bundle.sockets import far, unasked
from tests.support.sseserver import ScriptedServer, done, finish, text
from tests.support.tlsserver import tls_site
from tests.unit.app.vectors import KEY, NOTE, SIGNATURE

CANNOT = 75
_PROGRAMS = ("xdotool", "desktop-file-validate", "appstreamcli")
_DATA = ".local/share/NeoDeskPet"
_LOOK_THROUGH = """
export LD_LIBRARY_PATH=/usr/lib/neodeskpet/_internal
find /usr/lib/neodeskpet -type f -name '*.so*' | while read -r file; do
    ldd "$file" 2>&1 | grep -E 'not found|error' | grep -v '=> /' | sed "s#^#$file: #"
done
true
"""
_WISHED = ("libcups.so",)
"""Libraries of packages that are recommended, not needed."""
_INSIDE = "usr/lib/neodeskpet/_internal"
_ADDED = "usr/local/share/ca-certificates/publisher.crt"
_CERTIFICATE = "-----BEGIN CERTIFICATE-----"
_NOTE, _SIGNED = "/latest.json", "/latest.json.minisig"
_REFUSED = 1.0
"""Seconds in which an accepted note would have been reported."""
_ENDED = "done"
_CHAT = "Desktop Action chat"
_ALONE = 60.0
_CACHES = (".cache/",)
"""Files that drawing and fonts store for the user, for every program."""


class Pages(dict[str, bytes]):
    """The pages of a server; `asked` are the paths that were asked for."""

    def __init__(self, pages: Mapping[str, bytes]) -> None:
        super().__init__(pages)
        self.asked: list[str] = []

    def get(self, path: str, default: Any = None) -> Any:
        self.asked.append(path)
        return super().get(path, default)


class Trial:
    """One package in one root."""

    def __init__(self, root: Root, screen: str, alone: float) -> None:
        """`alone`: seconds in which the first start is watched without input."""
        self._root = root
        self._alone = alone
        self._screen = screen
        self._data = root.home / _DATA
        self._begun = time.monotonic()

    def say(self, words: str) -> None:
        print(f"  {time.monotonic() - self._begun:5.1f} s  {words}", flush=True)

    def live(self, package: Path) -> None:
        """The whole trial. Raises NotSo."""
        if self._root.unwanted:
            raise NotSo(f"the root isn't fresh: it has {self._root.unwanted}")
        news = Pages({_NOTE: NOTE.replace(b"blink", b"steal"), _SIGNED: SIGNATURE.encode()})
        with tls_site(news) as (site, certificate):
            self._trust(certificate)
            self._live(package, site, news)

    def _live(self, package: Path, site: str, news: Pages) -> None:
        """`news` are the pages of `site`: of a publisher whose note was changed."""
        root = self._root
        before = root.files()
        shutil.copyfile(package, root.place / "tmp/neodeskpet.deb")
        root.run("dpkg", "--install", "/tmp/neodeskpet.deb")
        self.say("installed, in a Debian without Python and compilers")
        check_libraries(root)
        self.say("all its libraries can be loaded there")
        check_descriptions(root.place / "usr/share")
        self.say("its entry, metadata and kinds of files are as the desktop wants them")
        record = root.place.parent / "sockets"
        with self._started("Desktop Entry", record) as app:
            self._leave_alone(app, record)
            self._ring(app)
            window = self._talk(app, "what is 17.5 * 3?", "52.5")
            self.say("a second start brought the chat up; the offline helper answered")
            self._start_again(app, window)
        if far(record):
            raise NotSo(f"it turned to {far(record)}, and nobody asked for it")
        self._ask_for_news(site)
        with ScriptedServer() as server:
            server.reply(text("The package "), text("is well."), finish(), done())
            service = {"NEODESKPET_BASE_URL": server.url, "NEODESKPET_MODEL": "test-model"}
            with self._started(_CHAT, None, **service) as app:
                self._talk(app, "how is the package?", "The package is well.")
                asked = server.wait_request().body
                if "how is the package?" not in str(asked):
                    raise NotSo(f"the server was asked something else: {asked}")
                self.say("a local server answered")
                wait(lambda: _SIGNED in news.asked, "nobody asked for a newer version")
                time.sleep(_REFUSED)
        if noted(self._data, "updates.told"):
            raise NotSo("a note on a newer version that was changed was believed")
        self.say("a note on a newer version that was changed wasn't believed")
        news[_NOTE] = NOTE
        forget(self._data, "updates.asked")
        count = exchange_qt(root.place)
        with self._started(_CHAT) as app:
            self._talk(app, "what is 6 * 7?", "42")
            look_at_qt(root.place, app.pid)
            self.say(f"with {count} libraries of Qt and PySide6 exchanged it starts and answers")
            wait(lambda: noted(self._data, "updates.told"), "a newer version wasn't told")
            self.say("a signed note on a newer version was told")
        root.run("apt-get", "remove", "--yes", "neodeskpet")
        self._look_for_leavings(before)

    def _trust(self, certificate: Path) -> None:
        """The system trusts it from now on, like one that its owner added."""
        words = certificate.read_text("ascii")
        file = self._root.place / _ADDED
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words[words.index(_CERTIFICATE) :], "ascii")
        self._root.run("update-ca-certificates")

    def _ask_for_news(self, site: str) -> None:
        """As in the settings: newer versions are searched at this address."""
        wanted = {"look": True, "address": f"{site}{_NOTE}", "key": KEY}
        file = self._data / "settings.json"
        file.write_text(json.dumps({"updates": wanted}), "utf-8")
        person = self._data.stat()
        os.chown(file, person.st_uid, person.st_gid)

    def _words(self, part: str) -> list[str]:
        """Return the command of this part of its menu entry."""
        entry = ConfigParser(interpolation=None)
        entry.read(self._root.place / "usr/share/applications/neodeskpet.desktop", "utf-8")
        return [word for word in entry[part]["exec"].split() if word != "%F"]

    @contextmanager
    def _started(
        self, part: str, record: Path | None = None, **environment: str
    ) -> Iterator[subprocess.Popen[str]]:
        """The app, started by a part of its menu entry, until it gets SIGTERM."""
        given = {"DISPLAY": self._screen, **environment}
        app = self._root.start(*self._words(part), record=record, **given)
        try:
            yield app
            app.send_signal(signal.SIGTERM)
            code = app.wait(30)
            if code != 0:
                raise NotSo(f"it ended with {code}: {app.communicate()[0][-2000:]}")
            self.say("ended")
        finally:
            if app.poll() is None:
                app.kill()
                print(app.communicate()[0][-4000:], file=sys.stderr)

    def _await(
        self, app: subprocess.Popen[str], window: Callable[[], str | None], what: str
    ) -> str:
        def seen() -> str | None:
            if app.poll() is not None:
                raise NotSo(f"it ended at once: {app.communicate()[0][-4000:]}")
            return window()

        began = time.monotonic()
        found = wait(seen, f"{what} didn't come")
        self.say(f"{what} is there after {time.monotonic() - began:.1f} s")
        return found

    def _talk(self, app: subprocess.Popen[str], words: str, awaited: str) -> str:
        window = self._await(app, chat_window, "the chat")
        known = len(replies(self._data))
        write(window, words)

        def answered() -> str | None:
            new = replies(self._data)[known:]
            return next((said for state, said in new if state == _ENDED and awaited in said), None)

        try:
            wait(answered, f"no answer with {awaited!r} to {words!r}")
        except NotSo as fault:
            raise NotSo(f"{fault}; stored: {replies(self._data)[known:]}") from None
        return window

    def _leave_alone(self, app: subprocess.Popen[str], record: Path) -> None:
        """The figure appears; without input the program contacts nothing but the usual addresses of
        model servers on this computer.
        """
        self._await(app, figure_window, "its first window")
        with suppress(subprocess.TimeoutExpired):
            app.wait(self._alone)
            raise NotSo(f"left alone it ended: {app.communicate()[0][-4000:]}")
        if found := unasked(record):
            raise NotSo(f"left alone it contacted {found}")
        self.say(f"left alone for {self._alone:.0f} s it looked for local models only")

    def _ring(self, app: subprocess.Popen[str]) -> None:
        second = self._root.start(*self._words(_CHAT), DISPLAY=self._screen)
        said = second.communicate(timeout=60)[0]
        if second.returncode != 0:
            raise NotSo(f"the second start ended with {second.returncode}: {said}")
        if app.poll() is not None:
            raise NotSo("the second start ended the first")

    def _start_again(self, app: subprocess.Popen[str], window: str) -> None:
        """The chat is closed; a second start shows it again, and ends."""
        press(window, "ctrl+w")
        wait(lambda: chat_window() is None, "the chat can't be closed")
        self._ring(app)
        wait(chat_window, "the second start didn't bring the first one's window up")
        self.say("the chat was closed, and a second start brought it up again")

    def _look_for_leavings(self, before: set[str]) -> None:
        home = f"{self._root.home.relative_to(self._root.place)}/"
        left = {name for name in self._root.files() - before if name != "tmp/neodeskpet.deb"}
        data = {name for name in left if name.startswith(f"{home}{_DATA}/")}
        caches = {name for name in left if name.startswith(tuple(home + one for one in _CACHES))}
        if not data:
            raise NotSo("the data folder is gone with the package")
        if left - data - caches:
            raise NotSo(f"it leaves behind: {sorted(left - data - caches)[:20]}")
        self.say(f"removed; the data folder stays ({len(data)} files, {len(caches)} in ~/.cache)")


def exchange_qt(place: Path) -> int:
    """Replace all libraries of Qt, PySide6 and shiboken6 with other files, as the licence allows:
    those of this environment, which are not stripped. Return their number.
    """
    count = 0
    for package in (PySide6, shiboken6):
        ours = Path(str(package.__file__)).parent
        for file in (place / _INSIDE / ours.name).rglob("*.so*"):
            other = ours / file.relative_to(place / _INSIDE / ours.name)
            if other.is_file() and not file.is_symlink():
                file.unlink()  # running programs continue with the old one
                shutil.copyfile(other, file)
                file.chmod(0o755)
                count += 1
    return count


def look_at_qt(place: Path, process: int) -> None:
    """Check that this process runs with the library that is there now. Raises NotSo."""
    file = place / _INSIDE / "PySide6/Qt/lib/libQt6Core.so.6"
    maps = Path(f"/proc/{process}/maps").read_text("utf-8")
    loaded = {line.split()[4] for line in maps.splitlines() if "libQt6Core" in line}
    if loaded != {str(file.stat().st_ino)}:
        raise NotSo(f"it runs with another Qt than the one that was put there: {loaded}")


def check_libraries(root: Root) -> None:
    """Check that each is complete, and finds what it needs, there or in the bundle.
    Raises NotSo.
    """
    said = root.run("sh", "-c", _LOOK_THROUGH)
    wrong = [line for line in said.splitlines() if not any(name in line for name in _WISHED)]
    if wrong:
        raise NotSo(f"libraries can't be loaded: {wrong[:10]}")


def check_descriptions(share: Path) -> None:
    """Check the desktop's descriptions with the desktop's own programs. Raises NotSo."""
    for command, pattern in (
        (["desktop-file-validate", "--warn-kde"], "applications/neodeskpet.desktop"),
        (["appstreamcli", "validate", "--no-net"], "metainfo/*.xml"),
    ):
        files = [str(file) for file in share.glob(pattern)]
        done = subprocess.run([*command, *files], capture_output=True, text=True)
        if done.returncode != 0 or not files:
            raise NotSo(f"{command[0]} says: {done.stdout}{done.stderr}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bundle --try")
    parser.add_argument("package", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("build/bundle/roots"))
    parser.add_argument(
        "--alone",
        type=float,
        default=_ALONE,
        metavar="SECONDS",
        help="how long the first start is left alone while its sockets are recorded (default: 60)",
    )
    words = parser.parse_args()
    began = time.monotonic()
    try:
        look_for_ability()
        missing = [name for name in _PROGRAMS if shutil.which(name) is None]
        if missing:
            raise CannotTry(f"these programs are missing: {', '.join(missing)}")
        system = archive(depends_of(words.package), words.cache)
        print(f"  {time.monotonic() - began:5.1f} s  a fresh Debian: {system}", flush=True)
        with tempfile.TemporaryDirectory(prefix="neodeskpet-root-") as folder, virtual_display():
            root = Root(Path(folder) / "root", system)
            Trial(root, os.environ["DISPLAY"], words.alone).live(words.package)
    except (CannotTry, NoDisplay) as reason:
        print(f"THE BUNDLE WAS NOT TRIED: {reason}.", file=sys.stderr)
        return CANNOT
    except NotSo as fault:
        print(f"The bundle is wrong: {fault}", file=sys.stderr)
        return 1
    print(f"The bundle is well ({time.monotonic() - began:.0f} s).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
