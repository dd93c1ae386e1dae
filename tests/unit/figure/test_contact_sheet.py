from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.contact_sheet import draw_picture, draw_sheet
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.files.model_reader import describe_model
from tests.unit.figure.models import NEO, make_model


def test_the_sheet_and_the_picture_of_a_checked_model(tmp_path: Path) -> None:
    async def draw() -> None:
        found = await check_model(NEO, tmp_path / "cache")
        await draw_sheet(found, tmp_path / "sheet.png")
        await draw_picture(found, tmp_path / "picture.png", height=120)

    asyncio.run(draw())
    sheet, picture = QImage(str(tmp_path / "sheet.png")), QImage(str(tmp_path / "picture.png"))
    assert sheet.width() > 1000
    assert picture.height() == 120
    assert picture.pixelColor(0, 0).alpha() == 0


def test_a_bad_model_crashes_only_the_other_process(tmp_path: Path) -> None:
    # Never checked by the guard: it crashes the process that loads it.
    found = describe_model(make_model(tmp_path / "toy"))
    (found.root / "model.json").write_text(found.settings, encoding="utf-8")
    with pytest.raises(ModelFileError, match="could not be drawn"):
        asyncio.run(draw_sheet(found, tmp_path / "sheet.png"))


def test_it_gives_up_in_time(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="could not be drawn"):
        asyncio.run(draw_sheet(describe_model(NEO), tmp_path / "sheet.png", timeout=0.0))
