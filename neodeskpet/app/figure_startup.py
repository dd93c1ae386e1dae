"""Shows and animates the figure while chat, tools and memory are still loading.

All code of the app takes four times as long to load as the figure with its window. So the rest is
loaded after the figure is shown, in steps between which frames are drawn. Clicks and other input of
the user during that second are kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication

from neodeskpet.core.errors import KnownError
from neodeskpet.figure.behaviour.screen_edges import PeekPosition
from neodeskpet.figure.frame_rate import BATTERY_RATES, FrameRates
from neodeskpet.figure.live2d.library import chosen_figure_path
from neodeskpet.settings.settings_model import CompanionSettings
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.desktop.compositor import is_composited
from neodeskpet.ui.gc_scheduler import freeze_existing_objects
from neodeskpet.ui.pet.edge_peek import peek_now
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.theme import startup_theme

PRELOADED_MODULES = (
    "neodeskpet.core.schedule.parsing.time_parser",
    "neodeskpet.core.background_tasks",
    "neodeskpet.conversation.ports",
    "neodeskpet.memory.facts.fact_extraction",
    "neodeskpet.memory.facts.fact_store",
    "neodeskpet.llm.protocols.provider_errors",
    "neodeskpet.llm.protocols.protocol_list",
    "neodeskpet.llm.catalog.model_catalog",
    "neodeskpet.llm.offline.rules",
    "neodeskpet.mcp.session_interface",
    "neodeskpet.tools.tool_index",
    "neodeskpet.app.app_list",
    "neodeskpet.core.dialects.leaked.reader",
    "neodeskpet.conversation.runner",
    "neodeskpet.conversation.chat",
    "neodeskpet.llm.network_backend",
    "neodeskpet.memory.message_search",
    "neodeskpet.memory.recall.memory_store",
    "neodeskpet.llm.http_client",
    "neodeskpet.mcp.mcp_host",
    "neodeskpet.memory.knowledge.knowledge_store",
    "neodeskpet.conversation.character_context",
    "neodeskpet.llm.model_builder",
    "neodeskpet.app.turn_factory",
    "neodeskpet.tools.user_tools.tool_loader",
    "neodeskpet.app.engine",
    "neodeskpet.ui.chat.items.text_documents",
    "neodeskpet.ui.chat.items.block_models",
    "neodeskpet.ui.chat.view.accessibility",
    "neodeskpet.ui.widgets.list_row_painter",
    "neodeskpet.ui.rendering.print_job",
    "neodeskpet.core.fuzzy_match",
    "neodeskpet.ui.chat.message_versions",
    "neodeskpet.conversation.export_chats.html_export",
    "neodeskpet.ui.chat.import_export",
    "neodeskpet.app.figure_settings",
    "neodeskpet.app.service_settings",
    "neodeskpet.app.knowledge_controller",
    "neodeskpet.app.side_windows",
    "neodeskpet.app.external_api",
    "neodeskpet.app.activities.activities_controller",
    "neodeskpet.app.companion_identity",
    "neodeskpet.app.desktop_app",
)
"""Modules that each take at most about 30 ms to load when the ones before them are loaded. The list
may be incomplete: other modules are loaded when they are needed.
"""
IDLE_MODULES = (
    "neodeskpet.ui.settings.local_model_page",
    "neodeskpet.ui.settings.services.services_page",
    "neodeskpet.ui.settings.mcp_servers_page",
    "neodeskpet.ui.settings.figure.figure_page",
    "neodeskpet.app.settings_pages",
    "neodeskpet.ui.windows.background_tasks_window",
    "neodeskpet.ui.windows.character_gallery",
    "neodeskpet.ui.windows.inspector_window",
    "neodeskpet.ui.windows.missed_messages_window",
    "neodeskpet.ui.windows.reply_reasons_window",
    "neodeskpet.ui.windows.spending_window",
)
"""Modules that only the settings window needs; they are loaded after the windows are shown."""
_IDLE_SECONDS = 0.1
_PRELOAD_TIMEOUT = 1.5
"""Seconds. A figure that is checked for the first time takes longer."""


def restore_pet_position(pet: PetWindow, companion: CompanionSettings) -> None:
    """Restore the place and size of the figure from the last run: its position, or peeking from an
    edge.
    """
    pet.placement.set_scale(companion.scale)
    kept = companion.positions.get(QGuiApplication.primaryScreen().name())
    if kept is not None:
        pet.placement.move_feet_to(QPoint(*kept))
    if companion.peek and companion.aside is not None:
        peek_now(pet, PeekPosition(*companion.aside))


def apply_pet_settings(
    pet: PetWindow, companion: CompanionSettings, *, calm: bool, on_battery: bool
) -> None:
    """Apply the settings of the figure. `calm`: reduced motion."""
    pet.set_on_top(companion.always_on_top)
    pet.set_click_through(companion.click_through)
    pet.setOpacity(companion.opacity)
    pet.set_gaze(companion.gaze and not calm)
    pet.set_quiet(companion.quiet or calm)
    pet.set_reduced_motion(calm)
    idle = float(companion.fps_idle)
    wanted = FrameRates(float(companion.fps_active), idle, idle / 2, acting=idle, still=idle)
    pet.frames.set_rates(wanted.at_most(BATTERY_RATES) if on_battery else wanted)


async def load_idle_modules() -> None:
    """Load modules that may be needed next, one at a time, so that opening a window doesn't wait
    for them.
    """
    for name in IDLE_MODULES:
        await asyncio.sleep(_IDLE_SECONDS)
        import_module(name)
        freeze_existing_objects()


class FigureStartup:
    """Runs the figure from its first frame until the app is complete, when `finish` is called."""

    def __init__(
        self,
        pet: PetWindow,
        settings: SettingsStore,
        *,
        timeout: float = _PRELOAD_TIMEOUT,
        rest: Sequence[str] = PRELOADED_MODULES,
    ) -> None:
        """`timeout`: the number of seconds that loading of `rest`, the names of modules, waits for
        the first frame of the figure.
        """
        self._pet = pet
        self._timeout = timeout
        self._rest = rest
        self._settings = settings
        self._chat = False
        self._appeared = asyncio.Event()
        self._connections = (
            (pet.chat_requested, self._want_chat),
            (pet.frameSwapped, self._on_frame),
            (pet.failed, self._on_appeared),
            (pet.placement.placed, self._place),
            (pet.scaled, self._scale),
        )
        for signal, slot in self._connections:
            signal.connect(slot)

    async def show_and_preload(self) -> None:
        """Show the figure, and load the modules of the app."""
        pet, settings = self._pet, self._settings.settings
        look = settings.appearance
        pet.set_theme(startup_theme(look))
        restore_pet_position(pet, settings.companion)
        apply_pet_settings(
            pet, settings.companion, calm=look.reduced_motion == "on", on_battery=False
        )
        pet.set_shape_mask(not is_composited())
        pet.load(chosen_figure_path(settings))
        await asyncio.sleep(0)  # the model is searched while the window is created
        pet.show()
        with suppress(TimeoutError):  # the figure is then shown later, while the rest loads
            await asyncio.wait_for(self._appeared.wait(), self._timeout)
        for name in self._rest:
            import_module(name)
            freeze_existing_objects()
            await asyncio.sleep(0)

    def finish(self) -> bool:
        """Hand the input of the figure over to the complete app; return whether the user has
        requested the chat.
        """
        for signal, slot in self._connections:
            signal.disconnect(slot)
        return self._chat

    def _want_chat(self) -> None:
        self._chat = True

    def _on_frame(self) -> None:
        """Wait for a frame that shows the figure: loading earlier would delay it."""
        if self._pet.appeared_at is not None:
            self._appeared.set()

    def _on_appeared(self, _what: object) -> None:
        self._appeared.set()

    def _place(self, screen: str, feet: QPoint) -> None:
        places = dict(self._settings.settings.companion.positions)
        self._change("positions", {**places, screen: (feet.x(), feet.y())})

    def _scale(self, scale: float) -> None:
        self._change("scale", scale)

    def _change(self, name: str, value: object) -> None:
        with suppress(KnownError):  # the store reports the error
            self._settings.change("companion", name, value)
