"""What can go wrong with the settings, in words a person can act on.

::

    SettingsError               [settings]               the file can't be read: defaults
     +-- SettingsRestored       [settings_restored]      the same, but the last good ones are used
     +-- WrongValues            [settings_wrong_values]  single values fell back
     +-- InvalidSetting         [invalid_setting]        a change that can't be
     `-- SettingsNotSaved       [settings_not_saved]     the file can't be written
"""

from __future__ import annotations

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.wording import N_


class SettingsRestored(SettingsError):
    code = "settings_restored"
    hint = N_("The file is kept as {copy}; the last good settings are used.")


class WrongValues(SettingsError):
    code = "settings_wrong_values"
    what = N_("Some values of the settings can't be used, so their defaults are.")
    hint = N_("Repair them in {file}, or choose them anew in the settings.")


class InvalidSetting(SettingsError):
    """`title` is the setting's title in the person's language."""

    code = "invalid_setting"
    what = N_("“{title}” can't have this value.")
    hint = N_("Choose another value.")


class SettingsNotSaved(SettingsError):
    code = "settings_not_saved"
    what = N_("The settings can't be saved to {file}.")
    hint = N_("They hold until NeoDeskPet ends. Check the free space and the rights of the folder.")
