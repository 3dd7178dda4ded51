"""What a service is sent: the message as the bot may read it."""

from typing import Any

import orjson
from msgspec import Struct

from chatapi.auth.context import Context
from chatapi.auth.realm_sessions import realm_reading
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId
from chatapi.features.messages.fetch.params import ShowMessageParams
from chatapi.features.messages.fetch.payloads import OneMessagePayload
from chatapi.features.messages.fetch.service import HistoryService
from chatapi.features.messages.repository import WebhookCallRecord
from chatapi.features.messages.send.params import SendMessageParams
from chatapi.features.users import BotServiceRepository
from chatapi.wire.topics import read_topic

_CLIENT_NAME = "OutgoingWebhook"


class ServiceRequest(Struct, frozen=True):
    """The request to a service, and what is needed for what follows."""

    url: str
    body: bytes
    bot_name: str
    owner_id: UserId | None
    message: dict[str, Any]
    content: str

    def reply_params(self, content: str) -> SendMessageParams:
        """A message in the same conversation."""
        message = self.message
        if message["type"] == "stream":
            return SendMessageParams(
                type="stream",
                to=message["stream_id"],
                topic=read_topic(message["subject"]),
                content=content,
            )
        people = [person["id"] for person in message["display_recipient"]]
        return SendMessageParams(type="direct", to=people, content=content)


async def prepare_request(runtime: Runtime, call: WebhookCallRecord) -> ServiceRequest | None:
    """The request of a call; None if the bot cannot be called about the message any more."""
    async with realm_reading(runtime, call.realm_id) as ctx:
        caller = await runtime.callers.of_user(ctx.db, ctx.realm.id, call.bot_id)
        bot = ctx.acting_as(caller, _CLIENT_NAME)
        service = (await BotServiceRepository(ctx.db).list_of([bot.user])).get(bot.user.id)
        message = await _read_message(bot, call)
    if service is None or message is None or not bot.user.is_active:
        return None
    payload = {
        "bot_email": bot.user.delivery_email,
        "bot_full_name": bot.user.full_name,
        "data": message["content"],
        "message": message,
        "token": service.token,
        "trigger": call.trigger,
    }
    return ServiceRequest(
        url=service.base_url,
        body=orjson.dumps(payload),
        bot_name=bot.user.full_name,
        owner_id=bot.user.bot_owner_id,
        message=message,
        content=message["content"],
    )


async def _read_message(bot: Context, call: WebhookCallRecord) -> dict[str, Any] | None:
    """The message as written, with its HTML beside it; None if the bot may not read it."""
    history = HistoryService(bot)
    try:
        source = await history.get(call.message_id, ShowMessageParams(apply_markdown=False))
        shown = await history.get(call.message_id, ShowMessageParams(apply_markdown=True))
    except BadRequestError:
        return None
    message = _decode(source)
    message["rendered_content"] = _decode(shown)["content"]
    message.pop("flags", None)
    return message


def _decode(payload: OneMessagePayload) -> dict[str, Any]:
    """The message of a response, which is joined from encoded parts."""
    message: dict[str, Any] = orjson.loads(orjson.dumps(payload["message"]))
    return message
