"""Random realms: users, channels, messages and flags, all created through the API."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.main import ChatApp
from tests.factories import Person, make_realm, make_user
from tests.features.realm.settings import allow, change_realm
from tests.model.quick_client import QuickClient
from tests.support.responses import ApiResponse, assert_success

WORDS = ("harbour", "mountain", "river", "bridge")
TOPICS = ("plans", "Plans", "✔ done", "river cruise", "")
CHANNEL_KINDS: dict[str, dict[str, object]] = {
    "square": {},
    "window": {"is_web_public": True},
    "cellar": {"invite_only": True, "history_public_to_subscribers": True},
    "vault": {"invite_only": True, "history_public_to_subscribers": False},
}
_ROLES = {
    "owner": Role.OWNER,
    "admin": Role.ADMIN,
    "ann": Role.MEMBER,
    "bob": Role.MEMBER,
    "cyd": Role.MEMBER,
    "guest": Role.GUEST,
    "visitor": Role.GUEST,
}
_STEPS = 30


@dataclass
class Organization:
    """An organization of a database, and what it takes to ask it something."""

    realm: RealmRecord
    persons: dict[str, Person]
    channel_ids: dict[str, int] = field(default_factory=dict)
    group_ids: list[int] = field(default_factory=list)
    message_ids: list[int] = field(default_factory=list)
    """Messages sent by users; notices of the service are not included."""

    @property
    def host(self) -> str:
        return f"{self.realm.subdomain}.localhost"

    @property
    def user_ids(self) -> list[int]:
        return [person.user_id for person in self.persons.values()]


async def build_organization(app: ChatApp, number: int, random: Random) -> Organization:
    realm = await make_realm(app.runtime, f"Org {number}", f"org{number}")
    persons = {
        name: await make_user(
            app.runtime, realm, role, full_name=f"{name} {number}", email=f"{name}@o{number}.test"
        )
        for name, role in _ROLES.items()
    }
    persons["robot"] = await make_user(
        app.runtime, realm, bot_owner=persons["ann"], email=f"robot-bot@o{number}.test"
    )
    organization = Organization(realm, persons)
    builder = _Builder(QuickClient(app, organization.host), organization, random)
    try:
        await builder.build()
    finally:
        await builder.client.aclose()
    return organization


class _Builder:
    """Makes random requests; refused ones change nothing."""

    def __init__(self, client: QuickClient, organization: Organization, random: Random) -> None:
        self.client = client
        self.organization = organization
        self.random = random

    async def build(self) -> None:
        await self._choose_settings()
        for name, options in CHANNEL_KINDS.items():
            await self._create_channel(name, options)
        steps = [self._send] * 5 + [self._write_directly] * 3 + [self._join, self._leave] * 2
        steps += [self._mark, self._react, self._move, self._rewrite, self._choose_for_topic]
        for _ in range(_STEPS):
            await self.random.choice(steps)()
        if self.random.random() < 0.2:
            owner = self.organization.persons["owner"]
            await change_realm(self.client, owner, enable_spectator_access=False)

    async def _choose_settings(self) -> None:
        owner, realm = self.organization.persons["owner"], self.organization.realm
        await change_realm(self.client, owner, enable_spectator_access=True)
        if self.random.random() < 0.6:
            seeing = SystemGroup.MEMBERS
            await allow(self.client, owner, realm, can_access_all_users_group=seeing)
        for name in ("choir", "crew"):
            made = await self.client.post(
                "/user_groups/create", owner, name=name, description="", members=self._some_ids()
            )
            self.organization.group_ids.append(assert_success(made)["group_id"])
        words = [self.random.choice(WORDS)]
        reader = self.organization.persons["guest"]
        await self.client.post("/users/me/alert_words", reader, alert_words=words)

    async def _create_channel(self, name: str, options: dict[str, object]) -> None:
        if options.get("invite_only") and self.random.random() < 0.3:
            open_to = [self.organization.persons["cyd"].user_id]
            named = {"direct_members": open_to, "direct_subgroups": []}
            options = {**options, "can_subscribe_group": named}
        made = await self.client.post(
            "/channels/create",
            self.organization.persons["owner"],
            name=name,
            subscribers=[self.organization.persons["owner"].user_id, *self._some_ids()],
            **options,
        )
        self.organization.channel_ids[name] = assert_success(made)["id"]

    async def _send(self) -> None:
        channel_id = self.random.choice(list(self.organization.channel_ids.values()))
        await self._post(type="channel", to=channel_id, topic=self.random.choice(TOPICS))

    async def _write_directly(self) -> None:
        others = self.random.sample(self.organization.user_ids, self.random.choice([1, 1, 2]))
        await self._post(type="direct", to=others)

    async def _post(self, **where: object) -> None:
        sent = await self.client.post("/messages", self._anybody(), content=self._text(), **where)
        if sent.status == 200:
            self.organization.message_ids.append(sent["id"])

    def _text(self) -> str:
        words = self.random.sample(WORDS, 2)
        name = self.random.choice(list(self.organization.persons.values())).full_name
        extra = ["http://example.com/", f"@**{name}**", "@*choir*", "@**all**", "#**cellar**", ""]
        return " ".join([*words, self.random.choice(extra)])

    async def _join(self) -> None:
        await self._change_members("post", principals=self._some_ids())

    async def _leave(self) -> None:
        await self._change_members("delete", principals=self._some_ids())

    async def _change_members(self, method: str, **params: object) -> None:
        name = self.random.choice(list(CHANNEL_KINDS))
        listed: Sequence[object] = [{"name": name}] if method == "post" else [name]
        owner = self.organization.persons["owner"]
        change = getattr(self.client, method)
        await change("/users/me/subscriptions", owner, subscriptions=listed, **params)

    async def _mark(self) -> None:
        flag = self.random.choice(["read", "starred"])
        await self._about_message(
            "post", "/messages/flags", flag=flag, op="add", messages=self._some_messages()
        )

    async def _react(self) -> None:
        for message_id in self._some_messages():
            await self._about_message(
                "post", f"/messages/{message_id}/reactions", emoji_name="tada"
            )

    async def _move(self) -> None:
        for message_id in self._some_messages()[:1]:
            target = self.random.choice(list(self.organization.channel_ids.values()))
            where: dict[str, Any] = {"topic": self.random.choice(TOPICS)}
            if self.random.random() < 0.6:
                where["stream_id"] = target
            mode = self.random.choice(["change_one", "change_later", "change_all"])
            path = f"/messages/{message_id}"
            owner = self.organization.persons["owner"]
            await self.client.patch(path, owner, propagate_mode=mode, **where)

    async def _rewrite(self) -> None:
        for message_id in self._some_messages():
            await self._about_message("patch", f"/messages/{message_id}", content=self._text())

    async def _choose_for_topic(self) -> None:
        await self.client.post(
            "/user_topics",
            self._anybody(),
            stream_id=self.random.choice(list(self.organization.channel_ids.values())),
            topic=self.random.choice(TOPICS),
            visibility_policy=self.random.choice([1, 2, 3]),
        )

    async def _about_message(self, method: str, path: str, **params: object) -> ApiResponse:
        response: ApiResponse = await getattr(self.client, method)(path, self._anybody(), **params)
        return response

    def _anybody(self) -> Person:
        return self.random.choice(list(self.organization.persons.values()))

    def _some_ids(self) -> list[int]:
        return self.random.sample(self.organization.user_ids, self.random.randint(1, 4))

    def _some_messages(self) -> list[int]:
        sent = self.organization.message_ids
        return self.random.sample(sent, min(len(sent), self.random.choice([1, 1, 3])))
