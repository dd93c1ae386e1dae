"""Says, once each, that most of the month's budget is gone, and that all of it is. Nothing is
stopped by it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from PySide6.QtCore import QObject, Signal

from neodeskpet.core.errors import KnownError
from neodeskpet.core.spending.budget import Budget, read_budget, warning
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import price
from neodeskpet.ui.pet.companion import Companion
from neodeskpet.ui.spending.words import budget_line
from neodeskpet.ui.work import Work

_TOLD = "spending.told"
_KEY = "budget"
_SETTING = ("spending", "budget")


class BudgetTalk(QObject):
    """`costs_requested()`: the person wants to see them. `failed` is told what went wrong."""

    costs_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        companion: Companion,
        failed: Callable[[KnownError], None],
        parent: QObject | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._today = today
        self._cost = 0.0
        self._work = Work("budget", failed=failed)
        self._ends = (
            engine.store.spending.observe(lambda _conversation: self._look()),
            engine.settings.observe(self._settled),
        )
        companion.answered.connect(self._answered)

    def begin(self) -> None:
        """The windows are there."""
        self._look()

    async def close(self) -> None:
        for end in self._ends:
            end()
        await self._work.close()

    def budget(self) -> Budget | None:
        return read_budget(self._engine.settings.settings.spending.budget)

    def line(self) -> str:
        """How much of it is gone, as it was known last; "" where none is set."""
        budget = self.budget()
        return budget_line(budget, self._cost) if budget is not None else ""

    def _settled(self, section: str, name: str, _value: object) -> None:
        if (section, name) == _SETTING:
            self._look()

    def _look(self) -> None:
        self._work.replace("look", self._compare)

    async def _compare(self) -> None:
        budget = self.budget()
        if budget is None:
            self._companion.settle(_KEY)
            return
        store, today = self._engine.store, self._today()
        self._cost = await store.spending.cost_of(today.year, today.month, budget.currency)
        before = await store.get_state(_TOLD) or ""
        step, told = warning(budget, self._cost, f"{today:%Y-%m}", before)
        if step:
            self._tell(budget, step)  # first: better twice than never
        if told != before:
            await store.set_state(_TOLD, told)

    def _tell(self, budget: Budget, step: int) -> None:
        sums = {
            "budget": price(budget.amount, budget.currency),
            "cost": price(self._cost, budget.currency),
        }
        words = tr("{cost} of this month's budget of {budget} are gone: most of it.", **sums)
        if step == 100:
            words = tr(
                "This month's budget of {budget} is used up ({cost}). Nothing is stopped by it.",
                **sums,
            )
        choices = (("done", tr("All right")), ("open", tr("Show the costs")))
        self._companion.ask(_KEY, words, choices, sign="warning")

    def _answered(self, key: str, choice: str) -> None:
        if key != _KEY:
            return
        self._companion.settle(_KEY)
        if choice == "open":
            self.costs_requested.emit()
