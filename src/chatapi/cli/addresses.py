"""Where organizations are reached: at every host name if there is one, else at their subdomain."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_rows import RealmRows
from chatapi.core.settings import Settings

_BEING_DELETED = "none, since its deletion has begun"
_EVERY_HOST = "every host name"


def address_of(realm: RealmRecord, settings: Settings, *, is_single: bool) -> str:
    """The address of an organization, or what leads to it."""
    if realm.is_being_deleted:
        return _BEING_DELETED
    if is_single:
        return settings.public_url or _EVERY_HOST
    return own_address(realm, settings)


def own_address(realm: RealmRecord, settings: Settings) -> str:
    """The address at which an organization is reached beside others."""
    host = realm.host(settings.root_domain)
    # Scheme and port are those of the public address, since the same proxy serves all of them.
    known = urlsplit(settings.public_url)
    if not known.scheme:
        return host
    return f"{known.scheme}://{host}" + (f":{known.port}" if known.port else "")


async def site_of(ctx: RealmContext) -> str | None:
    """The address of an organization for its clients; None if nothing tells it."""
    if len(await RealmRows(ctx.db).list_all()) == 1:
        return ctx.settings.public_url or None
    address = own_address(ctx.realm, ctx.settings)
    return address if "://" in address else f"http://{address}"


def warning_before_second(realms: Sequence[RealmRecord], settings: Settings) -> str | None:
    """What happens to the only organization when there is another one; None if nothing does."""
    reachable = [realm for realm in realms if not realm.is_being_deleted]
    if len(reachable) != 1:
        return None
    [first] = reachable
    if urlsplit(settings.public_url).hostname == first.host(settings.root_domain):
        return None
    old = address_of(first, settings, is_single=True)
    return (
        f"{first.name} is reached at {old} now. With a second organization it is reached only at "
        f"{own_address(first, settings)} (CHATAPI_ROOT_DOMAIN is {settings.root_domain}): clients "
        "that use another address get an error until they are told the new one."
    )


def describe_move(
    before: RealmRecord, after: RealmRecord, settings: Settings, *, is_single: bool
) -> str:
    """What another subdomain means for clients."""
    if is_single:
        address = address_of(after, settings, is_single=True)
        return f"It is reached at {address} as before, since it is the only one."
    return (
        f"It is now reached at {own_address(after, settings)}; clients that still use "
        f"{own_address(before, settings)} get an error: no organization at this host name."
    )
