"""Where a figure's files may lie, and how large they may be; what is said of one that isn't so."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from neodeskpet.language import tr


def find_file(root: Path, name: str) -> tuple[Path, int]:
    """The file `name` of the figure in `root`, and its bytes. If there is none, one whose name
    differs only in the case of letters is taken: Windows, where figures are made, sees no
    difference. Raises ValueError if it is missing or lies outside the folder.
    """
    try:
        path = (root / name.replace("\\", "/")).resolve()
        # Most often `root` is as it is on the disk: to find that out costs as much as the file.
        if not path.is_relative_to(root) and not path.is_relative_to(root.resolve()):
            raise ValueError(tr("It lies outside the model's folder."))
        if not path.is_file():
            path = _in_other_case(root, name).resolve()
            if not path.is_file() or not path.is_relative_to(root.resolve()):
                raise ValueError(tr("The file is missing."))
        return path, path.stat().st_size
    except (OSError, RuntimeError) as error:
        raise ValueError(str(error)) from None


def _in_other_case(root: Path, name: str) -> Path:
    """Raises OSError."""
    at = root
    for part in PurePosixPath(name.replace("\\", "/")).parts:
        exact = at / part
        if part == ".." or exact.exists():
            at = exact
            continue
        wanted = part.casefold()
        beside = sorted(at.iterdir()) if at.is_dir() else []
        at = next((one for one in beside if one.name.casefold() == wanted), exact)
    return at


def check_bytes(size: int, limit: int) -> None:
    """Raises ValueError for a file that is empty or larger than `limit`."""
    if size == 0:
        raise ValueError(tr("The file is empty."))
    if size > limit:
        raise ValueError(tr("The file is too large ({size} MB).", size=str(size // 1_000_000)))


def too_large_text(width: int, height: int, limit: int) -> str:
    """What is said of a picture with more pixels a side than `limit`."""
    return tr(
        "Its size {width} × {height} is beyond {limit}.",
        width=str(width),
        height=str(height),
        limit=str(limit),
    )
