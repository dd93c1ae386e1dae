"""Once a day, if that is wanted, and each version is reported once, over restarts too."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from PySide6.QtWidgets import QApplication

from neodeskpet import __version__
from neodeskpet.app.engine import Engine
from neodeskpet.app.update_notifier import UpdateNotifier
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from tests.unit.app.engines import with_engine
from tests.unit.app.test_budget_notifier import Mouth


def test_it_checks_once_a_day_if_that_is_wanted(qapp: QApplication, tmp_path: Path) -> None:
    async def day(engine: Engine) -> None:
        mouth, clock = Mouth(), [1e9]
        talk = UpdateNotifier(engine, cast(CompanionPresenter, mouth), now=lambda: clock[0])
        assert talk.version == __version__
        assert talk.language == "en"
        asked = engine.storage.store.get_state
        talk.start()
        await talk._work.wait_until_idle()
        assert await asked("updates.asked") is None

        engine.settings.change("updates", "look", True)
        await talk._work.wait_until_idle()
        assert await asked("updates.asked") == str(1e9)
        assert mouth.asked == []  # no address is known, and the user didn't ask just now

        clock[0] += 23 * 3600
        talk.start()
        await talk._work.wait_until_idle()
        assert await asked("updates.asked") == str(1e9)
        clock[0] += 2 * 3600
        talk._hourly.timeout.emit()  # it runs for days without a restart
        await talk._work.wait_until_idle()
        assert await asked("updates.asked") == str(1e9 + 25 * 3600)

        wanted: list[bool] = []
        talk.page_requested.connect(lambda: wanted.append(True))
        mouth.answered.emit("other", "show")
        mouth.answered.emit("update", "later")
        assert wanted == []
        mouth.answered.emit("update", "show")
        assert wanted == [True]
        await talk.close()

    with_engine(tmp_path, day)
