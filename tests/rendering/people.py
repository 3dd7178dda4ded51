"""A small directory of users, groups and channels for tests."""

from chatapi.core.ids import ChannelId, GroupId, UserId
from chatapi.rendering import Directory, NamedChannel, NamedGroup, NamedUser, RealmEmoji

DIRECTORY = Directory.of(
    users=[
        NamedUser(UserId(7), "Iago"),
        NamedUser(UserId(8), "King Hamlet"),
        NamedUser(UserId(11), "Twin"),
        NamedUser(UserId(12), "twin"),
        NamedUser(UserId(13), 'Ann "<b>" & Co'),
    ],
    groups=[
        NamedGroup(GroupId(5), "Support"),
        NamedGroup(GroupId(6), "leadership", can_be_mentioned=False),
    ],
    channels=[
        NamedChannel(ChannelId(9), "general"),
        NamedChannel(ChannelId(10), "R&D 100%. done"),
    ],
    emoji=[RealmEmoji("green_tick", "/user_avatars/2/emoji/1.png")],
)
