"""Mentions of users and groups: notifying, silent, and unknown ones."""

import pytest

from chatapi.core.ids import GroupId, UserId
from chatapi.rendering import EMPTY_DIRECTORY, Directory, NamedUser, render_message
from tests.rendering.people import DIRECTORY

IAGO = '<span class="user-mention" data-user-id="7">@Iago</span>'
SILENT_IAGO = '<span class="user-mention silent" data-user-id="7">Iago</span>'
HAMLET = '<span class="user-mention" data-user-id="8">@King Hamlet</span>'
SUPPORT = '<span class="user-group-mention" data-user-group-id="5">@Support</span>'
SILENT_SUPPORT = '<span class="user-group-mention silent" data-user-group-id="5">Support</span>'


def html(content: str) -> str:
    return render_message(content, DIRECTORY).html


class TestUsers:
    @pytest.mark.parametrize(
        ("text", "mention"),
        [
            ("@**Iago**", IAGO),
            ("@**iAGO**", IAGO),
            ("@**King Hamlet**", HAMLET),
            ("@**King Hamlet|8**", HAMLET),
            ("@**|8**", HAMLET),
            ("hi,@**Iago**!", f"hi,{IAGO}!"),
            ("(@**Iago**)", f"({IAGO})"),
            ("**hi @**Iago** there**", f"<strong>hi {IAGO} there</strong>"),
            ("@**Iago**@**King Hamlet**", IAGO + HAMLET),
            ("@_**Iago**", SILENT_IAGO),
            ("@_**Iago|7**", SILENT_IAGO),
            (
                '@**Ann "<b>" & Co**',
                '<span class="user-mention" data-user-id="13">@Ann "&lt;b&gt;" &amp; Co</span>',
            ),
        ],
    )
    def test_renders(self, text: str, mention: str) -> None:
        assert html(text) == f"<p>{mention}</p>"

    @pytest.mark.parametrize(
        "text",
        [
            "@**Nobody**",
            "@**Iago|8**",
            "@**Iago|99**",
            "@**|99**",
            "@**|**",
            "@****",
            "@**Twin**",
            "me@**Iago**",
            "@ **Iago**",
            "@**Ia\ngo**",
            "`@**Iago**`",
            "```\n@**Iago**\n```",
            "    @**Iago**",
        ],
    )
    def test_stays_text(self, text: str) -> None:
        message = render_message(text, DIRECTORY)
        assert "mention" not in message.html
        assert not message.mentioned_user_ids

    def test_users_of_the_same_name_are_distinguished_by_id(self) -> None:
        assert render_message("@**Twin|12**", DIRECTORY).mentioned_user_ids == {12}

    def test_user_listed_twice_is_not_ambiguous(self) -> None:
        iago = NamedUser(UserId(7), "Iago")
        assert render_message("@**Iago**", Directory.of(users=[iago, iago])).mentioned_user_ids

    def test_in_a_link(self) -> None:
        message = render_message("[ask @**Iago**](/x)", DIRECTORY)
        assert (
            message.html == f'<p><a href="/x" rel="noopener noreferrer nofollow">ask {IAGO}</a></p>'
        )
        assert message.mentioned_user_ids == {7}

    def test_ends_with_the_label_of_a_link(self) -> None:
        assert "mention" not in html("[@**Iago](/x)**")

    def test_in_a_table(self) -> None:
        assert IAGO in html("|who|\n|-|\n|@**Iago\\|7**|")


class TestGroups:
    @pytest.mark.parametrize(
        ("text", "mention"),
        [
            ("@*Support*", SUPPORT),
            ("@*support*", SUPPORT),
            ("*@*support* now*", f"<em>{SUPPORT} now</em>"),
            ("@_*support*", SILENT_SUPPORT),
        ],
    )
    def test_renders(self, text: str, mention: str) -> None:
        assert html(text) == f"<p>{mention}</p>"

    @pytest.mark.parametrize("text", ["@*nobody*", "@*Support", "x@*Support*", "@**Support**"])
    def test_stays_text(self, text: str) -> None:
        message = render_message(text, DIRECTORY)
        assert "mention" not in message.html
        assert not message.mentioned_group_ids

    def test_group_that_may_not_be_mentioned_can_be_mentioned_silently(self) -> None:
        assert html("@*leadership*") == "<p>@<em>leadership</em></p>"
        assert 'class="user-group-mention silent"' in html("@_*leadership*")


class TestWildcards:
    @pytest.mark.parametrize("name", ["all", "everyone", "channel", "stream"])
    def test_mentions_the_channel(self, name: str) -> None:
        message = render_message(f"@**{name}**", DIRECTORY)
        css_class = "user-mention channel-wildcard-mention"
        assert message.html == f'<p><span class="{css_class}" data-user-id="*">@{name}</span></p>'
        assert message.mentions_channel
        assert not message.mentions_topic

    def test_mentions_the_topic(self) -> None:
        message = render_message("@**topic**", DIRECTORY)
        assert message.html == '<p><span class="topic-mention">@topic</span></p>'
        assert message.mentions_topic
        assert not message.mentions_channel

    def test_silently(self) -> None:
        message = render_message("@_**all** @_**topic**", DIRECTORY)
        assert 'channel-wildcard-mention silent" data-user-id="*">all<' in message.html
        assert '<span class="topic-mention silent">topic</span>' in message.html
        assert not message.mentions_channel
        assert not message.mentions_topic

    def test_no_mentions_without_a_directory(self) -> None:
        message = render_message("@**all** @**topic**", EMPTY_DIRECTORY)
        assert "mention" not in message.html


class TestMentionedUsers:
    def test_users_and_groups(self) -> None:
        message = render_message("@**Iago** @**|8** @**Iago** @*support*", DIRECTORY)
        assert message.mentioned_user_ids == {UserId(7), UserId(8)}
        assert message.mentioned_group_ids == {GroupId(5)}

    @pytest.mark.parametrize(
        "text",
        [
            "> {}",
            "> > {}",
            "- a\n\n  > {}",
            "```quote\n{}\n```",
            "~~~ quote\n- {}\n~~~",
            "```quote\n```spoiler {}\n{}\n```\n```",
            "`{}`",
        ],
    )
    def test_not_in_quotes_and_code(self, text: str) -> None:
        everybody = "@**Iago** @*support* @**all** @**topic**"
        message = render_message(text.replace("{}", everybody), DIRECTORY)
        assert not message.mentioned_user_ids
        assert not message.mentioned_group_ids
        assert not message.mentions_channel
        assert not message.mentions_topic
        assert "@Iago" not in message.html

    def test_after_a_quote(self) -> None:
        message = render_message("> @**King Hamlet**\n\n@**Iago**", DIRECTORY)
        assert message.mentioned_user_ids == {7}

    def test_in_a_spoiler(self) -> None:
        message = render_message("```spoiler @**Iago**\n@**|8**\n```", DIRECTORY)
        assert message.mentioned_user_ids == {7, 8}
