"""Messages on their way to the process that leads the writes of their realm."""

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from chatapi.auth.caller_cache import caller_tags
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.cache import channel_tags
from chatapi.core.errors import BadRequestError, StaleCallerError
from chatapi.core.ids import ChannelId, EventNumber, GroupId, RealmId, UserId
from chatapi.db.idempotency_store import IdempotencyKey
from chatapi.db.session import DatabaseSession
from chatapi.events.write_forwarding import JsonObject
from chatapi.features.messages.outgoing import DirectTarget, OutgoingMessage, TopicTarget
from chatapi.features.messages.payloads import SentPayload
from chatapi.features.messages.writer import MessageWriter
from chatapi.rendering import RenderedMessage

MESSAGES = "messages"
"""The name of these writes, in the group commit and between processes."""


def accept_forwarded_messages(runtime: Runtime) -> None:
    """Accept messages that clients sent to other processes."""
    runtime.write_forwarder.accept(MESSAGES, partial(_write_forwarded, runtime))


async def write_message(
    runtime: Runtime, realm: RealmRecord, outgoing: OutgoingMessage
) -> SentPayload:
    """Write a message together with others that wait, in this process or in the leader."""
    if runtime.write_forwarder.has_other_leader(realm.id) and _can_be_forwarded(outgoing):
        outgoing = _with_key(outgoing)
        result = await _forward(runtime, realm.id, outgoing)
        if result is not None:
            return result
    return await _write_here(runtime, realm, outgoing)


async def _write_here(
    runtime: Runtime, realm: RealmRecord, outgoing: OutgoingMessage
) -> SentPayload:
    writer = MessageWriter(runtime, realm)
    return await runtime.group_committer.submit(
        realm.id, MESSAGES, writer.write, outgoing, sends_messages=True
    )


def _can_be_forwarded(outgoing: OutgoingMessage) -> bool:
    """Whether the leader can find out that what was checked for the message still holds."""
    return outgoing.caller is not None and outgoing.subscribers is None and not outgoing.is_stale


def _with_key(outgoing: OutgoingMessage) -> OutgoingMessage:
    """Give it an idempotency key: two processes may try to write it."""
    if outgoing.request is not None:
        return outgoing
    return replace(outgoing, request=IdempotencyKey.for_forwarding(outgoing.sender.id))


async def _forward(
    runtime: Runtime, realm_id: RealmId, outgoing: OutgoingMessage
) -> SentPayload | None:
    """Return the response; None if it is not known whether the leader has written it."""
    feed = await runtime.hub.feed(realm_id)
    item = _encode(outgoing, feed.position)
    result = await runtime.write_forwarder.forward(realm_id, MESSAGES, item)
    match result:
        case {"sent": payload}:
            sent: SentPayload = payload
            return sent
        case {"refused": str(reason)}:
            raise BadRequestError(reason)
        case {"stale": True}:
            raise StaleCallerError
        case _:
            return None


async def _write_forwarded(
    runtime: Runtime, realm_id: RealmId, items: Sequence[JsonObject]
) -> list[JsonObject]:
    """Write what another process forwarded, together with what was sent to this one."""
    realm = await runtime.realms.of_id(realm_id)
    async with runtime.reading() as db:
        found = [await _decode(runtime, db, realm_id, item) for item in items]
    results = await asyncio.gather(
        *(_write_found(runtime, realm, outgoing) for outgoing in found), return_exceptions=True
    )
    return [_encode_result(result) for result in results]


async def _write_found(
    runtime: Runtime, realm: RealmRecord, outgoing: OutgoingMessage | None
) -> SentPayload:
    if outgoing is None:
        raise StaleCallerError
    return await _write_here(runtime, realm, outgoing)


def _encode_result(result: SentPayload | BaseException) -> JsonObject:
    match result:
        case BadRequestError():
            return {"refused": result.msg}
        case StaleCallerError():
            return {"stale": True}
        case BaseException():
            # The sender writes it itself, and finds out whether this is a real error.
            return {"failed": str(result)}
        case _:
            return {"sent": result}


def _encode(outgoing: OutgoingMessage, position: EventNumber | None) -> JsonObject:
    return {
        "as_of": position,
        "sender": outgoing.sender.id,
        "to": _encode_target(outgoing.to),
        "content": outgoing.content,
        "rendered": _encode_rendered(outgoing.rendered),
        "client": outgoing.client_name,
        "read_by_sender": outgoing.read_by_sender,
        "widget": outgoing.widget,
        "echo": outgoing.echo,
        "request": outgoing.request and [outgoing.request.key, outgoing.request.digest],
        "public_url": outgoing.public_url,
        "traceparent": outgoing.traceparent,
    }


def _encode_target(to: TopicTarget | DirectTarget) -> JsonObject:
    if isinstance(to, DirectTarget):
        return {"people": [user.id for user in to.people], "may_start": to.may_start_conversation}
    return {
        "channel": to.channel.record.id,
        "topic": to.topic,
        "may_start": to.may_start_topic,
        "is_muted": to.is_channel_muted,
        "is_name_known": to.is_name_known,
    }


def _encode_rendered(rendered: RenderedMessage) -> JsonObject:
    return {
        "html": rendered.html,
        "users": list(rendered.mentioned_user_ids),
        "groups": list(rendered.mentioned_group_ids),
        "channel": rendered.mentions_channel,
        "topic": rendered.mentions_topic,
        "has_link": rendered.has_link,
        "has_image": rendered.has_image,
        "uploads": list(rendered.upload_paths),
        "is_me_message": rendered.is_me_message,
        "has_loading_picture": rendered.has_loading_picture,
    }


async def _decode(
    runtime: Runtime, db: DatabaseSession, realm_id: RealmId, item: JsonObject
) -> OutgoingMessage | None:
    """Return the message; None if what was checked for it may have changed since.

    Sender and channel are this process's cached ones, which tell of later changes.
    """
    sender_id = UserId(item["sender"])
    caller = await runtime.callers.of_user(db, realm_id, sender_id)
    to = await _decode_target(runtime, db, realm_id, item["to"])
    if to is None:
        return None
    tags = caller_tags(sender_id)
    if isinstance(to, TopicTarget):
        tags += channel_tags(to.channel.record.id)
    feed = await runtime.hub.feed(realm_id)
    if feed.may_have_changed(tags, since=EventNumber(item["as_of"])):
        return None
    return OutgoingMessage(
        sender=caller.user,
        to=to,
        content=item["content"],
        rendered=_decode_rendered(item["rendered"]),
        client_name=item["client"],
        read_by_sender=item["read_by_sender"],
        widget=item["widget"],
        caller=caller,
        echo=item["echo"],
        request=IdempotencyKey(sender_id, *item["request"]),
        public_url=item["public_url"],
        traceparent=item["traceparent"],
    )


async def _decode_target(
    runtime: Runtime, db: DatabaseSession, realm_id: RealmId, to: JsonObject
) -> TopicTarget | DirectTarget | None:
    if "people" in to:
        people = [await runtime.callers.of_user(db, realm_id, UserId(n)) for n in to["people"]]
        return DirectTarget(tuple(each.user for each in people), to["may_start"])
    channel = await runtime.channels.by_id(db, realm_id, ChannelId(to["channel"]))
    if channel is None:
        return None
    return TopicTarget(channel, to["topic"], to["may_start"], to["is_muted"], to["is_name_known"])


def _decode_rendered(rendered: JsonObject) -> RenderedMessage:
    return RenderedMessage(
        html=rendered["html"],
        mentioned_user_ids=frozenset(UserId(number) for number in rendered["users"]),
        mentioned_group_ids=frozenset(GroupId(number) for number in rendered["groups"]),
        mentions_channel=rendered["channel"],
        mentions_topic=rendered["topic"],
        has_link=rendered["has_link"],
        has_image=rendered["has_image"],
        upload_paths=frozenset(rendered["uploads"]),
        is_me_message=rendered["is_me_message"],
        has_loading_picture=rendered["has_loading_picture"],
    )
