"""The playgrounds part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.realm.playgrounds.payloads import PlaygroundPayload
from chatapi.features.realm.playgrounds.service import list_playgrounds
from chatapi.features.state import public_section, shared_by_all


class PlaygroundsState(TypedDict):
    """All playgrounds."""

    realm_playgrounds: list[PlaygroundPayload]
    """Where clients offer to run the code of code blocks."""


@public_section("realm_playgrounds", cache_key=shared_by_all)
async def load_playgrounds(ctx: RealmContext, profile: ClientProfile) -> PlaygroundsState:
    del profile
    return {"realm_playgrounds": await list_playgrounds(ctx)}
