"""Theme, text size and language, live: every window is dressed anew when they change.

One window in each turn of the loop, the shown ones first, or even a part of one (`ThemedInSteps`):
all at once would hold it too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTimer, QTranslator, Signal
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.figure.poses import part_name
from neodeskpet.language import language, set_language, tool_titles
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.desktop.desktop_preferences import DesktopPreferences
from neodeskpet.ui.theme import Theme, Themed, ThemedInSteps, apply_theme, theme_for


class MotionAware(Protocol):
    def set_reduced_motion(self, reduced: bool) -> None: ...


class ThemeManager(QObject):
    """`theme` is the one worn now. `calmed(calm)` tells that less is to move, or more."""

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
        """Dress these now and whenever something changes."""
        self._themed = [*self._themed, *dressed]
        self._motion_aware = moving
        moving.set_reduced_motion(self.reduced_motion)
        for one in dressed:
            one.set_theme(self.theme)

    def register(self, made: Themed) -> None:
        """This one was made in the theme worn now: dress it whenever something changes."""
        self._themed = [*self._themed, made]

    def stop(self) -> None:
        """The windows are closed: nothing is dressed any more."""
        self._next_timer.stop()
        self._themed = ()
        self._pending = []
        self._steps = iter(())

    @property
    def reduced_motion(self) -> bool:
        """Whether less is to move: as the person chose here, else for their whole desktop."""
        chosen = self._settings.settings.appearance.reduced_motion
        return self._preferences.reduced_motion if chosen == "system" else chosen == "on"

    def set_desktop_preferences(self, wish: DesktopPreferences) -> None:
        """What the person asked of their whole desktop."""
        before, self._preferences = self._preferences, wish
        if wish.contrast != before.contrast:
            self._change()
        if wish.reduced_motion != before.reduced_motion:
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
    """What tools, expressions and motions are called in the language of now, by the names that
    models use.
    """

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        self.tool = tool_titles(specs)
        self.part = part_name
        """An expression or a motion, in a language. The figure on the desktop does not matter:
        old messages show gestures of other figures.
        """


def translate_qt(app: QApplication) -> None:
    """Qt's own texts (copy, paste, file dialogs) in the person's language."""
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(QLocale(language()), "qtbase", "_", folder):
        app.installTranslator(translator)
