"""Builds the bundle for Linux: a folder with its own Python and Qt, as a .deb and as a .tar.xz.

    ./run bundle [--with-live2d-core] [--out DIR]

Needs `binutils`, for the .deb `dpkg-deb`, and the network once for PyInstaller. Live2D's Core has
terms of its own: a bundle with it that is given to others needs an agreement with Live2D Inc., so
it is left out unless it is asked for; without it no figure stands on the desktop.
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
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "packaging" / "bundle"
WORK = ROOT / "build" / "bundle"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
ID = "io.github.neodeskpet.NeoDeskPet"
SYSTEM = ("libc6", "libgl1", "libegl1", "libfontconfig1", "libxkbcommon-x11-0", "fonts-noto-cjk")
"""Debian's packages that the bundle leaves to the system: the C library, the way to the graphics
card, fonts."""
_LICENCE = re.compile(r"licen[cs]e|copying|notice|authors", re.IGNORECASE)


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def desktop_entry(command: str, icon: str) -> str:
    """The entry in the menu of the desktop."""
    return f"""[Desktop Entry]
Type=Application
Name=NeoDeskPet
Comment=A companion on the desktop, to talk with
Comment[zh_CN]=桌面上的伙伴，可以和它聊天
Exec={command}
Icon={icon}
Terminal=false
Categories=Utility;Chat;
StartupNotify=false
StartupWMClass=neodeskpet
Actions=chat;safe;

[Desktop Action chat]
Name=Open chat
Name[zh_CN]=打开聊天
Exec={command} --chat

[Desktop Action safe]
Name=Start in safe mode
Name[zh_CN]=以安全模式启动
Exec={command} --safe
"""


def metainfo(number: str) -> str:
    """What software centres show (AppStream)."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>{ID}</id>
  <name>NeoDeskPet</name>
  <summary>A companion on the desktop, to talk with</summary>
  <summary xml:lang="zh_CN">桌面上的伙伴，可以和它聊天</summary>
  <metadata_license>MIT</metadata_license>
  <project_license>MIT</project_license>
  <description>
    <p>A figure that lives on the desktop and answers by the language model of your choice: a
    service, a server on this computer, or none at all. It uses tools when you let it, keeps
    appointments and notes, and remembers what you told it.</p>
    <p xml:lang="zh_CN">住在桌面上的小伙伴，用你选择的语言模型回答：在线服务、
    本机服务器，或者都不用。经你允许它会使用工具、记下日程和笔记，并记得你说过的话。</p>
  </description>
  <launchable type="desktop-id">neodeskpet.desktop</launchable>
  <provides><binary>neodeskpet</binary></provides>
  <content_rating type="oars-1.1" />
  <releases><release version="{number}" /></releases>
</component>
"""


def control(number: str, kilobytes: int, architecture: str) -> str:
    """The package's record for dpkg."""
    return f"""Package: neodeskpet
Version: {number}
Architecture: {architecture}
Maintainer: NeoDeskPet <neodeskpet@localhost>
Installed-Size: {kilobytes}
Depends: {", ".join(SYSTEM)}
Section: utils
Priority: optional
Description: companion on the desktop, to talk with
 A figure that lives on the desktop and answers by the language model of your
 choice: a service, a server on this computer, or none at all.
 .
 The data folder (~/.local/share/NeoDeskPet) stays when the package is removed.
"""


MENU = """#!/bin/sh
# Enters NeoDeskPet into the menu of your desktop, from the folder that it lies in now;
# with --remove it leaves the menu again. The folder of your data is not touched.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
share="${XDG_DATA_HOME:-$HOME/.local/share}"
entry="$share/applications/neodeskpet.desktop"
if [ "${1:-}" = --remove ]; then
    rm -f "$entry"
    exit 0
fi
mkdir -p "$share/applications"
sed -e "s#@HERE@#$here#g" "$here/neodeskpet.desktop" >"$entry"
echo "NeoDeskPet is in the menu now ($entry)."
"""


def licences(names: Iterable[str], target: Path) -> list[str]:
    """Copy the licences of these Python packages into `target`, a folder each; the names of those
    that bring none.
    """
    without = []
    for name in sorted(names):
        texts = [
            file
            for file in importlib.metadata.distribution(name).files or ()
            if _LICENCE.search(file.name) and file.suffix not in (".py", ".pyc")
        ]
        found = [Path(str(text.locate())) for text in texts]
        found = [text for text in found if text.is_file()]
        for number, text in enumerate(found):
            place = target / name / (text.name if number == 0 else f"{number}-{text.name}")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, place)
        if not found:
            without.append(name)
            terms = importlib.metadata.metadata(name)
            said = terms.get("License-Expression") or terms.get("License") or "see its home page"
            (target / name).mkdir(parents=True, exist_ok=True)
            (target / name / "LICENSE").write_text(f"{name}: {said}\n", "utf-8")
    return without


def locked(file: Path) -> list[str]:
    """The names of the packages that a lock file pins."""
    lines = file.read_text("utf-8").splitlines()
    return [line.split("==")[0] for line in lines if "==" in line and not line.startswith("#")]


def freeze(out: Path, *, core: bool) -> Path:
    """The folder with everything in it."""
    environment = {**os.environ, "NEODESKPET_CORE": "1" if core else "0"}
    command = [sys.executable, "-m", "PyInstaller", "--log-level", "ERROR", "--noconfirm"]
    places = ["--distpath", str(out), "--workpath", str(WORK / "work")]
    subprocess.run(
        [*command, *places, str(HERE / "neodeskpet.spec")], check=True, env=environment, cwd=ROOT
    )
    folder = out / "neodeskpet"
    terms = folder / "licences"
    terms.mkdir()
    shutil.copyfile(ROOT / "LICENSE", terms / "NeoDeskPet")
    shutil.copyfile(ROOT / "assets" / "companion" / "LICENSE", terms / "Neo")
    shutil.copyfile(HERE / "THIRD-PARTY.txt", terms / "README.txt")
    left_out = set() if core else {"live2d-py"}
    licences(set(locked(ROOT / "requirements.lock")) - left_out, terms)
    return folder


def pack_tar(folder: Path, out: Path) -> Path:
    """A .tar.xz that runs where it is unpacked."""
    (folder / "neodeskpet.desktop").write_text(
        desktop_entry('"@HERE@/neodeskpet"', "@HERE@/icon.png"), "utf-8"
    )
    menu = folder / "enter-menu.sh"
    menu.write_text(MENU, "utf-8")
    menu.chmod(0o755)
    shutil.copyfile(HERE / "icon.png", folder / "icon.png")
    file = out / f"neodeskpet-{version()}-linux-{platform.machine()}.tar.xz"
    with tarfile.open(file, "w:xz") as tar:
        tar.add(folder, "neodeskpet")
    return file


def pack_deb(folder: Path, out: Path, tree: Path = WORK / "deb") -> Path:
    """A Debian package, laid out in `tree`: in `/usr/lib/neodeskpet`, with an entry in the menu."""
    shutil.rmtree(tree, ignore_errors=True)
    place = tree / "usr/lib/neodeskpet"
    shutil.copytree(folder, place, symlinks=True)
    for name in ("neodeskpet.desktop", "enter-menu.sh", "icon.png"):
        (place / name).unlink(missing_ok=True)
    share = tree / "usr/share"
    for text, where in (
        (desktop_entry("neodeskpet", "neodeskpet"), "applications/neodeskpet.desktop"),
        (metainfo(version()), f"metainfo/{ID}.metainfo.xml"),
        ((ROOT / "LICENSE").read_text("utf-8"), "doc/neodeskpet/copyright"),
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
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(file)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return file


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./run bundle", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--with-live2d-core",
        action="store_true",
        help="take Live2D's Core in: not to be given to others without Live2D Inc.'s agreement",
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args(argv)
    core = bool(asked.with_live2d_core)
    if core:
        print("With Live2D's Core: giving this bundle to others needs Live2D Inc.'s agreement.")
    else:
        print("Without Live2D's Core: no figure stands on the desktop.")
    out = asked.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    folder = freeze(out, core=core)
    files = [pack_deb(folder, out)] if shutil.which("dpkg-deb") else []
    files.append(pack_tar(folder, out))
    for file in files:
        print(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
