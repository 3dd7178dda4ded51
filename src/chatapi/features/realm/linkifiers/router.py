"""Endpoints of linkifiers."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import Admin, LoggedIn
from chatapi.core.ids import LinkifierId
from chatapi.features.realm.linkifiers.params import LinkifierParams, ReorderLinkifiersParams
from chatapi.features.realm.linkifiers.payloads import CreatedLinkifierPayload, LinkifiersPayload
from chatapi.features.realm.linkifiers.service import LinkifierService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

LinkifierInPath = Annotated[Id, Field(description="The `id` of the linkifier.")]

router = FeatureRouter("Linkifiers", "What becomes a link wherever it is written.")


@router.get("/realm/linkifiers")
async def get_linkifiers(ctx: LoggedIn) -> LinkifiersPayload:
    """Get all linkifiers.

    In the order in which they are applied.
    """
    return {"linkifiers": await LinkifierService(ctx).list_all()}


@router.patch("/realm/linkifiers")
async def reorder_linkifiers(ctx: Admin, params: ReorderLinkifiersParams) -> None:
    """Change the order of the linkifiers.

    For administrators. Pass the ids of all of them; where several match, the first one applies.
    Clients receive `realm_linkifiers` and `realm_filters` events.
    """
    await LinkifierService(ctx).reorder(params)


@router.post("/realm/filters")
async def add_linkifier(ctx: Admin, params: LinkifierParams) -> CreatedLinkifierPayload:
    """Add a linkifier.

    What the pattern matches becomes a link in messages that are sent from now on, and in the
    `topic_links` of all messages, where it stands by itself: after a blank, a bracket or a quote,
    and not before a letter. Where several match, the first one applies. Look-around and
    back-references do not exist in this syntax, and patterns that are too large are refused, so
    that no pattern is slow. An organization can have 100.
    """
    return await LinkifierService(ctx).add(params)


@router.patch("/realm/filters/{filter_id:int}")
async def update_linkifier(ctx: Admin, filter_id: LinkifierInPath, params: LinkifierParams) -> None:
    """Change a linkifier.

    For administrators. Messages that were already sent stay unchanged. Clients receive
    `realm_linkifiers` and `realm_filters` events.
    """
    await LinkifierService(ctx).change(LinkifierId(filter_id), params)


@router.delete("/realm/filters/{filter_id:int}")
async def remove_linkifier(ctx: Admin, filter_id: LinkifierInPath) -> None:
    """Remove a linkifier.

    For administrators. Messages that were already sent stay unchanged. Clients receive
    `realm_linkifiers` and `realm_filters` events.
    """
    await LinkifierService(ctx).remove(LinkifierId(filter_id))
