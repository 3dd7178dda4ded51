"""Use case: send a message."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError, StaleCallerError
from chatapi.core.ids import QueueId
from chatapi.db.idempotency_store import IdempotencyKey
from chatapi.features.messages.events import Echo
from chatapi.features.messages.outgoing import DirectTarget, OutgoingMessage, TopicTarget
from chatapi.features.messages.payloads import SentPayload
from chatapi.features.messages.recipients import to_people, to_topic
from chatapi.features.messages.rendering import render
from chatapi.features.messages.rules import check_content, is_read_by_sender
from chatapi.features.messages.send.forwarding import write_message
from chatapi.features.messages.send.params import SendMessageParams
from chatapi.features.messages.widgets.content import read_widget
from chatapi.features.messages.wildcards import check_wildcards
from chatapi.features.messages.writer import MessageWriter, WriteResult


class MessageService:
    """Sends messages on behalf of a caller."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def send(self, params: SendMessageParams) -> SentPayload:
        """Send a message exactly once, however often the request is repeated."""
        ctx = self._ctx
        echo, request = _echo(params), self._request(params)
        outgoing = await self.prepare(params, echo, request)
        if ctx.db.was_locked_first:
            # Conflicts were too frequent: the request holds the lock and writes its message alone.
            writer = MessageWriter(ctx.runtime, ctx.realm)
            return _result(*await writer.write(ctx.work, [outgoing]))
        try:
            return await self._submit(outgoing)
        except StaleCallerError:
            if ctx.caller.is_stale:
                raise
        # The channel changed while the message waited, as after each batch of a long move. Messages
        # that are sent together get the lock sooner than a request that starts over with it.
        return await self._submit(await self.prepare(params, echo, request))

    async def _submit(self, outgoing: OutgoingMessage) -> SentPayload:
        """Write a message together with others that wait."""
        ctx = self._ctx
        # The group commit is another transaction, which may have to wait.
        await ctx.release_connection()
        return await write_message(ctx.runtime, ctx.realm, outgoing)

    async def prepare(
        self,
        params: SendMessageParams,
        echo: Echo | None = None,
        request: IdempotencyKey | None = None,
    ) -> OutgoingMessage:
        """Everything that can be checked and done before the realm is locked."""
        ctx = self._ctx
        content = check_content(params.content)
        widget = read_widget(content, params.widget_content)
        to = await self._target(params)
        rendered = await render(ctx, content)
        subscribers = None
        if isinstance(to, TopicTarget):
            subscribers = await check_wildcards(ctx, to.channel.record, to.topic, rendered)
        read = params.read_by_sender
        return OutgoingMessage(
            sender=ctx.user,
            to=to,
            content=content,
            rendered=rendered,
            client_name=ctx.client_name,
            read_by_sender=is_read_by_sender(ctx.client_name) if read is None else read,
            widget=widget,
            caller=ctx.caller,
            subscribers=subscribers,
            echo=echo,
            request=request,
            public_url=ctx.public_url,
            traceparent=ctx.runtime.tracing.traceparent(),
        )

    async def _target(self, params: SendMessageParams) -> TopicTarget | DirectTarget:
        if params.type in {"direct", "private"}:
            return await to_people(self._ctx, params.to)
        return await to_topic(self._ctx, params.to, params.topic)

    def _request(self, params: SendMessageParams) -> IdempotencyKey | None:
        """The idempotency key of a request: from its header, or else from its local id.

        Clients choose local ids freely: only the same message under the same id is a repetition,
        another message is sent.
        """
        named = self._ctx.work.take_idempotency_key()
        if named is not None or params.queue_id is None or params.local_id is None:
            return named
        name = ("message", params.queue_id, params.local_id, *_content(params))
        return IdempotencyKey.for_request(self._ctx.user.id, name, ())


def _result(outcome: WriteResult) -> SentPayload:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _echo(params: SendMessageParams) -> Echo | None:
    if params.queue_id is None:
        return None
    if params.local_id is None:
        raise BadRequestError("Missing 'local_id' argument: it belongs to queue_id")
    return {"queue_id": QueueId(params.queue_id), "local_id": params.local_id}


def _content(params: SendMessageParams) -> tuple[str, ...]:
    """Content and recipients, as requested."""
    content = params.type, repr(params.to), params.topic or "", params.content
    return content if params.widget_content is None else (*content, params.widget_content)
