"""Reads a page of messages by one statement for each side, and its contents from memory."""

from typing import NamedTuple

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.core.errors import StaleCallerError
from chatapi.core.ids import EventNumber
from chatapi.features.messages.fetch.anchors import (
    AFTER_ALL,
    FIRST_UNREAD,
    find_fixed_anchor,
    named_anchor,
)
from chatapi.features.messages.fetch.contents import CachedContents
from chatapi.features.messages.fetch.newest_page import NewestPageReader, page_key
from chatapi.features.messages.fetch.page_size import MAX_BYTES_WITHOUT_TURN
from chatapi.features.messages.fetch.params import ReadMessagesParams
from chatapi.features.messages.fetch.payloads import MessagesPayload
from chatapi.features.messages.fetch.presenter import MessagePresenter
from chatapi.features.messages.fetch.window import Window, WindowRequest, read_window
from chatapi.features.messages.repository import HistoryRepository, PageRepository
from chatapi.narrow import Narrow
from chatapi.permissions.messages import MessageAccess
from chatapi.permissions.user_visibility import sees_all_users


def page_repository(ctx: RealmContext, access: MessageAccess) -> PageRepository:
    groups = access.channels.membership.groups
    return PageRepository(ctx.db, ctx.realm.id, access.reader_id, groups)


def window_request(anchor: int, params: ReadMessagesParams) -> WindowRequest:
    return WindowRequest(
        anchor, params.num_before or 0, params.num_after or 0, params.include_anchor
    )


def page_payload(window: Window) -> MessagesPayload:
    """The payload of a page, still without its messages."""
    return {
        "messages": [],
        "anchor": window.anchor,
        "found_anchor": window.found_anchor,
        "found_oldest": window.found_oldest,
        "found_newest": window.found_newest,
        "history_limited": False,
    }


class IncompletePage(Struct, frozen=True):
    """A window that was read without a snapshot, as of an event; contents have to be read."""

    window: Window
    as_of: EventNumber
    contents: CachedContents
    """What is in memory of it."""


class _Sought(NamedTuple):
    """A window to read."""

    window: WindowRequest
    as_of: EventNumber | None
    """The event as of which its anchor was found; None for one that does not depend on events."""


async def read_quickly(
    ctx: RealmContext, access: MessageAccess, narrow: Narrow, params: ReadMessagesParams
) -> MessagesPayload | IncompletePage | None:
    """Read a page without a snapshot, one statement for each side; None if it takes more.

    One statement sees one point in time, as a snapshot does: the rows tell which event was the
    last. It has to be the same for all statements, and what is in memory is used only if it is
    valid as of that event.
    """
    sought = await _find_window(ctx, access, narrow, params)
    if sought is None:
        return None
    key = page_key(narrow, sought.window, params)
    newest = None if key is None else NewestPageReader(ctx, access, narrow, params, key)
    if newest is not None:
        payload = await newest.show(sought.as_of)
        if payload is not None:
            return payload
        await newest.begin()
    window = await read_window(page_repository(ctx, access), narrow, sought.window)
    as_of = window.as_of
    if as_of is None or sought.as_of not in {None, as_of}:
        return None
    await ctx.confirm_snapshot(as_of)
    if narrow.is_stale:
        raise StaleCallerError
    contents = CachedContents(ctx, params)
    is_complete = contents.recall(window.rows, as_of)
    if not is_complete or contents.is_large(window.rows, MAX_BYTES_WITHOUT_TURN):
        return IncompletePage(window, as_of, contents)
    presenter = MessagePresenter(ctx, access, params)
    senders = {row.sender_id for row in window.rows}
    places = {row.conversation_id: row for row in window.rows}
    if not await presenter.load_cached(senders, places, as_of):
        return IncompletePage(window, as_of, contents)
    if newest is not None:
        newest.keep(window, contents.encoded)
    messages = await presenter.show(window.rows, contents.encoded)
    return {**page_payload(window), "messages": messages}


async def _find_window(
    ctx: RealmContext, access: MessageAccess, narrow: Narrow, params: ReadMessagesParams
) -> _Sought | None:
    """The window in a whole channel or topic, if its reader sees all users.

    The members of a direct-message conversation would take another statement.
    """
    place = narrow.whole_place
    if place is None or narrow.channel is None or params.message_ids is not None:
        return None
    if not sees_all_users(ctx.realm, ctx.reader):
        return None
    anchor = find_fixed_anchor(params)
    if anchor is not None:
        return _Sought(window_request(anchor, params), None)
    if access.reader_id is None or named_anchor(params) != FIRST_UNREAD:
        return None
    history = HistoryRepository(ctx.db, ctx.realm.id)
    found, as_of = await history.find_first_unread_of(access.reader_id, place)
    return _Sought(window_request(AFTER_ALL if found is None else found, params), as_of)
