"""The appearance of everything: the only module that defines colours, sizes, radii and timings.

`theme_for("light" | "dark" | "system")` returns a `Theme`; `apply_theme(app, theme)` sets style,
palette and font of ordinary widgets, and each window applies the style sheet
(`apply_window_theme`). Custom painting takes its tokens from the `Theme`.

Colours are `"#RRGGBB"` texts (`"#AARRGGBB"` with alpha), which `QColor` and style sheets both
accept; sizes are device-independent pixels, timings milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QPainter,
    QPalette,
)
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.language import language
from neodeskpet.platform.installation import assets_dir

if TYPE_CHECKING:
    from neodeskpet.settings.settings_model import AppearanceSettings

ThemeName = Literal["light", "dark", "system"]

# Base unit: gaps, paddings and heights are multiples of it.
STEP = 4
MIN_HANDLE_LENGTH = 32
"""Minimum length of a scroll bar's handle in pixels."""

FALLBACK_FAMILIES = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei UI",
    "Noto Color Emoji",
    "Apple Color Emoji",
    "Segoe UI Emoji",
)
CODE_FAMILIES = (
    "Cascadia Mono",
    "SF Mono",
    "Menlo",
    "Consolas",
    "JetBrains Mono",
    "DejaVu Sans Mono",
    "Liberation Mono",
    "Noto Sans Mono CJK SC",
)
# The defaults of fontconfig without a chosen font; the Latin letters of the CJK family are better
# then.
_BARE_FAMILIES = frozenset({"DejaVu Sans", "Bitstream Vera Sans", "Sans Serif", "Sans", ""})
_BETTER_FAMILIES = ("Noto Sans", "Noto Sans CJK SC", "Source Han Sans SC")

_WIDE = "[\u3000-\u30ff\u3400-\u9fff\uff01-\uff60]"
"""A pattern that is compiled on first use: ranges of letters take 2 ms, and the figure
needs none.
"""
_NARROW_QUOTES = QFont.Tag("pwid")
"""With a Chinese font only, “quotes” and apostrophes would be as wide as Chinese characters."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """Colours of highlighted code."""

    keyword: str
    string: str
    number: str
    comment: str
    name: str
    builtin: str


@dataclass(frozen=True, slots=True)
class Theme:
    """All tokens. Every text colour is readable on `window`, `surface`, `code` and `hover` (WCAG
    AA, 4.5 : 1), and `text` on every ground. Selected and found text is painted in `text`, because
    the other colours are not readable on `selection`, `mark` and `mark_current`.
    """

    name: Literal["light", "dark"]

    window: str
    surface: str
    code: str
    line: str
    control_line: str
    text: str
    muted: str
    accent: str
    on_accent: str
    accent_hover: str
    person: str
    hover: str
    pressed: str
    selection: str
    mark: str
    mark_current: str
    done: str
    failed: str
    asks: str
    ink: str
    shadow: str
    desktop: tuple[str, str, str]
    syntax: Syntax
    contrast: bool = False

    font_px: int = 14
    code_px: int = 13
    small_px: int = 12
    heading_px: int = 17
    line_height: float = 1.55

    message_gap: int = 16
    inner_gap: int = 12
    card_gap: int = 8
    padding: int = 12
    portrait: int = 32
    card_height: int = 36
    notice_height: int = 36
    button_height: int = 28
    column_chars: int = 72

    message_radius: int = 12
    card_radius: int = 8
    control_radius: int = 6
    focus_width: int = 2
    ink_width: int = 2

    bubble_width: int = 280
    bubble_lines: int = 5

    frame_ms: int = 33
    motion_ms: int = 150
    caret_ms: int = 1100
    pulse_ms: int = 1600
    hover_delay_ms: int = 300

    @property
    def dark(self) -> bool:
        return self.name == "dark"

    @property
    def line_px(self) -> int:
        """Minimum height of a line of text."""
        return round(self.font_px * self.line_height)

    def sized(self, font_px: int) -> Theme:
        """Return the theme with another text size (px); code, small text and headings follow."""
        return replace(
            self,
            font_px=font_px,
            code_px=font_px - 1,
            small_px=max(10, font_px - 2),
            heading_px=font_px + 3,
            card_height=36 + max(0, font_px - 14) * 2,
            notice_height=36 + max(0, font_px - 14) * 2,
            button_height=28 + max(0, font_px - 14) * 2,
            bubble_width=280 * max(font_px, 14) // 14,
        )


LIGHT = Theme(
    name="light",
    window="#FBF8F3",
    surface="#FFFFFF",
    code="#F4EFE8",
    line="#E8E2D8",
    control_line="#8F8672",
    text="#2B2440",
    muted="#6B6480",
    accent="#187680",
    on_accent="#FFFFFF",
    accent_hover="#13636C",
    person="#E3F3F1",
    hover="#F5F0E8",
    pressed="#EEE8DE",
    selection="#B5DFDC",
    mark="#FBE9A9",
    mark_current="#F6BE55",
    done="#2F7A4D",
    failed="#B93A33",
    asks="#94600F",
    ink="#2B2440",
    shadow="#242B2440",
    desktop=("#9FB6CC", "#C6B7D6", "#EBC9B6"),
    syntax=Syntax(
        keyword="#8A45B5",
        string="#2F7A4D",
        number="#94600F",
        comment="#6B6480",
        name="#1F6FA8",
        builtin="#177079",
    ),
)

DARK = Theme(
    name="dark",
    window="#1C1926",
    surface="#262233",
    code="#221E2E",
    line="#3A3450",
    control_line="#7A7198",
    text="#EDE9F5",
    muted="#A9A1BE",
    accent="#6FD6CC",
    on_accent="#1C1926",
    accent_hover="#8CE2D9",
    person="#23403F",
    hover="#2D283C",
    pressed="#373149",
    selection="#2F5F62",
    mark="#54461E",
    mark_current="#7A5C14",
    done="#6CCB8F",
    failed="#F08C84",
    asks="#E5B565",
    ink="#0F0D16",
    shadow="#80000000",
    desktop=("#22304A", "#332B4E", "#4A3346"),
    syntax=Syntax(
        keyword="#CF9BEF",
        string="#8FD6A6",
        number="#E5B565",
        comment="#A9A1BE",
        name="#8FBEF0",
        builtin="#6FD6CC",
    ),
)


LIGHT_CONTRAST = replace(
    LIGHT,
    contrast=True,
    window="#FFFFFF",
    code="#FFFFFF",
    line="#595959",
    control_line="#000000",
    text="#000000",
    muted="#2E2E2E",
    accent="#004A52",
    accent_hover="#00323A",
    person="#C4E8F1",
    hover="#E6E6E6",
    pressed="#D9D9D9",
    selection="#FFD84D",
    done="#00491D",
    failed="#8A0A05",
    asks="#593600",
    ink="#000000",
    syntax=Syntax(
        keyword="#5B1283",
        string="#00491D",
        number="#593600",
        comment="#2E2E2E",
        name="#003E70",
        builtin="#004A52",
    ),
    focus_width=3,
)
DARK_CONTRAST = replace(
    DARK,
    contrast=True,
    window="#000000",
    surface="#000000",
    code="#000000",
    line="#A6A6A6",
    control_line="#FFFFFF",
    text="#FFFFFF",
    muted="#DEDEDE",
    accent="#7DF5E8",
    on_accent="#000000",
    accent_hover="#B0FFF6",
    person="#004448",
    hover="#2B2B2B",
    pressed="#454545",
    selection="#6A2B86",
    mark_current="#6B5010",
    done="#8BFFB2",
    failed="#FFA8A1",
    asks="#FFD58A",
    ink="#000000",
    syntax=Syntax(
        keyword="#E3BDFF",
        string="#A6FFC4",
        number="#FFD58A",
        comment="#DEDEDE",
        name="#B8DBFF",
        builtin="#7DF5E8",
    ),
    focus_width=3,
)


class Themed(Protocol):
    """A window or part that uses the theme; one with texts also has `retranslate`."""

    def set_theme(self, theme: Theme) -> None: ...


@runtime_checkable
class ThemedInSteps(Themed, Protocol):
    """One with so many widgets that styling all at once would block the UI thread: visible parts
    come first, and each step can run in its own iteration of the loop.
    """

    def set_theme_in_steps(self, theme: Theme) -> Iterator[None]: ...


def theme_for(name: ThemeName, font_px: int = 14, *, contrast: bool = False) -> Theme:
    """Return the theme of this name; "system" follows the desktop's colour scheme (light if
    unknown). With `contrast` no information is given by a tint alone, and all text has at least 7 :
    1.
    """
    if name == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        name = "dark" if scheme == Qt.ColorScheme.Dark else "light"
    plain, strong = (DARK, DARK_CONTRAST) if name == "dark" else (LIGHT, LIGHT_CONTRAST)
    theme = strong if contrast else plain
    return theme if font_px == theme.font_px else theme.sized(font_px)


def startup_theme(look: AppearanceSettings) -> Theme:
    """Return the theme of the settings, before the desktop was asked for its preferences."""
    return theme_for(look.theme, look.font_size, contrast=look.contrast == "on")


def scale_to_font(length: int, theme: Theme) -> int:
    """Scale `length`, which is right for the default text size, to the theme's text size."""
    return length * max(theme.font_px, 14) // 14


def ui_font(theme: Theme, px: int | None = None, *, bold: bool = False) -> QFont:
    """Return the interface font at `px` (the theme's text size by default), with CJK and emoji."""
    font = QFont()
    font.setFamilies(list(_ui_families()))
    font.setPixelSize(px or theme.font_px)
    if language() == "zh_CN":
        font.unsetFeature(_NARROW_QUOTES)  # a new font inherits the application's features
    else:
        font.setFeature(_NARROW_QUOTES, 1)
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def font_for_text(text: str, font: QFont) -> QFont:
    """Return `font` for `text`: the feature that makes English quotes narrow would also make
    Chinese and Japanese punctuation (，（）！) narrow, which is as wide as the characters.
    """
    if not font.isFeatureSet(_NARROW_QUOTES) or not re.search(_WIDE, text):
        return font
    wide = QFont(font)
    wide.unsetFeature(_NARROW_QUOTES)
    return wide


def code_font(theme: Theme, px: int | None = None) -> QFont:
    """Return the monospace font at `px` (the theme's code size by default)."""
    font = QFont()
    font.setFamilies([*CODE_FAMILIES, *FALLBACK_FAMILIES])
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.unsetFeature(_NARROW_QUOTES)
    font.setPixelSize(px or theme.code_px)
    return font


def _ui_families() -> tuple[str, ...]:
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    family = QFontInfo(system).family()
    if family in _BARE_FAMILIES:
        return (*_BETTER_FAMILIES, family or "Sans Serif", *FALLBACK_FAMILIES)
    return (family, *FALLBACK_FAMILIES)


def preload_fonts(theme: Theme) -> None:
    """Load the CJK, emoji and code fonts now; otherwise the first text of a reply would wait for
    them (14–81 ms). Call it once at start, before the chat is shown.
    """
    image = QImage(64, 32, QImage.Format.Format_ARGB32_Premultiplied)
    with QPainter(image) as painter:
        sample = "Ag 你好，天气 🌂⏸⛔ ✓✕⊘◌●"
        for font in (
            ui_font(theme),
            ui_font(theme, bold=True),
            ui_font(theme, theme.small_px),
            code_font(theme),
        ):
            painter.setFont(font)
            painter.drawText(0, 24, sample)
            QFontMetricsF(font).horizontalAdvance(sample)


def palette_for(theme: Theme) -> QPalette:
    """Return the palette of ordinary widgets."""
    role = QPalette.ColorRole
    palette = QPalette()
    for key, value in {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.hover,
        role.Text: theme.text,
        role.PlaceholderText: theme.muted,
        role.Button: theme.surface,
        role.ButtonText: theme.text,
        role.BrightText: theme.failed,
        role.ToolTipBase: theme.surface,
        role.ToolTipText: theme.text,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Light: theme.surface,
        role.Midlight: theme.hover,
        role.Mid: theme.line,
        role.Dark: theme.control_line,
        role.Shadow: theme.ink,
    }.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        faded = QColor(theme.muted)
        faded.setAlphaF(0.6)
        palette.setColor(QPalette.ColorGroup.Disabled, key, faded)
    return palette


_STYLED = "neodeskpet_styled"


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Set style, palette and font of all ordinary widgets of `app`; windows get their style sheet
    by `apply_window_theme`, and painted views the theme by `set_theme`.
    """
    # With a style sheet the style has no name, and setting it again takes 0.2 s.
    if not app.property(_STYLED):
        app.setStyle("Fusion")
        app.setProperty(_STYLED, True)
    app.setPalette(palette_for(theme))
    app.setFont(ui_font(theme))


def checkbox_rules(kind: str, theme: Theme) -> str:
    """Return the rules for the check boxes of this kind of widgets, with a tick in checked ones. A
    style sheet that colours a box must also provide its tick.
    """
    tick = assets_dir() / "ticks" / ("dark.png" if theme.dark else "light.png")
    return (
        f"{kind}::indicator {{ width: 12px; height: 12px; border-radius: 3px;"
        f" border: 1px solid {theme.muted}; background: {theme.surface}; }}"
        f"{kind}::indicator:checked {{ border-color: {theme.accent}; background: {theme.accent};"
        f' image: url("{tick.as_posix()}"); }}'
    )


def apply_window_theme(window: QWidget, theme: Theme, own: str = "") -> None:
    """Set the common style sheet and the `own` rules of a window; its popups inherit them.

    A style sheet of the application would cost four times as much for each change of the theme, all
    at once.
    """
    set_style_sheet(window, style_sheet(theme) + own)


def set_style_sheet(widget: QWidget, sheet: str) -> None:
    """Set a style sheet if it is another one: Qt would process it again for each child."""
    if widget.styleSheet() != sheet:
        widget.setStyleSheet(sheet)


def style_sheet(theme: Theme) -> str:
    """Return the style sheet of a window.

    Dynamic properties choose variants: `primary` and `quiet` on a QPushButton or QToolButton,
    `danger` and `pill` on a QPushButton, `muted`, `heading`, `failed` on a QLabel, `card` on a
    QFrame. Qt applies the padding of a tooltip twice. Check boxes, radio buttons, sliders, spin
    boxes and combo boxes are drawn by Fusion with the palette.
    """
    t = theme
    plain = f"""
QToolTip {{ background: {t.surface}; color: {t.text}; border: 1px solid {t.line};
  border-radius: {t.control_radius}px; padding: 2px 4px; }}
QLabel[muted="true"] {{ color: {t.muted}; }}
QLabel[failed="true"] {{ color: {t.failed}; }}
QLabel[heading="true"] {{ color: {t.text}; font-size: {t.heading_px}px; font-weight: 600; }}
QFrame[card="true"] {{ background: {t.surface}; border: 1px solid {t.line};
  border-radius: {t.card_radius}px; }}
QPushButton, QToolButton {{ background: {t.surface}; color: {t.text};
  border: 1px solid {t.control_line}; border-radius: {t.control_radius}px;
  padding: 4px 12px; min-height: {t.button_height - 10}px; }}
QToolButton {{ padding: 4px 8px; }}
QPushButton:hover, QToolButton:hover {{ background: {t.hover}; }}
QPushButton:pressed, QToolButton:pressed, QToolButton:checked {{ background: {t.pressed}; }}
QPushButton:focus, QToolButton:focus {{ border: 1px solid {t.accent}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {t.muted}; border-color: {t.line};
  background: {t.window}; }}
QPushButton[primary="true"], QToolButton[primary="true"] {{ background: {t.accent};
  color: {t.on_accent}; border-color: {t.accent}; }}
QPushButton[primary="true"]:hover, QToolButton[primary="true"]:hover {{
  background: {t.accent_hover}; border-color: {t.accent_hover}; }}
QPushButton[primary="true"]:focus, QToolButton[primary="true"]:focus {{
  border: 2px solid {t.text}; }}
QPushButton[primary="true"]:disabled, QToolButton[primary="true"]:disabled {{
  background: {t.pressed}; color: {t.muted}; border-color: {t.pressed}; }}
QPushButton[quiet="true"], QToolButton[quiet="true"] {{ background: transparent;
  border-color: transparent; color: {t.muted}; }}
QPushButton[quiet="true"]:hover, QToolButton[quiet="true"]:hover {{ background: {t.hover};
  color: {t.text}; }}
QPushButton[quiet="true"]:focus, QToolButton[quiet="true"]:focus {{
  border-color: {t.accent}; }}
QPushButton[quiet="true"]:disabled, QToolButton[quiet="true"]:disabled {{
  background: transparent; color: {t.control_line}; }}
QPushButton[pill="true"] {{ border-radius: {t.button_height // 2 + 1}px; padding: 4px 16px; }}
QPushButton[danger="true"] {{ color: {t.failed}; border-color: {t.failed}; }}
QLineEdit, QPlainTextEdit, QTextEdit {{ background: {t.surface}; color: {t.text};
  border: 1px solid {t.control_line}; border-radius: {t.control_radius}px; padding: 4px 8px;
  placeholder-text-color: {t.muted};
  selection-background-color: {t.selection}; selection-color: {t.text}; }}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus {{ border: 1px solid {t.accent}; }}
QMenu {{ background: {t.surface}; color: {t.text}; border: 1px solid {t.line}; padding: 4px;
  menu-scrollable: 1; }}
QMenu::item {{ padding: 5px 23px 5px 11px; border-radius: {t.control_radius}px;
  border: 1px solid transparent; }}
QMenu::icon {{ margin-left: 10px; }}
QMenu::indicator {{ left: 5px; }}
QMenu::item:selected {{ background: {t.hover}; color: {t.text}; border-color: {t.accent}; }}
QMenu::item:disabled {{ color: {t.muted}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 8px; }}
QListView, QTreeView {{ background: transparent; border: none; outline: none; }}
QListView::item, QTreeView::item {{ padding: 5px 7px; border-radius: {t.control_radius}px;
  color: {t.text}; border: 1px solid transparent; }}
QListView::item:focus, QTreeView::item:focus {{ border-color: {t.accent}; }}
QListView::item:hover, QTreeView::item:hover {{ background: {t.hover}; }}
QListView::item:selected, QTreeView::item:selected {{ background: {t.person}; color: {t.text}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.control_line}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: {MIN_HANDLE_LENGTH}px; }}
QScrollBar::handle:horizontal {{ min-width: {MIN_HANDLE_LENGTH}px; }}
QScrollBar::handle:hover {{ background: {t.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QProgressBar {{ background: {t.line}; border: none; border-radius: 3px; max-height: 6px;
  text-align: center; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 3px; }}
QGroupBox {{ border: none; margin-top: 24px; font-weight: 600; }}
QGroupBox::title {{ subcontrol-origin: margin; left: 0; }}
QSplitter::handle {{ background: {t.line}; }}
"""
    return plain + _contrast_sheet(t) if t.contrast else plain


def _contrast_sheet(t: Theme) -> str:
    """Return the rules for high contrast: focus and selection get frames, not only tints."""
    frame = f"border: {t.focus_width}px solid"
    return f"""
QPushButton:focus, QToolButton:focus, QPushButton[quiet="true"]:focus,
QToolButton[quiet="true"]:focus, QPushButton[primary="true"]:focus {{ {frame} {t.text}; }}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus {{ {frame} {t.accent}; }}
.QLineEdit:focus {{ padding: {5 - t.focus_width}px {9 - t.focus_width}px; }}
QListView::item:selected, QTreeView::item:selected, QMenu::item:selected {{
  border: 1px solid {t.text}; }}
"""
