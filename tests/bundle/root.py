"""A fresh Debian 12 in a folder, with only the dependencies of the package: no Python, no compiler.
Programs run in it by `chroot`, so all this requires root on Linux.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

RELEASE = "bookworm"
HOME = "/home/person"
_UNWANTED = ("python3", "python", "gcc", "cc", "pip")
_NEEDED = ("mmdebstrap", "chroot", "unshare", "mount", "dpkg-deb", "strace")
_PLAIN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
_MOUNTS = """
set -e
root="$1"; user="$2"; shift 2
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
[ ! -d /tmp/.X11-unix ] || mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
exec chroot --userspec="$user" "$root" env -i "$@"
"""
_IGNORED = ("var/cache/", "var/log/", "var/lib/", "dev/", "proc/", "sys/", "tmp/", "run/")


_WHAT = ("-e", "trace=connect,bind,listen,sendto,sendmsg,sendmmsg", "-e", "signal=none")


class CannotTry(Exception):
    """This machine can't have such a root; the text says why."""


def depends_of(package: Path) -> list[str]:
    """Return the names of the packages that this one needs."""
    said = subprocess.run(
        ["dpkg-deb", "--field", str(package), "Depends"], check=True, capture_output=True, text=True
    )
    return [name.strip() for name in said.stdout.split(",")]


def look_for_ability() -> None:
    """Raises CannotTry."""
    if os.name != "posix" or os.geteuid() != 0:
        raise CannotTry("it needs root: a chroot and mounts")
    missing = [name for name in _NEEDED if shutil.which(name) is None]
    if missing:
        raise CannotTry(f"these programs are missing: {', '.join(missing)}")
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True
    )
    if tried.returncode != 0:
        raise CannotTry(f"mounting isn't allowed: {tried.stderr.decode(errors='replace').strip()}")
    tried = subprocess.run(
        [*_recorder(Path("/dev/null")), "true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    if tried.returncode != 0:
        raise CannotTry(f"recording isn't allowed: {tried.stderr.decode(errors='replace').strip()}")


def _recorder(file: Path) -> list[str]:
    """Return the command before a command whose use of sockets, and its children's, is written to
    `file`. The started process is the program itself, not the recorder.
    """
    return ["strace", "-D", "-f", "-qq", "--seccomp-bpf", *_WHAT, "-o", str(file)]


def archive(packages: Sequence[str], cache: Path) -> Path:
    """Return a tar file of the fresh system with these packages, made from the machine's own
    package sources, or the one that was made before. Raises CannotTry.
    """
    name = hashlib.sha256(" ".join(sorted(packages)).encode()).hexdigest()[:12]
    file = cache / f"{RELEASE}-{name}.tar"
    if file.is_file():
        return file
    cache.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part.tar")
    command = ["mmdebstrap", "--mode=root", "--variant=minbase", "--quiet"]
    # Manuals of fonts and libraries are not needed.
    thin = ["--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*"]
    sources = [str(path) for path in _sources()]
    made = subprocess.run(
        [*command, *thin, f"--include={','.join(packages)}", RELEASE, str(part), *sources],
        capture_output=True,
        text=True,
    )
    if made.returncode != 0:
        part.unlink(missing_ok=True)
        last = (made.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise CannotTry(f"a fresh Debian could not be made ({last})")
    part.replace(file)
    return file


def _sources() -> list[Path]:
    """Return the files that name the sources of this system's Debian."""
    folder = Path("/etc/apt/sources.list.d")
    found = [folder / "debian.sources", Path("/etc/apt/sources.list")]
    return [path for path in found if path.is_file() and path.stat().st_size][:1]


class Root:
    """The system unpacked in `place`."""

    def __init__(self, place: Path, system: Path) -> None:
        self.place = place
        place.mkdir(parents=True)
        subprocess.run(["tar", "-xf", str(system), "-C", str(place)], check=True)
        (place / "tmp/.X11-unix").mkdir(mode=0o1777, exist_ok=True)
        hosts = place / "etc/hosts"  # as in every installation
        hosts.write_text("127.0.0.1 localhost\n", "ascii")
        self.run("useradd", "--create-home", "--home-dir", HOME, "person")

    @property
    def home(self) -> Path:
        """The user's folder, from outside."""
        return self.place / HOME.lstrip("/")

    def has(self, *names: str) -> list[str]:
        """Return the existing ones of the programs."""
        where = [self.place / folder for folder in ("usr/bin", "usr/local/bin", "bin")]
        return [name for name in names if any((one / name).exists() for one in where)]

    @property
    def unwanted(self) -> list[str]:
        """Return programs that a new user's computer may lack and this one has all the same."""
        return self.has(*_UNWANTED)

    def run(self, *command: str) -> str:
        """Run as root, to its end; return its output. Raises subprocess.CalledProcessError."""
        return subprocess.run(
            self._command("root", command, _PLAIN), check=True, capture_output=True, text=True
        ).stdout

    def start(
        self, *command: str, record: Path | None = None, **environment: str
    ) -> subprocess.Popen[str]:
        """Start as the user. The returned process is the program itself; `record` is the file for
        its use of sockets (`sockets.py` reads it).
        """
        watched = _recorder(record) if record is not None else []
        given = {**_PLAIN, "HOME": HOME, "USER": "person", **environment}
        return subprocess.Popen(
            [*watched, *self._command("person", command, given)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def files(self) -> set[str]:
        """Every file of the system that programs don't store for themselves."""
        found = set()
        for folder, _, names in os.walk(self.place):
            inside = os.path.relpath(folder, self.place)
            found |= {os.path.normpath(f"{inside}/{name}") for name in names}
        return {name for name in found if not name.startswith(_IGNORED)}

    def _command(self, user: str, command: Sequence[str], environment: dict[str, str]) -> list[str]:
        words = [f"{name}={value}" for name, value in environment.items()]
        start = ["unshare", "--mount", "sh", "-c", _MOUNTS, "sh", str(self.place), user]
        return [*start, *words, *command]
