"""The custom emoji part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.emoji.payloads import EmojiPayload
from chatapi.features.emoji.service import EmojiService
from chatapi.features.state import shared_by_all, state_section


class RealmEmojiState(TypedDict):
    """All custom emoji, by id."""

    realm_emoji: dict[str, EmojiPayload]


@state_section("realm_emoji", cache_key=shared_by_all)
async def load_realm_emoji(ctx: Context, profile: ClientProfile) -> RealmEmojiState:
    del profile
    return {"realm_emoji": await EmojiService(ctx).list_all()}
