"""The messages part of the POST /register response: unread, starred, recent and newest."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.channel_cache.newest_messages import NO_MESSAGE
from chatapi.channel_cache.topic_messages import UnreadConversation
from chatapi.core.ids import ConversationId, MessageId, UserId
from chatapi.events.client import ClientProfile
from chatapi.features.messages.flags.payloads import UnreadMessagesPayload, encoded_topic
from chatapi.features.state import state_section
from chatapi.permissions.messages import message_access
from chatapi.permissions.readers import membership_of
from chatapi.read_state.repository import (
    MAX_UNREAD,
    ConversationRepository,
    MarkRepository,
    TopicMessagesRepository,
    UnreadRepository,
)
from chatapi.wire.topics import show_topic

_TWO_PEOPLE = 2


class NewestMessageState(TypedDict):
    """The newest message of the realm."""

    max_message_id: int
    """The newest message of the organization; -1 if there is none."""


class UnreadState(TypedDict):
    """The unread messages of the caller."""

    unread_msgs: UnreadMessagesPayload
    """Your unread messages, by conversation."""


class StarredState(TypedDict):
    """Messages that the caller starred and may still see."""

    starred_messages: list[MessageId]
    """Ids of the messages that you starred and may still see, in order."""


class RecentConversationPayload(TypedDict):
    """A direct conversation of the caller."""

    max_message_id: int
    """The newest message of the conversation."""
    user_ids: list[UserId]
    """The other participants; empty for notes to oneself."""


class RecentState(TypedDict):
    """The latest direct conversations of the caller."""

    recent_private_conversations: list[RecentConversationPayload]
    """Your latest 1,000 direct conversations, the newest first."""


@state_section("message")
async def load_newest(ctx: Context, _profile: ClientProfile) -> NewestMessageState:
    """The newest message id, -1 if there is none."""
    return {"max_message_id": await _newest_message(ctx)}


@state_section("message", "update_message_flags")
async def load_unread(ctx: Context, profile: ClientProfile) -> UnreadState:
    """Unread messages by conversation; a few statements, whose cost depends on what is unread."""
    membership = await membership_of(ctx)
    newest = await _newest_message(ctx)
    unread_messages = UnreadRepository(ctx.db, ctx.user.id)
    in_memory = TopicMessagesRepository(ctx.db, ctx.realm.id, ctx.runtime.topic_messages)
    found = await unread_messages.list_all(membership.groups, newest, in_memory)
    conversations = found.conversations
    direct = [each.id for each in conversations if each.channel_id is None]
    people = await ConversationRepository(ctx.db).list_people(direct)
    count = sum(len(each.message_ids) for each in conversations)
    unread: UnreadMessagesPayload = {
        "count": count,
        "pms": [],
        "streams": [],
        "huddles": [],
        "mentions": found.mention_ids,
        "old_unreads_missing": count >= MAX_UNREAD,
    }
    for conversation in conversations:
        _add(unread, conversation, ctx.user.id, people, profile)
    return {"unread_msgs": unread}


@state_section("starred_messages")
async def load_starred(ctx: Context, _profile: ClientProfile) -> StarredState:
    starred = await ConversationRepository(ctx.db).list_starred(ctx.user.id)
    visible = await (await message_access(ctx)).visible_in(starred)
    return {"starred_messages": sorted(visible)}


@state_section("recent_private_conversations")
async def load_recent(ctx: Context, _profile: ClientProfile) -> RecentState:
    """The latest 1,000, newest first."""
    repository = ConversationRepository(ctx.db)
    recent = await repository.list_recent_direct(ctx.user.id)
    people = await repository.list_people(recent)
    return {
        "recent_private_conversations": [
            {
                "max_message_id": last_message,
                "user_ids": [each for each in people[key] if each != ctx.user.id],
            }
            for key, last_message in recent.items()
        ]
    }


async def _newest_message(ctx: Context) -> MessageId:
    """As of the snapshot; cached values may be newer."""
    repository = MarkRepository(ctx.db, ctx.realm.id, ctx.user.id)
    newest = await repository.newest_message()
    return NO_MESSAGE if newest is None else newest


def _add(
    unread: UnreadMessagesPayload,
    conversation: UnreadConversation,
    reader_id: UserId,
    people: dict[ConversationId, list[UserId]],
    profile: ClientProfile,
) -> None:
    if conversation.channel_id is not None:
        topic = show_topic(conversation.topic, allow_empty=profile.knows_empty_topic)
        unread["streams"].append(conversation.encoded(topic, encoded_topic))
        return
    message_ids = list(conversation.message_ids)
    members = people[conversation.id]
    if len(members) > _TWO_PEOPLE:
        text = ",".join(str(user_id) for user_id in members)
        unread["huddles"].append({"user_ids_string": text, "unread_message_ids": message_ids})
        return
    other = next((user_id for user_id in members if user_id != reader_id), reader_id)
    unread["pms"].append(
        {"other_user_id": other, "sender_id": other, "unread_message_ids": message_ids}
    )
