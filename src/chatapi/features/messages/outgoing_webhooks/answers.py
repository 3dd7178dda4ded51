"""Reads what a service answers."""

from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.strict_json import JsonBudget, NotJsonError, TooManyValuesError


class BadAnswerError(Exception):
    """A service answered something that cannot be used; it would do so again."""


def read_answer(body: bytes) -> str | None:
    """The text to post; None if the service wants to post nothing."""
    if not body.strip():
        return None
    try:
        answer = JsonBudget().parse(body.decode())
    except (UnicodeDecodeError, NotJsonError, TooManyValuesError):
        raise BadAnswerError("its answer is not valid JSON") from None
    if not isinstance(answer, dict):
        raise BadAnswerError("its answer is not a JSON object")
    if answer.get("response_not_required") is True:
        return None
    # The second is the name that older services use.
    content = answer.get("content", answer.get("response_string"))
    if content is None:
        return None
    if not isinstance(content, str):
        raise BadAnswerError("the content of its answer is not text")
    if len(content) > MAX_MESSAGE_LENGTH:
        raise BadAnswerError(f"its answer is longer than {MAX_MESSAGE_LENGTH} characters")
    return content if content.strip() else None
