"""Errors of local models, each with its own hint.

Only a crash is temporary, so the others are not retried; a chain continues with the next model.
"""

from __future__ import annotations

from typing import ClassVar

from neodeskpet.core.errors import Action, KnownError, NotFound, StreamBroken
from neodeskpet.core.i18n import N_
from neodeskpet.platform.installation import extra_command


class LocalModelError(NotFound):
    code = "local_model"
    what = N_("The model {file} can't be run on this computer.")
    hint = N_("Choose another model in Settings › Models › Local model.")


class ExtraMissing(LocalModelError):
    """Params: `command`, the command that installs it."""

    code = "local_extra_missing"
    what = N_("Running models on this computer needs an additional package.")
    hint = N_("Install it with: {command}, then start NeoDeskPet again.")
    extra: ClassVar[str] = "local"

    def __init__(self, detail: str = "", **params: str) -> None:
        params.setdefault("command", extra_command(self.extra))
        super().__init__(detail, status=None, retry_after=None, raw=None, **params)


class ExtraFailed(LocalModelError):
    """Params: `command`, the command that installs it in a terminal."""

    code = "local_extra_failed"
    what = N_("The package that runs models couldn't be installed.")
    hint = N_("Check the connection, or run {command} in a terminal to see why.")

    def __init__(self, detail: str = "", **params: str) -> None:
        params.setdefault("command", extra_command("local"))
        super().__init__(detail, status=None, retry_after=None, raw=None, **params)


class EmbeddingExtraMissing(ExtraMissing):
    code = "meaning_extra_missing"
    what = N_("Finding by meaning on this computer needs an additional package.")
    extra = "meaning"


class ModelFileMissing(LocalModelError):
    code = "local_file_missing"
    what = N_("There is no model file {file}.")


class BadModelFile(LocalModelError):
    code = "local_bad_file"
    what = N_("{file} isn't a model that can be used.")
    hint = N_("Download it again, or choose another in Settings › Models › Local model.")


class LoadFailed(LocalModelError):
    code = "local_load_failed"
    what = N_("The model {file} couldn't be loaded.")


class OutOfMemory(LocalModelError):
    code = "local_out_of_memory"
    what = N_("The memory of this computer isn't enough for {file}.")
    hint = N_("Choose a smaller model, or a shorter context in Settings › Models › Local model.")


class NoFreePort(LocalModelError):
    code = "local_no_port"
    what = N_("The server for {file} could not open a port on this computer.")
    hint = N_("Check whether a firewall blocks 127.0.0.1, then try again.")


class CrashedTooOften(LocalModelError):
    code = "local_crashed_often"
    what = N_("The process of {file} ended {count} times in a row.")
    hint = N_("Choose another model, or start it again in Settings › Models › Local model.")


class LocalModelCrashed(StreamBroken):
    """The process ended during a reply; the next request starts a new one."""

    code = "local_crashed"
    what = N_("The model's process ended unexpectedly.")


class LocalModelStopped(StreamBroken):
    code = "local_stopped"
    what = N_("The model was stopped.")
    retryable: ClassVar[bool] = False


class DownloadError(KnownError):
    code = "download"
    what = N_("The model couldn't be downloaded.")
    hint = N_("The downloaded part is kept; try again to continue.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY,)


class NoSpace(DownloadError):
    code = "download_no_space"
    what = N_("The disk with {folder} needs {count} GB more free space.")
    hint = N_("Free some space, then try again.")


class WrongChecksum(DownloadError):
    code = "download_checksum"
    what = N_("The downloaded file isn't the requested model.")
    hint = N_("It was not kept. Try again later, or from another source.")
