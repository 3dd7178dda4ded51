"""Events about users."""

from collections.abc import Hashable, Iterable
from typing import Annotated, Any, ClassVar, NotRequired

from typing_extensions import TypedDict, override

from chatapi.core.ids import UserId
from chatapi.core.roles import EmailVisibility
from chatapi.events.cache_tags import CacheTag, UserTag
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.features.users.payloads import UserPayload
from chatapi.features.users.rules import avatar_url, medium_gravatar_url


class UserAdded(Event):
    """A user joined the organization."""

    type = "realm_user"
    op: ClassVar = "add"

    person: UserPayload
    """With the real address, which is removed for readers who may not see it."""
    email_visibility: Annotated[EmailVisibility, ServerOnly()]

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
                    email,
                    self.person["avatar_version"],
                    client_computes=view.profile.client_gravatar and shows_email,
                ),
            }
        }

    def _shows_email(self, view: ClientView) -> bool:
        return (
            self.person["is_bot"]
            or view.user_id == self.person["user_id"]
            or self.email_visibility.shows_to(view.role)
        )


class CustomProfileFieldChange(TypedDict):
    """A new value of a custom profile field, None for a value that was removed."""

    id: int
    value: str | None
    rendered_value: NotRequired[str]


class PersonChange(TypedDict):
    """The changed properties of a user, and the user's id."""

    user_id: int
    full_name: NotRequired[str]
    role: NotRequired[int]
    is_active: NotRequired[bool]
    bot_owner_id: NotRequired[int]
    timezone: NotRequired[str]
    email: NotRequired[str]
    new_email: NotRequired[str]
    delivery_email: NotRequired[str | None]
    avatar_source: NotRequired[str]
    avatar_url: NotRequired[str | None]
    avatar_url_medium: NotRequired[str]
    avatar_version: NotRequired[int]
    custom_profile_field: NotRequired[CustomProfileFieldChange]


class PicturedBy(TypedDict):
    """The addresses from which an avatar is derived: the real one for readers who may see it."""

    delivery_email: str
    email: str


class UserUpdated(Event):
    """A property of a user changed."""

    type = "realm_user"
    op: ClassVar = "update"

    person: PersonChange
    email_visibility: Annotated[EmailVisibility | None, ServerOnly()] = None
    """Set when the real address, or an avatar made from it, changes: which readers may see it."""
    pictured_by: Annotated[PicturedBy | None, ServerOnly()] = None
    """Set when the avatar changes."""

    @override
    def variant(self, view: ClientView) -> Hashable:
        computes_picture = self.pictured_by is not None and _computes_changed_picture(view)
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
        version = person["avatar_version"]
        person["avatar_source"] = "G"
        person["avatar_url"] = avatar_url(
            email, version, client_computes=shows_email and _computes_changed_picture(view)
        )
        person["avatar_url_medium"] = medium_gravatar_url(email, version)

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(UserId(self.person["user_id"]))

    def _shows_email(self, view: ClientView) -> bool:
        return (
            self.email_visibility is None
            or view.user_id == self.person["user_id"]
            or self.email_visibility.shows_to(view.role)
        )


def _computes_changed_picture(view: ClientView) -> bool:
    """Whether the address of a changed avatar may be left to the client."""
    knows_null = "user_avatar_url_field_optional" in view.profile.capabilities
    return view.profile.client_gravatar and knows_null


class CredentialsChanged(Event):
    """A user's API keys were revoked; processes drop them from their caches."""

    type = "credentials_changed"
    is_internal = True

    user_id: UserId

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(self.user_id)
