"""Parameters of the welcome message."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.params import Params


class TryWelcomeMessageParams(Params):
    """POST /realm/test_welcome_bot_custom_message."""

    welcome_message_custom_text: Annotated[str, Field(min_length=1, max_length=8_000)]
    """The text to try, in Markdown; it is not stored."""
