"""Parameters of alert words."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.params import Params

MAX_WORDS = 500
_MAX_LENGTH = 100

Word = Annotated[str, Field(max_length=_MAX_LENGTH)]


class AlertWordsParams(Params):
    """POST and DELETE /users/me/alert_words."""

    alert_words: Annotated[list[Word], Field(max_length=MAX_WORDS)]
    """Words or phrases; case does not matter."""
