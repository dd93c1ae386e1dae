"""Describes how a setting is shown: `settings_model.py` declares it with each field, the settings
window reads it.

The settings window is generated from the descriptions; a new setting is one field of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo


class ControlKind(StrEnum):
    """How a value is edited. SEGMENTS is a CHOICE with few options; a SCALE with the unit "%" holds
    a fraction; HOUR is an hour of the day; PARAGRAPH is a text of several lines; FOLDER is a path
    with a button; KEYS are pressed, not typed; HIDDEN is stored but not shown on the page.
    """

    SWITCH = "switch"
    CHOICE = "choice"
    SEGMENTS = "segments"
    SCALE = "scale"
    HOUR = "hour"
    TEXT = "text"
    PARAGRAPH = "paragraph"
    FOLDER = "folder"
    KEYS = "keys"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class FieldDisplay:
    """The data for a setting's control. `choices` are (value, English text)."""

    control: ControlKind | None = None
    choices: tuple[tuple[str, str], ...] = ()
    minimum: float = 0.0
    maximum: float = 0.0
    step: float = 1.0
    unit: str = ""
    placeholder: str = ""
    keywords: tuple[str, ...] = ()
    card: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """One setting. Texts are English and marked for translation; `choices` are (value, text).

    `card` names the card that shows it: its own section, unless `setting` names another one.
    `folded`: shown only after the user opens the card's “More” row.
    """

    section: str
    name: str
    title: str
    description: str
    control: ControlKind
    default: object
    choices: tuple[tuple[str, str], ...]
    minimum: float
    maximum: float
    step: float
    unit: str
    placeholder: str
    keywords: tuple[str, ...]
    card: str = ""
    folded: bool = False

    @property
    def path(self) -> str:
        return f"{self.section}.{self.name}"


@dataclass(frozen=True, slots=True)
class SectionInfo:
    """A card of the settings; `icon` is the name of one in assets/icons. `settings` has no hidden
    settings, and may contain settings of other sections: `SettingInfo.section` says where each is
    stored.
    """

    name: str
    title: str
    description: str
    icon: str
    settings: tuple[SettingInfo, ...]


class Section(BaseModel):
    """Base of all sections. Instances are immutable; a change makes a new one."""

    model_config = ConfigDict(frozen=True)


def setting(
    default: Any,
    title: str,
    description: str = "",
    *,
    control: ControlKind | None = None,
    choices: Mapping[str, str] | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    step: float = 1.0,
    unit: str = "",
    placeholder: str = "",
    keywords: tuple[str, ...] = (),
    card: str = "",
    folded: bool = False,
) -> Any:
    """Return a field with its default, texts and limits. Without `control`, it is derived from the
    type.

    `card` is the card that shows it, if that isn't its section's; `folded` puts it under “More”.

    `keywords` are further search words for the setting, in any language.
    """
    made: Any = Field(
        default_factory=lambda: default,
        title=title,
        description=description,
        ge=minimum,
        le=maximum,
    )
    made.metadata.append(
        FieldDisplay(
            control,
            tuple((choices or {}).items()),
            minimum or 0.0,
            maximum or 0.0,
            step,
            unit,
            placeholder,
            keywords,
            card,
            folded,
        )
    )
    return made


def field_display(section: str, name: str, info: FieldInfo) -> SettingInfo:
    """Return the description that `setting` stored for one field."""
    look = next(item for item in info.metadata if isinstance(item, FieldDisplay))
    return SettingInfo(
        section,
        name,
        info.title or name,
        info.description or "",
        look.control or _control(info.annotation, len(look.choices)),
        info.get_default(call_default_factory=True, validated_data={}),
        look.choices,
        look.minimum,
        look.maximum,
        look.step,
        look.unit,
        look.placeholder,
        look.keywords,
        look.card or section,
        look.folded,
    )


_FEW = 4


def _control(annotation: object, choices: int) -> ControlKind:
    if annotation is bool:
        return ControlKind.SEGMENTS if choices else ControlKind.SWITCH
    if get_origin(annotation) is Literal:
        return ControlKind.SEGMENTS if choices <= _FEW else ControlKind.CHOICE
    if annotation in (int, float):
        return ControlKind.SCALE
    return ControlKind.TEXT if annotation is str else ControlKind.HIDDEN
