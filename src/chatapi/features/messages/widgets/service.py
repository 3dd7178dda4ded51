"""Use case: do something with the widget of a message."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MessageId
from chatapi.features.messages.repository import NewSubmessage, SubmessageRepository
from chatapi.features.messages.widgets.actions import check_action
from chatapi.features.messages.widgets.content import type_of
from chatapi.features.messages.widgets.events import SubmessageAdded
from chatapi.features.messages.widgets.params import SubmessageParams
from chatapi.permissions.message_lookup import message_audience, message_to_change
from chatapi.wire.strict_json import (
    JsonBudget,
    NotJsonError,
    NulCharacterError,
    TooManyValuesError,
)

MAX_SUBMESSAGES = 2_000
"""Limit for one message: all its readers receive all of them."""
MAX_CHARACTERS = 200_000
"""Limit of all submessages of one message."""


class WidgetService:
    """Users who may see a message use its widget."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = SubmessageRepository(ctx.db)

    async def add(self, params: SubmessageParams) -> None:
        """POST /submessage."""
        action = _parse(params.content)
        await self._ctx.lock()
        message = await message_to_change(self._ctx, MessageId(params.message_id))
        widget = await self._repository.find_widget(message.id)
        if widget is None:
            raise BadRequestError("message_id: This message has no widget")
        user = self._ctx.user
        check_action(type_of(widget), action, is_author=user.id == message.sender_id)
        await self._check_room(message.id, params.content)
        [added] = await self._repository.add([NewSubmessage(message.id, user.id, params.content)])
        self._ctx.emit(
            SubmessageAdded(
                message_id=message.id,
                submessage_id=added["id"],
                sender_id=user.id,
                msg_type=added["msg_type"],
                content=params.content,
            ),
            to=await message_audience(self._ctx, message),
        )

    async def _check_room(self, message_id: MessageId, content: str) -> None:
        usage = (await self._repository.measure([message_id]))[message_id]
        if usage.count >= MAX_SUBMESSAGES or usage.characters + len(content) > MAX_CHARACTERS:
            raise BadRequestError(
                f"A message can have {MAX_SUBMESSAGES} submessages with {MAX_CHARACTERS} characters"
                " at most"
            )


def _parse(content: str) -> object:
    try:
        return JsonBudget().parse(content)
    except NulCharacterError:
        raise BadRequestError("content must not contain NUL characters") from None
    except (NotJsonError, TooManyValuesError):
        raise BadRequestError("content is not valid JSON") from None
