"""The custom emoji part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.emoji.payloads import EmojiPayload
from chatapi.features.emoji.service import list_emoji
from chatapi.features.emoji.static_files import emoji_names_file
from chatapi.features.state import public_section, shared_by_all


class RealmEmojiState(TypedDict):
    """All custom emoji, by id."""

    realm_emoji: dict[str, EmojiPayload]
    """All custom emoji by id, removed ones included."""


class EmojiNamesState(TypedDict):
    """Where clients find the names of all Unicode emoji; needs no authentication."""

    server_emoji_data_url: str
    """Where clients find the names of all Unicode emoji by code; needs no login. Another address
    means other content."""


@public_section("realm")
async def load_emoji_data_url(ctx: RealmContext, profile: ClientProfile) -> EmojiNamesState:
    del profile
    file = await emoji_names_file(ctx.runtime)
    return {"server_emoji_data_url": ctx.public_url + file.path}


@public_section("realm_emoji", cache_key=shared_by_all)
async def load_realm_emoji(ctx: RealmContext, profile: ClientProfile) -> RealmEmojiState:
    del profile
    return {"realm_emoji": await list_emoji(ctx)}
