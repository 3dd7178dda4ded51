"""Which readers share a list of users, so that it is read and encoded once for all of them."""

from chatapi.auth.context import RealmContext
from chatapi.core.roles import Role
from chatapi.permissions.user_visibility import sees_all_users

SECTION = "realm_user"
"""The section of the register response whose events change such lists."""


def reader_kind(ctx: RealmContext) -> Role | None:
    """The role of a reader: those with the same role see the same users and addresses.

    None for a reader whose list no other reader shares: visitors without an account, guests who
    see only some users, and users who alone see their own address.
    """
    me = ctx.reader
    if me is None or not sees_all_users(ctx.realm, me):
        return None
    sees_more_of_self = not me.is_bot and not me.email_visibility.shows_to(me.role)
    return None if sees_more_of_self else me.role
