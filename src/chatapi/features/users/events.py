"""Events about users."""

from collections.abc import Hashable, Iterable
from typing import Annotated, Any, ClassVar, NotRequired

from typing_extensions import TypedDict, override

from chatapi.core.ids import UserId
from chatapi.core.roles import EmailVisibility
from chatapi.events.cache_tags import (
    NO_CACHE_TAGS,
    CacheTag,
    RecipientPreferencesTag,
    UserTag,
    shared_sections,
)
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.features.users.avatar_addresses import (
    Avatar,
    DefaultAvatar,
    avatar_url,
    medium_avatar_url,
)
from chatapi.features.users.payloads import UserPayload

UNKNOWN_USER = "Unknown user"
"""The name of users whom a reader may not see."""

_SHARED_LISTS = shared_sections("realm_user", "realm_user_groups", "user_status")


class UserAdded(Event):
    """A user joined the organization, or became visible to a guest who sees only some users."""

    type = "realm_user"
    op: ClassVar = "add"
    reveals_users: ClassVar = True
    cache_tags: ClassVar = _SHARED_LISTS

    person: UserPayload
    """The user, complete, as in `realm_users` of `POST /register`."""
    email_visibility: Annotated[EmailVisibility, ServerOnly()]
    default_avatar: Annotated[DefaultAvatar, ServerOnly()] = "G"
    avatar_path: Annotated[str | None, ServerOnly()] = None
    revealed_to: Annotated[frozenset[UserId], ServerOnly()] = frozenset()
    """The guests to whom an existing user became visible."""

    @override
    def revealed_user(self, reader_id: UserId) -> UserId | None:
        return UserId(self.person["user_id"]) if reader_id in self.revealed_to else None

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield from map(UserTag, self.revealed_to)

    @override
    def variant(self, view: ClientView) -> Hashable:
        return self._shows_email(view), view.profile.client_gravatar

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        shows_email = self._shows_email(view)
        real_email = self.person["delivery_email"]
        email = real_email if shows_email and real_email else self.person["email"]
        return {
            "person": {
                **self.person,
                "delivery_email": real_email if shows_email else None,
                "avatar_url": avatar_url(
                    self._avatar(),
                    email,
                    client_computes=view.profile.client_gravatar and shows_email,
                ),
            }
        }

    def _avatar(self) -> Avatar:
        person = self.person
        return Avatar(
            person["user_id"],
            person["full_name"],
            person["avatar_version"],
            self.avatar_path,
            self.default_avatar,
        )

    def _shows_email(self, view: ClientView) -> bool:
        return (
            self.person["is_bot"]
            or view.user_id == self.person["user_id"]
            or self.email_visibility.shows_to(view.role)
        )


class InvisiblePerson(TypedDict):
    """A user whom the reader may not see any more."""

    user_id: int
    """The user that clients should forget."""
    full_name: str
    """What to show for them in messages: `Unknown user`."""


class UserRemoved(Event):
    """A user is no longer visible to a guest who sees only some users.

    Clients forget what they know about the user; messages remain, of an unknown user.
    """

    type = "realm_user"
    op: ClassVar = "remove"
    cache_tags: ClassVar = _SHARED_LISTS

    person: InvisiblePerson
    """Who is no longer visible."""
    hidden_from: Annotated[frozenset[UserId], ServerOnly()]

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield from map(UserTag, self.hidden_from)


class CustomProfileFieldChange(TypedDict):
    """A new value of a custom profile field, None for a value that was removed."""

    id: int
    """The custom profile field."""
    value: str | None
    """Its new value, as text; null if it was removed."""
    rendered_value: NotRequired[str]
    """The value as HTML; only for fields that support Markdown."""


class PersonChange(TypedDict):
    """The changed properties of a user, and the user's id."""

    user_id: int
    """The user who changed."""
    full_name: NotRequired[str]
    """Their new name."""
    role: NotRequired[int]
    """Their new role. 100: owner, 200: administrator, 300: moderator, 400: member, 600: guest."""
    is_active: NotRequired[bool]
    """False if the account was deactivated, true if it was reactivated."""
    bot_owner_id: NotRequired[int]
    """Of a bot: the user it belongs to now."""
    timezone: NotRequired[str]
    """Their new time zone, a name of the IANA database; empty for none."""
    email: NotRequired[str]
    """Their API email before the change; comes with `new_email`."""
    new_email: NotRequired[str]
    """Their new API email."""
    delivery_email: NotRequired[str | None]
    """Their new real address; null if the reader may not see it."""
    avatar_source: NotRequired[str]
    """Where the new picture comes from. `U`: uploaded, `G`: Gravatar, `J`: initials."""
    avatar_url: NotRequired[str | None]
    """The new picture; null if the client computes the address of a Gravatar picture itself."""
    avatar_url_medium: NotRequired[str]
    """The new picture in 500 x 500 pixels."""
    avatar_version: NotRequired[int]
    """The version of the new picture."""
    custom_profile_field: NotRequired[CustomProfileFieldChange]
    """The custom profile field whose value changed."""


class PicturedBy(TypedDict):
    """What an avatar is derived from; the real address only for readers who may see it.

    Events that were logged by earlier versions have the addresses only.
    """

    delivery_email: str
    email: str
    full_name: NotRequired[str]
    path: NotRequired[str | None]
    default: NotRequired[DefaultAvatar]


class UserUpdated(Event):
    """A property of a user changed."""

    type = "realm_user"
    op: ClassVar = "update"
    cache_tags: ClassVar = _SHARED_LISTS

    person: PersonChange
    """The id of the user, and only what changed."""
    email_visibility: Annotated[EmailVisibility | None, ServerOnly()] = None
    """Set when the real address, or an avatar made from it, changes: which readers may see it."""
    pictured_by: Annotated[PicturedBy | None, ServerOnly()] = None
    """Set when the avatar changes."""

    @override
    def variant(self, view: ClientView) -> Hashable:
        computes_picture = self.pictured_by is not None and _computes_pictures(view)
        return self._shows_email(view), computes_picture

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        person: PersonChange = {**self.person}
        if "delivery_email" in person and not self._shows_email(view):
            person["delivery_email"] = None
        if self.pictured_by is not None:
            self._add_picture(person, self.pictured_by, view)
        return {"person": person}

    def _add_picture(self, person: PersonChange, by: PicturedBy, view: ClientView) -> None:
        shows_email = self._shows_email(view)
        email = by["delivery_email"] if shows_email else by["email"]
        avatar = Avatar(
            person["user_id"],
            by.get("full_name", ""),
            person["avatar_version"],
            by.get("path"),
            by.get("default", "G"),
        )
        person["avatar_source"] = avatar.source
        person["avatar_url"] = avatar_url(
            avatar, email, client_computes=_computes_pictures(view) and shows_email
        )
        person["avatar_url_medium"] = medium_avatar_url(avatar, email)

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(UserId(self.person["user_id"]))
        if "is_active" in self.person:
            # The service of a deactivated bot is not called any more.
            yield RecipientPreferencesTag()

    def _shows_email(self, view: ClientView) -> bool:
        return (
            self.email_visibility is None
            or view.user_id == self.person["user_id"]
            or self.email_visibility.shows_to(view.role)
        )


def _computes_pictures(view: ClientView) -> bool:
    """Whether an update may leave the address of a picture to the client.

    Older clients compute those in the response of POST /register only.
    """
    return view.profile.client_gravatar and view.profile.may_omit_avatar_url


class CredentialsChanged(Event):
    """A user's API keys were revoked; processes drop them from their caches."""

    type = "credentials_changed"
    is_internal = True
    cache_tags: ClassVar = NO_CACHE_TAGS

    user_id: UserId

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(self.user_id)
