"""The conversations of messages that became unread, for clients that do not have them."""

from collections.abc import Sequence

from chatapi.auth.context import Context
from chatapi.core.ids import ConversationId, MessageId, UserId
from chatapi.read_state.payloads import MessageDetailsPayload
from chatapi.read_state.repository import ConversationRepository, MessageState


async def load_details(
    ctx: Context, states: Sequence[MessageState]
) -> dict[MessageId, MessageDetailsPayload]:
    """Two statements at most, however many messages."""
    repository = ConversationRepository(ctx.db)
    direct = {state.conversation_id for state in states if state.channel_id is None}
    topical = {state.conversation_id for state in states if state.channel_id is not None}
    people = await repository.list_people(direct)
    topics = await repository.list_topics(topical)
    return {state.id: _details(state, ctx.user.id, people, topics) for state in states}


def _details(
    state: MessageState,
    reader_id: UserId,
    people: dict[ConversationId, list[UserId]],
    topics: dict[ConversationId, str],
) -> MessageDetailsPayload:
    details: MessageDetailsPayload
    if state.channel_id is None:
        others = [user_id for user_id in people[state.conversation_id] if user_id != reader_id]
        details = {"type": "private", "user_ids": others}
    else:
        topic = topics[state.conversation_id]
        details = {"type": "stream", "stream_id": state.channel_id, "topic": topic}
    if state.is_mentioned or state.mentions_channel or state.mentions_topic:
        details["mentioned"] = True
    return details
