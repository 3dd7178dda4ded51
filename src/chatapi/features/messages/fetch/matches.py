"""Highlights in messages what matched a search."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from chatapi.auth.context import RealmContext
from chatapi.core.ids import MessageId
from chatapi.db.search import Searched, list_marked_texts, marked_words
from chatapi.features.messages.fetch.page_size import size_of
from chatapi.features.messages.fetch.payloads import MatchPayload
from chatapi.features.messages.repository import PageRow, TextRow
from chatapi.narrow import SearchText
from chatapi.rendering.highlight import Marks, highlight_html, highlight_text
from chatapi.wire.topics import show_topic

_CHARACTERS_AT_ONCE = 50_000
"""Characters of HTML per batch; a thread processes them in some tens of milliseconds."""
_QUICK_CHARACTERS = 10_000
"""Characters of HTML of a page of ordinary messages; highlighting them takes one or two
milliseconds.
"""


ReadTexts = Callable[[Sequence[PageRow]], Awaitable[Mapping[MessageId, TextRow]]]
"""Returns the texts of some messages."""


class _Markable(NamedTuple):
    """A message as HTML and text, and both as the full-text index marked them, if it did."""

    id: MessageId
    html: str
    topic: str
    marked_content: str
    marked_topic: str

    @property
    def length(self) -> int:
        return len(self.html) + len(self.marked_content)


class Matches:
    """Computes the highlights of the messages of a search, slice by slice."""

    def __init__(
        self,
        ctx: RealmContext,
        search: SearchText | None,
        texts_of: ReadTexts,
        *,
        allow_empty_topic: bool = False,
    ) -> None:
        self._ctx = ctx
        self._texts_of = texts_of
        self._search = search or SearchText()
        self._allow_empty_topic = allow_empty_topic
        self.found: dict[MessageId, MatchPayload] = {}

    async def measure(self, rows: Sequence[PageRow]) -> list[int]:
        """Compute the highlights of messages, and return the sizes of these."""
        found = await self.show(rows)
        self.found |= found
        return [size_of(found[row.id]["match_content"]) for row in rows]

    async def show(self, rows: Sequence[PageRow]) -> dict[MessageId, MatchPayload]:
        """Content and topic of messages as HTML; two statements at most if words are searched."""
        texts = await self._texts_of(rows)
        in_content = await self._matched("message", {row.id for row in rows})
        topics = {row.conversation_id for row in rows if row.channel_id is not None}
        in_topic = await self._matched("conversation", topics)
        markable = [
            _Markable(
                row.id,
                texts[row.id].rendered_content,
                self._topic(row),
                in_content.get(row.id, ""),
                in_topic.get(row.conversation_id, ""),
            )
            for row in rows
        ]
        fragments = self._search.fragments
        if sum(each.length for each in markable) <= _QUICK_CHARACTERS:
            return _mark_all(markable, fragments)
        matches: dict[MessageId, MatchPayload] = {}
        for some in _in_slices(markable):
            matches |= await self._ctx.runtime.rendering_threads.run(_mark_all, some, fragments)
        return matches

    def _topic(self, row: PageRow) -> str:
        if row.channel_id is None:
            return row.topic
        return show_topic(row.topic, allow_empty=self._allow_empty_topic)

    async def _matched(self, searched: Searched, ids: Collection[int]) -> dict[int, str]:
        if not self._search.phrases or not ids:
            return {}
        return await list_marked_texts(self._ctx.db, searched, self._search.phrases, ids)


def _in_slices(markable: Sequence[_Markable]) -> Iterator[list[_Markable]]:
    some: list[_Markable] = []
    length = 0
    for each in markable:
        some.append(each)
        length += each.length
        if length >= _CHARACTERS_AT_ONCE:
            yield some
            some, length = [], 0
    if some:
        yield some


def _mark_all(
    markable: Sequence[_Markable], fragments: Sequence[str]
) -> dict[MessageId, MatchPayload]:
    """Pure, and safe to call from any thread."""
    return {
        each.id: {
            "match_content": highlight_html(
                each.html, Marks.of(marked_words(each.marked_content), fragments)
            ),
            "match_subject": highlight_text(
                each.topic, Marks.of(marked_words(each.marked_topic), fragments)
            ),
        }
        for each in markable
    }
