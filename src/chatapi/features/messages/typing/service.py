"""Use case: typing notifications. Nothing is written or stored."""

from typing import Any

from chatapi.auth.context import Context
from chatapi.auth.users import UserRecord
from chatapi.core.errors import BadRequestError
from chatapi.events.audience import Audience, Subscribers, Users
from chatapi.features.messages.outgoing import DirectTarget
from chatapi.features.messages.recipients import find_channel, to_people
from chatapi.features.messages.repository import MessageRepository
from chatapi.features.messages.typing.events import TyperPayload, TypingStarted, TypingStopped
from chatapi.features.messages.typing.params import TypingParams

MAX_LISTENERS = 100
"""In larger channels some user is typing nearly always; the notification would be noise."""


class TypingService:
    """Notifies users that the caller is typing, where the caller could send a message."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def notify(self, params: TypingParams) -> None:
        """POST /typing (SPEC 4.6)."""
        await self._ctx.recheck_caller()
        if params.type == "direct":
            await self._notify_people(params)
        else:
            await self._notify_channel(params)

    async def _notify_people(self, params: TypingParams) -> None:
        if not self._ctx.user.options.send_private_typing_notifications:
            raise BadRequestError("User has disabled typing notifications for direct messages")
        if params.to is None:
            raise BadRequestError("Missing 'to' argument")
        conversation = await to_people(self._ctx, params.to)
        await self._check_may_begin(conversation)
        self._emit(
            params,
            to=Users(ids=frozenset(person.id for person in conversation.people)),
            message_type="direct",
            recipients=tuple(self._show(person) for person in conversation.people),
        )

    async def _check_may_begin(self, conversation: DirectTarget) -> None:
        """Callers who may only reply may not notify of typing in a new conversation either."""
        if conversation.may_start_conversation:
            return
        messages = MessageRepository(self._ctx.db, self._ctx.realm.id)
        if not await messages.find_people([conversation.key]):
            raise BadRequestError(
                "You do not have permission to initiate direct message conversations."
            )

    async def _notify_channel(self, params: TypingParams) -> None:
        if not self._ctx.user.options.send_stream_typing_notifications:
            raise BadRequestError("User has disabled typing notifications for channel messages")
        if params.stream_id is None:
            raise BadRequestError("Missing 'stream_id' argument")
        if params.topic is None:
            raise BadRequestError("Missing 'topic' argument")
        channel = (await find_channel(self._ctx, params.stream_id)).record
        subscribers = await self._ctx.runtime.channels.subscriber_count(
            self._ctx.db, self._ctx.realm.id, channel.id
        )
        if subscribers.number <= MAX_LISTENERS:
            self._emit(
                params,
                # Clients that requested messages of all public channels did not request typing
                # events.
                to=Subscribers(channel_id=channel.id, is_public=False),
                message_type="stream",
                stream_id=channel.id,
                topic=params.topic,
            )

    def _emit(self, params: TypingParams, to: Audience, **where: Any) -> None:  # noqa: ANN401 (fields of the event)
        told = TypingStarted if params.op == "start" else TypingStopped
        self._ctx.emit(told(sender=self._show(self._ctx.user), **where), to=to)

    def _show(self, user: UserRecord) -> TyperPayload:
        email = user.api_email(self._ctx.realm, self._ctx.settings.root_domain)
        return {"user_id": user.id, "email": email}
