"""The names a text can refer to, given by the caller, which knows what exists and is visible."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from msgspec import Struct, field

from chatapi.core.ids import ChannelId, GroupId, UserId
from chatapi.core.names import EMPTY_TOPIC_DISPLAY_NAME, name_key
from chatapi.rendering.linkifiers import NO_LINKIFIERS, Linkifiers
from chatapi.rendering.syntax import split_id
from chatapi.rendering.uploaded_media import UploadedMedia


class NamedUser(Struct, frozen=True):
    id: UserId
    name: str


class NamedGroup(Struct, frozen=True):
    id: GroupId
    name: str
    can_be_mentioned: bool = True
    """Whether the author may mention its members; silent mentions are always allowed."""


class NamedChannel(Struct, frozen=True):
    id: ChannelId
    name: str


class RealmEmoji(Struct, frozen=True):
    name: str
    source_url: str


class Directory(Struct, frozen=True):
    """The names a text may refer to; any other name remains plain text."""

    users_by_key: Mapping[str, Sequence[NamedUser]] = field(default_factory=dict)
    """Several users can have the same name."""
    users_by_id: Mapping[UserId, NamedUser] = field(default_factory=dict)
    groups_by_key: Mapping[str, NamedGroup] = field(default_factory=dict)
    channels_by_key: Mapping[str, NamedChannel] = field(default_factory=dict)
    emoji_by_name: Mapping[str, RealmEmoji] = field(default_factory=dict)
    has_wildcards: bool = True
    """Whether there are recipients to mention with `@**all**` or `@**topic**`."""
    empty_topic_name: str = EMPTY_TOPIC_DISPLAY_NAME
    linkifiers: Linkifiers = NO_LINKIFIERS
    media: Mapping[str, UploadedMedia] = field(default_factory=dict)
    """Uploaded images, videos and sound that the author may open, by path."""
    translates_emoticons: bool = False
    """Whether the author wants `:)` to become an emoji."""
    own_url: str = ""
    """The URL of the realm, without a slash at its end: links to it become relative."""

    @classmethod
    def of(
        cls,
        *,
        users: Iterable[NamedUser] = (),
        groups: Iterable[NamedGroup] = (),
        channels: Iterable[NamedChannel] = (),
        emoji: Iterable[RealmEmoji] = (),
        empty_topic_name: str = EMPTY_TOPIC_DISPLAY_NAME,
        linkifiers: Linkifiers = NO_LINKIFIERS,
        media: Iterable[UploadedMedia] = (),
    ) -> Self:
        users_by_id = {user.id: user for user in users}
        users_by_key: dict[str, list[NamedUser]] = {}
        for user in users_by_id.values():
            users_by_key.setdefault(name_key(user.name), []).append(user)
        return cls(
            users_by_key=users_by_key,
            users_by_id=users_by_id,
            groups_by_key={name_key(group.name): group for group in groups},
            channels_by_key={name_key(channel.name): channel for channel in channels},
            emoji_by_name={one.name: one for one in emoji},
            empty_topic_name=empty_topic_name,
            linkifiers=linkifiers,
            media={file.path: file for file in media},
        )

    def find_user(self, text: str) -> NamedUser | None:
        """Returns the user meant by `Name`, `Name|7` or `|7`; None if the name is ambiguous."""
        name, user_id = split_id(text)
        if user_id is None:
            namesakes = self.users_by_key.get(name_key(name), ())
            return namesakes[0] if len(namesakes) == 1 else None
        user = self.users_by_id.get(UserId(user_id))
        is_meant = user is not None and (not name or name_key(name) == name_key(user.name))
        return user if is_meant else None

    def find_group(self, name: str) -> NamedGroup | None:
        return self.groups_by_key.get(name_key(name))

    def find_channel(self, name: str) -> NamedChannel | None:
        return self.channels_by_key.get(name_key(name))


EMPTY_DIRECTORY = Directory(has_wildcards=False)
"""For texts without recipients, such as descriptions."""
