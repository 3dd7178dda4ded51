"""Messages of every kind, and plain rules that say which of them match a narrow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.db.models import Message
from chatapi.db.session import DatabaseSession
from tests.factories import Person, make_channel, make_user
from tests.features.messages.fetch.conversations import mark, send, send_direct, unread_ids
from tests.support.client import ApiClient
from tests.support.responses import assert_success

WHERE_THE_READER_IS = ("general", "web", "secret", "protected", "quiet")
PUBLIC = ("general", "open", "web", "left", "quiet")


@dataclass
class Facts:
    """The data of one message that the rules use."""

    id: MessageId
    channel: str | None
    topic: str
    sender: str
    people: frozenset[str]
    words: frozenset[str]
    is_visible: bool
    is_received: bool
    """Sent to the reader, whether they are still subscribed or not."""
    marks: set[str] = field(default_factory=set)

    @property
    def is_in_feed(self) -> bool:
        return (self.channel is None and self.is_visible) or (
            self.is_received and self.channel in WHERE_THE_READER_IS
        )

    @property
    def thread(self) -> tuple[object, ...]:
        return self.channel, self.topic.lower(), self.people


Rule = Callable[[Facts], bool]


@dataclass(frozen=True)
class Choice:
    """A term, its rule, and whether it searches beyond messages sent to the reader."""

    operator: str
    operand: object
    rule: Rule
    has_scope: bool = False
    is_thread: bool = False

    def term(self, *, negated: bool) -> dict[str, object]:
        return {"operator": self.operator, "operand": self.operand, "negated": negated}


@dataclass
class NarrowWorld:
    """A reader, and other users who sent messages of all kinds."""

    client: ApiClient
    people: dict[str, Person]
    channels: dict[str, ChannelRecord]
    messages: list[Facts] = field(default_factory=list)

    @property
    def reader(self) -> Person:
        return self.people["reader"]

    async def say(
        self, channel: str, topic: str, content: str, *marks: str, sender: str = "writer"
    ) -> Facts:
        to = self.channels[channel]
        message_id = await send(self.client, self.people[sender], to, topic, content)
        is_received = channel in (*WHERE_THE_READER_IS, "left") and "early" not in marks
        is_visible = is_received or channel in PUBLIC
        words = frozenset(f"{content} {topic}".lower().replace("✔", "").split())
        facts = Facts(
            message_id, channel, topic, sender, frozenset(), words, is_visible, is_received
        )
        facts.marks |= set(marks)
        self.messages.append(facts)
        return facts

    async def whisper(self, content: str, *others: str, sender: str = "writer") -> Facts:
        to = [self.people[other] for other in others]
        message_id = await send_direct(self.client, self.people[sender], *to, content=content)
        people = frozenset({sender, *others})
        is_own = "reader" in people
        words = frozenset(content.lower().split())
        facts = Facts(message_id, None, "", sender, people, words, is_own, is_own)
        self.messages.append(facts)
        return facts

    def expected(self, terms: Sequence[tuple[Choice, bool]]) -> list[MessageId]:
        """The messages a narrow matches; each term is a choice and whether it is negated."""
        wanted = [choice for choice, negated in terms if not negated]
        if any(choice.operator == "with" for choice in wanted):
            terms = [(each, negated) for each, negated in terms if negated or not each.is_thread]
        looks_further = any(choice.has_scope for choice in wanted)
        return [
            facts.id
            for facts in self.messages
            if (facts.is_visible if looks_further else facts.is_in_feed)
            and all(
                choice.operator == "near" or choice.rule(facts) != negated
                for choice, negated in terms
            )
        ]


async def make_narrow_world(client: ApiClient, runtime: Runtime, realm: RealmRecord) -> NarrowWorld:
    people = {
        name: await make_user(runtime, realm, full_name=name.title())
        for name in ("reader", "writer", "third")
    }
    reader, writer = people["reader"], people["writer"]
    kinds: dict[str, dict[str, object]] = {
        "general": {},
        "open": {},
        "web": {"is_web_public": True},
        "secret": {"invite_only": True},
        "hidden": {"invite_only": True},
        "protected": {"invite_only": True, "history_public_to_subscribers": False},
        "left": {},
        "quiet": {},
    }
    channels = {}
    for name, kind in kinds.items():
        is_inside = name in {"general", "web", "secret", "left", "quiet"}
        inside = [writer, reader] if is_inside else [writer]
        channels[name] = await make_channel(
            runtime, realm, writer, name, subscribers=inside, **kind
        )
    world = NarrowWorld(client, people, channels)
    assert_success(await client.post("/users/me/alert_words", reader, alert_words=["fire"]))
    await _talk(world)
    await _take_notes(world, runtime)
    unread = await unread_ids(client, reader)
    for facts in world.messages:
        facts.marks |= {"unread"} if facts.id in unread else set()
    return world


async def _talk(world: NarrowWorld) -> None:
    reader = world.reader
    mention = f"@**Reader|{reader.user_id}**"
    await world.say("protected", "plans", "apples early", "early")
    joining = {
        "subscriptions": [{"name": "protected"}],
        "principals": [reader.user_id],
        "send_new_subscription_messages": False,
    }
    writer = world.people["writer"]
    assert_success(await world.client.post("/users/me/subscriptions", writer, **joining))
    for channel in world.channels:
        await world.say(channel, "greetings", "apples and pears")
        await world.say(channel, "Greetings", "pears on fire", "alerted")
        await world.say(channel, "✔ done", f"apples for {mention}", "mentioned")
        await world.say(channel, "lunch", "pears https://example.com/x", "link")
    for channel in ("general", "open", "left"):
        wildcard = await world.say(channel, "lunch", "fire @**all**", "alerted")
        wildcard.marks |= {"mentioned"} if wildcard.is_received else set()
    await world.say("general", "mine", "apples", sender="reader")
    await world.say("general", "mine", "pears @**topic**", "mentioned")
    await world.say("general", "greetings", "nobody @**topic**")
    await world.whisper("apples", "reader")
    await world.whisper("pears on fire", "reader", "third")
    await world.whisper("apples", "third")
    await world.whisper("apples and pears", "reader", sender="reader")
    await world.whisper("pears", "writer", sender="reader")


async def _take_notes(world: NarrowWorld, runtime: Runtime) -> None:
    client, reader = world.client, world.reader
    for facts in world.messages:
        if facts.words & {"fire"} and not facts.is_received:
            facts.marks.discard("alerted")
        if facts.people and facts.is_visible and "fire" in facts.words:
            facts.marks.add("alerted")
    visible = [facts for facts in world.messages if facts.is_visible]
    for number, facts in enumerate(visible):
        if number % 3 == 0:
            await mark(client, reader, facts.id, flag="starred")
            facts.marks.add("starred")
        if number % 4 == 1:
            await mark(client, reader, facts.id)
        if number % 5 == 2:
            path = f"/messages/{facts.id}/reactions"
            assert_success(await client.post(path, reader, emoji_name="tada"))
            facts.marks.add("reaction")
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        for column in ("has_image", "has_attachment"):
            chosen = visible[len(column) % 5 :: 6]
            ids = [facts.id for facts in chosen]
            await db.execute(update(Message).where(Message.id.in_(ids)).values({column: True}))
            for facts in chosen:
                facts.marks.add(column.removeprefix("has_"))
        await db.commit()
    await _choose_topics(world)
    leaving = {"subscriptions": ["left"]}
    assert_success(await client.delete("/users/me/subscriptions", reader, **leaving))


async def _choose_topics(world: NarrowWorld) -> None:
    client, reader = world.client, world.reader
    policies = {
        ("general", "greetings"): 1,
        ("general", "lunch"): 3,
        ("general", "mine"): 0,
        ("quiet", "lunch"): 2,
        ("quiet", "✔ done"): 3,
        ("web", "lunch"): 1,
    }
    for (channel, topic), policy in policies.items():
        chosen = {"stream_id": world.channels[channel].id, "topic": topic}
        response = await client.post("/user_topics", reader, visibility_policy=policy, **chosen)
        assert_success(response)
    quiet = {"stream_id": world.channels["quiet"].id, "property": "is_muted", "value": True}
    response = await client.post(
        "/users/me/subscriptions/properties", reader, subscription_data=[quiet]
    )
    assert_success(response)
    for facts in world.messages:
        policy = policies.get((facts.channel or "", facts.topic.lower()), 0)
        is_muted = policy == 1 or (facts.channel == "quiet" and policy == 0)
        facts.marks |= {"muted"} if is_muted else set()
        facts.marks |= {"followed"} if policy == 3 else set()


def choices_of(world: NarrowWorld) -> list[Choice]:
    """Every operator, with operands that exist here."""
    return [*_places(world), *_people(world), *_marks(), *_searches(), *_single(world)]


def _places(world: NarrowWorld) -> list[Choice]:
    channels = [
        Choice(operator, operand, lambda each, name=name: each.channel == name, True, True)  # type: ignore[misc]
        for name in ("general", "open", "secret", "protected", "left", "web")
        for operator, operand in (("channel", name), ("stream", world.channels[name].id))
    ]
    topics = [
        Choice(
            "topic",
            topic,
            lambda each, topic=topic: each.channel is not None and each.topic.lower() == topic,  # type: ignore[misc]
            is_thread=True,
        )
        for topic in ("greetings", "lunch", "✔ done", "nowhere")
    ]
    public = Choice("channels", "public", lambda each: each.channel in PUBLIC, has_scope=True)
    web = Choice("streams", "web-public", lambda each: each.channel == "web", has_scope=True)
    return [*channels, *topics, public, web]


def _people(world: NarrowWorld) -> list[Choice]:
    ids = {name: person.user_id for name, person in world.people.items()}
    emails = {name: person.email for name, person in world.people.items()}
    direct: Rule = lambda each: each.channel is None and each.is_visible  # noqa: E731
    return [
        *(
            Choice("sender", operand, lambda each, name=name: each.sender == name)  # type: ignore[misc]
            for name in world.people
            for operand in (ids[name], emails[name])
        ),
        Choice("dm", [ids["writer"]], lambda e: e.people == {"reader", "writer"}, True, True),
        Choice(
            "pm-with",
            f"{emails['writer']}, {emails['third']}",
            lambda each: each.people == {"reader", "writer", "third"},
            True,
            True,
        ),
        Choice("dm", ids["reader"], lambda each: each.people == {"reader"}, True, True),
        Choice("dm-including", ids["writer"], lambda e: direct(e) and "writer" in e.people, True),
        Choice("group-pm-with", ids["writer"], lambda e: len(e.people) > 2, True),
        Choice("is", "dm", lambda each: each.channel is None, True),
    ]


def _marks() -> list[Choice]:
    kinds = ("starred", "unread", "mentioned", "alerted", "followed", "muted")
    parts = ("link", "image", "attachment", "reaction")
    return [
        *(
            Choice("is", mark, lambda each, mark=mark: mark in each.marks, mark == "starred")  # type: ignore[misc]
            for mark in kinds
        ),
        *(Choice("has", mark, lambda each, mark=mark: mark in each.marks) for mark in parts),  # type: ignore[misc]
        Choice("is", "resolved", lambda each: each.topic.startswith("✔ ")),
    ]


def _searches() -> list[Choice]:
    return [
        Choice("search", " ".join(words), lambda each, words=words: words <= each.words)  # type: ignore[misc]
        for words in ({"apples"}, {"pears"}, {"fire"}, {"apples", "pears"}, {"nowhere"})
    ]


def _single(world: NarrowWorld) -> list[Choice]:
    some = [facts for facts in world.messages if facts.is_visible][::7]
    return [
        Choice("near", some[0].id, lambda _: True),
        *(Choice("id", one.id, lambda each, one=one: each.id == one.id, True) for one in some),  # type: ignore[misc]
        *(
            Choice("with", one.id, lambda each, one=one: each.thread == one.thread, True)  # type: ignore[misc]
            for one in some
        ),
    ]
