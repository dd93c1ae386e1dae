"""Known errors: what happened and what to do. Anything else that is raised is a bug.

A notice of the chat has the same content (`NoticeContent`), but is not raised.

The whole tree (code in brackets)::

    NoticeContent
     +-- TimerRang                     [timer_rang]
     |    `-- TimerMissed              [timer_missed]           it was due while the app was closed
     +-- WakeLimitReached              [wakes_used_up]          ends of tasks started too many turns
     +-- TasksLost                     [tasks_lost]             the app ended while tasks ran
     +-- TurnInterrupted               [interrupted]            the app ended while the turn ran
     +-- SpeechInterrupted             [speech_interrupted]     the user spoke during the reply
     +-- MemoryExpires                 [memory_expires]         too old: forgotten tomorrow
     +-- RepliedWithoutMemory          [memory_missed]          a reply was written without memory
     `-- KnownError

    KnownError
     +-- LlmError                                               a model service
     |    +-- Unreachable              [unreachable]            no connection, or no response
     |    |    +-- InvalidAddress      [address_wrong]          no web address
     |    |    `-- UntrustedCertificate [untrusted]             a certificate that isn't trusted
     |    +-- Unauthorized             [unauthorized]           401, 403
     |    +-- KeyUnencrypted           [key_unencrypted]        http to another computer
     |    +-- NotFound                 [not_found]              404: route or model
     |    +-- RateLimited              [rate_limited]           429
     |    +-- QuotaUsedUp              [quota_used_up]          402, or 429 that won't pass
     |    +-- ServiceFailed            [service_failed]         408, 425, 5xx
     |    +-- RequestRefused           [request_refused]        other 4xx
     |    +-- ToolsUnsupported         [tools_unsupported]      the endpoint can't do native tools
     |    +-- EmbeddingsUnsupported    [embeddings_unsupported] it can't make embeddings
     |    +-- ToolsInDoubt             [tools_doubted]          refused with tools, reason unknown
     |    +-- ToolsIgnored             [tools_ignored]          the model can't call tools
     |    +-- PictureNotUploaded       [picture_not_uploaded]   the upload before the request failed
     |    +-- ContextTooLong           [context_too_long]
     |    +-- BadReply                 [bad_reply]              HTML, not JSON, empty body
     |    |    `-- WrongProtocol       [wrong_protocol]         the reply of another protocol
     |    +-- StreamBroken             [stream_broken]          ended early, reset, stalled
     |    |    `-- ReplyTimedOut       [no_answer]              no bytes for too long
     |    +-- CallMalformed            [call_malformed]         the service can't read a call
     |    +-- ReplyError               [reply_error]            an error object inside HTTP 200
     |    `-- Refused                  [refused]                by the provider's content filter
     +-- TurnLimit                                              stopped by a limit; can be continued
     |    +-- RoundLimit               [round_limit]
     |    +-- CallLimit                [call_limit]
     |    +-- RepeatedCall             [repeated_call]
     |    +-- LengthLimit              [length_limit]           stopped at its output limit
     |    +-- StoppedShort             [stopped_short]          for an unknown reason
     |    `-- EmptyReply               [empty_reply]
     +-- ToolError                                              the model gets it as the result
     |    +-- UnknownTool              [unknown_tool]
     |    +-- ListHidden               [list_hidden]            the user hides this list
     |    +-- InvalidArguments         [invalid_arguments]
     |    +-- NeedsWindow              [needs_window]           only while the windows are open
     |    +-- CallUnfinished           [call_unfinished]        the model never closed the call
     |    +-- CallNotRun               [call_not_run]           the turn was stopped before it
     |    +-- ToolDenied               [tool_denied]
     |    |    `-- DeniedBefore        [denied_before]          the same call again
     |    +-- ApprovalUnanswered       [tool_unanswered]        the approval was not answered
     |    |    +-- ApprovalUnavailable [tool_unasked]           there is no user to ask
     |    |    `-- ApprovalNotShown    [question_unshown]
     |    +-- ToolFailed               [tool_failed]
     |    |    `-- ToolCrashed         [tool_broke]             a bug in the tool
     |    +-- ToolTimedOut             [tool_timed_out]
     |    +-- ToolCancelled            [tool_cancelled]
     |    +-- ToolInterrupted          [tool_interrupted]       the app ended while it ran
     |    |    `-- TaskLost            [task_lost]              in the background
     |    `-- TooManyTasks             [too_many_tasks]         background task limit reached
     +-- CannotUndo                    [cannot_undo]            no longer undoable
     +-- PictureRefused                [picture]                not a supported picture
     +-- PictureNotDescribed           [picture_unseen]         no model could describe it
     +-- ModelFileError                [model_file]             a Live2D model that can't be used
     |    `-- LibraryMissing           [model_library]          Live2D's library is missing
     +-- SettingsError                 [settings]
     +-- StoreError                    [store]
     |    `-- MessageNotFound          [message_gone]           deleted in the meantime
     +-- AnsweredElsewhere             [answered_elsewhere]     on another computer of the user
     `-- UnexpectedError               [unexpected]             a bug, shown to the user
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Self

from neodeskpet.core.i18n import N_, Reason, fill, join_reasons


class Action(StrEnum):
    """The buttons that a notice can offer."""

    SWITCH_TO_TEXT = "switch_to_text"
    SEND_WITHOUT_TOOLS = "send_without_tools"
    SWITCH_PROTOCOL = "switch_protocol"
    RETRY = "retry"
    CONTINUE = "continue"
    OPEN_SETTINGS = "open_settings"
    ASK_AGAIN = "ask_again"


class NoticeContent:
    """What happened and what the user can do.

    `what` and `hint` are English texts with `{fields}` that `params` fills; the language layer
    translates them. It also translates `params["reason"]`, a sentence of the app (marked with `N_`)
    that gives the reason, and `params["instead"]`, which replaces `what`. `detail` is foreign text
    (a server's message) and is never translated; it is shown on request if there is a reason or if
    `show_detail` is set. A `sticky` notice is shown until the user has seen it.
    """

    code: ClassVar[str] = "known"
    what: ClassVar[str] = N_("Something went wrong.")
    hint: ClassVar[str] = N_("Try again.")
    actions: ClassVar[tuple[Action, ...]] = ()
    show_detail: ClassVar[bool] = False
    sticky: ClassVar[bool] = False

    def __init__(self, detail: str = "", **params: str) -> None:
        self.detail = detail
        self.params = params

    def __str__(self) -> str:
        texts = (self.params.get("instead", self.what), self.params.get("reason", ""))
        said = (fill(text, self.params) for text in texts)
        return " ".join(filter(None, (*said, self.detail)))


class KnownError(NoticeContent, Exception):
    """An error that the user can act on. Anything else that is raised is a bug."""

    def __init__(self, detail: str = "", **params: str) -> None:
        NoticeContent.__init__(self, detail, **params)
        Exception.__init__(self, detail)


class LlmError(KnownError):
    """A model service failed. `status` is the HTTP status, `raw` the provider's error object."""

    code = "llm"
    what = N_("The model service failed.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY,)
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        detail: str = "",
        *,
        status: int | None = None,
        retry_after: float | None = None,
        raw: object = None,
        **params: str,
    ) -> None:
        super().__init__(detail, **params)
        self.status = status
        self.retry_after = retry_after
        self.raw = raw


class Unreachable(LlmError):
    code = "unreachable"
    what = N_("The model service can't be reached.")
    hint = N_("Check the address and the network, then retry.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY, Action.OPEN_SETTINGS)
    retryable = True


class InvalidAddress(Unreachable):
    code = "address_wrong"
    what = N_("This isn't a valid web address.")
    hint = N_("Correct it in Settings › Models › Services: it looks like https://example.com/v1.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS, Action.RETRY)
    retryable = False


class UntrustedCertificate(Unreachable):
    code = "untrusted"
    what = N_("This computer doesn't trust the certificate of the service.")
    hint = N_(
        "If it is your own server with a self-signed certificate, add that to the"
        " system's trusted certificates, or use http:// in your own network. "
        "Otherwise somebody may be intercepting the connection."
    )
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS, Action.RETRY)
    retryable = False


class Unauthorized(LlmError):
    code = "unauthorized"
    show_detail = True
    what = N_("The service refused the key.")
    hint = N_("Enter a valid key in Settings › Models › Services.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS, Action.RETRY)


class KeyUnencrypted(LlmError):
    code = "key_unencrypted"
    what = N_("The key wasn't sent: the connection to {host} isn't encrypted (http).")
    hint = N_(
        "Use an https address, or allow it for this computer: Settings › Models › Services, "
        "beside the key."
    )
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS, Action.RETRY)


class NotFound(LlmError):
    code = "not_found"
    show_detail = True
    what = N_("The service doesn't know this address or model.")
    hint = N_("Check the base URL and the model name in Settings › Models › Services.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS, Action.RETRY)


class RateLimited(LlmError):
    code = "rate_limited"
    show_detail = True
    what = N_("Rate limited: the service got too many requests.")
    hint = N_("Wait a little, then retry.")
    retryable = True


class QuotaUsedUp(LlmError):
    code = "quota_used_up"
    show_detail = True
    what = N_("The account of this service has no quota or credit left.")
    hint = N_("Top it up where you got the key, or choose another model.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS, Action.RETRY)


class ServiceFailed(LlmError):
    code = "service_failed"
    what = N_("The service has an internal error (HTTP {status}).")
    hint = N_("Retry in a moment.")
    retryable = True


class RequestRefused(LlmError):
    code = "request_refused"
    what = N_("The service refused the request (HTTP {status}).")
    hint = N_("Check the model and its settings.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS, Action.RETRY)


class ToolsUnsupported(LlmError):
    code = "tools_unsupported"
    show_detail = True
    what = N_("This service can't use tools natively.")
    hint = N_("Switch to text mode: tool calls are then written as text.")
    actions: ClassVar[tuple[Action, ...]] = (Action.SWITCH_TO_TEXT, Action.RETRY)


class ToolsInDoubt(LlmError):
    """A request with tools failed for an unknown reason. There is no automatic retry: the user
    decides. Params: `status`, and the `service` for which the choice is remembered.
    """

    code = "tools_doubted"
    what = N_("The service refused a request with tools (status {status}) without a clear reason.")
    hint = N_(
        "Perhaps it can't use tools. “Send without tools” and “Switch to text mode” are remembered "
        "for this service."
    )
    actions: ClassVar[tuple[Action, ...]] = (Action.SEND_WITHOUT_TOOLS, Action.SWITCH_TO_TEXT)


class EmbeddingsUnsupported(LlmError):
    code = "embeddings_unsupported"
    what = N_("This service doesn't offer embeddings (vectors of texts).")
    hint = N_("Choose another model: the names of most embedding models contain “embed”.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS,)


class ToolsIgnored(LlmError):
    """A hint beside a complete reply: the service accepts tools, but its model never calls them."""

    code = "tools_ignored"
    what = N_("{model} doesn't call the tools it is given.")
    hint = N_("Switch to text mode: it may call tools there.")
    actions: ClassVar[tuple[Action, ...]] = (Action.SWITCH_TO_TEXT,)


class PictureNotUploaded(LlmError):
    """The service needs pictures to be uploaded first, and the upload failed."""

    code = "picture_not_uploaded"
    what = N_("The picture could not be uploaded to {host}.")
    hint = N_("Check “upload” of this service in llm-config.json.")


class ContextTooLong(LlmError):
    code = "context_too_long"
    show_detail = True
    what = N_("The conversation is longer than the model can read.")
    hint = N_("Start a new conversation, or choose a model with a larger context.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS, Action.RETRY)


class BadReply(LlmError):
    code = "bad_reply"
    what = N_("The service answered with something that isn't a model's reply.")
    hint = N_("Is the base URL right? Many services want an address that ends in /v1.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY, Action.OPEN_SETTINGS)


class WrongProtocol(BadReply):
    """Params: the `protocol` id, its display name (`title`), and the `address`."""

    code = "wrong_protocol"
    what = N_("The service answers in another protocol: {title}.")
    hint = N_("Switch to it, or choose another in Settings › Models › Services.")
    actions: ClassVar[tuple[Action, ...]] = (Action.SWITCH_PROTOCOL, Action.OPEN_SETTINGS)


class StreamBroken(LlmError):
    code = "stream_broken"
    what = N_("The reply stopped before it was complete.")
    hint = N_("The received part is kept. Continue from there, or retry.")
    actions: ClassVar[tuple[Action, ...]] = (Action.CONTINUE, Action.RETRY)
    retryable = True


class ReplyTimedOut(StreamBroken):
    """Isn't retried automatically: a slow server would still be working on the first request."""

    code = "no_answer"
    what = N_("The service didn't start to answer in time.")
    hint = N_("It may only be slow: retry, or give it more time in Settings › Models › Services.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY, Action.OPEN_SETTINGS)
    retryable = False


class CallMalformed(LlmError):
    """The service gave up a reply because its model wrote a broken tool call."""

    code = "call_malformed"
    what = N_("The model wrote a tool call that its service could not read.")
    hint = N_("Try again. If it happens often, choose another model or switch to text mode.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY, Action.SWITCH_TO_TEXT)


class ReplyError(LlmError):
    code = "reply_error"
    what = N_("The service reported an error in the middle of the reply.")
    hint = N_("The received part is kept. Continue from there, or retry.")
    actions: ClassVar[tuple[Action, ...]] = (Action.CONTINUE, Action.RETRY)


class Refused(LlmError):
    code = "refused"
    what = N_("The service's content filter stopped the reply.")
    hint = N_("Rephrase the request.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY,)


class TurnLimit(KnownError):
    code = "limit"
    actions: ClassVar[tuple[Action, ...]] = (Action.CONTINUE,)


class RoundLimit(TurnLimit):
    code = "round_limit"
    what = N_("The reply is not finished after {count} rounds of tool calls.")
    hint = N_("Completed steps are kept. Press Continue to go on.")


class CallLimit(TurnLimit):
    code = "call_limit"
    what = N_("Paused after {count} tool calls.")
    hint = N_("Press Continue to go on.")


class RepeatedCall(TurnLimit):
    code = "repeated_call"
    what = N_("Paused: {tool} was called {count} times in a row with the same arguments.")
    hint = N_("Press Continue to go on.")


class LengthLimit(TurnLimit):
    code = "length_limit"
    what = N_("The reply reached the model's length limit.")
    hint = N_("Press Continue to get the rest.")


class StoppedShort(TurnLimit):
    code = "stopped_short"
    what = N_("The service ended the reply with the reason “{reason}”: it may not be complete.")
    hint = N_("Press Continue to get the rest.")


class EmptyReply(TurnLimit):
    code = "empty_reply"
    what = N_("The model returned an empty reply.")
    hint = N_("Retry, or rephrase the message.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY,)


class RepliedWithoutMemory(NoticeContent):
    """Shown under a reply. `why` is a remark of the request."""

    code = "memory_missed"
    what = N_("This reply was written without memory.")
    hint = N_("It may be ready now.")
    actions: ClassVar[tuple[Action, ...]] = (Action.ASK_AGAIN,)

    def __init__(self, why: Reason) -> None:
        super().__init__(reason=why.text, **why.params)


class MemoryExpires(NoticeContent):
    """Shown in the conversation as a notice. Params: `count` texts, older than `days` days."""

    code = "memory_expires"
    what = N_("{count} remembered texts are older than {days} days and will be forgotten tomorrow.")
    hint = N_(
        "To keep them, choose a longer time under “Remember for” in Settings › Memory & "
        "knowledge › Memory."
    )
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS,)


class TimerRang(NoticeContent):
    """Shown in the conversation as a notice."""

    code = "timer_rang"
    what = N_("“{label}” rang at {time}.")
    hint = N_("No action is needed.")


class TimerMissed(TimerRang):
    code = "timer_missed"
    what = N_("“{label}” was due at {time}.")
    hint = N_("It wasn't answered; NeoDeskPet may not have been running.")


class WakeLimitReached(NoticeContent):
    """Shown in the conversation as a notice."""

    code = "wakes_used_up"
    what = N_("Background tasks started {count} replies in a row. I wait for you now.")
    hint = N_("Write a message, and I'll get the results of the tasks that have ended since.")


class TasksLost(NoticeContent):
    code = "tasks_lost"
    what = N_("NeoDeskPet ended while background tasks ran; they are lost: {names}.")
    hint = N_("The “Background tasks” window lists them.")


class TurnInterrupted(NoticeContent):
    code = "interrupted"
    what = N_("NeoDeskPet ended while this reply was being written.")
    hint = N_("The received part is kept. Continue from there, or retry.")
    actions: ClassVar[tuple[Action, ...]] = (Action.CONTINUE, Action.RETRY)


class SpeechInterrupted(NoticeContent):
    """The user interrupted the reply `message` by speaking. Of its text, `kept` characters were
    heard; `heard` are the last words.
    """

    code = "speech_interrupted"
    what = N_("You interrupted here: “… {heard}”.")
    hint = N_("The model is told that you heard nothing after this.")


OTHER_WAY = "Try other arguments or another way, or tell the user."
"""The advice for the model after a fault inside a tool."""


class ToolError(KnownError):
    """A tool call failed; `str(error)` is the text for the model.

    `reasons` are our own sentences with the cause; the user sees them translated. `advice` is for
    the model only, in English.
    """

    code = "tool"
    refusal: ClassVar[bool] = False
    """Nothing broke: the user or their settings don't allow the call."""

    def __init__(
        self, detail: str = "", *, reasons: Iterable[Reason] = (), advice: str = "", **params: str
    ) -> None:
        super().__init__(detail, **params)
        self.reasons = tuple(reasons)
        self.advice = advice

    def __str__(self) -> str:
        what = fill(self.what, self.params)
        return " ".join(filter(None, (what, join_reasons(self.reasons), self.detail, self.advice)))


@dataclass(frozen=True, slots=True)
class ToolFault:
    """The stored reason why a call has no result; it is formatted each time it is shown. The fields
    are those of the `KnownError` with this `code`.
    """

    code: str
    params: Mapping[str, str] = field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()
    detail: str = ""

    @classmethod
    def of(cls, error: KnownError) -> Self:
        reasons = error.reasons if isinstance(error, ToolError) else ()
        return cls(error.code, error.params, reasons, error.detail)


class CannotUndo(KnownError):
    code = "cannot_undo"
    what = N_("This can't be undone any more.")
    hint = N_("Ask the companion to change it back.")


class UnknownTool(ToolError):
    code = "unknown_tool"
    what = N_("There is no tool named {tool}.")


LIST_HIDDEN_ADVICE = (
    "Go on without it, and don't guess what is in it. The user can allow it again in the window "
    "“Today”, in the line at the bottom."
)


class ListHidden(ToolError):
    """A call for a list of the user ("Neo sees this" is off). Params: `name`: tool or window."""

    code = "list_hidden"
    refusal = True
    what = N_("The user doesn't let the companion see this list: {name} was not used.")


class InvalidArguments(ToolError):
    code = "invalid_arguments"
    what = N_("The arguments are not valid.")

    @classmethod
    def at(cls, path: str, text: str, /, *, advice: str = "", **params: str) -> Self:
        """Return an error for the argument `path` ("" for all arguments); `text` as in `Reason`."""
        return cls(reasons=[Reason(text, params, path)], advice=advice)


class NeedsWindow(ToolError):
    code = "needs_window"
    what = N_("This works only while the windows of NeoDeskPet are open.")


class CallUnfinished(ToolError):
    code = "call_unfinished"
    what = N_("The model did not complete the call, so it was not run.")


class CallNotRun(ToolError):
    code = "call_not_run"
    what = N_("Not run.")


class ToolDenied(ToolError):
    code = "tool_denied"
    refusal = True
    what = N_("The user didn't allow this call.")


class DeniedBefore(ToolDenied):
    code = "denied_before"
    what = N_("The user has just denied the same call.")


class ApprovalUnanswered(ToolError):
    code = "tool_unanswered"
    what = N_("Not run: the permission question was not answered, and no answer means no.")


class ApprovalUnavailable(ApprovalUnanswered):
    code = "tool_unasked"
    what = N_("Not run: it needs the user's permission, and there is no user to ask.")


class ApprovalNotShown(ApprovalUnanswered):
    code = "question_unshown"
    what = N_("Not run: the permission question could not be shown.")


class ToolFailed(ToolError):
    code = "tool_failed"
    what = N_("The tool failed.")


class ToolCrashed(ToolFailed):
    """A bug in the tool; `detail` is the exception's text."""

    code = "tool_broke"
    what = N_("The tool has an internal error.")


class ToolTimedOut(ToolError):
    code = "tool_timed_out"
    what = N_("The tool didn't finish within {seconds} s. It was stopped and may be half done.")


class ToolCancelled(ToolError):
    code = "tool_cancelled"
    what = N_("The call was cancelled.")


class ToolInterrupted(ToolError):
    code = "tool_interrupted"
    what = N_("NeoDeskPet ended while this ran: it may be done, half done or not done.")


class TaskLost(ToolInterrupted):
    code = "task_lost"


class TooManyTasks(ToolError):
    code = "too_many_tasks"
    what = N_("{count} background tasks are already running.")


class PictureRefused(KnownError):
    code = "picture"
    what = N_("{name} can't be used as a picture.")
    hint = N_("PNG, JPEG, WebP, GIF and BMP are supported, up to 100 megapixels.")


class PictureNotDescribed(KnownError):
    code = "picture_unseen"
    what = N_("The model can't see pictures, and the picture could not be described for it.")
    hint = N_("Set up a model that can see pictures in Settings › Models › Services.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS,)


class ModelFileError(KnownError):
    code = "model_file"
    what = N_("The figure {file} can't be used.")
    hint = N_("Choose another figure, or repair this one. The current one stays.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS,)


class LibraryMissing(ModelFileError):
    """The file is valid, but this bundle comes without Live2D's library, because it may be passed
    on to anyone.
    """

    code = "model_library"
    sticky = True
    what = N_("“{file}” is a Live2D figure, and this NeoDeskPet comes without Live2D's library.")
    hint = N_(
        "Figures made of pictures can be used: Codex pets, Shimeji, PNG, APNG, "
        "WebP. For Live2D figures start NeoDeskPet from its source (README, "
        "“Licences”)."
    )


class SettingsError(KnownError):
    code = "settings"
    what = N_("The settings in {file} can't be read.")
    hint = N_("A copy of the file is kept beside it; default settings are used.")
    actions: ClassVar[tuple[Action, ...]] = (Action.OPEN_SETTINGS,)


class StoreError(KnownError):
    code = "store"
    what = N_("The data can't be saved.")
    hint = N_("Check the free disk space and the permissions of the data folder.")


class AnsweredElsewhere(KnownError):
    """Two computers of one user can't write in the same conversation at once."""

    code = "answered_elsewhere"
    what = N_("A reply in this conversation is being written on {name}.")
    hint = N_("Wait for it, then try again.")


class MessageNotFound(StoreError):
    """The message was deleted in the meantime, or there is no further version."""

    code = "message_gone"
    what = N_("This message no longer exists.")
    hint = N_("It was deleted in the meantime.")


class UnexpectedError(KnownError):
    code = "unexpected"
    what = N_("An unexpected error in NeoDeskPet.")
    hint = N_("The log has the details. Retry; if it happens again, please report it.")
    actions: ClassVar[tuple[Action, ...]] = (Action.RETRY,)


def _subclasses(kind: type[NoticeContent]) -> Iterator[type[NoticeContent]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _subclasses(child)


def content_class(code: str) -> type[NoticeContent]:
    """Return the class of notices and errors with this `code`; KnownError for unknown codes."""
    found = (kind for kind in _subclasses(NoticeContent) if kind.code == code)
    kind = next(found, KnownError)
    return KnownError if kind is NoticeContent else kind
