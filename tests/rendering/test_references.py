"""The names that a text might use are found without parsing it."""

from collections.abc import Set as AbstractSet

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatapi.core.ids import ChannelId, GroupId, UserId
from chatapi.rendering import (
    Directory,
    NamedChannel,
    NamedGroup,
    NamedUser,
    References,
    find_references,
    render_message,
)
from chatapi.rendering.references import MAX_REFERENCES


def references(
    *,
    user_names: AbstractSet[str] = frozenset(),
    user_ids: AbstractSet[int] = frozenset(),
    group_names: AbstractSet[str] = frozenset(),
    channel_names: AbstractSet[str] = frozenset(),
    emoji_names: AbstractSet[str] = frozenset(),
) -> References:
    return References(
        user_names=frozenset(user_names),
        user_ids=frozenset(map(UserId, user_ids)),
        group_names=frozenset(group_names),
        channel_names=frozenset(channel_names),
        emoji_names=frozenset(emoji_names),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", references()),
        ("@**King Hamlet**", references(user_names={"king hamlet"})),
        ("@_**Iago** @**IAGO**", references(user_names={"iago"})),
        ("@**Iago|7** @**|8** @_**x|9**", references(user_ids={7, 8, 9})),
        ("@**a|b**", references(user_names={"a|b"})),
        ("@*Support* @_*Sales*", references(group_names={"support", "sales"})),
        (
            "#**General** #**a>b** #**c>** #**d>e@7**",
            references(channel_names={"general", "a", "c", "d"}),
        ),
        (":smile: :+1::Tada:", references(emoji_names={"smile", "+1", "Tada"})),
        ("@**all** @**everyone** @**channel** @**stream** @_**topic**", references()),
        ("`@**code**`", references(user_names={"code"})),
        ("@**a\n#**b\n@*c\n:d\n@****\n#**>e**", references()),
        ("@**x #**general**", references(user_names={"x #"}, channel_names={"general"})),
    ],
)
def test_references_of_each_kind_are_found(text: str, found: References) -> None:
    assert find_references(text) == found


def test_number_of_references_is_bounded() -> None:
    names = range(MAX_REFERENCES + 50)
    text = "".join(f"@**u{n}** @**|{n}** @*g{n}* #**c{n}** :e{n}: " for n in names)
    found = find_references(text)
    first = {f"{n}" for n in names[:MAX_REFERENCES]}
    assert found.user_names == {f"u{n}" for n in first}
    assert found.user_ids == {int(n) for n in first}
    assert found.group_names == {f"g{n}" for n in first}
    assert found.channel_names == {f"c{n}" for n in first}
    assert found.emoji_names == {f"e{n}" for n in first}


_names = st.sampled_from(["a", "B", "c d", "a|1", "|2", ">", "@", "#", ":", "x", "]", "`", "\\"])
_marks = st.sampled_from(
    ["@**", "@_**", "@*", "@_*", "#**", "**", "*", "[", "](/x)", "\n", "> ", " "]
)


@settings(deadline=None)
@given(st.lists(_names | _marks, max_size=30).map("".join))
def test_all_references_of_the_parser_are_found(text: str) -> None:
    """A directory of just the found names renders a text like a directory of all names."""
    found = find_references(text)
    everybody = [NamedUser(UserId(n), name) for n, name in enumerate(["a", "b", "c d", "x"])]
    groups = [NamedGroup(GroupId(n), name) for n, name in enumerate(["a", "b", "c d", "a|1"])]
    channels = [NamedChannel(ChannelId(n), name) for n, name in enumerate(["a", "b", "c d", "x"])]
    everything = Directory.of(users=everybody, groups=groups, channels=channels)
    enough = Directory.of(
        users=[
            one for one in everybody if one.name in found.user_names or one.id in found.user_ids
        ],
        groups=[group for group in groups if group.name in found.group_names],
        channels=[channel for channel in channels if channel.name in found.channel_names],
    )
    assert render_message(text, enough) == render_message(text, everything)
