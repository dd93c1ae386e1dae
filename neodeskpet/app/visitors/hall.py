"""Everything that other programs need of the desk, built together: what they may do, the door that
they come through on this computer, the port that is open if the person wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from neodeskpet.app.visitors.gate import HttpApiServer
from neodeskpet.app.visitors.presence import DesktopCompanionAccess, ShowNotice
from neodeskpet.core.errors import KnownError
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.engine import Engine
from neodeskpet.minds import approval_policy
from neodeskpet.ui.instance import LocalServer
from neodeskpet.ui.pet.companion import CompanionPresenter
from neodeskpet.ui.pet.window import PetWindow
from neodeskpet.ui.work import TaskRunner
from neodeskpet.visitors.reception import ToolGateway


class ExternalApi:
    """`failed` hears what can't be told to a program."""

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        pet: PetWindow,
        put_up: ShowNotice,
        failed: Callable[[KnownError], None],
    ) -> None:
        settings = engine.settings

        def asks(spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
            return approval_policy(settings.settings).asks(spec, arguments)

        self._settings = settings
        self.companion = DesktopCompanionAccess(
            companion, pet, pet.isVisible, lambda: settings.settings.companion, put_up
        )
        self.tool_gateway = ToolGateway(
            self.companion,
            engine.toolbox,
            asks,
            apps=engine.apps,
            wanted=lambda: settings.settings.programs.allowed,
        )
        self.http_server = HttpApiServer(settings, self.tool_gateway)
        self._door: LocalServer | None = None
        self._work = TaskRunner("hall", failed=failed)
        self._leave = settings.subscribe(self._on_setting_changed)

    def start(self) -> None:
        """The windows are there."""
        self._work.start("port", self.http_server.apply_settings)

    def set_local_server(self, door: LocalServer) -> None:
        self._door = door
        door.set_tool_host(self.tool_gateway)

    async def aclose(self) -> None:
        """Hang up on everybody; what was asked is taken back."""
        self._leave()
        await self._work.aclose()
        if self._door is not None:
            self._door.close()
        await self.http_server.aclose()
        self.companion.stop()

    def _on_setting_changed(self, section: str, name: str, value: object) -> None:
        if section == "programs":
            self._work.start("port", self.http_server.apply_settings)
