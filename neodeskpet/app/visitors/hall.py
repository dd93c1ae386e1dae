"""Everything that other programs need of the desk, built together: what they may do, the door that
they come through on this computer, the port that is open if the person wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from neodeskpet.app.visitors.gate import Gate
from neodeskpet.app.visitors.presence import DeskPresence, PutUp
from neodeskpet.core.errors import KnownError
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.engine import Engine
from neodeskpet.minds import approval_policy
from neodeskpet.ui.instance import Doorbell
from neodeskpet.ui.pet.companion import Companion
from neodeskpet.ui.pet.window import PetWindow
from neodeskpet.ui.work import Work
from neodeskpet.visitors.reception import Reception


class Hall:
    """`failed` hears what can't be told to a program."""

    def __init__(
        self,
        engine: Engine,
        companion: Companion,
        pet: PetWindow,
        put_up: PutUp,
        failed: Callable[[KnownError], None],
    ) -> None:
        settings = engine.settings

        def asks(spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
            return approval_policy(settings.settings).asks(spec, arguments)

        self._settings = settings
        self.presence = DeskPresence(
            companion, pet, pet.isVisible, lambda: settings.settings.companion, put_up
        )
        self.reception = Reception(
            self.presence,
            engine.toolbox,
            asks,
            apps=engine.apps,
            wanted=lambda: settings.settings.programs.allowed,
        )
        self.gate = Gate(settings, self.reception)
        self._door: Doorbell | None = None
        self._work = Work("hall", failed=failed)
        self._leave = settings.observe(self._settled)

    def begin(self) -> None:
        """The windows are there."""
        self._work.start("port", self.gate.settle)

    def answer_door(self, door: Doorbell) -> None:
        self._door = door
        door.receive_in(self.reception)

    async def close(self) -> None:
        """Hang up on everybody; what was asked is taken back."""
        self._leave()
        await self._work.close()
        if self._door is not None:
            self._door.close()
        await self.gate.close()
        self.presence.stop()

    def _settled(self, section: str, name: str, value: object) -> None:
        if section == "programs":
            self._work.start("port", self.gate.settle)
