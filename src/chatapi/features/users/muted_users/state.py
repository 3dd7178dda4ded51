"""The muted users part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.users.muted_users.payloads import MutedUserPayload
from chatapi.features.users.muted_users.service import MutedUserService


class MutedUsersState(TypedDict):
    """The users whom the caller mutes."""

    muted_users: list[MutedUserPayload]
    """The users whom you mute, in the order in which you muted them."""


@state_section("muted_users")
async def load_muted_users(ctx: Context, profile: ClientProfile) -> MutedUsersState:
    del profile
    return {"muted_users": await MutedUserService(ctx).list_own()}
