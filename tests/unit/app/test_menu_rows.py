"""The first row of the menus, when something needs attention."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtWidgets import QApplication

from neodeskpet.app.menu_rows import Need, UrgentRow, UrgentSources
from neodeskpet.ui.companion_menu import URGENT, CompanionMenu
from neodeskpet.ui.theme import LIGHT


@dataclass
class Situation:
    timer: str = ""
    question: bool = False
    reply: bool = False
    click_through: bool = False
    acts: list[Need] = field(default_factory=list)


def test_it_shows_the_most_urgent_matter_and_a_click_opens_it(qapp: QApplication) -> None:
    now = Situation("Tea", True, True, True)
    menu = CompanionMenu(LIGHT)
    sources = UrgentSources(
        lambda: now.timer,
        lambda: now.question,
        lambda: now.reply,
        lambda: now.click_through,
        lambda: "Neo",
    )

    def act(need: Need) -> None:
        now.acts.append(need)
        match need:
            case Need.TIMER:
                now.timer = ""
            case Need.QUESTION:
                now.question = False
            case Need.REPLY:
                now.reply = False
            case Need.CLICK_THROUGH:
                now.click_through = False

    row = UrgentRow(menu, sources, act)
    menu.about_to_show.emit()
    texts = []
    while menu.actions[URGENT].isVisible():
        texts.append(menu.actions[URGENT].text())
        row.run()
    assert texts == [
        *("Tea: done", "Answer Neo's question…", "Stop the reply", "Turn off click-through")
    ]
    assert now.acts == list(Need)
    row.run()
    assert now.acts == list(Need), "nothing needs attention any more"
    now.question = True
    row.update()
    assert menu.actions[URGENT].isVisible(), "at once, also in a tray menu of another program"
    now.question = False
    row.update()
    assert not menu.actions[URGENT].isVisible()
