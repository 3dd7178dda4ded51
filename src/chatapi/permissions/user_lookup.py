"""Looks up the users that a request names: by id, by API email or by address."""

from collections.abc import Sequence

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord, user_id_in
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MAX_ID, UserId
from chatapi.core.names import name_key
from chatapi.permissions.user_visibility import user_visibility

_EMAILS_AT_ONCE = 1_000
"""After this many emails other requests are served; the first invalid one ends the lookup."""


async def find_user(ctx: RealmContext, reference: str) -> UserRecord:
    """The user with an id, an API email, or a real address that the reader may see.

    Users whom the reader may not see are reported as unknown.
    """
    # Looked up in any case: the duration must not reveal whether the user exists.
    visibility = await user_visibility(ctx)
    user = await _look_up(ctx, reference)
    if user is None or not visibility.can_see(user):
        raise BadRequestError("No such user")
    return user


async def people_by_id(ctx: Context, user_ids: Sequence[int]) -> list[UserRecord]:
    """Active users, each once; a user that the caller may not see is an error."""
    wanted = set(user_ids)
    users = await UserRows(ctx.db, ctx.realm.id).list_some(list(wanted))
    visibility = await user_visibility(ctx)
    found = [user for user in users if visibility.can_see(user)]
    for user_id in sorted(wanted - {user.id for user in found}):
        raise BadRequestError(f"Invalid user ID: {user_id}")
    return _active(found)


async def people_by_email(ctx: Context, emails: Sequence[str]) -> list[UserRecord]:
    """The same by API email; a real address works for callers who may see it."""
    found: dict[UserId, UserRecord] = {}
    different = list(dict.fromkeys(emails))
    for start in range(0, len(different), _EMAILS_AT_ONCE):
        for user in await _find_by_email(ctx, different[start : start + _EMAILS_AT_ONCE]):
            found[user.id] = user
    return _active(list(found.values()))


async def _look_up(ctx: RealmContext, reference: str) -> UserRecord | None:
    users = UserRows(ctx.db, ctx.realm.id)
    if reference.isdecimal():
        return await users.find(UserId(min(int(reference), MAX_ID)))
    user_id = user_id_in(reference, ctx.realm.host(ctx.settings.root_domain))
    if user_id is not None:
        return await users.find(user_id)
    user = await users.find_by_delivery_email(reference)
    return user if user is not None and user.shows_email_to(ctx.reader) else None


async def _find_by_email(ctx: Context, emails: Sequence[str]) -> list[UserRecord]:
    host = ctx.realm.host(ctx.settings.root_domain)
    repository = UserRows(ctx.db, ctx.realm.id)
    made_up = {email: user_id_in(email, host) for email in emails}
    by_id = await repository.list_some([each for each in made_up.values() if each is not None])
    real = [name_key(email) for email, user_id in made_up.items() if user_id is None]
    by_email = {
        name_key(user.delivery_email): user
        for user in await repository.list_by_delivery_email(real)
        if user.shows_email_to(ctx.user)
    }
    known: dict[UserId, UserRecord] = {user.id: user for user in by_id}
    found = []
    visibility = await user_visibility(ctx)
    for email, user_id in made_up.items():
        user = by_email.get(name_key(email)) if user_id is None else known.get(user_id)
        if user is None or not visibility.can_see(user):
            raise BadRequestError(f"Invalid email '{email}'")
        found.append(user)
    return found


def _active(users: list[UserRecord]) -> list[UserRecord]:
    for user in users:
        if not user.is_active:
            raise BadRequestError(f"The account of {user.full_name} is deactivated")
    return sorted(users, key=lambda user: user.id)
