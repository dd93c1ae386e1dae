"""The place of the local endpoint: a folder that only the user can read."""

from __future__ import annotations

import stat
import tempfile
from pathlib import Path

import pytest

from neodeskpet.external_api.local_endpoint import (
    ENDPOINT_FILE,
    LocalEndpoint,
    endpoint_address,
    is_private,
    read_endpoint_file,
    write_endpoint_file,
)


def test_each_data_folder_has_its_own_endpoint(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert endpoint_address(tmp_path / "a") != endpoint_address(tmp_path / "b")


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777])
def test_the_endpoint_is_in_a_folder_that_nobody_else_can_use(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    short = tmp_path_factory.mktemp("d")
    home, runtime = short / "home", short / "runtime"
    home.mkdir()
    runtime.mkdir(mode=mode)
    runtime.chmod(mode)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    address, _ = endpoint_address(home)
    folder = Path(address).parent
    assert (folder == runtime) == (mode == 0o700)
    assert is_private(folder)
    assert folder != Path(tempfile.gettempdir())


def test_a_link_is_no_private_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert is_private(tmp_path / "real")
    assert not is_private(tmp_path / "link")
    assert not is_private(tmp_path / "gone")


def test_a_written_file_is_read_again(tmp_path: Path) -> None:
    assert read_endpoint_file(tmp_path) is None
    write_endpoint_file(tmp_path, LocalEndpoint("/run/user/1/ä", "key"))
    assert stat.S_IMODE((tmp_path / ENDPOINT_FILE).stat().st_mode) == 0o600
    assert read_endpoint_file(tmp_path) == LocalEndpoint("/run/user/1/ä", "key")
    write_endpoint_file(tmp_path, None)
    assert read_endpoint_file(tmp_path) is None
    write_endpoint_file(tmp_path / "gone", LocalEndpoint("a", "b"))  # nothing can be written there


def test_the_key_is_not_in_its_repr() -> None:
    assert "sesame" not in repr(LocalEndpoint("a", "sesame"))
