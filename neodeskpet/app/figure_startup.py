"""The figure comes first: it stands, and moves, while chat, tools and memory are still loaded.

All of the app's code takes four times as long to load as the figure with its window. So the rest is
loaded once the figure stands, in steps between which it is drawn. What the person does with it in
that second is not lost.
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
from neodeskpet.ui.theme import theme_for

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
    "neodeskpet.app.companion_identity",
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
    "neodeskpet.app.desktop_app",
)
"""Modules whose loading takes some 30 ms each at most, when those before them are there. It may be
incomplete: what isn't loaded here is loaded when it is wanted."""
IDLE_MODULES = (
    "neodeskpet.ui.settings.local_model_page",
    "neodeskpet.ui.settings.services.services_page",
    "neodeskpet.ui.settings.mcp_servers_page",
    "neodeskpet.ui.settings.figure.figure_page",
    "neodeskpet.app.settings_pages",
)
"""Modules that only the settings window needs; they are loaded when the windows stand."""
_IDLE_SECONDS = 0.1
_PRELOAD_TIMEOUT = 1.5
"""A figure that was never tried takes longer."""


def restore_pet_position(pet: PetWindow, companion: CompanionSettings) -> None:
    """Where and how large it was when the app ended: on its place, or looking out from an edge."""
    pet.placement.set_scale(companion.scale)
    kept = companion.positions.get(QGuiApplication.primaryScreen().name())
    if kept is not None:
        pet.placement.move_feet_to(QPoint(*kept))
    if companion.peek and companion.aside is not None:
        peek_now(pet, PeekPosition(*companion.aside))


def apply_pet_settings(
    pet: PetWindow, companion: CompanionSettings, *, calm: bool, on_battery: bool
) -> None:
    """What the settings say of the figure. `calm`: less is to move."""
    pet.set_on_top(companion.always_on_top)
    pet.set_click_through(companion.click_through)
    pet.setOpacity(companion.opacity)
    pet.set_gaze(companion.gaze and not calm)
    pet.set_quiet(companion.quiet or calm)
    idle = float(companion.fps_idle)
    wanted = FrameRates(float(companion.fps_active), idle, idle / 2, acting=idle, still=idle)
    pet.frames.set_rates(wanted.at_most(BATTERY_RATES) if on_battery else wanted)


async def load_idle_modules() -> None:
    """Load what may be wanted next, one part at a time, so that opening it doesn't wait."""
    for name in IDLE_MODULES:
        await asyncio.sleep(_IDLE_SECONDS)
        import_module(name)
        freeze_existing_objects()


class FigureStartup:
    """From the first sight of the figure until the desk is there, which `leave` says."""

    def __init__(
        self,
        pet: PetWindow,
        settings: SettingsStore,
        *,
        patience: float = _PRELOAD_TIMEOUT,
        rest: Sequence[str] = PRELOADED_MODULES,
    ) -> None:
        """`patience`: seconds for which `rest`, the names of modules, waits for the figure's first
        frame.
        """
        self._pet = pet
        self._patience = patience
        self._rest = rest
        self._settings = settings
        self._chat = False
        self._came = asyncio.Event()
        self._heard = (
            (pet.chat_requested, self._want_chat),
            (pet.frameSwapped, self._look),
            (pet.failed, self._come),
            (pet.placement.placed, self._place),
            (pet.scaled, self._scale),
        )
        for signal, slot in self._heard:
            signal.connect(slot)

    async def show_and_preload(self) -> None:
        """Show the figure, and load what the desk needs."""
        pet, settings = self._pet, self._settings.settings
        look = settings.appearance
        pet.set_theme(theme_for(look.theme, look.font_size, contrast=look.contrast == "on"))
        restore_pet_position(pet, settings.companion)
        apply_pet_settings(
            pet, settings.companion, calm=look.reduced_motion == "on", on_battery=False
        )
        pet.set_shape_mask(not is_composited())
        pet.load(chosen_figure_path(settings))
        await asyncio.sleep(0)  # it is looked for while the display is asked for a window
        pet.show()
        with suppress(TimeoutError):  # then it comes later, beside the rest
            await asyncio.wait_for(self._came.wait(), self._patience)
        for name in self._rest:
            import_module(name)
            freeze_existing_objects()
            await asyncio.sleep(0)

    def finish(self) -> bool:
        """The desk is there, and hears the figure itself. Whether the chat was asked for."""
        for signal, slot in self._heard:
            signal.disconnect(slot)
        return self._chat

    def _want_chat(self) -> None:
        self._chat = True

    def _look(self) -> None:
        """Only a frame with the figure on it counts: what is loaded before would delay that."""
        if self._pet.appeared_at is not None:
            self._came.set()

    def _come(self, _what: object) -> None:
        self._came.set()

    def _place(self, screen: str, feet: QPoint) -> None:
        places = dict(self._settings.settings.companion.positions)
        self._change("positions", {**places, screen: (feet.x(), feet.y())})

    def _scale(self, scale: float) -> None:
        self._change("scale", scale)

    def _change(self, name: str, value: object) -> None:
        with suppress(KnownError):  # the store tells why it isn't kept
            self._settings.change("companion", name, value)
