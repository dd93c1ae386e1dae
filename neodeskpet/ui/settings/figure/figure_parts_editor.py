"""The editor for the expressions and motions of the model, with the user's settings for each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGridLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.files.figure_settings import FigureSettings, PartSettings, motion_key
from neodeskpet.figure.poses import Pose, part_name
from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.settings.figure.figure_ports import FigureParts
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.accessible import mark_as_fold
from neodeskpet.ui.widgets.choice_tile import FlowGrid
from neodeskpet.ui.widgets.controls import CONTROL_HEIGHT, ComboBox, TextEntry
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip

POSE_LABELS = {
    Pose.IDLE: N_("At rest"),
    Pose.LISTENING: N_("Listening"),
    Pose.THINKING: N_("Thinking"),
    Pose.SPEAKING: N_("Speaking"),
    Pose.WORKING: N_("Using a tool"),
    Pose.ASKING: N_("Asking"),
    Pose.HAPPY: N_("Happy"),
    Pose.SORRY: N_("Sorry"),
    Pose.SURPRISED: N_("Surprised"),
    Pose.SHY: N_("Shy"),
    Pose.ANNOYED: N_("Annoyed"),
    Pose.DRAGGED: N_("Carried"),
    Pose.FALLING: N_("Falling"),
    Pose.LANDING: N_("Landing"),
    Pose.WALKING_LEFT: N_("Walking to the left"),
    Pose.WALKING_RIGHT: N_("Walking to the right"),
    Pose.SLEEPY: N_("Sleepy"),
    Pose.ASLEEP: N_("Asleep"),
    Pose.WAKING: N_("Waking"),
    Pose.GROGGY: N_("Just woken"),
    Pose.GREETING: N_("Greeting"),
}
_PLAY = 32
_CHIP = QSize(138, 30)
_AT_ONCE = 16


class FigurePartChip(QToolButton):
    """A button that plays an expression or motion of the bundled figure, with its translated name.
    `motion` is the number of the motion in its group, None if the group has only one.
    """

    def __init__(self, theme: Theme, own: str, motion: int | None = None) -> None:
        super().__init__()
        self._own = own
        self._motion = motion
        self.setProperty("quiet", True)
        self.setIconSize(QSize(16, 16))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._theme = theme
        self.set_theme(theme)
        self.retranslate()

    def sizeHint(self) -> QSize:
        return QSize(
            scale_to_font(_CHIP.width(), self._theme), scale_to_font(_CHIP.height(), self._theme)
        )

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setIcon(icon("play", QColor(theme.accent), 16))
        self.setFixedSize(self.sizeHint())

    def retranslate(self) -> None:
        name = part_name(self._own)
        if self._motion is not None:
            name = _numbered(name, self._motion)
        self.setText(name)
        set_tooltip(self, tr("Show it on the desktop"))
        self.setAccessibleName(tr("Show {name} on the desktop", name=name))


class FigurePartRow(QWidget):
    """One expression or motion: a preview button, its name, what it shows, and when. `edited(note)`
    reports a change. `own` is the model's name for it, shown until the user gives another one.
    """

    edited = Signal(object)

    def __init__(self, theme: Theme, own: str, note: PartSettings) -> None:
        super().__init__()
        self._own = own
        self._note = note
        self.play = QToolButton()
        self.play.setProperty("quiet", True)
        self.play.setFixedSize(_PLAY, CONTROL_HEIGHT)
        self.play.setIconSize(QSize(16, 16))
        self.title = TextEntry()
        self.about = TextEntry()
        self.pose = ComboBox(theme)
        self.title.setMaxLength(60)
        self.about.setMaxLength(200)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self.title.typed.connect(lambda text: self._change(title="" if text == own else text))
        self.about.typed.connect(lambda text: self._change(about=text, abouts={}))
        self.pose.chosen.connect(self._choose)
        self.set_theme(theme)
        self.set_narrow(False)
        self.retranslate()

    def show_note(self, note: PartSettings) -> None:
        self._note = note
        self.title.refresh(note.title or self._own)
        self.about.refresh(note.shown_text)
        self.pose.set_value(note.poses[0] if note.poses else "")

    def set_narrow(self, narrow: bool) -> None:
        """Show the description and the moment on a line of their own."""
        parts: tuple[QWidget, ...] = (self.title, self.about, self.pose)
        for widget in (self.play, *parts):
            self._grid.removeWidget(widget)
        self._grid.addWidget(self.play, 0, 0)
        if narrow:
            self._grid.addWidget(self.title, 0, 1)
            self._grid.addWidget(self.pose, 0, 2)
            self._grid.addWidget(self.about, 1, 1, 1, 2)
        else:
            for column, widget in enumerate(parts):
                self._grid.addWidget(widget, 0, column + 1)
        for column, part in enumerate((0, 5, 7, 5) if not narrow else (0, 5, 5, 0)):
            self._grid.setColumnStretch(column, part)

    def set_theme(self, theme: Theme) -> None:
        self.play.setIcon(icon("play", QColor(theme.accent), 16))
        self.play.setFixedSize(_PLAY, scale_to_font(CONTROL_HEIGHT, theme))
        self.pose.set_theme(theme)

    def retranslate(self) -> None:
        words = [("", tr("by its name"))]
        words += [(str(pose), tr(text)) for pose, text in POSE_LABELS.items()]
        self.pose.set_options(words)
        set_tooltip(self.play, tr("Show it on the desktop"))
        self.play.setAccessibleName(tr("Show {name} on the desktop", name=self._own))
        self.title.setAccessibleName(tr("Name of {name}", name=self._own))
        self.about.setAccessibleName(tr("What {name} shows", name=self._own))
        self.about.setPlaceholderText(tr("What it shows"))
        self.pose.setAccessibleName(tr("When {name} is shown", name=self._own))
        set_tooltip(self.pose, tr("When it is shown"))
        self.show_note(self._note)

    def _choose(self, value: str) -> None:
        self._change(poses=(Pose(value),) if value else ())

    def _change(self, **values: object) -> None:
        self._note = self._note.model_copy(update=values)
        self.edited.emit(self._note)


class CollapsibleSection(QWidget):
    """A heading that shows and hides `body`."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.head = QPushButton()
        self.head.setProperty("quiet", True)
        self.head.setStyleSheet("padding-left: 0px;")
        self.head.setCheckable(True)
        mark_as_fold(self.head)
        self.head.setIconSize(QSize(16, 16))
        self.head.toggled.connect(self._toggle)
        self.body = QWidget()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addWidget(self.head, 0, Qt.AlignmentFlag.AlignLeft)
        box.addWidget(self.body)
        self._toggle(False)

    def set_title(self, title: str) -> None:
        self.head.setText(title)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._toggle(self.head.isChecked())

    def _toggle(self, opened: bool) -> None:
        name = "chevron-down" if opened else "chevron-right"
        self.head.setIcon(icon(name, QColor(self._theme.muted), 16))
        self.body.setVisible(opened)


class FigurePartList(CollapsibleSection):
    """The rows of the expressions or of the motions. Those that can only be played are chips."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._narrow = False
        self.rows: dict[str, FigurePartRow] = {}
        self.chips: dict[str, FigurePartChip] = {}
        self._lines = QVBoxLayout(self.body)
        self._lines.setContentsMargins(0, 0, 0, 4)
        self._lines.setSpacing(6)
        self._flow = FlowGrid(6)
        self._lines.addWidget(self._flow)

    def clear(self) -> None:
        for old in self.rows.values():
            old.hide()
            old.deleteLater()
        self.rows = {}
        self.set_chips({})

    def add_row(self, name: str, row: FigurePartRow) -> None:
        self.rows[name] = row
        row.set_narrow(self._narrow)
        self._lines.addWidget(row)

    def set_chips(self, chips: dict[str, FigurePartChip]) -> None:
        """Replace the chips by these."""
        self.chips = chips
        self._flow.set_widgets(list(chips.values()))
        self._flow.setVisible(bool(chips))

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        for row in self.rows.values():
            row.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for part in self._parts():
            part.set_theme(theme)

    def retranslate(self) -> None:
        for part in self._parts():
            part.retranslate()

    def _parts(self) -> list[FigurePartRow | FigurePartChip]:
        return [*self.rows.values(), *self.chips.values()]


class FigurePartsEditor(QWidget):
    """Signals: `noted(side)`: the user changed a setting; `expression(name)` and `motion(group,
    index)` request a preview, by the model's own names. A few rows are created in each iteration of
    the event loop, because a model may have a thousand motions.
    """

    noted = Signal(object)
    expression = Signal(str)
    motion = Signal(str, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._parts: FigureParts | None = None
        self.facts = PlainLabel()
        self.facts.setProperty("muted", True)
        self.facts.setWordWrap(True)
        self.expressions = FigurePartList(theme)
        self.motions = FigurePartList(theme)
        self._to_make: Iterator[None] = iter(())
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._make_some)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        for widget in (self.facts, self.expressions, self.motions):
            box.addWidget(widget)
        self.set_theme(theme)
        self.hide()

    def show_parts(self, parts: FigureParts | None) -> None:
        """Show the parts of a model. Rows are created again only if the model needs other ones."""
        before, self._parts = self._parts, parts
        self.setVisible(parts is not None)
        if parts is None:
            return
        if before is None or _shape(before) != _shape(parts):
            self._make_rows(parts)
        self._show_notes(parts)
        self._write_texts()

    def set_narrow(self, narrow: bool) -> None:
        self.expressions.set_narrow(narrow)
        self.motions.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.facts.setFont(ui_font(theme, theme.small_px))
        self.expressions.set_theme(theme)
        self.motions.set_theme(theme)

    def retranslate(self) -> None:
        self.expressions.retranslate()
        self.motions.retranslate()
        self._write_texts()

    def _make_rows(self, parts: FigureParts) -> None:
        for shown in (self.expressions, self.motions):
            shown.clear()
        self.expressions.setVisible(bool(parts.description.own_expressions))
        self.motions.setVisible(bool(parts.description.own_motions))
        self._to_make = self._rows_of(parts) if parts.editable else iter(())
        if not parts.editable:
            self._make_chips(parts)
        self._turn.start()
        self._make_some()

    def _make_some(self) -> None:
        made = sum(1 for _ in islice(self._to_make, _AT_ONCE))
        if made < _AT_ONCE:
            self._turn.stop()

    @property
    def _side(self) -> FigureSettings:
        """Return the current settings of the model."""
        return self._parts.side if self._parts is not None else FigureSettings()

    def _rows_of(self, parts: FigureParts) -> Iterator[None]:
        """Create the rows one by one."""
        for own in parts.description.own_expressions:
            row = FigurePartRow(self._theme, own, self._side.expressions.get(own, PartSettings()))
            row.play.clicked.connect(lambda _=False, name=own: self.expression.emit(name))
            row.edited.connect(lambda note, name=own: self._note_expression(name, note))
            self.expressions.add_row(own, row)
            yield
        for motion in _own_motions(parts):
            key = motion_key(motion)
            title = _motion_title(motion, parts.description.own_motions[motion[0]])
            row = FigurePartRow(self._theme, title, self._side.motions.get(key, PartSettings()))
            row.play.clicked.connect(lambda _=False, which=motion: self.motion.emit(*which))
            row.edited.connect(lambda note, which=motion: self._note_motion(which, note))
            self.motions.add_row(key, row)
            yield

    def _make_chips(self, parts: FigureParts) -> None:
        faces: dict[str, FigurePartChip] = {}
        for own in parts.description.own_expressions:
            faces[own] = FigurePartChip(self._theme, own)
            faces[own].clicked.connect(lambda _=False, name=own: self.expression.emit(name))
        acts: dict[str, FigurePartChip] = {}
        for motion in _own_motions(parts):
            group, index = motion
            alone = parts.description.own_motions[group] == 1
            chip = FigurePartChip(self._theme, group, None if alone else index)
            acts[motion_key(motion)] = chip
            chip.clicked.connect(lambda _=False, which=motion: self.motion.emit(*which))
        self.expressions.set_chips(faces)
        self.motions.set_chips(acts)

    def _show_notes(self, parts: FigureParts) -> None:
        for notes, rows in (
            (parts.side.expressions, self.expressions.rows),
            (parts.side.motions, self.motions.rows),
        ):
            for name, row in rows.items():
                row.show_note(notes.get(name, PartSettings()))

    def _write_texts(self) -> None:
        if self._parts is None:
            return
        found = self._parts.description
        self.expressions.set_title(
            tr("Expressions ({count})", count=str(len(found.own_expressions)))
        )
        motions = str(len(_own_motions(self._parts)))
        self.motions.set_title(tr("Motions ({count})", count=motions))
        lines = [
            tr("Left out: {file}. {reason}", file=d.file, reason=d.reason) for d in found.dropped
        ]
        if not self._parts.editable:
            lines.append(tr("The expressions and motions of this one keep their names."))
        self.facts.setText("\n".join(lines[:6]))
        self.facts.setVisible(bool(lines))

    def _note_expression(self, own: str, note: PartSettings) -> None:
        if self._parts is not None:
            self._tell(self._parts.side.with_expression(own, note))

    def _note_motion(self, own: Motion, note: PartSettings) -> None:
        if self._parts is not None:
            self._tell(self._parts.side.with_motion(own, note))

    def _tell(self, side: FigureSettings) -> None:
        self.noted.emit(side)


def _shown_motions(parts: FigureParts) -> list[Motion]:
    motions = parts.description.motions
    return [(group, index) for group, count in motions.items() for index in range(count)]


def _own_motions(parts: FigureParts) -> list[Motion]:
    order = list(parts.description.own_motions)
    own = [parts.description.own_motion(motion) for motion in _shown_motions(parts)]
    return sorted(own, key=lambda motion: (order.index(motion[0]), motion[1]))


def _motion_title(motion: Motion, count: int) -> str:
    """Return the title of a motion. A motion that is the only one of its group has the name of the
    group.
    """
    group, index = motion
    return group if group and count == 1 else _numbered(group, index)


def _numbered(group: str, index: int) -> str:
    return f"{group} {index + 1}".strip()


def _shape(parts: FigureParts) -> object:
    """Return a value that differs between models that need different rows."""
    found = parts.description
    return found.file, parts.editable, frozenset(found.own_expressions), found.own_motions
