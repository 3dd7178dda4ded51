"""Reads a page of messages by one statement, and its contents from memory."""

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.core.errors import StaleCallerError
from chatapi.core.ids import EventNumber
from chatapi.features.messages.fetch.anchors import AFTER_ALL, BEFORE_ALL, find_fixed_anchor
from chatapi.features.messages.fetch.contents import CachedContents
from chatapi.features.messages.fetch.page_size import MAX_BYTES_WITHOUT_TURN
from chatapi.features.messages.fetch.params import ReadMessagesParams
from chatapi.features.messages.fetch.payloads import MessagesPayload
from chatapi.features.messages.fetch.presenter import MessagePresenter
from chatapi.features.messages.fetch.window import Window, WindowRequest, read_window
from chatapi.features.messages.repository import PageRepository
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


class QuickRead(Struct, frozen=True):
    """A window that one statement has read, as of an event."""

    window: Window
    as_of: EventNumber
    contents: CachedContents
    """What is in memory of it."""
    payload: MessagesPayload | None
    """The response; None if contents have to be read, in a snapshot."""


async def read_quickly(
    ctx: RealmContext, access: MessageAccess, narrow: Narrow, params: ReadMessagesParams
) -> QuickRead | None:
    """Read a page by one statement; None if it takes more.

    One statement sees one point in time, as a snapshot does: the rows tell which event was the
    last, and what is in memory is used only if it is valid as of that event.
    """
    wanted = _one_sided(ctx, narrow, params)
    if wanted is None:
        return None
    window = await read_window(page_repository(ctx, access), narrow, wanted)
    if not window.rows:
        return None
    as_of = window.rows[0].as_of
    await ctx.confirm_snapshot(as_of)
    if narrow.is_stale:
        raise StaleCallerError
    contents = CachedContents(ctx, params)
    payload: MessagesPayload | None = None
    is_complete = contents.recall(window.rows, as_of)
    if is_complete and not contents.is_large(window.rows, MAX_BYTES_WITHOUT_TURN):
        presenter = MessagePresenter(ctx, access, params)
        if await presenter.load_cached(window.rows, as_of):
            messages = await presenter.show(window.rows, contents.encoded)
            payload = {**page_payload(window), "messages": messages}
    return QuickRead(window, as_of, contents, payload)


def _one_sided(
    ctx: RealmContext, narrow: Narrow, params: ReadMessagesParams
) -> WindowRequest | None:
    """The window, if one statement reads it and its reader sees all users.

    The members of a direct-message conversation would take another one.
    """
    is_channel = narrow.channel is not None and narrow.whole_place is not None
    if not is_channel or params.message_ids is not None:
        return None
    anchor = find_fixed_anchor(params)
    if anchor is None or not sees_all_users(ctx.realm, ctx.reader):
        return None
    wanted = window_request(anchor, params)
    reads_before = wanted.num_before > 0 and anchor > BEFORE_ALL
    reads_after = wanted.num_after > 0 and anchor < AFTER_ALL
    return None if reads_before and reads_after else wanted
