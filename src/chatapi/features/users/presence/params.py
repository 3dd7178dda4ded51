"""Parameters of presence."""

from typing import Annotated

from pydantic import Field

from chatapi.core.ids import MAX_ID
from chatapi.features.users.presence.rules import PingStatus
from chatapi.wire.params import Params

_MAX_DAYS = 100_000


class PingParams(Params):
    """POST /users/me/presence."""

    status: PingStatus
    """Whether you are using the client (`active`) or it is only open (`idle`)."""
    last_update_id: Annotated[int, Field(ge=-1, le=MAX_ID)] | None = Field(
        default=None, examples=[5]
    )
    """The last `presence_last_update_id` you have: only later changes are returned, keyed by user
    id. -1 if you have none."""
    history_limit_days: Annotated[int, Field(ge=0, le=_MAX_DAYS)] | None = Field(
        default=None, examples=[365]
    )
    """Users who were last seen longer ago than this many days are left out for a client that passes
    -1; 14 if left out."""
    new_user_input: bool = False
    """Whether you did something in the client since its last request."""
    ping_only: bool = False
    """Whether the presence of others is left out of the response."""
    slim_presence: bool = False
    """Whether presence is keyed by user id instead of email."""
