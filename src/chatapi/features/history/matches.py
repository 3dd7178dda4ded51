"""What made messages match a search, marked in them."""

from collections.abc import Collection, Sequence

from chatapi.auth.context import RealmContext
from chatapi.core.ids import MessageId
from chatapi.db.search import Searched, list_matched_words
from chatapi.features.history.payloads import MatchPayload
from chatapi.features.history.repository import HistoryRow
from chatapi.narrow import SearchText
from chatapi.rendering.highlight import Marks, highlight_html, highlight_text
from chatapi.wire.topics import show_topic


async def show_matches(
    ctx: RealmContext,
    search: SearchText | None,
    rows: Sequence[HistoryRow],
    *,
    allow_empty_topic: bool = False,
) -> dict[MessageId, MatchPayload]:
    """Content and topic of messages as HTML; two statements at most if there are words to mark."""
    search = search or SearchText()
    in_content = await _matched(ctx, search, "message", {row.id for row in rows})
    topics = {row.conversation_id for row in rows if row.channel_id is not None}
    in_topic = await _matched(ctx, search, "conversation", topics)
    plain = Marks.of((), search.fragments)
    matches: dict[MessageId, MatchPayload] = {}
    for row in rows:
        topic = row.topic
        if row.channel_id is not None:
            topic = show_topic(row.topic, allow_empty=allow_empty_topic)
        matches[row.id] = {
            "match_content": highlight_html(row.rendered_content, in_content.get(row.id, plain)),
            "match_subject": highlight_text(topic, in_topic.get(row.conversation_id, plain)),
        }
    return matches


async def _matched(
    ctx: RealmContext, search: SearchText, searched: Searched, ids: Collection[int]
) -> dict[int, Marks]:
    if not search.phrases or not ids:
        return {}
    words = await list_matched_words(ctx.db, searched, search.phrases, ids)
    return {key: Marks.of(found, search.fragments) for key, found in words.items()}
