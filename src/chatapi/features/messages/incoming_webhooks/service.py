"""Use case: post the document of another program as a message."""

from fnmatch import fnmatchcase

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.features.messages.incoming_webhooks.errors import (
    UnknownIntegrationError,
    WebhookSignatureError,
)
from chatapi.features.messages.incoming_webhooks.integration import (
    IgnoredEvent,
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.features.messages.incoming_webhooks.integrations import INTEGRATIONS
from chatapi.features.messages.incoming_webhooks.params import IncomingWebhookParams
from chatapi.features.messages.incoming_webhooks.payloads import AcceptedWebhookPayload
from chatapi.features.messages.send.params import SendMessageParams
from chatapi.features.messages.send.service import MessageService
from chatapi.wire.limits import MAX_MESSAGE_LENGTH, MAX_TOPIC_LENGTH

_QUICK_BYTES = 64 * 1024
"""Documents up to this size are read within a few milliseconds."""
_SHORTENED = "\n\n(shortened)"


class IncomingWebhookService:
    """Posts as the bot whose key was sent: with its permissions, and in its name."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def post(
        self, name: str, request: WebhookRequest, params: IncomingWebhookParams
    ) -> AcceptedWebhookPayload:
        """Post the message for a document, unless its event is ignored."""
        integration = INTEGRATIONS.get(name)
        if integration is None:
            raise UnknownIntegrationError(name, ", ".join(sorted(INTEGRATIONS)))
        if params.webhook_secret is not None:
            _check_signature(integration, request, params.webhook_secret)
        message = await self._read(integration, request)
        if isinstance(message, IgnoredEvent) or not _is_wanted(message.event, params):
            return {"ignored_event_type": message.event}
        sent = await MessageService(self._ctx).send(self._as_request(message, params))
        return {"id": sent["id"]}

    async def _read(
        self, integration: Integration, request: WebhookRequest
    ) -> WebhookMessage | IgnoredEvent:
        """Read a document, a large one off the event loop."""
        if len(request.body.content) <= _QUICK_BYTES:
            return integration.read(request)
        await self._ctx.release_connection()
        async with self._ctx.heavy_rendering():
            return await self._ctx.runtime.rendering_threads.run(integration.read, request)

    def _as_request(
        self, message: WebhookMessage, params: IncomingWebhookParams
    ) -> SendMessageParams:
        content = _shorten(message.content)
        if params.stream is not None:
            stream = params.stream.strip()
            return SendMessageParams(
                type="stream",
                to=int(stream) if stream.isdecimal() else stream,
                topic=_topic(message.topic) if params.topic is None else params.topic,
                content=content,
            )
        owner_id = self._ctx.user.bot_owner_id
        if owner_id is None:
            raise BadRequestError("Missing 'stream' argument: the bot has no owner to write to")
        return SendMessageParams(type="direct", to=[int(owner_id)], content=content)


def _check_signature(integration: Integration, request: WebhookRequest, secret: str) -> None:
    if not integration.signature_header:
        raise BadRequestError(f"webhook_secret: {integration.display_name} does not sign")
    if not integration.is_signed(request, secret):
        raise WebhookSignatureError(integration.signature_header)


def _is_wanted(event: str, params: IncomingWebhookParams) -> bool:
    if params.only_events is not None and not _matches(event, params.only_events):
        return False
    return params.exclude_events is None or not _matches(event, params.exclude_events)


def _matches(event: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(event, pattern) for pattern in patterns)


def _topic(topic: str) -> str:
    """A valid topic: names in other programs can have any characters, and any length."""
    topic = " ".join("".join(c if c.isprintable() else " " for c in topic).split())
    return topic if len(topic) <= MAX_TOPIC_LENGTH else f"{topic[: MAX_TOPIC_LENGTH - 1]}…"


def _shorten(content: str) -> str:
    # A document can hold characters that no database stores.
    content = content.replace("\0", "")
    if len(content) <= MAX_MESSAGE_LENGTH:
        return content
    return content[: MAX_MESSAGE_LENGTH - len(_SHORTENED)] + _SHORTENED
