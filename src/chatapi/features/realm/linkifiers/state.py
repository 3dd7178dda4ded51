"""The linkifiers part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.realm.linkifiers.payloads import (
    FilterPayload,
    LinkifierPayload,
    filter_payloads,
)
from chatapi.features.realm.linkifiers.service import list_linkifiers
from chatapi.features.state import public_section, shared_by_all


class LinkifiersState(TypedDict):
    """All linkifiers, in the order in which they are applied."""

    realm_linkifiers: list[LinkifierPayload]
    """What becomes a link in messages, in the order in which it is applied."""


class FiltersState(TypedDict):
    """The same for clients that know only the older format."""

    realm_filters: list[FilterPayload]
    """The linkifiers for clients that do not know `realm_linkifiers`: pattern, URL with `%(name)s`,
    and id."""


@public_section("realm_linkifiers", cache_key=shared_by_all)
async def load_linkifiers(ctx: RealmContext, profile: ClientProfile) -> LinkifiersState:
    del profile
    return {"realm_linkifiers": await list_linkifiers(ctx)}


@public_section("realm_filters", cache_key=shared_by_all)
async def load_filters(ctx: RealmContext, profile: ClientProfile) -> FiltersState:
    del profile
    return {"realm_filters": filter_payloads(await list_linkifiers(ctx))}
