"""Fetches messages: around an anchor, by ids, or a single one."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import attrgetter

from chatapi.auth.context import RealmContext
from chatapi.core.errors import BadRequestError, NotLoggedInError, StaleCallerError
from chatapi.core.ids import MessageId
from chatapi.features.messages.fetch.anchors import Anchors, find_fixed_anchor, named_anchor
from chatapi.features.messages.fetch.cached_page import (
    IncompletePage,
    page_payload,
    page_repository,
    read_quickly,
    window_request,
)
from chatapi.features.messages.fetch.contents import MessageContents
from chatapi.features.messages.fetch.matches import Matches
from chatapi.features.messages.fetch.page_size import (
    MAX_BYTES,
    MAX_BYTES_WITHOUT_TURN,
    ROWS_AT_ONCE,
    LargePageError,
    Measure,
    both,
    size_of_texts,
    up_to,
)
from chatapi.features.messages.fetch.params import (
    MAX_MESSAGES,
    MatchParams,
    ReadMessagesParams,
    ShowMessageParams,
)
from chatapi.features.messages.fetch.payloads import (
    EncodedHistoryMessage,
    MatchesPayload,
    MessagesPayload,
    OneMessagePayload,
)
from chatapi.features.messages.fetch.presenter import MessagePresenter
from chatapi.features.messages.fetch.window import Window, read_window
from chatapi.features.messages.repository import (
    HistoryRepository,
    PageRepository,
    PageRow,
    TextRow,
)
from chatapi.narrow import Narrow, Term, compile_narrow, is_read_in_order, read_terms
from chatapi.permissions.messages import MessageAccess, message_access

_WITHOUT_ANCHOR: MessagesPayload = {
    "messages": [],
    # There is no anchor, and nothing is known of the messages before and after these.
    "found_anchor": False,
    "found_oldest": False,
    "found_newest": False,
    "history_limited": False,
}


class HistoryService:
    """Fetches messages for any reader who may see them, logged in or not."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx
        self._repository = HistoryRepository(ctx.db, ctx.realm.id)

    async def read(self, params: ReadMessagesParams) -> MessagesPayload:
        """Messages of a narrow; without one, all that were sent to the caller."""
        _check_combination(params)
        terms = read_terms(params.narrow)
        if not _is_heavy(params, terms):
            # The size of messages is known only once they are read. A page that is too large is
            # read again with a heavy-read slot, and not kept meanwhile: many such pages would fill
            # the memory.
            with suppress(LargePageError):
                return await self._read(params, terms, is_heavy=False)
        async with self._ctx.heavy_read():
            return await self._read(params, terms, is_heavy=True)

    async def _read(
        self, params: ReadMessagesParams, terms: Sequence[Term], *, is_heavy: bool
    ) -> MessagesPayload:
        access = await message_access(self._ctx)
        narrow = await compile_narrow(
            self._ctx,
            access,
            terms,
            message_ids=params.message_ids or (),
        )
        quick = None if is_heavy else await read_quickly(self._ctx, access, narrow, params)
        if quick is not None and not isinstance(quick, IncompletePage):
            return quick
        await self._take_snapshot(access, narrow)
        pages = page_repository(self._ctx, access)
        contents = await MessageContents.begin(self._ctx, params, pages, is_heavy=is_heavy)
        matches = None
        measure: Measure = contents.measure
        if narrow.search is not None:
            matches = Matches(
                self._ctx,
                narrow.search,
                contents.texts_of,
                allow_empty_topic=params.allow_empty_topic_name,
            )
            measure = both(measure, matches.measure)
        if not is_heavy:
            measure = up_to(MAX_BYTES_WITHOUT_TURN, measure)
        if params.message_ids is None:
            if quick is not None and quick.as_of == self._ctx.db.as_of:
                # Nothing has happened since.
                window = quick.window
                contents.add(quick.contents)
                await measure(window.rows)
            else:
                window = await self._read_around(pages, access, narrow, params, measure)
            rows, answer = window.rows, page_payload(window)
            # Who reads further and further up is mostly alone there, and would displace the pages
            # that many open.
            keep = window.found_newest or find_fixed_anchor(params) is None
        else:
            rows = await self._read_some(
                pages, narrow, ("message_ids", params.message_ids), measure
            )
            answer, keep = _WITHOUT_ANCHOR, False
        await contents.encode(rows, keep=keep)
        messages = await self._show(access, rows, params, contents, matches)
        return {**answer, "messages": messages}

    async def get(self, message_id: MessageId, params: ShowMessageParams) -> OneMessagePayload:
        """One message; one that the reader may not see is reported as unknown."""
        access = await message_access(self._ctx)
        await self._ctx.runtime.linkifiers.of(self._ctx.db, self._ctx.realm.id)
        await self._ctx.snapshot()
        pages = page_repository(self._ctx, access)
        row = await pages.find(message_id)
        if row is None or not await access.can_see_message(row):
            raise self._refusal(access)
        contents = await MessageContents.begin(self._ctx, params, pages, is_heavy=True)
        await contents.measure([row])
        await contents.encode([row], keep=False)
        [shown] = await self._show(access, [row], params, contents)
        texts = await contents.texts_of([row])
        return {"message": shown, "raw_content": texts[row.id].content}

    async def match(self, params: MatchParams) -> MatchesPayload:
        """Which messages match a narrow; those that the caller may not see match none."""
        terms = read_terms(params.narrow)
        async with self._ctx.heavy_read():
            access = await message_access(self._ctx)
            narrow = await compile_narrow(self._ctx, access, terms, message_ids=params.msg_ids)
            await self._take_snapshot(access, narrow)
            pages = page_repository(self._ctx, access)

            async def texts_of(rows: Sequence[PageRow]) -> Mapping[MessageId, TextRow]:
                return await pages.list_texts([row.id for row in rows])

            async def measure_texts(rows: Sequence[PageRow]) -> list[int]:
                texts = await texts_of(rows)
                return [size_of_texts(texts[row.id]) for row in rows]

            matches = Matches(self._ctx, narrow.search, texts_of)
            measure = both(measure_texts, matches.measure)
            await self._read_some(pages, narrow, ("msg_ids", params.msg_ids), measure)
        return {"messages": matches.found}

    async def _read_some(
        self,
        pages: PageRepository,
        narrow: Narrow,
        wanted: tuple[str, Sequence[int]],
        measure: Measure,
    ) -> list[PageRow]:
        """Messages by ids, which are named by a parameter; refused if they are too large."""
        parameter, given = wanted
        message_ids = list(dict.fromkeys(given))
        shown: list[PageRow] = []
        size = 0
        for start in range(0, len(message_ids), ROWS_AT_ONCE):
            some = message_ids[start : start + ROWS_AT_ONCE]
            rows = await pages.list_some(narrow, some)
            size += sum(await measure(rows))
            if size > MAX_BYTES and len(message_ids) > 1:
                raise BadRequestError(
                    f"{parameter}: These messages are too large for one answer; ask for fewer"
                )
            shown += rows
        return sorted(shown, key=attrgetter("id"))

    async def _read_around(
        self,
        pages: PageRepository,
        access: MessageAccess,
        narrow: Narrow,
        params: ReadMessagesParams,
        measure: Measure,
    ) -> Window:
        anchors = Anchors(self._repository, access, narrow)
        anchor = await anchors.find(named_anchor(params), params.anchor_date)
        return await read_window(pages, narrow, window_request(anchor, params), measure)

    async def _show(
        self,
        access: MessageAccess,
        rows: Sequence[PageRow],
        params: ShowMessageParams,
        contents: MessageContents,
        matches: Matches | None = None,
    ) -> list[EncodedHistoryMessage]:
        presenter = MessagePresenter(self._ctx, access, params)
        if rows:
            await presenter.load(rows, rows[0].as_of)
        return await presenter.show(
            rows, contents.encoded, None if matches is None else matches.found
        )

    async def _take_snapshot(self, access: MessageAccess, narrow: Narrow) -> None:
        """Begin a snapshot; what was looked up before must still hold in it."""
        # What is read in a snapshot is not cached, so load the caches before.
        await self._ctx.runtime.linkifiers.of(self._ctx.db, self._ctx.realm.id)
        if narrow.channel is None:
            await self._ctx.runtime.channels.many(
                self._ctx.db, self._ctx.realm.id, access.channels.membership.subscription_periods
            )
        await self._ctx.snapshot()
        if narrow.is_stale:
            raise StaleCallerError

    def _refusal(self, access: MessageAccess) -> Exception:
        if access.reader_id is None:
            return NotLoggedInError()
        return BadRequestError("Invalid message(s)")


def _is_heavy(params: ReadMessagesParams, terms: Sequence[Term]) -> bool:
    """Whether it may take long: many messages, or a search beyond an index range."""
    ids = () if params.message_ids is None else params.message_ids
    count = (params.num_before or 0) + (params.num_after or 0) + len(ids)
    return count > ROWS_AT_ONCE or not all(is_read_in_order(term) for term in terms)


def _check_combination(params: ReadMessagesParams) -> None:
    if params.message_ids is not None:
        around = {"anchor", "num_before", "num_after", "use_first_unread_anchor"}
        if passed := sorted(around & params.model_fields_set):
            names = ", ".join(passed)
            raise BadRequestError(f"message_ids cannot be combined with {names}")
        return
    for name in ("num_before", "num_after"):
        if getattr(params, name) is None:
            raise BadRequestError(f"Missing '{name}' argument")
    if (params.num_before or 0) + (params.num_after or 0) > MAX_MESSAGES:
        raise BadRequestError(f"Too many messages requested (maximum {MAX_MESSAGES})")
