"""Applies theme, text size and language to all windows while the app runs.

One window is updated in each iteration of the event loop, visible ones first; a large window is
updated in parts (`ThemedInSteps`). Updating all at once would block the loop too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTimer, QTranslator, Signal
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.figure.poses import part_name
from neodeskpet.language import language, set_language, system_language, tool_titles, tr
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.desktop.desktop_preferences import DesktopPreferences
from neodeskpet.ui.theme import Theme, Themed, ThemedInSteps, apply_theme, theme_for, ui_font


class MotionAware(Protocol):
    def set_reduced_motion(self, reduced: bool) -> None: ...


class ThemeManager(QObject):
    """Applies the theme. `theme` is the current one. `reduced_motion_changed(calm)` reports whether
    motion is reduced.
    """

    reduced_motion_changed = Signal(bool)

    def __init__(self, app: QApplication, settings: SettingsStore) -> None:
        super().__init__()
        self._preferences = DesktopPreferences()
        self._app = app
        self._settings = settings
        self._themed: Sequence[Themed] = ()
        self._motion_aware: MotionAware | None = None
        self.theme = self._choose()
        self._pending: list[Themed] = []
        self._steps: Iterator[None] = iter(())
        self._next_timer = QTimer(self, interval=0)
        self._next_timer.timeout.connect(self._apply_next)
        apply_theme(app, self.theme)
        translate_qt(app)
        settings.subscribe(self._setting_changed)
        app.styleHints().colorSchemeChanged.connect(self._scheme_changed)

    def apply_theme(self, dressed: Sequence[Themed], moving: MotionAware) -> None:
        """Apply the theme to these windows now and after each change."""
        self._themed = [*self._themed, *dressed]
        self._motion_aware = moving
        moving.set_reduced_motion(self.reduced_motion)
        for one in dressed:
            one.set_theme(self.theme)

    def register(self, made: Themed) -> None:
        """Add a window that was created with the current theme; it is updated after each change."""
        self._themed = [*self._themed, made]

    def stop(self) -> None:
        """Stop following changes; the windows are closed."""
        self._next_timer.stop()
        self._themed = ()
        self._pending = []
        self._steps = iter(())

    @property
    def reduced_motion(self) -> bool:
        """Whether motion is reduced: by the setting of the app, else by that of the desktop."""
        chosen = self._settings.settings.appearance.reduced_motion
        return self._preferences.reduced_motion if chosen == "system" else chosen == "on"

    def set_desktop_preferences(self, preferences: DesktopPreferences) -> None:
        """Apply the accessibility preferences of the desktop."""
        before, self._preferences = self._preferences, preferences
        if preferences.contrast != before.contrast:
            self._change()
        if preferences.reduced_motion != before.reduced_motion:
            self._apply_reduced_motion()

    def _apply_reduced_motion(self) -> None:
        if self._motion_aware is not None:
            self._motion_aware.set_reduced_motion(self.reduced_motion)
        self.reduced_motion_changed.emit(self.reduced_motion)

    def _choose(self) -> Theme:
        appearance = self._settings.settings.appearance
        chosen = appearance.contrast
        contrast = self._preferences.contrast if chosen == "system" else chosen == "on"
        return theme_for(appearance.theme, appearance.font_size, contrast=contrast)

    def _setting_changed(self, section: str, name: str, _value: object) -> None:
        if section != "appearance":
            return
        if name == "language":
            set_language(self._settings.settings.appearance.language)
            translate_qt(self._app)
            for one in self._themed:
                retranslate = getattr(one, "retranslate", None)
                if retranslate is not None:
                    retranslate()
            # The width of the punctuation depends on the language, also in the windows' own fonts.
            self._app.setFont(ui_font(self.theme))
            self._update_windows()
        elif name == "reduced_motion":
            self._apply_reduced_motion()
        else:
            self._change()

    def _scheme_changed(self, _scheme: object) -> None:
        self._change()

    def _change(self) -> None:
        theme = self._choose()
        if theme == self.theme:
            return
        self.theme = theme
        apply_theme(self._app, theme)
        self._update_windows()

    def _update_windows(self) -> None:
        """Let all windows take the theme, one after the other."""
        self._pending = sorted(self._themed, key=_is_shown)
        self._steps = iter(())
        self._next_timer.start()

    def _apply_next(self) -> None:
        for _ in self._steps:
            return
        if not self._pending:
            self._next_timer.stop()
            return
        following = self._pending.pop()
        if isinstance(following, ThemedInSteps):
            self._steps = following.set_theme_in_steps(self.theme)
            next(self._steps, None)
        else:
            following.set_theme(self.theme)


def _is_shown(one: Themed) -> bool:
    return isinstance(one, QWidget) and one.isVisible()


class DisplayNames:
    """Display names of tools, expressions and motions in the current language, by the names that
    models use.
    """

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        self.tool = tool_titles(specs)
        self.part = part_name
        """Return the display name of an expression or motion. It does not depend on the current
        figure: old messages show gestures of other figures.
        """


_OWN_QT_TEXTS = {
    ("QFileDialog", "&Look in:"): N_("&Look in:"),
    ("QFileDialog", "Files of &type:"): N_("Files of &type:"),
    ("QFileSystemModel", "Size"): N_("Size"),
    ("QAbstractFileIconProvider", "Folder"): N_("Folder"),
    ("QAbstractFileIconProvider", "File"): N_("File"),
    ("QAbstractFileIconProvider", "%1 File"): N_("%1 File"),
    ("QAbstractFileIconProvider", "Drive"): N_("Drive"),
    ("QPrintSettingsOutput", "Page &Set:"): N_("Page &Set:"),
    ("QPageSetupWidget", "Page &order:"): N_("Page &order:"),
    ("QPageSetupWidget", "Pages &per sheet:"): N_("Pages &per sheet:"),
    ("QPrintPropertiesDialog", "Custom value for %1"): N_("Custom value for %1"),
    ("QCupsJobWidget", "Scheduled &printing:"): N_("Scheduled &printing:"),
    ("QCupsJobWidget", "&Billing information:"): N_("&Billing information:"),
    ("QCupsJobWidget", "Job &priority:"): N_("Job &priority:"),
    ("QCupsJobWidget", "&Start:"): N_("&Start:"),
    ("QCupsJobWidget", "&End:"): N_("&End:"),
    ("QLineEdit", "&Undo"): N_("&Undo"),
    ("QWidgetTextControl", "&Undo"): N_("&Undo"),
}
"""Texts of Qt, with their contexts, that its Chinese catalogue lacks, or translates with other
words than this app.
"""


class _OwnQtTexts(QTranslator):
    """Translates `_OWN_QT_TEXTS`."""

    def translate(
        self, context: str, text: str, disambiguation: str | None = None, count: int = -1
    ) -> str | None:
        own = _OWN_QT_TEXTS.get((context, text))
        return None if own is None else tr(own)

    def isEmpty(self) -> bool:
        return False  # Qt doesn't install an empty translator


def translate_qt(app: QApplication) -> None:
    """Translate Qt's own texts (copy, paste, file dialogs) into the user's language. The kinds of
    files and the dates in dialogs are in the language of the default locale.
    """
    same = language() == system_language()
    QLocale.setDefault(QLocale.system() if same else QLocale(language()))
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(QLocale(language()), "qtbase", "_", folder):
        app.installTranslator(translator)
    if language() != "en":
        # The translator that is installed last is asked first.
        app.installTranslator(_OwnQtTexts(app))
