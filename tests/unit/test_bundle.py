"""What `packaging/bundle/build.py` packs around the folder that PyInstaller makes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import plistlib
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
from configparser import ConfigParser
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import PySide6
import pytest

from tests.bundle.sockets import asked, far

FILE = Path(__file__).resolve().parents[2] / "packaging" / "bundle" / "build.py"


def test_all_assets_are_in_the_bundle() -> None:
    spec = (FILE.parent / "neodeskpet.spec").read_text("utf-8")
    assets = FILE.parents[2] / "assets"
    folders = {one.name for one in assets.iterdir() if one.is_dir()} - {"__pycache__", "companion"}
    pictures = {one.name for one in (assets / "companion").glob("*.webp")}
    assert len(folders) >= 7 and pictures
    assert {name for name in folders | pictures if f'"{name}"' not in spec} == set()


@pytest.fixture(scope="module")
def build() -> ModuleType:
    sys.path.insert(0, str(FILE.parent))
    spec = importlib.util.spec_from_file_location("build", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["build"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small folder as PyInstaller leaves it."""
    made = tmp_path / "out" / "neodeskpet"
    made.mkdir(parents=True)
    program = made / "neodeskpet"
    program.write_text("#!/bin/sh\necho it runs\n", "utf-8")
    program.chmod(0o755)
    return made


def test_the_menu_entry_starts_the_program_in_both_languages(build: ModuleType) -> None:
    entry = ConfigParser(interpolation=None)
    entry.read_string(build.desktop_entry("neodeskpet", "neodeskpet"))
    assert entry["Desktop Entry"]["exec"] == "neodeskpet %F"
    assert set(build.KINDS) <= set(entry["Desktop Entry"]["mimetype"].split(";"))
    assert entry["Desktop Entry"]["comment[zh_cn]"]
    for action in entry["Desktop Entry"]["actions"].strip(";").split(";"):
        assert entry[f"Desktop Action {action}"]["exec"].startswith("neodeskpet --")
    described = ElementTree.fromstring(build.metainfo("1.2", "2026-01-02"))
    assert described.findtext("launchable") == "neodeskpet.desktop"
    release = described.find("releases/release")
    assert release is not None
    assert release.get("version") == "1.2"


def test_the_file_types_are_those_that_the_entry_opens(build: ModuleType) -> None:
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    found = ElementTree.fromstring(build.kinds()).findall("m:mime-type", space)
    assert [one.get("type") for one in found] == list(build.KINDS)
    patterns = [glob.get("pattern") for one in found for glob in one.findall("m:glob", space)]
    assert [f"*{suffix}" for suffix in build.SUFFIXES] == patterns


def test_the_archive_runs_from_any_folder_and_adds_itself_to_the_menu(
    build: ModuleType, folder: Path, tmp_path: Path
) -> None:
    archive = build.pack_tar(folder, tmp_path)
    place = tmp_path / "a place with blanks & 100 % #signs"
    with tarfile.open(archive) as tar:
        tar.extractall(place, filter="data")
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "share")}
    menu = place / "neodeskpet" / "enter-menu.sh"
    subprocess.run([menu], check=True, env=environment, capture_output=True)
    written = tmp_path / "share" / "applications" / "neodeskpet.desktop"
    entry = ConfigParser(interpolation=None)
    entry.read(written, "utf-8")
    command = entry["Desktop Entry"]["exec"].removesuffix(" %F").replace("%%", "%")
    said = subprocess.run(command, shell=True, check=True, capture_output=True, text=True)
    assert said.stdout == "it runs\n"
    assert Path(entry["Desktop Entry"]["icon"]).is_file()
    assert (tmp_path / "share/mime/packages/neodeskpet.xml").is_file()
    subprocess.run([menu, "--remove"], check=True, env=environment)
    left = [path for path in (tmp_path / "share").rglob("*") if "neodeskpet" in path.name]
    assert left == []


def test_the_package_installs_a_program_an_entry_and_icons(
    build: ModuleType, folder: Path, tmp_path: Path
) -> None:
    package = build.pack_deb(folder, tmp_path, tmp_path / "tree", quick=True)
    record = subprocess.run(
        ["dpkg-deb", "--field", package], check=True, capture_output=True, text=True
    ).stdout
    assert "Package: neodeskpet\n" in record
    assert f"Version: {build.version()}\n" in record
    unpacked = tmp_path / "root"
    subprocess.run(["dpkg-deb", "--extract", package, unpacked], check=True)
    program = unpacked / "usr/bin/neodeskpet"
    assert program.is_symlink()
    said = subprocess.run([program], check=True, capture_output=True, text=True)
    assert said.stdout == "it runs\n"
    assert (unpacked / "usr/share/applications/neodeskpet.desktop").is_file()
    said = (unpacked / "usr/share/doc/neodeskpet/copyright").read_text("utf-8")
    assert "MIT License" in said
    assert "/usr/lib/neodeskpet/licences" in said
    assert (unpacked / "usr/share/mime/packages/neodeskpet.xml").is_file()
    icons = list((unpacked / "usr/share/icons/hicolor").rglob("neodeskpet.png"))
    assert len(icons) == len(build.SIZES)


@pytest.mark.parametrize("before", [{}, {"LD_LIBRARY_PATH": "/opt/lib"}])
def test_other_programs_find_their_own_libraries(before: dict[str, str]) -> None:
    found = runpy.run_path(str(FILE.with_name("program.py")), run_name="program")
    inside = "/usr/lib/neodeskpet/_internal"
    made = {
        "LD_LIBRARY_PATH": inside,
        "QT_PLUGIN_PATH": f"{inside}/PySide6/Qt/plugins",
        "QML2_IMPORT_PATH": "/a/place/of/theirs",
        **{f"{name}_ORIG": value for name, value in before.items()},
    }
    found["give_back_environment"](made, inside)
    assert made == {"QML2_IMPORT_PATH": "/a/place/of/theirs", **before}


def test_macos_gets_the_types_it_understands(build: ModuleType) -> None:
    mac_files = importlib.import_module("mac_files")
    told = plistlib.loads(plistlib.dumps(mac_files.info_plist()))
    kinds = told["CFBundleDocumentTypes"]
    endings = [ending for one in kinds for ending in one.get("CFBundleTypeExtensions", ())]
    assert endings == ["charx"], "it only knows the last extension, without its dot"
    assert told["LSMinimumSystemVersion"] == "13.0"
    rights = plistlib.loads(FILE.with_name("macos.entitlements").read_bytes())
    assert rights["com.apple.security.cs.disable-library-validation"] is True


def test_the_workflow_leaves_out_what_the_lock_file_marks() -> None:
    workflow = (FILE.parents[2] / ".github/workflows/bundle.yml").read_text("utf-8")
    (pattern,) = set(re.findall(r"grep -v '([^']+)' requirements.lock", workflow))
    lines = (FILE.parents[2] / "requirements.lock").read_text("utf-8").splitlines()
    assert sum(bool(re.search(pattern, line)) for line in lines) == 1


def test_the_licences_of_every_package_are_inside(build: ModuleType, tmp_path: Path) -> None:
    names = {*build.locked(FILE.parents[2] / "requirements.lock"), "pip"}
    assert build.licences(names, tmp_path) == []
    for name in names:
        longest = max(file.stat().st_size for file in (tmp_path / name).iterdir())
        assert longest > 500, f"{name}: a name isn't a licence's text"
    for name, terms in (
        ("latex2mathml", "LaTeX Project Public License"),
        ("ziafont", "DejaVu Font License"),
        ("ziamath", "SIL OPEN FONT LICENSE"),
        ("tld", "Mozilla Public License Version 2.0"),
        ("PySide6_Essentials", "ICU 58 and later"),
        ("PySide6_Essentials", "src/3rdparty/harfbuzz-ng"),
    ):
        texts = [file.read_text("utf-8") for file in (tmp_path / name).iterdir()]
        assert any(terms in text for text in texts), f"{name} holds something under the {terms}"


def test_a_package_without_a_licence_is_named(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "bare-1.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Name: bare\nVersion: 1\nLicense: MIT\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert build.licences(["bare"], tmp_path / "terms") == ["bare"]
    assert not (tmp_path / "terms").exists()


_RECORD = """\
41 connect(3, {sa_family=AF_UNIX, sun_path=@"/tmp/.X11-unix/X0"}, 20) = 0
41 bind(12, {sa_family=AF_UNIX, sun_path="/run/door"}, 110) = 0
42 connect(9, {sa_family=AF_INET, sin_port=htons(114), sin_addr=inet_addr("127.0.0.1")}, 16) = 0
42 connect(9, {sa_family=AF_INET6, sin6_port=htons(12), inet_pton(AF_INET6, "::1", &sin6_addr)}) = 0
"""


def test_socket_calls_of_a_bundle_are_read_from_its_record(tmp_path: Path) -> None:
    record = tmp_path / "sockets"
    record.write_text(_RECORD, "utf-8")
    assert asked(record) == [("127.0.0.1", 114), ("::1", 12)]
    assert far(record) == []
    names = (
        'connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.1")}, 16)'
    )
    other = (
        'sendto(3, "x", 1, 0, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), '
    )
    other += 'inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = 1'
    strange = "bind(3, {sa_family=AF_INET, ???}, 16) = 0"
    record.write_text("\n".join([_RECORD, names, other, strange]), "utf-8")
    assert far(record) == [("127.0.0.1", 53), ("2001:db8::1", 443), (strange, 0)]


_SORTED = """
from functools import cmp_to_key
from PySide6.QtCore import QCollator, QLocale
for name in ("en_US", "zh_CN", "sv_SE"):
    by = cmp_to_key(QCollator(QLocale(name)).compare)
    print(*sorted(["文", "阿", "北京", "zebra", "Öl", "apfel"], key=by))
"""


def test_a_reduced_icu_sorts_words_as_each_language_does(build: ModuleType, tmp_path: Path) -> None:
    unicode_data = sys.modules["unicode_data"]
    (whole,) = (Path(PySide6.__file__).parent / "Qt" / "lib").glob("libicudata.so.*")
    less = tmp_path / whole.name
    shutil.copyfile(whole, less)
    try:
        unicode_data.thin(less)
    except unicode_data.NotThinned as reason:
        pytest.skip(str(reason))
    assert less.stat().st_size < whole.stat().st_size / 4
    command = [sys.executable, "-c", _SORTED]
    before, after = (
        subprocess.run(
            command, env={**os.environ, **given}, check=True, capture_output=True, text=True
        )
        for given in ({}, {"LD_PRELOAD": str(less)})
    )
    assert after.stdout == before.stdout
    assert after.stdout.splitlines() == [
        "apfel Öl zebra 北京 文 阿",
        "阿 北京 文 apfel Öl zebra",
        "apfel zebra Öl 北京 文 阿",
    ]
    assert after.stderr == ""


def test_data_with_another_layout_is_unchanged(build: ModuleType, tmp_path: Path) -> None:
    unicode_data = sys.modules["unicode_data"]
    other = tmp_path / "libicudata.so.99"
    other.write_bytes(b"not a library")
    with pytest.raises(unicode_data.NotThinned):
        unicode_data.thin(other)
    assert other.read_bytes() == b"not a library"
