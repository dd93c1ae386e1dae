"""Theme, text size and language, live: every window is dressed anew when they change.

One window in each turn of the loop, the shown ones first, or even a part of one (`DressedInSteps`):
all at once would hold it too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTimer, QTranslator, Signal
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.language import language, set_language, tool_titles
from neodeskpet.live2d.part_names import part_name
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.desktop.wishes import Wish
from neodeskpet.ui.theme import Dressed, DressedInSteps, Theme, apply_theme, theme_for


class Moving(Protocol):
    def set_reduced_motion(self, reduced: bool) -> None: ...


class Appearance(QObject):
    """`theme` is the one worn now. `calmed(calm)` tells that less is to move, or more."""

    calmed = Signal(bool)

    def __init__(self, app: QApplication, settings: SettingsStore) -> None:
        super().__init__()
        self._wish = Wish()
        self._app = app
        self._settings = settings
        self._dressed: Sequence[Dressed] = ()
        self._moving: Moving | None = None
        self.theme = self._choose()
        self._undressed: list[Dressed] = []
        self._steps: Iterator[None] = iter(())
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._dress_next)
        apply_theme(app, self.theme)
        translate_qt(app)
        settings.observe(self._settled)
        app.styleHints().colorSchemeChanged.connect(self._scheme_changed)

    def dress(self, dressed: Sequence[Dressed], moving: Moving) -> None:
        """Dress these now and whenever something changes."""
        self._dressed = [*self._dressed, *dressed]
        self._moving = moving
        moving.set_reduced_motion(self.calm)
        for one in dressed:
            one.set_theme(self.theme)

    def dress_later(self, made: Dressed) -> None:
        """This one was made in the theme worn now: dress it whenever something changes."""
        self._dressed = [*self._dressed, made]

    def stop(self) -> None:
        """The windows are closed: nothing is dressed any more."""
        self._turn.stop()
        self._dressed = ()
        self._undressed = []
        self._steps = iter(())

    @property
    def calm(self) -> bool:
        """Whether less is to move: as the person chose here, else for their whole desktop."""
        chosen = self._settings.settings.appearance.reduced_motion
        return self._wish.calm if chosen == "system" else chosen == "on"

    def follow(self, wish: Wish) -> None:
        """What the person asked of their whole desktop."""
        before, self._wish = self._wish, wish
        if wish.contrast != before.contrast:
            self._change()
        if wish.calm != before.calm:
            self._calm_down()

    def _calm_down(self) -> None:
        if self._moving is not None:
            self._moving.set_reduced_motion(self.calm)
        self.calmed.emit(self.calm)

    def _choose(self) -> Theme:
        appearance = self._settings.settings.appearance
        chosen = appearance.contrast
        contrast = self._wish.contrast if chosen == "system" else chosen == "on"
        return theme_for(appearance.theme, appearance.font_size, contrast=contrast)

    def _settled(self, section: str, name: str, _value: object) -> None:
        if section != "appearance":
            return
        if name == "language":
            set_language(self._settings.settings.appearance.language)
            translate_qt(self._app)
            for one in self._dressed:
                retranslate = getattr(one, "retranslate", None)
                if retranslate is not None:
                    retranslate()
        elif name == "reduced_motion":
            self._calm_down()
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
        self._undressed = sorted(self._dressed, key=_is_shown)
        self._steps = iter(())
        self._turn.start()

    def _dress_next(self) -> None:
        for _ in self._steps:
            return
        if not self._undressed:
            self._turn.stop()
            return
        following = self._undressed.pop()
        if isinstance(following, DressedInSteps):
            self._steps = following.dress_in_steps(self.theme)
            next(self._steps, None)
        else:
            following.set_theme(self.theme)


def _is_shown(one: Dressed) -> bool:
    return isinstance(one, QWidget) and one.isVisible()


class Names:
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
