"""The events by which readers learn of a user, and forget one."""

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.ids import UserId
from chatapi.features.users.events import UNKNOWN_USER, UserAdded, UserRemoved
from chatapi.features.users.payloads import ProfileData
from chatapi.features.users.rules import user_payload


def user_added(
    ctx: RealmContext,
    user: UserRecord,
    profile_data: ProfileData | None = None,
    revealed_to: frozenset[UserId] = frozenset(),
) -> UserAdded:
    """The event for readers to whom a user becomes visible, because they are new or otherwise."""
    person = user_payload(
        user,
        user.api_email(ctx.realm, ctx.settings.root_domain),
        realm=ctx.realm,
        shows_email=True,
        client_gravatar=True,
        profile_data=profile_data or {},
    )
    return UserAdded(
        person=person,
        email_visibility=user.email_visibility,
        default_avatar=ctx.realm.options.default_avatar_source,
        avatar_path=user.avatar_path,
        revealed_to=revealed_to,
    )


def user_removed(user: UserRecord, hidden_from: frozenset[UserId]) -> UserRemoved:
    """The event for restricted guests to whom a user is no longer visible."""
    return UserRemoved(
        person={"user_id": user.id, "full_name": UNKNOWN_USER}, hidden_from=hidden_from
    )
