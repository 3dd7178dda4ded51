"""Parameters of alert words."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.params import Params

MOST_WORDS = 500
_LONGEST = 100

Word = Annotated[str, Field(max_length=_LONGEST)]


class AlertWordsParams(Params):
    """POST and DELETE /users/me/alert_words."""

    alert_words: Annotated[list[Word], Field(max_length=MOST_WORDS, examples=[["lunch"]])]
    """Words or phrases; capitals do not matter."""
