"""Endpoints of fetching messages."""

from chatapi.auth.guards import LoggedIn, MaybeAnonymous
from chatapi.core.errors import TooExpensiveError
from chatapi.core.ids import MessageId
from chatapi.features.messages.fetch.params import (
    MatchParams,
    ReadMessagesParams,
    RenderParams,
    ShowMessageParams,
)
from chatapi.features.messages.fetch.payloads import (
    MatchesPayload,
    MessagesPayload,
    OneMessagePayload,
    RenderedPayload,
)
from chatapi.features.messages.fetch.render import render
from chatapi.features.messages.fetch.service import HistoryService
from chatapi.http.route import FeatureRouter, raises
from chatapi.narrow import BadNarrowError
from chatapi.wire.types import MessageInPath

router = FeatureRouter("History", "Read what was written.")
repeatable = FeatureRouter("History", stores_responses=False)


@router.get("/messages", responses=raises(BadNarrowError, TooExpensiveError))
async def get_messages(ctx: MaybeAnonymous, params: ReadMessagesParams) -> MessagesPayload:
    """Get messages.

    The `narrow` selects them; without it, all messages that were sent to you. With `search`, each
    has `match_content` and `match_subject`, where the matches are highlighted. They are read around
    an `anchor`, `num_before` older and `num_after` newer ones (5,000 at most), or by `message_ids`.
    Where their texts would be more than 8 MiB, there are fewer messages, those nearest to the
    anchor, and `found_oldest` or `found_newest` is false; requested by their ids, they are refused.
    With the anchor `first_unread` and nothing unread, the anchor is 10000000000000000. Visitors
    without an account can read web-public channels, by naming one or with `channels:web-public`.
    """
    return await HistoryService(ctx).read(params)


@router.get("/messages/matches_narrow", responses=raises(BadNarrowError, TooExpensiveError))
async def match_narrow(ctx: LoggedIn, params: MatchParams) -> MatchesPayload:
    """Check whether messages match a narrow.

    Returns those that do, and that you may see; with `search`, the matches are in a `<span
    class="highlight">`. Messages whose texts are more than 8 MiB are refused: request fewer of
    them.
    """
    return await HistoryService(ctx).match(params)


@router.get("/messages/{message_id:int}")
async def get_message(
    ctx: MaybeAnonymous, message_id: MessageInPath, params: ShowMessageParams
) -> OneMessagePayload:
    """Get one message.

    With its text as it was written. A message that you may not see gets the same error as one that
    does not exist. Visitors without an account can read web-public channels.
    """
    return await HistoryService(ctx).get(MessageId(message_id), params)


@repeatable.post("/messages/render")
async def render_text(ctx: LoggedIn, params: RenderParams) -> RenderedPayload:
    """Render a text as it would look in a message.

    For previews. Nothing is stored, and no user is notified of mentions in it.
    """
    return await render(ctx, params)
