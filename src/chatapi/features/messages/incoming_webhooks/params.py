"""Parameters of incoming webhooks."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.bodies import RequestBody
from chatapi.wire.params import Alias, Params
from chatapi.wire.topics import Topic

_MAX_KEY_LENGTH = 100
_MAX_NAME_LENGTH = 200
_MAX_PATTERNS = 100

EventPatterns = Annotated[
    list[Annotated[str, Field(max_length=_MAX_NAME_LENGTH)]], Field(max_length=_MAX_PATTERNS)
]


class IncomingWebhookParams(Params):
    """POST /external/{integration}: all but the document are in the query."""

    document: RequestBody
    api_key: Annotated[str, Field(max_length=_MAX_KEY_LENGTH)] = ""
    """Of an incoming webhook bot; the guard has checked it."""
    stream: Annotated[str | None, Alias("channel"), Field(max_length=_MAX_NAME_LENGTH)] = None
    """A channel by id or name; without it, the owner of the bot gets a direct message."""
    topic: Topic | None = None
    """Replaces the topic that the integration chooses."""
    only_events: EventPatterns | None = None
    """Names of events to post; `*` stands for any characters."""
    exclude_events: EventPatterns | None = None
    """Names of events not to post."""
    webhook_secret: Annotated[str | None, Field(max_length=_MAX_NAME_LENGTH)] = None
    """The secret with which the sender signs; documents without a valid signature are refused."""
