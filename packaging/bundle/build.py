"""Builds the bundle: a folder with its own Python and Qt. On Linux it is packed as a .deb and as a
.tar.xz, on Windows by Inno Setup, on macOS as a disk image.

    ./run bundle [--with-live2d-core] [--quick] [--out DIR]
    ./run bundle --try          builds the .deb quickly, and tries it in a fresh Debian (trial.py)

Needs `binutils` and `icu-devtools`, for the .deb `dpkg-deb`, the network once for PyInstaller, and
Python's shared library (Debian: `libpython3-dev`).
Live2D's Core has terms of its own: a bundle with it that is given to others needs an agreement with
Live2D Inc., so it is left out unless it is asked for; without it Neo stands there as pictures.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from desktop_files import (
    ELSEWHERE,
    ID,
    KINDS,
    SUFFIXES,
    control,
    desktop_entry,
    kinds,
    metainfo,
)
from PIL import Image
from unicode_data import NotThinned, thin

__all__ = ["ID", "KINDS", "SUFFIXES", "version"]

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "packaging" / "bundle"
WORK = ROOT / "build" / "bundle"
SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
_LICENCE = re.compile(r"licen[cs]e|copying|notice|authors", re.IGNORECASE)
_BRING_NONE = {
    "PySide6_Essentials": "LGPL-3.txt",
    "shiboken6": "LGPL-3.txt",
    "latex2mathml": "latex2mathml.txt",
}
"""Packages whose wheels come without their licence's text, and where it lies in `licences/`."""

_BRING_OTHERS = {
    "latex2mathml": ("LPPL-1.3c.txt",),
    "ziafont": ("DejaVu.txt",),
    "ziamath": ("OFL-1.1.txt",),
    "tld": ("MPL-2.0.txt",),
    "dateparser": ("Unicode-ICU.txt",),
    "PySide6_Essentials": ("Qt-parts.txt", "Unicode-ICU.txt"),
}
"""Packages with fonts, lists or libraries of others in them whose terms their wheels don't bring:
the texts in `licences/` (THIRD-PARTY.txt says what of them is meant)."""

_ISCC = r"C:\Program Files (x86)\Inno Setup 6\ISCC.exe"
_QUICK = ("-Zgzip", "-z1")
_SMALL = ("-Zxz", "-z9", "-Sextreme")
_SBIN = os.pathsep.join((os.environ.get("PATH", ""), "/sbin", "/usr/sbin"))
_PLAIN = {"LC_ALL": "C", "PATH": _SBIN}


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def released() -> str:
    """The day of what is built: of its last change where git tells, else today."""
    said = subprocess.run(
        ["git", "log", "-1", "--format=%cs"], capture_output=True, text=True, cwd=ROOT
    )
    return said.stdout.strip() or datetime.now(UTC).date().isoformat()


def licences(names: Iterable[str], target: Path) -> list[str]:
    """Copy the licences of these Python packages into `target`, a folder each; the names of those
    whose text nobody has: a bundle with one of them must not be given to anyone.
    """
    without = []
    for name in sorted(names):
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # one of another system's
        texts = [
            file
            for file in package.files or ()
            if (_LICENCE.search(file.name) or "licenses" in file.parts)
            and file.suffix not in (".py", ".pyc")
        ]
        found = [Path(str(text.locate())) for text in texts]
        found = [text for text in found if text.is_file()]
        for number, text in enumerate(found):
            place = target / name / (text.name if number == 0 else f"{number}-{text.name}")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, place)
        if not found and name in _BRING_NONE:
            (target / name).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(HERE / "licences" / _BRING_NONE[name], target / name / "LICENSE")
        elif not found:
            without.append(name)
        for text_of_others in _BRING_OTHERS.get(name, ()):
            shutil.copyfile(HERE / "licences" / text_of_others, target / name / text_of_others)
    return without


def system_licences(folder: Path, target: Path) -> None:
    """Copy the terms of the libraries that come from this system and not from a Python package."""
    asked = [name for name in ("dpkg", "ldconfig") if shutil.which(name, path=_SBIN) is None]
    if asked:
        return
    cached = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, env=_PLAIN)
    lines = [line.split() for line in cached.stdout.splitlines() if "=>" in line]
    here = {words[0]: words[-1] for words in lines}
    for library in sorted(folder.glob("*.so*")):
        found = here.get(library.name)
        if found is None or library.is_symlink():
            continue
        places = {
            found,
            str(Path(found).resolve()),
            str(Path(found).resolve()).removeprefix("/usr"),
        }
        for place in sorted(places):
            said = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True)
            terms = Path("/usr/share/doc") / said.stdout.split(":")[0] / "copyright"
            if said.returncode == 0 and terms.is_file():
                (target / "system").mkdir(exist_ok=True)
                shutil.copyfile(terms, target / "system" / said.stdout.split(":")[0])
                break


def locked(file: Path) -> list[str]:
    """The names of the packages that a lock file pins."""
    lines = file.read_text("utf-8").splitlines()
    return [line.split("==")[0] for line in lines if "==" in line and not line.startswith("#")]


def bundled() -> set[str]:
    """The packages that a bundle of this environment is made of, by their names: those of the lock,
    and what they need on this system alone.
    """
    here = {str(one.metadata["Name"]) for one in importlib.metadata.distributions()}
    tools = set(locked(ROOT / "requirements-bundle.lock"))
    others = {_plain(name) for name in {*tools, *locked(ROOT / "requirements.lock")}}
    beside = {name for name in here if _plain(name) not in others} - {"neodeskpet"}
    own = beside if sys.platform != "linux" else set()
    return {*locked(ROOT / "requirements.lock"), *own, "pip"}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def freeze(out: Path, *, core: bool) -> Path:
    """The folder with everything in it."""
    environment = {**os.environ, "NEODESKPET_CORE": "1" if core else "0"}
    command = [sys.executable, "-m", "PyInstaller", "--log-level", "ERROR", "--noconfirm"]
    places = ["--distpath", str(out), "--workpath", str(WORK / "work")]
    subprocess.run(
        [*command, *places, str(HERE / "neodeskpet.spec")], check=True, env=environment, cwd=ROOT
    )
    folder = out / "neodeskpet"
    if sys.platform == "linux":
        strip(folder)
        for library in folder.rglob("libicudata.so.*"):
            try:
                thin(library)
            except NotThinned as reason:
                print(f"The bundle is 26 MB larger than it need be: {reason}.")
    terms = folder / "licences"
    terms.mkdir()
    shutil.copyfile(ROOT / "LICENSE", terms / "NeoDeskPet")
    shutil.copyfile(ROOT / "assets" / "companion" / "LICENSE", terms / "Neo")
    shutil.copyfile(ROOT / "assets" / "voices" / "LICENSE", terms / "Kokoro")
    shutil.copyfile(HERE / "THIRD-PARTY.txt", terms / "README.txt")
    left_out = set() if core else {"live2d-py"}
    for text in ("GPL-3.txt", "LGPL-3.txt"):
        shutil.copyfile(HERE / "licences" / text, terms / text)
    without = licences(bundled() - left_out, terms)
    if without:
        raise SystemExit(f"Nobody has the licences' texts of {', '.join(without)}: add them.")
    system_licences(folder / "_internal", terms)
    # On Windows it lies above its modules.
    for python in (
        Path(os.__file__).with_name("LICENSE.txt"),
        Path(sys.base_prefix, "LICENSE.txt"),
    ):
        if python.is_file():
            shutil.copyfile(python, terms / "Python")
    if sys.platform == "darwin":  # the app was made of the folder before these were in it
        inside = out / "NeoDeskPet.app" / "Contents" / "Resources" / "licences"
        shutil.copytree(terms, inside, dirs_exist_ok=True)
    return folder


def strip(folder: Path) -> None:
    """Take the symbols out of the libraries, but for those that wheels brought along (`*.libs`):
    they were changed after they were linked, and one that is stripped then can't be loaded.
    """
    ours = [
        str(file)
        for file in sorted(folder.rglob("*.so*"))
        if not file.is_symlink() and not file.parent.name.endswith(".libs")
    ]
    subprocess.run(["strip", "--strip-unneeded", *ours], check=True)


def pack_tar(folder: Path, out: Path, preset: int = 9) -> Path:
    """A .tar.xz that runs where it is unpacked."""
    (folder / "neodeskpet.desktop").write_text(
        desktop_entry('"@HERE@/neodeskpet"', "@ICON@/icon.png"), "utf-8"
    )
    (folder / "neodeskpet.xml").write_text(kinds(), "utf-8")
    menu = folder / "enter-menu.sh"
    shutil.copyfile(HERE / "enter-menu.sh", menu)
    menu.chmod(0o755)
    shutil.copyfile(HERE / "icon.png", folder / "icon.png")
    file = out / f"neodeskpet-{version()}-linux-{platform.machine()}.tar.xz"
    with tarfile.open(file, "w:xz", preset=preset) as tar:
        tar.add(folder, "neodeskpet")
    return file


def pack_deb(folder: Path, out: Path, tree: Path = WORK / "deb", *, quick: bool = False) -> Path:
    """A Debian package, laid out in `tree`: in `/usr/lib/neodeskpet`, with an entry in the menu."""
    shutil.rmtree(tree, ignore_errors=True)
    place = tree / "usr/lib/neodeskpet"
    shutil.copytree(folder, place, symlinks=True)
    for name in ("neodeskpet.desktop", "neodeskpet.xml", "enter-menu.sh", "icon.png"):
        (place / name).unlink(missing_ok=True)
    share = tree / "usr/share"
    for text, where in (
        (desktop_entry("neodeskpet", "neodeskpet"), "applications/neodeskpet.desktop"),
        (metainfo(version(), released()), f"metainfo/{ID}.metainfo.xml"),
        (kinds(), "mime/packages/neodeskpet.xml"),
        ((ROOT / "LICENSE").read_text("utf-8") + ELSEWHERE, "doc/neodeskpet/copyright"),
    ):
        file = share / where
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    with Image.open(HERE / "icon.png") as icon:
        for size in SIZES:
            folder_of = share / f"icons/hicolor/{size}x{size}/apps"
            folder_of.mkdir(parents=True)
            icon.resize((size, size), Image.Resampling.LANCZOS).save(folder_of / "neodeskpet.png")
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin/neodeskpet").symlink_to("../lib/neodeskpet/neodeskpet")
    size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file()) // 1024
    architecture = subprocess.run(
        ["dpkg", "--print-architecture"], check=True, capture_output=True, text=True
    ).stdout.strip()
    record = tree / "DEBIAN/control"
    record.parent.mkdir()
    record.write_text(control(version(), size, architecture), "utf-8")
    file = out / f"neodeskpet_{version()}_{architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", *(_QUICK if quick else _SMALL)]
    subprocess.run(
        [*command, "--build", str(tree), str(file)], check=True, stdout=subprocess.DEVNULL
    )
    return file


def pack_windows(folder: Path, out: Path) -> Path:
    """An installer, by Inno Setup. Never run so far (docs/other-systems.md)."""
    with Image.open(HERE / "icon.png") as icon:
        icon.save(folder / "icon.ico", sizes=[(size, size) for size in SIZES if size <= 256])
    words = [f"/DVersion={version()}", f"/DFolder={folder}", f"/O{out}", str(HERE / "windows.iss")]
    subprocess.run([shutil.which("iscc") or _ISCC, *words], check=True)
    return out / f"neodeskpet-{version()}-windows-x64.exe"


def pack_macos(out: Path) -> Path:
    """A disk image. Never run so far (docs/other-systems.md)."""
    file = out / f"neodeskpet-{version()}-macos-{platform.machine()}.dmg"
    subprocess.run([str(HERE / "macos.sh"), str(out / "NeoDeskPet.app"), str(file)], check=True)
    return file


def pack(folder: Path, out: Path, *, quick: bool) -> list[Path]:
    """What this system's people install; `quick`: only one, for trying it."""
    if sys.platform == "win32":
        return [pack_windows(folder, out)]
    if sys.platform == "darwin":
        return [pack_macos(out)]
    files = [pack_deb(folder, out, quick=quick)] if shutil.which("dpkg-deb") else []
    return files if quick else [*files, pack_tar(folder, out)]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./run bundle", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--with-live2d-core",
        action="store_true",
        help="take Live2D's Core in: not to be given to others without Live2D Inc.'s agreement",
    )
    parser.add_argument(
        "--quick", action="store_true", help="only the .deb, hardly compressed, for trying it"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args(argv)
    core = bool(asked.with_live2d_core)
    if core:
        print("With Live2D's Core: giving this bundle to others needs Live2D Inc.'s agreement.")
    else:
        print("Without Live2D's Core: Neo stands there as pictures; Live2D models can't be shown.")
    out = asked.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    folder = freeze(out, core=core)
    for file in pack(folder, out, quick=asked.quick):
        print(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
