"""Steps: channels are created, changed, archived and restored; users subscribe and unsubscribe."""

from collections.abc import Sequence
from http import HTTPStatus

from tests.model.actions.chance import among, either, few, maybe, number
from tests.model.actions.step import Act, action, anybody, numbers, places, powerful, topics
from tests.model.scene import ROLES, SPARE, pick

_LOOKS: tuple[dict[str, object], ...] = (
    {"is_private": False},
    {"is_private": True, "history_public_to_subscribers": True},
    {"is_private": True, "history_public_to_subscribers": False},
    {"is_web_public": True, "is_private": False},
    {"is_web_public": False},
)
_PERMISSIONS = (
    "can_add_subscribers_group",
    "can_administer_channel_group",
    "can_send_message_group",
    "can_subscribe_group",
    "can_remove_subscribers_group",
)
_CHOICES: tuple[tuple[str, object], ...] = (
    ("is_muted", True),
    ("is_muted", False),
    ("pin_to_top", True),
    ("color", "#aabbcc"),
    ("push_notifications", True),
)
some = few(sorted({*ROLES, SPARE}), 1, 2)


def channel_of(act: Act, number: int) -> int | None:
    return pick(act.scene.channels, number)


@action(
    powerful,
    weight=2,
    inside=some,
    look=among(("public", "private", "protected", "web_public")),
    is_default=either,
)
async def create_channel(act: Act, inside: Sequence[str], look: str, is_default: bool) -> None:
    looks: dict[str, dict[str, object]] = {
        "public": {"is_default_stream": is_default},
        "web_public": {"is_web_public": True},
        "private": {"invite_only": True, "history_public_to_subscribers": True},
        "protected": {"invite_only": True, "history_public_to_subscribers": False},
    }
    name = f"c{len(act.scene.channels)}"
    response = await act.call(
        "post",
        "/channels/create",
        name=name,
        subscribers=[act.user_id(name) for name in inside],
        **looks[look],
    )
    if "id" in response.body:
        act.scene.note_channel(response.body["id"], name)


def _name_now(act: Act, number: int) -> str:
    channels = act.scene.channels
    return act.scene.names[channels[number % len(channels)]]


@action(weight=4, channel=places)
async def join(act: Act, channel: int) -> None:
    name = _name_now(act, channel)
    await act.call("post", "/users/me/subscriptions", subscriptions=[{"name": name}])


@action(powerful, weight=3, channel=places, others=some)
async def add_people(act: Act, channel: int, others: Sequence[str]) -> None:
    name = _name_now(act, channel)
    await act.call(
        "post",
        "/users/me/subscriptions",
        subscriptions=[{"name": name}],
        principals=[act.user_id(each) for each in others],
        send_new_subscription_messages=False,
    )


@action(weight=4, channel=places)
async def leave(act: Act, channel: int) -> None:
    name = _name_now(act, channel)
    await act.call("delete", "/users/me/subscriptions", subscriptions=[name])


@action(powerful, weight=2, channel=places, others=some)
async def remove_people(act: Act, channel: int, others: Sequence[str]) -> None:
    name = _name_now(act, channel)
    principals = [act.user_id(each) for each in others]
    await act.call("delete", "/users/me/subscriptions", subscriptions=[name], principals=principals)


@action(anybody, channel=places)
async def leave_and_rejoin(act: Act, channel: int) -> None:
    name = _name_now(act, channel)
    await act.call("delete", "/users/me/subscriptions", subscriptions=[name])
    await act.call("post", "/users/me/subscriptions", subscriptions=[{"name": name}])


@action(powerful, weight=4, channel=places)
async def archive(act: Act, channel: int) -> None:
    """Archive a channel; one that is archived already is unarchived."""
    chosen = channel_of(act, channel)
    if chosen is None:
        return
    if act.scene.toggle("channel", chosen):
        await act.call("delete", f"/streams/{chosen}")
    else:
        await act.call("patch", f"/streams/{chosen}", is_archived=False)


@action(powerful, channel=places, name=among(("renamed", "other name")))
async def rename_channel(act: Act, channel: int, name: str) -> None:
    chosen, new_name = channel_of(act, channel), f"{name} {channel}"
    response = await act.call("patch", f"/streams/{chosen}", new_name=new_name)
    if response.status == HTTPStatus.OK and chosen is not None:
        act.scene.names[chosen] = new_name


@action(powerful, weight=2, channel=places, look=among(_LOOKS))
async def change_look(act: Act, channel: int, look: dict[str, object]) -> None:
    await act.call("patch", f"/streams/{channel_of(act, channel)}", **look)


@action(powerful, channel=places, description=among(("", "**about** it")))
async def describe_channel(act: Act, channel: int, description: str) -> None:
    await act.call("patch", f"/streams/{channel_of(act, channel)}", description=description)


@action(
    powerful,
    weight=2,
    channel=places,
    permission=among(_PERMISSIONS),
    person=anybody,
    group=maybe(numbers),
)
async def permit(act: Act, channel: int, permission: str, person: str, group: int | None) -> None:
    chosen = None if group is None else pick(act.scene.groups, group)
    new = {
        "direct_members": [act.user_id(person)],
        "direct_subgroups": [] if chosen is None else [chosen],
    }
    await act.call("patch", f"/streams/{channel_of(act, channel)}", **{permission: {"new": new}})


@action(powerful, channel=places, is_default=either)
async def make_default(act: Act, channel: int, is_default: bool) -> None:
    method = "post" if is_default else "delete"
    await act.call(method, "/default_streams", stream_id=channel_of(act, channel))


@action(powerful, name=among(("work", "play")), inside=few(range(4), 0, 2))
async def create_default_group(act: Act, name: str, inside: Sequence[int]) -> None:
    names = [_name_now(act, channel) for channel in inside]
    group = {"group_name": name, "description": "", "stream_names": names}
    await act.call("post", "/default_stream_groups/create", **group)


@action(
    powerful, group=numbers, change=among(("add", "remove", "describe", "delete")), channel=places
)
async def change_default_group(act: Act, group: int, change: str, channel: int) -> None:
    path = f"/default_stream_groups/{await _id_of_default_group(act, group)}"
    match change:
        case "delete":
            await act.call("delete", path)
        case "describe":
            await act.call("patch", path, new_description=f"about {group}")
        case op:
            names = [_name_now(act, channel)]
            await act.call("patch", f"{path}/streams", op=op, stream_names=names)


async def _id_of_default_group(act: Act, number: int) -> int:
    """Only the state of a client contains it."""
    wanted = ["default_stream_groups"]
    response = await act.call("post", "/register", event_types=[], fetch_event_types=wanted)
    chosen = pick(response.body.get("realm_default_stream_groups", []), number)
    return 0 if chosen is None else chosen["id"]


@action(channel=places, choice=among(_CHOICES))
async def choose_for_channel(act: Act, channel: int, choice: tuple[str, object]) -> None:
    name, value = choice
    data = [{"stream_id": channel_of(act, channel), "property": name, "value": value}]
    await act.call("post", "/users/me/subscriptions/properties", subscription_data=data)


@action(weight=2, channel=places, topic=topics, policy=number(0, 3))
async def set_topic_policy(act: Act, channel: int, topic: str, policy: int) -> None:
    chosen = channel_of(act, channel)
    await act.call("post", "/user_topics", stream_id=chosen, topic=topic, visibility_policy=policy)


@action(powerful, name=among(("work", "play")))
async def create_folder(act: Act, name: str) -> None:
    await act.create(
        "folders", "channel_folder_id", "post", "/channel_folders/create", name=name, description=""
    )


@action(powerful, folder=numbers, name=maybe(among(("work", "rest"))))
async def change_folder(act: Act, folder: int, name: str | None) -> None:
    chosen = pick(act.scene.made.get("folders", []), folder)
    if chosen is not None:
        changes = {"is_archived": True} if name is None else {"name": name}
        await act.call("patch", f"/channel_folders/{chosen}", **changes)


@action(powerful)
async def reorder_folders(act: Act) -> None:
    folders = act.scene.made.get("folders", [])
    await act.call("patch", "/channel_folders", order=folders[::-1])


@action(powerful, channel=places, folder=numbers)
async def put_into_folder(act: Act, channel: int, folder: int) -> None:
    chosen = pick(act.scene.made.get("folders", []), folder)
    if chosen is not None:
        await act.call("patch", f"/streams/{channel_of(act, channel)}", folder_id=chosen)
