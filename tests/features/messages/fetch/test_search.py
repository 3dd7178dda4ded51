"""Searching: words and phrases of all scripts, marked where they were found."""

import pytest
from sqlalchemy import delete, update

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.db.models import Conversation, Message
from chatapi.db.session import DatabaseSession
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import Term, ask, ids_read, read, send, send_direct
from tests.support.client import ApiClient
from tests.support.responses import assert_error

HOSTILE = [
    '"',
    '"unfinished',
    "'",
    "a OR b",
    "NEAR(a b)",
    "content:x",
    "-x",
    "^x*",
    "(((",
    "a & | ! b <-> c",
    "\\",
    "% _",
    "😀",
    "\u0301",
    "\u200b",
    "a" * 9_000,
    "世" * 3_000,
    ":)",
    "$1 :x %(x)s",
    "'; DROP TABLE message; --",
    "\u2028 \ufeff",
    "ǅ ß ﬁ",
]


class TestWhatIsFound:
    @pytest.mark.parametrize(
        ("content", "searched"),
        [
            ("The quick brown fox", "quick"),
            ("The quick brown fox", "FOX quick"),
            ("The quick brown fox", '"quick brown"'),
            ("The quick brown fox", "the"),
            ("to be or not to be", '"to be or not to be"'),
            ("She was jumping over dogs", "jump dog"),
            ("see foo-bar.py", "bar"),
            ("see foo-bar.py", "foo-bar.py"),
            ("at https://example.com/some/page", "example page"),
            ("write to ann@example.com", "ann@example.com"),
            ("`snake_case_name`", "case"),
            ("version 3.14", "3.14"),
            ("Zoë drank a CAFÉ", "zoe café"),
            ("Привет, МИР", "мир"),
            ("Ελληνικά ΚΕΊΜΕΝΑ", "κείμενα"),
            ("हिन्दी में", "हिन्दी"),
            ("שלום עולם", "עולם"),
            ("你好世界", "世界"),
            ("おはようございます", '"ござい"'),
            ("สวัสดีชาวโลก", "ชาว"),
            ("안녕하세요 여러분", "여러"),
            ("well done 🎉", "🎉"),
            ("well done 🎉", "🎉 done"),
            ("so :)", ":)"),
        ],
    )
    async def test_words(
        self, client: ApiClient, writer: Person, general: ChannelRecord, content: str, searched: str
    ) -> None:
        found = await send(client, writer, general, content=content)
        await send(client, writer, general, content="Something else")
        assert await ids_read(client, writer, ["search", searched]) == [found]

    @pytest.mark.parametrize("searched", ["quick dog", '"brown quick"', "qui", "世"])
    async def test_all_words_and_no_parts_of_words(
        self, client: ApiClient, writer: Person, general: ChannelRecord, searched: str
    ) -> None:
        await send(client, writer, general, content="The quick brown fox")
        assert await ids_read(client, writer, ["search", searched]) == []

    async def test_topics_are_searched_too(
        self, client: ApiClient, writer: Person, general: ChannelRecord
    ) -> None:
        in_topic = await send(client, writer, general, topic="Lunch plans")
        in_both = await send(client, writer, general, topic="Lunch plans", content="lunch")
        in_content = await send(client, writer, general, topic="x", content="plans for lunch")
        found = await read(client, writer, ["search", "lunch"])
        assert [each["id"] for each in found["messages"]] == [in_topic, in_both, in_content]
        assert found["messages"][0]["match_subject"] == (
            '<span class="highlight">Lunch</span> plans'
        )

    @pytest.mark.parametrize("count", [3, 30])
    async def test_messages_of_any_number_of_topics_come_in_their_order(
        self, client: ApiClient, writer: Person, general: ChannelRecord, count: int
    ) -> None:
        """Few topics are read one by one, many among all messages."""
        sent = [
            await send(client, writer, general, topic=f"lunch {number % count}")
            for number in range(count * 2)
        ]
        await send(client, writer, general, topic="dinner")
        assert await ids_read(client, writer, ["search", "lunch"]) == sent
        newest = await ids_read(client, writer, ["search", "lunch"], num_before=4)
        assert newest == sent[-4:]

    async def test_with_other_terms_and_negated(
        self, client: ApiClient, reader: Person, writer: Person, general: ChannelRecord
    ) -> None:
        one = await send(client, writer, general, content="apples and pears")
        two = await send(client, reader, general, content="apples")
        three = await send_direct(client, writer, reader, content="apples too")
        apples: Term = ["search", "apples"]
        pears: Term = {"operator": "search", "operand": "pears", "negated": True}
        assert await ids_read(client, reader, apples) == [one, two, three]
        assert await ids_read(client, reader, apples, ["search", "pears"]) == [one]
        assert await ids_read(client, reader, apples, pears) == [two, three]
        assert await ids_read(client, reader, apples, ["sender", writer.email]) == [one, three]
        assert await ids_read(client, reader, apples, ["channel", "general"]) == [one, two]
        assert await ids_read(client, reader, apples, ["is", "dm"]) == [three]
        topic: list[Term] = [["channel", "general"], ["topic", "greetings"]]
        assert await ids_read(client, reader, *topic, apples) == [one, two]

    async def test_around_an_anchor(
        self, client: ApiClient, reader: Person, writer: Person, general: ChannelRecord
    ) -> None:
        sent = [await send(client, writer, general, content=f"word {n}") for n in range(6)]
        around = {"anchor": sent[2], "num_before": 1, "num_after": 1}
        found = await read(client, reader, ["search", "word"], **around)
        assert [each["id"] for each in found["messages"]] == sent[1:4]
        assert (found["found_oldest"], found["found_newest"]) == (False, False)
        unread = await read(client, reader, ["search", "3 word"], anchor="first_unread")
        assert unread["anchor"] == sent[3]

    async def test_hidden_messages_are_not_found(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        reader: Person,
        writer: Person,
    ) -> None:
        other = await make_user()
        secret = await make_channel("secret", subscribers=[writer], invite_only=True)
        hidden = await send(client, writer, secret, "hidden", "hidden")
        told = await send_direct(client, writer, other, content="hidden")
        terms: list[Term] = [["search", "hidden"], NOT_WORD]
        for term in terms:
            assert await ids_read(client, reader, term) == []
        asked = {"msg_ids": [hidden, told], "narrow": [["search", "hidden"]]}
        response = await client.get("/messages/matches_narrow", reader, **asked)
        assert response["messages"] == {}
        assert await ids_read(client, writer, ["search", "hidden"]) == [hidden, told]


NOT_WORD: dict[str, object] = {"operator": "search", "operand": "word", "negated": True}


class TestIndex:
    async def test_follows_edits_deletes_and_renamed_topics(
        self, client: ApiClient, runtime: Runtime, writer: Person, general: ChannelRecord
    ) -> None:
        one = await send(client, writer, general, "before", "old words")
        two = await send(client, writer, general, "before", "old words")
        async with DatabaseSession(runtime.database) as db:
            await db.write()
            await db.execute(update(Message).where(Message.id == one).values(content="new words"))
            await db.execute(delete(Message).where(Message.id == two))
            await db.execute(update(Conversation).values(topic="after"))
            await db.commit()
        found = {}
        for word in ("old", "new", "words", "before", "after"):
            found[word] = await ids_read(client, writer, ["search", word])
        assert found == {"old": [], "new": [one], "words": [one], "before": [], "after": [one]}


class TestHighlights:
    @pytest.mark.parametrize(
        ("content", "searched", "shown"),
        [
            ("**Foxes** jump", "fox", "<p><strong>{Foxes}</strong> jump</p>"),
            ("a & b < c", "b", "<p>a &amp; {b} &lt; c</p>"),
            ("amp & lt", "amp", "<p>{amp} &amp; lt</p>"),
            ("the lazy dogs", '"lazy dog"', "<p>the {lazy} {dogs}</p>"),
            ("你好世界", "世界", "<p>你好{世界}</p>"),
            ("Zoë", "zoe", "<p>{Zoë}</p>"),
            ("`span class`", "span class", "<p><code>{span} {class}</code></p>"),
        ],
    )
    async def test_are_in_fetched_messages(
        self,
        client: ApiClient,
        writer: Person,
        general: ChannelRecord,
        content: str,
        searched: str,
        shown: str,
    ) -> None:
        await send(client, writer, general, content=content)
        found = await read(client, writer, ["search", searched])
        marked = shown.replace("{", '<span class="highlight">').replace("}", "</span>")
        assert found["messages"][0]["match_content"] == marked

    async def test_are_never_in_attributes(
        self, client: ApiClient, writer: Person, general: ChannelRecord
    ) -> None:
        await send(client, writer, general, content="[link](https://example.com/href) href")
        message = (await read(client, writer, ["search", "href"]))["messages"][0]
        assert message["match_content"].count('<span class="highlight">') == 1
        assert 'href="https://example.com/href"' in message["match_content"]

    async def test_topics_are_escaped(
        self, client: ApiClient, writer: Person, general: ChannelRecord
    ) -> None:
        await send(client, writer, general, "<b> & word", "word")
        message = (await read(client, writer, ["search", "word"]))["messages"][0]
        assert message["match_subject"] == ('&lt;b&gt; &amp; <span class="highlight">word</span>')

    async def test_only_with_a_search_term(
        self, client: ApiClient, writer: Person, general: ChannelRecord
    ) -> None:
        await send(client, writer, general)
        assert "match_content" not in (await read(client, writer))["messages"][0]


class TestMatchesNarrow:
    async def test_returns_the_matching_messages(
        self, client: ApiClient, reader: Person, writer: Person, general: ChannelRecord
    ) -> None:
        one = await send(client, writer, general, "<x>", "one word")
        two = await send(client, reader, general, "", "two words")
        three = await send_direct(client, writer, reader, content="three words")
        assert await matches(client, reader, [one, two, three, 999], ["search", "word"]) == {
            str(one): ('<p>one <span class="highlight">word</span></p>', "&lt;x&gt;"),
            str(two): ('<p>two <span class="highlight">words</span></p>', "general chat"),
            str(three): ('<p>three <span class="highlight">words</span></p>', ""),
        }
        found = await matches(client, reader, [one, two, three], ["sender", reader.email])
        assert found == {str(two): ("<p>two words</p>", "general chat")}
        assert await matches(client, reader, [], ["is", "dm"]) == {}

    async def test_covers_messages_not_sent_to_the_caller(
        self, client: ApiClient, make_channel: MakeChannel, reader: Person, writer: Person
    ) -> None:
        public = await make_channel("public", subscribers=[writer])
        sent = await send(client, writer, public)
        assert set(await matches(client, reader, [sent], ["topic", "greetings"])) == {str(sent)}

    @pytest.mark.parametrize("missing", ["msg_ids", "narrow"])
    async def test_needs_both_parameters(
        self, client: ApiClient, reader: Person, missing: str
    ) -> None:
        asked = {"msg_ids": [1], "narrow": []}
        del asked[missing]
        response = await client.get("/messages/matches_narrow", reader, **asked)
        assert assert_error(response) == f"Missing '{missing}' argument"


class TestHostileInput:
    @pytest.mark.parametrize("searched", HOSTILE)
    async def test_is_only_text(
        self, client: ApiClient, writer: Person, general: ChannelRecord, searched: str
    ) -> None:
        await send(client, writer, general, content="<b>harmless</b>")
        for negated in (False, True):
            term: Term = {"operator": "search", "operand": searched, "negated": negated}
            response = await ask(client, writer, term)
            assert response.status == 200 or response["code"] == "BAD_REQUEST"

    @pytest.mark.parametrize(
        ("searched", "desc"),
        [
            ("", "the operand of search must not be empty"),
            (' "" ', "the operand of search must not be empty"),
            (" ".join(f"a{number}" for number in range(51)), "too many words to search for"),
            ("! ? $ % ( ) = + / ; :", "too many words to search for"),
            (f'"{"a " * 201}"', "too many words to search for"),
        ],
    )
    async def test_empty_and_too_long_searches_are_refused(
        self, client: ApiClient, writer: Person, searched: str, desc: str
    ) -> None:
        refusal = assert_error(await ask(client, writer, ["search", searched]), "BAD_REQUEST")
        assert refusal == f"Invalid narrow operator: {desc}"


async def matches(
    client: ApiClient, reader: Person, msg_ids: list[MessageId | int], *narrow: Term
) -> dict[str, tuple[str, str]]:
    asked = {"msg_ids": msg_ids, "narrow": list(narrow)}
    response = await client.get("/messages/matches_narrow", reader, **asked)
    return {
        key: (each["match_content"], each["match_subject"])
        for key, each in response["messages"].items()
    }
