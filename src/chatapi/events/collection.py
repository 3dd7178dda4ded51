"""Collects the events of a queue that its client does not have yet."""

from chatapi.core.errors import BadEventQueueIdError
from chatapi.core.ids import EventId
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from chatapi.events.client import ClientView
from chatapi.events.entry import Entry, Piece
from chatapi.events.event_ids import newest_completed
from chatapi.events.feed import Feed
from chatapi.events.live_queue import LiveQueue
from chatapi.events.log import EventLog
from chatapi.events.pages import Page, first_for, with_reveals

_LOG_PAGE = 500


class EventCollector:
    """Reads events from the feed, or from the log if they are not in memory any more."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def collect(
        self, feed: Feed, queue: LiveQueue, view: ClientView, cursor: EventId, turn: int
    ) -> tuple[list[Piece], EventId]:
        """Return the events for the reader after the cursor, and the id up to which it looked.

        When it returns no events, it has not awaited anything since it last looked at the feed: no
        event can slip in between this and the wait that follows. It never looks beyond the feed's
        position: caches know of everything up to there.
        """
        while not feed.reaches_back_to(newest_completed(cursor)):
            log_view, entries = await self._read_log(queue, view, cursor)
            entries = [entry for entry in entries if entry.number <= (feed.position or 0)]
            page = first_for(log_view, entries, cursor)
            if page.entries:
                return await self._encode(page, queue, log_view, cursor)
            cursor = page.reached
        entries = feed.since(newest_completed(cursor))
        view = with_reveals(view, entries)
        page = first_for(view, entries, cursor)
        # Ephemeral events are delivered once: not to a poll that a newer poll has replaced.
        if queue.ephemeral_seen != feed.ephemeral_seen and page.is_whole and turn == queue.polls:
            ephemeral = feed.ephemeral_since(queue.ephemeral_seen)
            queue.ephemeral_seen = feed.ephemeral_seen
            page.add_ephemeral([entry for entry in ephemeral if entry.is_for(view)], cursor)
        return await self._encode(page, queue, view, cursor)

    async def _encode(
        self, page: Page, queue: LiveQueue, view: ClientView, cursor: EventId
    ) -> tuple[list[Piece], EventId]:
        """Encode a page as the reader sees it; awaits nothing if the page is empty."""
        if page.has_too_many_pieces:
            # There are not enough ids for them. A client that registers again begins after them.
            raise BadEventQueueIdError(queue.id)
        pieces: list[Piece] = []
        for entry in page.entries:
            if not entry.is_complete:
                async with DatabaseSession(self._database) as db:
                    await page.complete(db)
            pieces.extend(entry.encoded_for(view))
        return page.cut(pieces, cursor)

    async def _read_log(
        self, queue: LiveQueue, view: ClientView, cursor: EventId
    ) -> tuple[ClientView, list[Entry]]:
        """Return the next events of the log, and the view of a reader who has not seen them yet."""
        realm_id, after = queue.realm_id, newest_completed(cursor)
        async with DatabaseSession(self._database) as db:
            await db.snapshot()
            event_log = EventLog(db)
            if (await event_log.read_clock(realm_id)).log_floor > after:
                raise BadEventQueueIdError(queue.id)
            if not view.sees_all_users:
                view = with_reveals(view, await event_log.read_reveals(realm_id, after))
            return view, await event_log.read(realm_id, after, _LOG_PAGE)
