"""The encoded contents of the messages of a page: cached ones, and others that are read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import orjson

from chatapi.auth.context import RealmContext
from chatapi.core.clock import unix_seconds
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import EventNumber, MessageId
from chatapi.events.message_cache import EncodedMessage, MessageForm, MessageLoading
from chatapi.features.messages.fetch.edit_trails import EditTrail, edit_trails_of
from chatapi.features.messages.fetch.page_size import (
    BYTES_OF_REACTION,
    MAX_REACTIONS_WITHOUT_TURN,
    LargePageError,
    size_of_submessages,
    size_of_texts,
)
from chatapi.features.messages.fetch.params import ShowMessageParams
from chatapi.features.messages.fetch.payloads import HistoryContentPayload
from chatapi.features.messages.message_data import content_type
from chatapi.features.messages.payloads import ReactionPayload, SubmessagePayload
from chatapi.features.messages.repository import (
    PageRepository,
    PageRow,
    ReactionRepository,
    SubmessageRepository,
    TextRow,
)


class CachedContents:
    """What is in memory of the contents of messages, as of an event."""

    def __init__(self, ctx: RealmContext, params: ShowMessageParams) -> None:
        self._ctx = ctx
        self._params = params
        self._original, self._changed = _forms(params)
        self.encoded: dict[MessageId, EncodedMessage] = {}
        self.looked_up: set[MessageId] = set()

    def recall(self, rows: Sequence[PageRow], as_of: EventNumber) -> bool:
        """Look up messages; returns whether all of them were found."""
        found = self._find(self._original, [row.id for row in rows if not row.is_changed], as_of)
        if changed := [row.id for row in rows if row.is_changed]:
            found |= self._find(self._changed, changed, as_of)
        self.looked_up.update(row.id for row in rows)
        self.encoded.update(found)
        return len(found) == len(rows)

    def _find(
        self, form: MessageForm, ids: Sequence[MessageId], as_of: EventNumber
    ) -> dict[MessageId, EncodedMessage]:
        return self._ctx.runtime.messages.find(self._ctx.realm.id, form, ids, as_of)

    def is_large(self, rows: Sequence[PageRow], most_bytes: int) -> bool:
        """Whether a page that was found is too large to be read without a heavy-read slot."""
        text_bytes = sum(self.encoded[row.id].text_bytes for row in rows)
        return text_bytes > most_bytes or self.has_many_reactions(rows)

    def has_many_reactions(self, rows: Iterable[PageRow]) -> bool:
        """Whether a page has too many reactions to be read without a heavy-read slot."""
        count = sum(self.encoded[row.id].reactions for row in rows)
        return count > MAX_REACTIONS_WITHOUT_TURN


class MessageContents(CachedContents):
    """Reads and encodes, in a snapshot, the contents that are not in memory.

    A heavy read takes many messages at once; these are not cached, since they would displace those
    that are read often.
    """

    def __init__(
        self,
        ctx: RealmContext,
        params: ShowMessageParams,
        pages: PageRepository,
        loading: MessageLoading,
        *,
        is_heavy: bool,
    ) -> None:
        super().__init__(ctx, params)
        self._pages = pages
        self._loading = loading
        self._is_heavy = is_heavy
        self._texts: dict[MessageId, TextRow] = {}
        self._sizes: dict[MessageId, int] = {}

    @classmethod
    async def begin(
        cls, ctx: RealmContext, params: ShowMessageParams, pages: PageRepository, *, is_heavy: bool
    ) -> "MessageContents":
        """Begin to read; call it in the snapshot, before the first statement about messages."""
        loading = await ctx.runtime.messages.begin(ctx.realm.id, _forms(params), _snapshot_of(ctx))
        return cls(ctx, params, pages, loading, is_heavy=is_heavy)

    def add(self, known: CachedContents) -> None:
        """Take over what was looked up as of the same event."""
        self.encoded |= known.encoded
        self.looked_up |= known.looked_up

    async def measure(self, rows: Sequence[PageRow]) -> list[int]:
        """How many bytes messages take in the response; reads the texts that are not in memory."""
        if new := [row for row in rows if row.id not in self.looked_up]:
            self.recall(new, _snapshot_of(self._ctx))
        await self._measure_missing([row for row in rows if row.id not in self.encoded])
        return [self._size(row.id) for row in rows]

    async def texts_of(self, rows: Sequence[PageRow]) -> Mapping[MessageId, TextRow]:
        """The texts of messages, also of those that are in memory."""
        missing = [row.id for row in rows if row.id not in self._texts]
        if missing:
            self._texts |= await self._pages.list_texts(missing)
        return self._texts

    async def encode(self, rows: Sequence[PageRow], *, keep: bool) -> None:
        """Make sure that all rows, which were measured, are encoded; `keep` caches new ones."""
        missing = [row for row in rows if row.id not in self.encoded]
        if any(row.is_changed for row in missing):
            # Edit histories of one page share a limit, so they are read together or not at all.
            missing = [row for row in rows if row.is_changed or row.id not in self.encoded]
        if missing:
            trails = await self._read(missing)
            if keep and not self._is_heavy:
                self._keep(missing, trails)
        if not self._is_heavy and self.has_many_reactions(rows):
            raise LargePageError

    def _size(self, message_id: MessageId) -> int:
        known = self.encoded.get(message_id)
        if known is None:
            return self._sizes[message_id]
        of_reactions = known.reactions * BYTES_OF_REACTION if self._is_heavy else 0
        return known.text_bytes + of_reactions

    async def _measure_missing(self, rows: Sequence[PageRow]) -> None:
        """Without a heavy-read slot, reactions are counted as they are read."""
        texts = await self.texts_of(rows)
        self._sizes |= {row.id: size_of_texts(texts[row.id]) for row in rows}
        if widgets := [row.id for row in rows if texts[row.id].has_widget]:
            usage = await SubmessageRepository(self._ctx.db).measure(widgets)
            for message_id, used in usage.items():
                self._sizes[message_id] += size_of_submessages(used)
        if self._is_heavy and rows:
            counts = await ReactionRepository(self._ctx.db).count_of([row.id for row in rows])
            for message_id, count in counts.items():
                self._sizes[message_id] += count * BYTES_OF_REACTION

    async def _read(self, rows: Sequence[PageRow]) -> Mapping[MessageId, EditTrail]:
        """Read and encode messages; returns their edit histories."""
        texts = await self.texts_of(rows)
        reactions = await self._list_reactions([row.id for row in rows])
        submessages: dict[MessageId, list[SubmessagePayload]] = {}
        if widgets := [row.id for row in rows if texts[row.id].has_widget]:
            submessages = await SubmessageRepository(self._ctx.db).list_of(widgets)
        trails = await edit_trails_of(self._ctx, [row for row in rows if row.is_changed])

        def encode(row: PageRow) -> EncodedMessage:
            payload = self._payload(texts[row.id])
            payload["reactions"] = reactions.get(row.id, [])
            payload["submessages"] = submessages.get(row.id, [])
            if row.id in trails:
                shown = self._ctx.realm.options.message_edit_history_visibility_policy
                allow_empty = self._params.allow_empty_topic_name
                payload.update(
                    cast(
                        HistoryContentPayload,
                        trails[row.id].payload(shown, allow_empty=allow_empty),
                    )
                )
            return EncodedMessage(
                orjson.dumps(payload)[:-1], self._text_bytes(row), len(payload["reactions"])
            )

        encoded = await map_in_steps(encode, rows)
        self.encoded |= {row.id: each for row, each in zip(rows, encoded, strict=True)}
        return trails

    def _payload(self, text: TextRow) -> HistoryContentPayload:
        is_html = self._params.apply_markdown
        return {
            "id": text.id,
            "client": text.client_name,
            "content": text.rendered_content if is_html else text.content,
            "content_type": content_type(apply_markdown=is_html),
            "is_me_message": text.is_me_message,
            "reactions": [],
            "submessages": [],
            "timestamp": unix_seconds(text.sent_at),
        }

    def _text_bytes(self, row: PageRow) -> int:
        """The size without reactions, which are counted separately."""
        known = self.encoded.get(row.id)
        return self._sizes[row.id] if known is None else known.text_bytes

    def _keep(self, rows: Sequence[PageRow], trails: Mapping[MessageId, EditTrail]) -> None:
        """Cache what is the same for all readers."""
        for form, is_changed in ((self._original, False), (self._changed, True)):
            shared = {
                row.id: self.encoded[row.id]
                for row in rows
                if row.is_changed == is_changed
                and (row.id not in trails or trails[row.id].is_shared)
            }
            self._ctx.runtime.messages.keep(self._loading, form, shared)

    async def _list_reactions(
        self, message_ids: Sequence[MessageId]
    ) -> Mapping[MessageId, list[ReactionPayload]]:
        repository = ReactionRepository(self._ctx.db)
        if self._is_heavy:
            return await repository.list_of(message_ids)
        found = await repository.list_up_to(message_ids, MAX_REACTIONS_WITHOUT_TURN)
        if found is None:
            raise LargePageError
        return found


def _forms(params: ShowMessageParams) -> tuple[MessageForm, MessageForm]:
    """The forms of messages without and with an edit history."""
    return (
        MessageForm(params.apply_markdown, None),
        MessageForm(params.apply_markdown, params.allow_empty_topic_name),
    )


def _snapshot_of(ctx: RealmContext) -> EventNumber:
    if ctx.db.as_of is None:
        raise RuntimeError("begin a snapshot first")
    return ctx.db.as_of
