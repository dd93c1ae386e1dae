"""The settings page of the figure's own character: its words, its model and what that can do."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.figure.files.figure_settings import FigureSettings
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.dialog_folders import DialogFolders
from neodeskpet.ui.settings.figure.delayed_save import DelayedSaver
from neodeskpet.ui.settings.figure.figure_parts_editor import FigurePartsEditor
from neodeskpet.ui.settings.figure.figure_ports import FigureParts, ModelsPort, PersonaPort
from neodeskpet.ui.settings.figure.model_gallery import ModelGallery
from neodeskpet.ui.settings.figure.persona_editor import PersonaEditor
from neodeskpet.ui.settings.figure.touch_area_editor import TouchAreaEditor
from neodeskpet.ui.settings.settings_page import GAP, SettingsPage
from neodeskpet.ui.settings.settings_row import ROW_PADDING, SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import LabeledSlider
from neodeskpet.ui.widgets.labels import button_text

_MODEL = "model"
_WORDS = (N_("Figure"), "Live2D", "avatar", "moc3", N_("Import…"), "形象", "模型", "导入")
_PART_WORDS = (N_("Expressions and motions"), N_("Its own size"), N_("To the right"), N_("Down"))


class FigurePage(SettingsPage):
    """Who it is, face and moves, and voice: a card for each. The models are listed when the page is
    shown, on the running event loop.
    """

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        models: ModelsPort,
        persona: PersonaPort,
        theme: Theme,
        folders: DialogFolders,
    ) -> None:
        self._models = models
        self._folders = folders
        self._persona = persona
        self._path = ""
        self._parts: FigureParts | None = None
        self._work = TaskRunner("models", failed=self._fail)
        self._notes: DelayedSaver[FigureSettings] = DelayedSaver(self._keep, self._fail)
        super().__init__(section, port, theme)

    def build(self) -> None:
        self.gallery = ModelGallery(self._models, self.theme, self._folders, before=self._settle)
        self.persona = PersonaEditor(self._persona, self.theme, self.section.title)
        self.editor = FigurePartsEditor(self.theme)
        self.areas = TouchAreaEditor(self.theme)
        self.size_scale = LabeledSlider(0.5, 2.0, 0.05, unit="%")
        self.right = LabeledSlider(-0.5, 0.5, 0.02, unit="%")
        self.down = LabeledSlider(-0.5, 0.5, 0.02, unit="%")
        title = self.section.title
        self._gallery_row = SettingsRow(
            self.theme, self.gallery, stack=search_text((title, *_WORDS)), wide=True
        )
        stack = search_text((title, *_PART_WORDS))
        self._stand_rows = [
            SettingsRow(self.theme, scale, stack=stack)
            for scale in (self.size_scale, self.right, self.down)
        ]
        for row in self.persona.rows:
            self.add_row(row)
        self._build_face()
        self._build_voice()
        self._connect()
        self._show_parts(None)

    def _build_face(self) -> None:
        self.face_heading, face, box = self.add_section()
        parts = QVBoxLayout()
        parts.setContentsMargins(ROW_PADDING, 8, ROW_PADDING, 8)
        parts.setSpacing(GAP)
        self.add_row(self._gallery_row, face)
        for widget in (self.editor, self.areas):
            parts.addWidget(widget)
        box.addLayout(parts)
        for row in self._stand_rows:
            self.add_row(row, face)

    def _build_voice(self) -> None:
        self.voice_heading, card, _ = self.add_section()
        self.voice = QPushButton()
        self.voice.clicked.connect(lambda: self.link_requested.emit("voice"))
        self._voice_row = SettingsRow(self.theme, self.voice, stack=search_text((N_("Voice"),)))
        self.add_row(self._voice_row, card)

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if (section, name) == (self.section.name, _MODEL) and self.isVisible():
            self.gallery.set_current(self._current())
            self._look_at(self._current())

    def show_error(self, name: str, text: str) -> None:
        if name == _MODEL:
            self.gallery.show_error(text)
        else:
            super().show_error(name, text)

    def search(self, query: str) -> int:
        count = super().search(query)
        found = not query and self._parts is not None
        self.editor.setVisible(found)
        self.areas.setVisible(found and self._parts is not None and self._parts.editable)
        return count

    def set_narrow(self, narrow: bool) -> None:
        super().set_narrow(narrow)
        self.editor.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for part in (self.gallery, self.editor, self.areas):
            part.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        for part in (self.gallery, self.persona, self.editor, self.areas):
            part.retranslate()
        name = self.companion_name()
        self.face_heading.setText(tr("Face and moves"))
        self.voice_heading.setText(tr("Voice"))
        self._voice_row.set_texts(
            tr("How {name} sounds", name=name), tr("The voice, its speed and its volume.")
        )
        self.voice.setText(button_text(tr("Voice & sounds…")))
        self.voice.setAccessibleName(tr("Voice & sounds…"))
        self._gallery_row.set_texts(tr("Figure"))
        titles = (
            (self.size_scale, tr("Its own size"), ""),
            (self.right, tr("To the right"), ""),
            (self.down, tr("Down"), tr("How far it stands from where you put it.")),
        )
        for row, (scale, text, note) in zip(self._stand_rows, titles, strict=True):
            row.set_texts(text, note)
            scale.set_name(text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.gallery.refresh(self._current())
        self.persona.refresh()

    async def _settle(self) -> None:
        """Save the pending settings of the figure before the model changes."""
        self.persona.text.flush()
        await self.persona.flush()
        await self._notes.flush()

    async def aclose(self) -> None:
        await self.persona.aclose()
        await self._notes.flush()
        await self.gallery.aclose()
        await self._work.aclose()

    # The shown model

    def _connect(self) -> None:
        self.gallery.chosen.connect(self._look_at)
        self.editor.noted.connect(self._note)
        self.editor.expression.connect(self._preview_expression)
        self.editor.motion.connect(self._preview_motion)
        self.areas.noted.connect(self._note)
        self.size_scale.moved.connect(lambda size: self._change(size=size))
        for scale in (self.right, self.down):
            scale.moved.connect(
                lambda _: self._change(offset=(self.right.value(), self.down.value()))
            )

    def _current(self) -> str:
        return str(self.port.value(self.section.name, _MODEL))

    def _look_at(self, path: str) -> None:
        """Load and show this model; a newer call replaces one that still runs."""
        self._work.replace("look", partial(self._load, path))

    async def _load(self, path: str) -> None:
        if path != self._path:
            self._show_parts(None)  # a change must not be saved for the old model
            self._path = path
        await self._notes.flush()
        self._show_parts(await self._models.parts(path))
        if self._parts is not None and self._parts.editable:
            self.areas.set_picture(await self._models.picture(path))

    def _preview_expression(self, own: str) -> None:
        self._work.replace("preview", partial(self._show_expression, own))

    def _preview_motion(self, group: str, index: int) -> None:
        self._work.replace("preview", partial(self._show_motion, group, index))

    async def _show_expression(self, own: str) -> None:
        await self._notes.flush()  # the name may have been changed just now
        if self._parts is not None:
            shown = self._parts.description.shown_expression(own)
            await self._models.show_expression(shown)

    async def _show_motion(self, group: str, index: int) -> None:
        await self._notes.flush()
        if self._parts is not None:
            shown = self._parts.description.shown_motion((group, index))
            await self._models.show_motion(*shown)

    def _change(self, **values: object) -> None:
        if self._parts is not None:
            self._note(self._parts.side.model_copy(update=values))

    def _note(self, side: FigureSettings) -> None:
        """Show the change at once, so that the next change includes it; save it after a pause."""
        if self._parts is None:
            return
        self._show_parts(replace(self._parts, side=side))
        self._notes.save_later(self._path, side)

    async def _keep(self, path: str, side: FigureSettings) -> None:
        parts = await self._models.note(path, side)
        if path == self._path and self._parts is not None and self._parts.side == side:
            self._show_parts(parts)

    def _fail(self, error: KnownError) -> None:
        self.gallery.show_error(format_error(error))

    def _show_parts(self, parts: FigureParts | None) -> None:
        self._parts = parts
        self.editor.show_parts(parts)
        editable = parts is not None and parts.editable
        self.areas.show_side(parts.side if parts is not None and editable else None)
        for row in self._stand_rows:
            row.set_relevant(editable)
        if parts is not None:
            self.size_scale.set_value(parts.side.size)
            self.right.set_value(parts.side.offset[0])
            self.down.set_value(parts.side.offset[1])
