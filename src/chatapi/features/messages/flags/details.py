"""The conversations of messages that became unread, for clients that do not have them."""

from collections.abc import Sequence

from chatapi.auth.context import Context
from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.ids import ConversationId, MessageId, UserId
from chatapi.features.channels import UserTopicKey, find_policies
from chatapi.features.messages.recipients import muted_channels
from chatapi.read_state.payloads import MessageDetailsPayload
from chatapi.read_state.repository import ConversationRepository, MessageState


async def load_details(
    ctx: Context, states: Sequence[MessageState]
) -> dict[MessageId, MessageDetailsPayload]:
    """Four statements at most, however many messages."""
    repository = ConversationRepository(ctx.db)
    direct = {state.conversation_id for state in states if state.channel_id is None}
    topical = {state.conversation_id for state in states if state.channel_id is not None}
    people = await repository.list_people(direct)
    topics = await repository.list_topics(topical)
    shown = await _shown_topics(ctx, states, topics)
    return {state.id: _details(state, ctx.user.id, people, topics, shown) for state in states}


async def _shown_topics(
    ctx: Context, states: Sequence[MessageState], topics: dict[ConversationId, str]
) -> frozenset[ConversationId]:
    """The topics that the reader has not muted, by itself or with its channel."""
    keys = {
        state.conversation_id: UserTopicKey.of(
            ctx.user.id, state.channel_id, topics[state.conversation_id]
        )
        for state in states
        if state.channel_id is not None
    }
    if not keys:
        return frozenset()
    muted = await muted_channels(ctx)
    policies = await find_policies(ctx.db, set(keys.values()))
    return frozenset(
        conversation_id
        for conversation_id, key in keys.items()
        if _is_shown(policies.get(key), is_channel_muted=key.channel_id in muted)
    )


def _is_shown(policy: VisibilityPolicy | None, *, is_channel_muted: bool) -> bool:
    if is_channel_muted:
        return policy in {VisibilityPolicy.UNMUTED, VisibilityPolicy.FOLLOWED}
    return policy is not VisibilityPolicy.MUTED


def _details(
    state: MessageState,
    reader_id: UserId,
    people: dict[ConversationId, list[UserId]],
    topics: dict[ConversationId, str],
    shown_topics: frozenset[ConversationId],
) -> MessageDetailsPayload:
    details: MessageDetailsPayload
    if state.channel_id is None:
        others = [user_id for user_id in people[state.conversation_id] if user_id != reader_id]
        details = {"type": "private", "user_ids": others}
    else:
        topic = topics[state.conversation_id]
        details = {
            "type": "stream",
            "stream_id": state.channel_id,
            "topic": topic,
            "unmuted_stream_msg": state.conversation_id in shown_topics,
        }
    if state.is_mentioned or state.mentions_channel or state.mentions_topic:
        details["mentioned"] = True
    return details
