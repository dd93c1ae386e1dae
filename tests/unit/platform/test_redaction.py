from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from neodeskpet.platform.redaction import (
    HIDDEN_MARK,
    RedactingFilter,
    holds_secret,
    protect_handlers,
    redact,
    redact_tokens,
    register_secret,
)


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    stream = io.StringIO()
    logger = logging.getLogger("neodeskpet-test-redaction")
    logger.propagate = False
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    logger.addHandler(handler)
    protect_handlers(logger)
    protect_handlers(logger)
    assert len(handler.filters) == 1
    yield logger, stream
    logger.removeHandler(handler)


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abc123DEF456 given",
        "sk-proj-abc_123-DEF456ghi",
        "Authorization: Bearer abc123DEF456",
        "authorization: bearer abc123DEF456",
        "GET https://x.example/v1?key=abc123DEF456&alt=sse",
        "https://x.example/v1?alt=sse&api_key=abc123DEF456",
        "https://me:abc123DEF456@x.example/v1",
        '{"api_key": "abc123DEF456"}',
        "{'api-key': 'abc123DEF456', 'b': 1}",
        "(b'x-api-key', b'abc123DEF456')",
        "x-goog-api-key: abc123DEF456",
        "AIzaSyabc123DEF456abc123DEF456abc123",
        "Basic dXNlcjphYmMxMjNERUY0NTY=abc123DEF456",
        "gsk_abc123DEF456abc123DEF456",
    ],
)
def test_text_that_looks_like_a_key_is_hidden(text: str) -> None:
    hidden = redact(text)
    assert "abc123DEF456" not in hidden
    assert HIDDEN_MARK in hidden
    assert redact(hidden) == hidden


SECRET = "abc123DEF456"
TOKENS = [
    f"github_pat_{SECRET}_{SECRET}",
    f"gho_{SECRET}{SECRET}",
    f"glpat-{SECRET}{SECRET}",
    f"xoxb-{SECRET}-{SECRET}",
    "AKIA" + "ABCD1234" * 2,
    f"eyJhbGciOi{SECRET}.eyJzdWIi{SECRET}.{SECRET}",
    f"ya29.{SECRET}{SECRET}",
    f"sk_live_{SECRET}",
    f"npm_{SECRET * 3}",
    f"pypi-{SECRET * 4}",
    f"SG.{SECRET}{SECRET}.{SECRET}{SECRET}",
    f"aws_secret_access_key = {SECRET * 3}wxyz",
    f"-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET * 5}\n{SECRET}=\n"
    "-----END OPENSSH PRIVATE KEY-----",
    f"-----BEGIN PRIVATE KEY-----\\n{SECRET * 5}\\n",
    f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{SECRET}\n"
    "-----END PGP PRIVATE KEY BLOCK-----",
]


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_recognised_by_its_form(token: str) -> None:
    text = f'before "{token}" after'
    hidden = redact_tokens(text)
    assert SECRET not in hidden
    assert "ABCD1234" not in hidden
    assert (hidden[:7], hidden[-6:]) == ("before ", " after")
    assert HIDDEN_MARK in hidden
    assert holds_secret(text)
    assert redact_tokens(hidden) == hidden


@pytest.mark.parametrize(
    "text",
    [
        "password=correct-horse",
        'DB_PASSWORD="correct-horse"',
        "{'passwd': 'correct-horse'}",
        "PGPASSWORD=correct-horse psql",
    ],
)
def test_a_password_is_hidden_in_the_log(text: str) -> None:
    assert "correct-horse" not in redact(text)
    assert redact_tokens(text) == text


def test_a_key_that_was_cut_between_complete_ones_is_hidden_alone() -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    line = SECRET * 5
    text = f"a {begin} is a mark, {begin}\n{line}\n{line}\n then {begin}\n{line}\n{end} b"
    hidden = redact_tokens(text)
    assert SECRET not in hidden
    assert hidden.startswith(f"a {begin} is a mark, {HIDDEN_MARK}")
    assert hidden.endswith(f" then {HIDDEN_MARK}\n\n b")
    assert hidden.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "The password: it is written on paper, so take care",
        "def password_of(user: str) -> str:",
        "eyJ is how a JWT begins",
        "-----END RSA PRIVATE KEY-----",
        "see glpat- in the manual",
        "The basic information of the risk-free task",
        "https://x.example/v1/models?alt=sse",
        '{"key": "ctrl", "token": "hello"}',
        "Task sk-1 ended",
        "12:30 at the desk-side, mail me@example.com",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert redact(text) == text


def test_the_rest_of_the_line_stays() -> None:
    assert redact("GET /a?key=abcdefgh&alt=sse 200") == f"GET /a?key={HIDDEN_MARK}&alt=sse 200"


@pytest.mark.parametrize(
    "secret", ["correct-horse?battery=", 'a "quoted" \\ key', "密钥密钥密钥密钥"]
)
def test_a_registered_secret_is_hidden_in_every_form(secret: str) -> None:
    register_secret(secret)
    for form in (secret, quote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1]):
        assert redact(f"before {form} after") == f"before {HIDDEN_MARK} after"


def test_a_short_secret_would_hide_ordinary_words() -> None:
    register_secret("ollama")
    assert redact("ollama runs") == "ollama runs"


def test_messages_arguments_and_tracebacks(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, stream = log
    register_secret("correct horse battery")
    logger.warning("Sent %s with %r", "correct horse battery", {"api_key": "abc123"})
    try:
        raise ValueError("bad key sk-abc123DEF456")
    except ValueError:
        logger.exception("It failed for %s", "Bearer abc123DEF456", stack_info=True)
    said = stream.getvalue()
    assert "horse" not in said
    assert "abc123" not in said
    assert f"Sent {HIDDEN_MARK} with" in said
    assert "ValueError: bad key" in said
    assert "Traceback" in said
    assert "Stack (most recent call last)" in said


def test_a_record_with_wrong_placeholders_is_still_a_line(
    log: tuple[logging.Logger, io.StringIO],
) -> None:
    logger, stream = log
    wrong = ("%d bottles of %s", "no number")
    logger.warning(*wrong)
    assert "no number" in stream.getvalue()


def test_a_second_handler_gets_no_secret_either(log: tuple[logging.Logger, io.StringIO]) -> None:
    """Handlers share records: after the filter they stay without secrets."""
    record = logging.LogRecord("a", logging.INFO, "f", 1, "key sk-abc123DEF456", None, None)
    assert RedactingFilter().filter(record)
    assert RedactingFilter().filter(record)
    assert logging.Formatter().format(record) == f"key {HIDDEN_MARK}"


def test_a_long_run_of_backslashes_is_read_once() -> None:
    hidden = redact('api_key="' + "\\" * 5_000)
    assert hidden == 'api_key="[hidden]"'


def test_whether_a_text_contains_a_secret() -> None:
    assert holds_secret("Bearer abcdef123456")
    assert holds_secret("http://:word@example.com")
    assert not holds_secret("the key to all of it")
