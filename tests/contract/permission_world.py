"""A realm with every kind of caller, and what must exist before a request can succeed."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.main import ChatApp
from tests import factories
from tests.factories import Person
from tests.features.channels.channels import subscribe
from tests.features.channels.folders.folders import add_folder, folders_seen_by
from tests.features.emoji.adding import add_emoji
from tests.features.messages.fetch.conversations import send
from tests.features.messages.reactions.reacting import react
from tests.features.messages.scheduled.scheduling import schedule, to_people
from tests.features.personal.drafts.drafting import add_drafts, draft
from tests.features.realm.linkifiers.linking import add_linkifier, linkifiers_seen_by
from tests.features.realm.settings import allow, change_realm
from tests.features.uploads.files import attachments_of, upload
from tests.features.users.presence.pinging import ping
from tests.features.users.profile_fields.fields import add_field
from tests.support.account_changes import deactivate
from tests.support.apps import make_settings, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_success

HOST = "acme.localhost"
_WAITING_DAYS = 10
PASSWORD = "correct horse"
FAR_AHEAD = 4_102_444_800

CallerCache = dict[str, Person | None]


@dataclass(frozen=True)
class World:
    """Users who can prepare things before the caller under test acts."""

    client: ApiClient
    runtime: Runtime
    realm: RealmRecord
    boss: Person
    """An owner, who is never the caller under test."""
    somebody: Person
    """A member with a password."""
    callers: CallerCache

    async def make_user(self, role: Role = Role.MEMBER, **details: Any) -> Person:
        return await factories.make_user(self.runtime, self.realm, role, **details)

    async def make_channel(self, **details: Any) -> ChannelRecord:
        return await factories.make_channel(self.runtime, self.realm, self.boss, **details)


@dataclass(frozen=True)
class People:
    """The users of a world, who outlive the application in which they were created."""

    realm: RealmRecord
    boss: Person
    somebody: Person
    callers: CallerCache


async def make_people(database_url: str) -> People:
    """Fill an empty database; made for `WorkerDatabase.fill`."""
    clock = MovableClock()
    with TemporaryDirectory() as folder:
        settings = make_settings(database_url, Path(folder))
        async with running_app(settings, clock) as app:
            client = ApiClient(app, HOST)
            people = await _add_people(client, app.runtime, clock)
            await client.aclose()
    return people


def world_of(people: People, app: ChatApp, clock: MovableClock) -> World:
    """The same users in another application, at the end of their waiting period."""
    clock.advance(days=_WAITING_DAYS)
    return World(
        ApiClient(app, HOST),
        app.runtime,
        people.realm,
        people.boss,
        people.somebody,
        dict(people.callers),
    )


async def _add_people(client: ApiClient, runtime: Runtime, clock: MovableClock) -> People:
    """Members are full ones, but for the new one; only full ones may create groups and bots."""
    realm = await factories.make_realm(runtime, "Acme")
    other_realm = await factories.make_realm(runtime, "Other")

    async def make(role: Role, **details: Any) -> Person:
        return await factories.make_user(runtime, realm, role, **details)

    boss, somebody = await make(Role.OWNER), await make(Role.MEMBER, password=PASSWORD)
    callers: CallerCache = {
        "owner": await make(Role.OWNER),
        "admin": await make(Role.ADMIN),
        "moderator": await make(Role.MODERATOR),
        "member": await make(Role.MEMBER),
        "guest": await make(Role.GUEST),
        "bot": await make(Role.MEMBER, bot_owner=somebody),
        "deactivated": await make(Role.OWNER),
        "anonymous": None,
        "other_realm": await factories.make_user(runtime, other_realm, Role.OWNER),
    }
    await deactivate(runtime, realm, callers["deactivated"] or boss)
    clock.advance(days=_WAITING_DAYS)
    await change_realm(client, boss, waiting_period_threshold=_WAITING_DAYS)
    permissions = {"can_create_groups", "can_create_bots_group", "can_create_write_only_bots_group"}
    await allow(client, boss, realm, **dict.fromkeys(permissions, SystemGroup.FULL_MEMBERS))
    new_member = assert_success(
        await client.post(
            "/users", boss, email="new@example.com", full_name="New", password=PASSWORD
        )
    )
    login = await client.post("/fetch_api_key", username="new@example.com", password=PASSWORD)
    callers["new_member"] = Person(
        new_member["user_id"], "new@example.com", assert_success(login)["api_key"]
    )
    return People(realm, boss, somebody, callers)


@dataclass(frozen=True)
class Prepared:
    """What fills the places of a path, and parameters beside the documented examples."""

    places: Mapping[str, object] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)


Preparation = Callable[[World, Person | None], Awaitable[Prepared]]

_numbers = count(1)


async def nothing(_world: World, _caller: Person | None) -> Prepared:
    return Prepared()


async def a_description(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"description": f"Number {next(_numbers)}"})


async def a_user(world: World, _caller: Person | None) -> Prepared:
    user = await world.make_user()
    return Prepared({"user_id_or_email": user.user_id}, {"full_name": "Another Name"})


async def a_user_to_read(world: World, _caller: Person | None) -> Prepared:
    return Prepared({"user_id_or_email": world.boss.user_id})


async def a_user_to_end(world: World, _caller: Person | None) -> Prepared:
    return Prepared({"user_id_or_email": (await world.make_user()).user_id})


async def a_user_to_mute(world: World, _caller: Person | None) -> Prepared:
    return Prepared({"muted_user_id": world.boss.user_id})


async def a_deactivated_user(world: World, _caller: Person | None) -> Prepared:
    user = await world.make_user()
    await deactivate(world.runtime, world.realm, user)
    return Prepared({"user_id": user.user_id})


async def a_login(world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"username": world.somebody.email, "password": PASSWORD})


async def an_api_key(world: World, caller: Person | None) -> Prepared:
    """The key of the caller, if there is one."""
    listed = await world.client.get("/users/me/api_keys", caller)
    return Prepared({"key_id": listed["api_keys"][0]["id"] if listed.status == 200 else 1})


async def a_new_address(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"email": f"new{next(_numbers)}@example.com"})


async def a_new_bot(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"short_name": f"bot{next(_numbers)}"})


async def a_bot(world: World, _caller: Person | None) -> Prepared:
    """One that belongs to another user than the caller."""
    bot = await world.make_user(bot_owner=world.boss)
    return Prepared({"bot_id": bot.user_id})


async def a_queue(world: World, caller: Person | None) -> Prepared:
    """The caller's own, or another user's for callers who cannot have any."""
    can_register = caller in [
        world.callers[kind] for kind in world.callers if kind not in {"deactivated", "other_realm"}
    ]
    listener = await listen(world.client, caller if caller and can_register else world.boss)
    return Prepared(values={"queue_id": listener.queue_id, "dont_block": "true"})


async def a_field(world: World, _caller: Person | None) -> Prepared:
    field_id = await add_field(world.client, world.boss, name=f"Field {next(_numbers)}")
    return Prepared({"field_id": field_id})


async def a_new_field(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"name": f"Field {next(_numbers)}"})


async def all_fields(world: World, _caller: Person | None) -> Prepared:
    response = await world.client.get("/realm/profile_fields", world.boss)
    fields = assert_success(response)["custom_fields"]
    return Prepared(values={"order": [field["id"] for field in fields]})


async def a_value(world: World, _caller: Person | None) -> Prepared:
    field_id = await add_field(world.client, world.boss, name=f"Field {next(_numbers)}")
    return Prepared(values={"data": [{"id": field_id, "value": "Cake"}]})


async def a_value_to_remove(world: World, _caller: Person | None) -> Prepared:
    field_id = await add_field(world.client, world.boss, name=f"Field {next(_numbers)}")
    return Prepared(values={"data": [field_id]})


async def a_new_status(world: World, _caller: Person | None) -> Prepared:
    return Prepared(
        {"user_id": world.somebody.user_id}, {"status_text": f"Number {next(_numbers)}"}
    )


async def somebody_seen(world: World, _caller: Person | None) -> Prepared:
    await ping(world.client, world.somebody)
    return Prepared({"user_id_or_email": world.somebody.user_id})


async def a_new_group(_world: World, _caller: Person | None) -> Prepared:
    values = {"name": f"group {next(_numbers)}", "description": "", "members": []}
    return Prepared(values=values)


async def a_group(world: World, _caller: Person | None) -> Prepared:
    """One that another user than the caller created, with one member."""
    name = f"group {next(_numbers)}"
    members = [world.boss.user_id]
    response = await world.client.post(
        "/user_groups/create", world.boss, name=name, description="", members=members
    )
    group_id = assert_success(response)["group_id"]
    places = {"user_group_id": group_id, "user_id": world.boss.user_id}
    return Prepared(places)


async def a_described_group(world: World, caller: Person | None) -> Prepared:
    group = await a_group(world, caller)
    return Prepared(group.places, {"description": "Another one"})


async def a_member_to_add(world: World, caller: Person | None) -> Prepared:
    group = await a_group(world, caller)
    return Prepared(group.places, {"add": [world.somebody.user_id]})


async def a_subgroup_to_add(world: World, caller: Person | None) -> Prepared:
    group, subgroup = await a_group(world, caller), await a_group(world, caller)
    return Prepared(group.places, {"add": [subgroup.places["user_group_id"]]})


async def a_channel(world: World, _caller: Person | None) -> Prepared:
    """A public one that the caller is not subscribed to."""
    channel = await world.make_channel()
    return Prepared({"stream_id": channel.id, "user_id": world.boss.user_id})


async def a_described_channel(world: World, caller: Person | None) -> Prepared:
    channel = await a_channel(world, caller)
    return Prepared(channel.places, {"description": "Another one"})


async def a_channel_to_name(world: World, caller: Person | None) -> Prepared:
    channel = await a_channel(world, caller)
    return Prepared(values={"stream_id": channel.places["stream_id"]})


async def a_new_default_group(_world: World, _caller: Person | None) -> Prepared:
    name = f"default group {next(_numbers)}"
    return Prepared(values={"group_name": name, "description": "", "stream_names": []})


async def a_default_group(world: World, caller: Person | None) -> Prepared:
    new = await a_new_default_group(world, caller)
    created = await world.client.post("/default_stream_groups/create", world.boss, **new.values)
    assert_success(created)
    wanted = {"fetch_event_types": ["default_stream_groups"]}
    state = (await listen(world.client, world.boss, **wanted)).state
    (group,) = [
        each
        for each in state["realm_default_stream_groups"]
        if each["name"] == new.values["group_name"]
    ]
    return Prepared({"group_id": group["id"]}, {"new_description": "Another one"})


async def channels_for_a_group(world: World, caller: Person | None) -> Prepared:
    group = await a_default_group(world, caller)
    return Prepared(group.places, {"op": "add", "stream_names": []})


async def a_new_folder(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"name": f"folder {next(_numbers)}"})


async def a_folder(world: World, _caller: Person | None) -> Prepared:
    folder_id = await add_folder(world.client, world.boss, f"folder {next(_numbers)}")
    return Prepared({"channel_folder_id": folder_id}, {"description": "Another one"})


async def all_folders(world: World, _caller: Person | None) -> Prepared:
    folders = await folders_seen_by(world.client, world.boss, include_archived=True)
    return Prepared(values={"order": [folder["id"] for folder in folders]})


async def a_new_channel(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"name": f"new channel {next(_numbers)}", "subscribers": []})


async def the_general_channel(world: World, _caller: Person | None) -> Prepared:
    """A public one with another subscriber, whatever state it was in before."""
    assert_success(await subscribe(world.client, world.boss, "general"))
    return Prepared()


async def a_channel_to_join(world: World, caller: Person | None) -> Prepared:
    await the_general_channel(world, caller)
    return Prepared(values={"add": [{"name": "general"}]})


async def somebody_to_take_out(world: World, caller: Person | None) -> Prepared:
    await the_general_channel(world, caller)
    return Prepared(values={"subscriptions": ["general"], "principals": [world.boss.user_id]})


async def a_topic_to_write_in(world: World, caller: Person | None) -> Prepared:
    await the_general_channel(world, caller)
    return Prepared(values={"topic": "greetings"})


async def the_newest_messages(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"anchor": "newest", "num_before": 1, "num_after": 0})


async def no_narrow(_world: World, _caller: Person | None) -> Prepared:
    """Everything the caller may see, even if that is nothing."""
    return Prepared(values={"narrow": []})


async def a_message(world: World, _caller: Person | None) -> Prepared:
    """In a public channel that the caller is not subscribed to."""
    channel = await world.make_channel(subscribers=[world.boss])
    message_id = await send(world.client, world.boss, channel)
    return Prepared({"message_id": message_id}, {"messages": [message_id]})


async def a_poll(world: World, _caller: Person | None) -> Prepared:
    """In a public channel that the caller is not subscribed to."""
    channel = await world.make_channel(subscribers=[world.boss])
    message_id = await send(world.client, world.boss, channel, content="/poll Tea?\nyes\nno")
    return Prepared(values={"message_id": message_id})


async def a_message_to_move(world: World, caller: Person | None) -> Prepared:
    message = await a_message(world, caller)
    return replace(message, values={"topic": "elsewhere"})


async def a_reaction(world: World, caller: Person | None) -> Prepared:
    """To a message in a public channel, by another user than the caller."""
    message = await a_message(world, caller)
    assert_success(await react(world.client, world.boss, message.places["message_id"]))
    return Prepared(message.places, {"emoji_name": "octopus"})


async def a_subscription(world: World, caller: Person | None) -> Prepared:
    """To a channel that the caller is subscribed to, where that is possible."""
    is_here = caller is not None and caller not in {
        world.callers["deactivated"],
        world.callers["other_realm"],
    }
    channel = await world.make_channel(subscribers=[caller] if is_here else [])
    change = {"property": "pin_to_top", "value": True}
    return Prepared(
        {"stream_id": channel.id},
        {"subscription_data": [{"stream_id": channel.id, **change}], **change},
    )


async def somebody_to_type_to(world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"to": [world.boss.user_id]})


async def a_new_emoji(_world: World, _caller: Person | None) -> Prepared:
    """The documented example is no picture: callers who may add one get an error about it."""
    return Prepared({"emoji_name": f"emoji{next(_numbers)}"})


async def an_emoji(world: World, _caller: Person | None) -> Prepared:
    """One that another user than the caller created."""
    name = f"emoji{next(_numbers)}"
    await add_emoji(world.client, world.boss, name)
    return Prepared({"emoji_name": name})


async def a_file(world: World, _caller: Person | None) -> Prepared:
    """One that no message links."""
    url = await upload(world.client, world.boss)
    realm_id, shelf, token, filename = url.split("/")[2:]
    [*_older, attachment] = (await attachments_of(world.client, world.boss))["attachments"]
    path = {"realm_id": realm_id, "shelf": shelf, "token": token, "filename": filename}
    return Prepared({**path, "attachment_id": attachment["id"]})


async def a_channel_to_schedule_for(world: World, caller: Person | None) -> Prepared:
    channel = await a_channel(world, caller)
    return Prepared(values={"to": channel.places["stream_id"], "topic": "greetings"})


async def a_scheduled_message(world: World, _caller: Person | None) -> Prepared:
    """One that another user than the caller scheduled."""
    scheduled_id = await schedule(world.client, world.boss, to_people(world.boss), FAR_AHEAD)
    return Prepared({"scheduled_message_id": scheduled_id})


async def a_message_to_remember(world: World, caller: Person | None) -> Prepared:
    message = await a_message(world, caller)
    return Prepared(values={"message_id": message.places["message_id"]})


async def a_reminder(world: World, caller: Person | None) -> Prepared:
    """One of another user than the caller."""
    wanted = (await a_message_to_remember(world, caller)).values
    response = await world.client.post(
        "/reminders", world.boss, **wanted, scheduled_delivery_timestamp=FAR_AHEAD
    )
    return Prepared({"reminder_id": assert_success(response)["reminder_id"]})


async def a_new_draft(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"drafts": [draft()]})


async def a_draft(world: World, _caller: Person | None) -> Prepared:
    """Of another user than the caller."""
    [draft_id] = await add_drafts(world.client, world.boss, draft())
    return Prepared({"draft_id": draft_id})


async def a_snippet(world: World, _caller: Person | None) -> Prepared:
    """Of another user than the caller."""
    response = await world.client.post("/saved_snippets", world.boss, title="Mine", content="Hello")
    return Prepared({"saved_snippet_id": assert_success(response)["saved_snippet_id"]})


async def a_view(world: World, _caller: Person | None) -> Prepared:
    """Of another user than the caller."""
    fragment = f"narrow/id/{next(_numbers)}"
    assert_success(
        await world.client.post("/navigation_views", world.boss, fragment=fragment, is_pinned=True)
    )
    return Prepared({"fragment": fragment})


async def a_new_linkifier(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"pattern": f"T{next(_numbers)}-(?P<id>[0-9]+)"})


async def a_linkifier(world: World, caller: Person | None) -> Prepared:
    pattern = (await a_new_linkifier(world, caller)).values
    linkifier_id = await add_linkifier(world.client, world.boss, **pattern)
    return Prepared({"filter_id": linkifier_id}, pattern)


async def all_linkifiers(world: World, _caller: Person | None) -> Prepared:
    found = await linkifiers_seen_by(world.client, world.boss)
    return Prepared(values={"ordered_linkifier_ids": [each["id"] for each in found]})


async def a_device(world: World, _caller: Person | None) -> Prepared:
    added = assert_success(await world.client.post("/register_client_device", world.boss))
    key = {"push_key_id": 1, "push_key": "a2V5"}
    return Prepared(values={"device_id": added["device_id"], **key})


async def a_new_token(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"token": f"token {next(_numbers)}"})


async def a_new_domain(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"domain": f"domain{next(_numbers)}.example"})


async def a_domain(world: World, caller: Person | None) -> Prepared:
    values = {**(await a_new_domain(world, caller)).values, "allow_subdomains": True}
    assert_success(await world.client.post("/realm/domains", world.boss, **values))
    return Prepared({"domain": values["domain"]}, {"allow_subdomains": False})


async def a_new_playground(_world: World, _caller: Person | None) -> Prepared:
    return Prepared(values={"name": f"Playground {next(_numbers)}"})


async def a_playground(world: World, caller: Person | None) -> Prepared:
    values = {
        **(await a_new_playground(world, caller)).values,
        "pygments_language": "Python",
        "url_template": "https://example.com/{code}",
    }
    added = assert_success(await world.client.post("/realm/playgrounds", world.boss, **values))
    return Prepared({"playground_id": added["id"]})
