"""Changes of which users restricted guests can see, emitted in the transaction that makes them.

Subscriptions and direct messages decide it, and users are above channels: so emitting the events
about users is a function of the runtime, which `main` takes from the users.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from chatapi.core.ids import ChannelId, UserId

if TYPE_CHECKING:
    # A context has a runtime, which has the function.
    from chatapi.auth.context import RealmContext

VisiblePairs = frozenset[tuple[UserId, UserId]]
"""Pairs of a reader and a user whom the reader can see."""


class UserVisibilityChange(Struct, frozen=True):
    """Users who became visible or invisible to restricted guests, as pairs of guest and user."""

    gained: VisiblePairs
    lost: VisiblePairs
    left: Mapping[ChannelId, frozenset[UserId]] = field(default_factory=dict)
    """The subscriptions that ended with the change."""


class EmitUserVisibility(Protocol):
    """Emits to guests which users they see now and no longer; the caller has locked the realm."""

    async def __call__(self, ctx: "RealmContext", change: UserVisibilityChange) -> None:
        """The change is already written."""
