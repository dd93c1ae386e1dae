"""The stop reasons of services and gateways of all protocols. It is one table, because gateways
pass on the reasons of the service behind them. A reason that isn't in it is `Stop.OTHER`: it is
unknown whether the reply is complete, so the user is shown the service's word.
"""

from __future__ import annotations

from neodeskpet.core.wire import StopReason

_WORDS = {
    StopReason.END: (
        "stop",
        "end_turn",
        "completed",
        "complete",
        "eos",
        "eos_token",
        "stop_sequence",
        "stop_token",
        "stop_str",
        "stop_string",
        "end",
        "done",
        "finished",
        "success",
        "normal",
    ),
    StopReason.TOOLS: (
        "tool_calls",
        "tool_call",
        "tool_use",
        "tools",
        "function_call",
        "function_calls",
    ),
    StopReason.LENGTH: (
        "length",
        "max_tokens",
        "max_output_tokens",
        "max_completion_tokens",
        "max_length",
        "max_new_tokens",
        "model_length",
        "token_limit",
        "context_length_exceeded",
        "model_context_window_exceeded",
        "incomplete",
    ),
    StopReason.FILTER: (
        "content_filter",
        "content_filtered",
        "sensitive",
        "safety",
        "recitation",
        "language",
        "blocklist",
        "prohibited_content",
        "spii",
        "image_safety",
        "refusal",
    ),
    StopReason.MALFORMED: (
        "malformed_function_call",
        "malformed_tool_call",
        "unexpected_tool_call",
    ),
}
_STOPS = {word: stop for stop, words in _WORDS.items() for word in words}


_UNIFIED = {
    StopReason.END: "stop",
    StopReason.TOOLS: "tool_calls",
    StopReason.LENGTH: "length",
    StopReason.FILTER: "content_filter",
    StopReason.MALFORMED: "malformed_call",
}


def unified_reason(word: str) -> str:
    """Return one common word for the same reason of all services; an unknown word is unchanged."""
    return _UNIFIED.get(stop_reason_of(word, called=False), word) if word else word


def stop_reason_of(word: str | None, *, called: bool) -> StopReason:
    """Return the meaning of `word`, in any case; None is an ordinary end. `called`: there were
    calls, and an ordinary end after them means that they must be run.
    """
    stop = StopReason.END if word is None else _STOPS.get(word.casefold(), StopReason.OTHER)
    return StopReason.TOOLS if called and stop is StopReason.END else stop
