"""Stories use the real windows with a real server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backends.null import Keyring as NoKeyring
from PySide6.QtGui import QSurfaceFormat
from PySide6.QtWidgets import QApplication

from neodeskpet.app.theme_manager import translate_qt
from neodeskpet.documents.web.addresses import is_public
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.language import set_language
from neodeskpet.platform.installation import assets_dir
from neodeskpet.ui.pet.gl_surface import default_format
from tests.support.desk import Story, Values, play
from tests.support.sseserver import ScriptedServer, check_history


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A model service that refuses histories with unpaired calls."""
    with ScriptedServer(check_history) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_keyring() -> Iterator[None]:
    """The keyring of the user who runs the tests isn't used."""
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())
    yield
    keyring.set_keyring(before)


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    QSurfaceFormat.setDefaultFormat(default_format())
    return QApplication


@pytest.fixture(scope="session")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The companion's files are checked once for all stories."""
    cache = tmp_path_factory.mktemp("verdicts")
    asyncio.run(check_model(assets_dir() / "companion" / "neo", cache))
    return cache


@pytest.fixture
def desk_story(qapp: QApplication, tmp_path: Path, verdicts: Path) -> Iterator[Callable[..., None]]:
    """`desk_story(story, url="", mode="auto", pet=False, settings=None, limit=240)` plays a story
    in the test's own data folder; a second story in the same test is the next start.
    """

    def run(
        story: Story,
        url: str = "",
        mode: str | None = "auto",
        pet: bool = False,
        settings: Values | None = None,
        limit: float = 240,
        may_reach: Callable[[str], bool] = is_public,
    ) -> None:
        play(
            qapp,
            tmp_path,
            verdicts,
            story,
            url,
            mode=mode,
            pet=pet,
            settings=settings,
            limit=limit,
            may_reach=may_reach,
        )

    font = qapp.font()
    yield run
    qapp.setFont(font)
    set_language("en")
    translate_qt(qapp)
