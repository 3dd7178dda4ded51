"""Parameters of sending (SPEC 4.1)."""

from typing import Annotated

from pydantic import Field

from chatapi.features.messages.params import MessageType, Recipient
from chatapi.features.messages.widgets.content import MAX_WIDGET_LENGTH
from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Alias, JsonOrString, Params
from chatapi.wire.topics import Topic

_MAX_LOCAL_ID_LENGTH = 100


class SendMessageParams(Params):
    """A message and its recipients."""

    type: MessageType
    """Whether it goes to a channel or to users. `stream` means `channel`, `private` means `direct`.
    """
    to: Annotated[Recipient, JsonOrString()]
    """A channel by name or id, or users by their ids or API emails."""
    content: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH)]
    """The text, in Markdown; at most 10,000 characters."""
    topic: Annotated[Topic | None, Alias("subject")] = None
    """Required in channels; `(no topic)` and the name of the empty topic mean the empty one."""
    queue_id: Annotated[str | None, Field(max_length=_MAX_LOCAL_ID_LENGTH)] = None
    """The event queue of the sending client; the event in this queue contains `local_id`."""
    local_id: Annotated[str | None, Field(max_length=_MAX_LOCAL_ID_LENGTH)] = None
    """The client's own id for the message; with `queue_id`, a retry with the same one sends nothing
    twice."""
    read_by_sender: bool | None = None
    """Whether the message counts as read by you. If left out, it does for the apps that people use,
    and does not for other programs."""
    widget_content: Annotated[
        str | None,
        Field(
            max_length=MAX_WIDGET_LENGTH,
            examples=['{"widget_type": "poll", "extra_data": {"question": "Lunch?"}}'],
        ),
    ] = None
    """A poll, a todo list or a form as JSON; `/poll` and `/todo` in the text make one as well."""
