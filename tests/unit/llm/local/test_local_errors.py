"""Each error of a local model has its own text, and only passing errors are retried."""

import pytest

from neodeskpet.core.errors import KnownError, LlmError, content_class
from neodeskpet.language import translate_error
from neodeskpet.llm.chain.model_wrappers import is_retryable
from neodeskpet.llm.local import local_errors as faults
from neodeskpet.platform.installation import extra_command

KINDS = [
    kind
    for kind in vars(faults).values()
    if isinstance(kind, type)
    and issubclass(kind, KnownError)
    and kind.__module__ == faults.__name__
]


def test_all_differ_and_are_found_by_their_code() -> None:
    assert len({kind.code for kind in KINDS}) == len(KINDS)
    assert len({kind.what for kind in KINDS}) == len(KINDS)
    for kind in KINDS:
        assert content_class(kind.code) is kind


@pytest.mark.parametrize("kind", KINDS)
def test_they_name_the_file(kind: type[KnownError]) -> None:
    what, hint = translate_error(kind(file="tiny.gguf", count="3", folder="/x"))
    assert "{" not in what + hint


def test_only_a_crash_is_retried() -> None:
    again = {kind.code for kind in KINDS if issubclass(kind, LlmError) and is_retryable(kind())}
    assert again == {"local_crashed"}


def test_the_missing_extra_says_which_command_to_type() -> None:
    assert extra_command("local") in translate_error(faults.ExtraMissing())[1]
