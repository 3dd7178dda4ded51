"""Changes flags of the messages of a narrow around an anchor."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.features.messages.fetch.anchors import Anchors
from chatapi.features.messages.fetch.cached_page import page_repository
from chatapi.features.messages.fetch.params import MAX_MESSAGES
from chatapi.features.messages.fetch.window import Window, WindowRequest, read_window
from chatapi.features.messages.flags.params import ChangeNarrowFlagsParams
from chatapi.features.messages.flags.payloads import NarrowFlagsPayload
from chatapi.features.messages.flags.service import FlagService, check_flag
from chatapi.features.messages.repository import HistoryRepository
from chatapi.narrow import compile_narrow, read_terms
from chatapi.permissions.messages import message_access


async def change_in_narrow(ctx: Context, params: ChangeNarrowFlagsParams) -> NarrowFlagsPayload:
    """Add or remove a flag; messages that the caller may not see match no narrow."""
    check_flag(params.flag)
    if params.num_before + params.num_after > MAX_MESSAGES:
        raise BadRequestError(f"Too many messages requested (maximum {MAX_MESSAGES})")
    window = await _find(ctx, params)
    await ctx.lock()
    ids, changed = await FlagService(ctx).change_visible([row.id for row in window.rows], params)
    return {
        "processed_count": len(ids),
        "updated_count": len(changed["messages"]),
        "first_processed_id": ids[0] if ids else None,
        "last_processed_id": ids[-1] if ids else None,
        "found_oldest": window.found_oldest,
        "found_newest": window.found_newest,
        "ignored_because_not_subscribed_channels": changed[
            "ignored_because_not_subscribed_channels"
        ],
    }


async def _find(ctx: Context, params: ChangeNarrowFlagsParams) -> Window:
    """Find the messages in a snapshot, so that other writers do not wait for the search.

    Of the messages found, only those are changed that the caller may see later, in the locked
    realm.
    """
    await ctx.snapshot()
    access = await message_access(ctx)
    narrow = await compile_narrow(ctx, access, read_terms(params.narrow))
    repository = HistoryRepository(ctx.db, ctx.realm.id)
    anchor = await Anchors(repository, access, narrow).find(params.anchor, params.anchor_date)
    wanted = WindowRequest(anchor, params.num_before, params.num_after, params.include_anchor)
    return await read_window(page_repository(ctx, access), narrow, wanted)
