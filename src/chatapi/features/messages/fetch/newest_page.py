"""Shows the newest messages of a topic from memory; one statement reads what the reader did."""

from collections.abc import Mapping, Sequence

from chatapi.auth.context import RealmContext
from chatapi.core.errors import StaleCallerError
from chatapi.core.ids import EventNumber, MessageId
from chatapi.events.feed_cache import Loading
from chatapi.events.message_cache import EncodedMessage
from chatapi.events.newest_pages import NewestPage, PageKey, SharedMessage
from chatapi.features.messages.fetch.anchors import AFTER_ALL
from chatapi.features.messages.fetch.flags import FLAGS_OF_VISITORS, encoded_flags
from chatapi.features.messages.fetch.params import ReadMessagesParams
from chatapi.features.messages.fetch.payloads import MessagesPayload
from chatapi.features.messages.fetch.presenter import MessagePresenter
from chatapi.features.messages.fetch.window import Window, WindowRequest
from chatapi.narrow import Narrow
from chatapi.permissions.messages import MessageAccess
from chatapi.read_state.repository import (
    TopicStateRepository,
    TopicStates,
    mentions_participants,
    shared_state,
)


def page_key(narrow: Narrow, wanted: WindowRequest, params: ReadMessagesParams) -> PageKey | None:
    """Identify a page in memory; None if it does not end with the newest message of a topic."""
    topic = narrow.whole_topic
    if topic is None or wanted.anchor < AFTER_ALL or not wanted.num_before:
        return None
    return PageKey(
        conversation_id=topic,
        num_before=wanted.num_before,
        apply_markdown=params.apply_markdown,
        allow_empty_topic_name=params.allow_empty_topic_name,
    )


class NewestPageReader:
    """A page of the newest messages of a topic: shown from memory, or read and then kept."""

    def __init__(
        self,
        ctx: RealmContext,
        access: MessageAccess,
        narrow: Narrow,
        params: ReadMessagesParams,
        key: PageKey,
    ) -> None:
        self._ctx = ctx
        self._access = access
        self._narrow = narrow
        self._params = params
        self._key = key
        self._loading: Loading[PageKey, NewestPage] | None = None

    async def begin(self) -> None:
        """Begin to read the page from the database; call it before the statement."""
        self._loading = await self._ctx.runtime.newest_pages.begin(self._ctx.realm.id)

    def keep(self, window: Window, contents: Mapping[MessageId, EncodedMessage]) -> None:
        """Keep what was read since `begin`, as far as all readers share it."""
        if self._loading is None:
            raise RuntimeError("begin to read first")
        page = _shared_page(window, contents)
        if page is not None:
            self._ctx.runtime.newest_pages.keep(self._loading, self._key, page)

    async def show(self, as_of: EventNumber | None) -> MessagesPayload | None:
        """Show the page from memory; None if it is not there, or has changed meanwhile.

        Pass the event as of which its anchor was found, if that depends on events.
        """
        ctx = self._ctx
        page = ctx.runtime.newest_pages.find(ctx.realm.id, self._key)
        if page is None:
            return None
        states = await self._read_states(page)
        if states is None or as_of not in {None, states.as_of}:
            return None
        await ctx.confirm_snapshot(states.as_of)
        if self._narrow.is_stale:
            raise StaleCallerError
        presenter = MessagePresenter(ctx, self._access, self._params)
        places = {page.conversation_id: page}
        if not await presenter.load_cached(page.sender_ids, places, states.as_of):
            return None
        # Nothing is awaited from here on, so it is still the page that the statement was about.
        if page.is_stale:
            return None
        return {
            "messages": presenter.show_newest(page, self._flags_of(page, states)),
            "anchor": AFTER_ALL,
            "found_anchor": False,
            "found_oldest": page.found_oldest,
            "found_newest": True,
            "history_limited": False,
        }

    async def _read_states(self, page: NewestPage) -> TopicStates | None:
        access = self._access
        repository = TopicStateRepository(
            self._ctx.db, self._ctx.realm.id, access.reader_id, access.channels.membership.groups
        )
        between = page.messages[0].id, page.messages[-1].id
        return await repository.find(page.channel_id, page.conversation_id, between)

    def _flags_of(self, page: NewestPage, states: TopicStates) -> Sequence[bytes]:
        if self._access.reader_id is None:
            return [FLAGS_OF_VISITORS] * len(page.messages)
        received = self._access.received_in(page.channel_id, page.messages)
        return list(map(encoded_flags, states.numbers(page.messages), received))


def _shared_page(window: Window, contents: Mapping[MessageId, EncodedMessage]) -> NewestPage | None:
    """What all readers share of a page; None if some of it cannot be kept."""
    last = window.rows[-1] if window.rows else None
    # Most messages of a page have the same state.
    states = {row.state for row in window.rows}
    if last is None or last.channel_id is None or any(map(mentions_participants, states)):
        return None
    messages = [
        SharedMessage(
            row.id, row.sender_id, row.arrival, contents[row.id].json, shared_state(row.state)
        )
        for row in window.rows
    ]
    return NewestPage(
        channel_id=last.channel_id,
        conversation_id=last.conversation_id,
        topic=last.topic,
        messages=messages,
        found_oldest=window.found_oldest,
    )
