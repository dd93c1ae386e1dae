"""Which files tools may touch: no path leads out of the allowed folders."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.errors import ToolError
from neodeskpet.tools.files.allowed_folders import AllowedFolders


@given(st.lists(st.sampled_from(["..", ".", "a", "link", "/", "~", "A"]), max_size=8))
def test_no_path_leads_out(parts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "allowed")
        (root / "a").mkdir(parents=True)
        (root / "link").symlink_to(folder)
        try:
            found = AllowedFolders(lambda: [root]).place("/".join(parts) or ".")
        except ToolError:
            return
        assert found == root.resolve() or root.resolve() in found.resolve().parents


def test_the_path_in_the_question_is_the_path_that_is_used(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "allowed"
    (root / "a").mkdir(parents=True)
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "same").symlink_to(root / "a")
    folders = AllowedFolders(lambda: [root])
    for path in ("a/x.txt", "same/x.txt", str(root / "link/../allowed/a/x.txt")):
        assert folders.real(path) == str(root / "a/x.txt") == str(folders.place(path))
    assert folders.real("link/x.txt") == str(outside / "x.txt")
    assert folders.real("a/../../outside/x.txt") == str(outside / "x.txt")
    for path in ("", " ", "a\0b", "x" * 5_000, "nul", "a/COM1.txt", "~nobody-here/x"):
        assert folders.real(path) is None
    assert AllowedFolders(list).real("a/x.txt") is None
    assert AllowedFolders(list).real(str(root / "link/x")) == str(outside / "x")


def folded(one: Path, other: Path) -> bool:
    """Paths that a Windows disk regards as equal: case, dots at the end and short names are
    ignored.
    """

    def plain(path: Path) -> list[str]:
        short = {"keyri~1": "keyrings", "ssh~1": ".ssh"}
        parts = [part.casefold().rstrip(". ") or part for part in path.parts]
        return [short.get(part, part) for part in parts]

    return plain(one) == plain(other)


def test_on_a_case_insensitive_disk_another_spelling_leads_neither_out_nor_in(
    tmp_path: Path,
) -> None:
    root = tmp_path / "Allowed"
    root.mkdir()
    folders = AllowedFolders(lambda: [root], closed=[root / "Own"], same=folded)
    assert folders.place(str(tmp_path / "ALLOWED" / ".." / "Allowed" / "a.txt"))
    for path in ("OWN/a", "own./a", "KEYRI~1/a", "SSH~1/id", ".SSH./id", "sub/.Ssh/id"):
        with pytest.raises(ToolError):
            folders.place(path)
    assert folders.place("SSH~2") == root / "SSH~2"
