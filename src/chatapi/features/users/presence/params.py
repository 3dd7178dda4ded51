"""Parameters of presence."""

from typing import Annotated

from pydantic import Field

from chatapi.core.ids import MAX_ID
from chatapi.features.users.presence.rules import PingStatus
from chatapi.wire.params import Params

_MAX_DAYS = 100_000


class PingParams(Params):
    """POST /users/me/presence."""

    status: Annotated[PingStatus, Field(examples=["active"])]
    last_update_id: Annotated[int, Field(ge=-1, le=MAX_ID)] | None = Field(
        default=None,
        description="The last `presence_last_update_id`: only what changed since is told, in the"
        " form of `slim_presence`. -1 for a client that knows nothing yet.",
        examples=[5],
    )
    history_limit_days: Annotated[int, Field(ge=0, le=_MAX_DAYS)] | None = Field(
        default=None,
        description="How far back presence is told to a client that knows nothing yet; 14 days"
        " if left out.",
        examples=[365],
    )
    new_user_input: bool = Field(
        default=False, description="Whether the person did something since the last call."
    )
    ping_only: bool = Field(
        default=False, description="Whether the presence of others is left out of the answer."
    )
    slim_presence: bool = Field(
        default=False, description="Whether presence is keyed by user id instead of email."
    )
