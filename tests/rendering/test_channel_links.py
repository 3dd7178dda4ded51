"""References to channels, topics and messages."""

import pytest

from chatapi.core.ids import ChannelId
from chatapi.rendering import Directory, NamedChannel, render_message
from tests.rendering.people import DIRECTORY

REL = 'rel="noopener noreferrer nofollow"'


def html(content: str) -> str:
    return render_message(content, DIRECTORY).html


class TestChannels:
    @pytest.mark.parametrize("text", ["#**general**", "#**General**"])
    def test_renders(self, text: str) -> None:
        href = "/#narrow/channel/9-general"
        link = f'<a class="stream" data-stream-id="9" href="{href}" {REL}>#general</a>'
        assert html(text) == f"<p>{link}</p>"

    def test_names_are_written_as_clients_write_them(self) -> None:
        link = html("#**R&D 100%. done**")
        assert 'href="/#narrow/channel/10-R.26D-100.25.2E-done"' in link
        assert ">#R&amp;D 100%. done<" in link

    @pytest.mark.parametrize(
        "text", ["#**secret**", "#**secret>plans**", "a#**general**", "#**>x**", "`#**general**`"]
    )
    def test_stays_text(self, text: str) -> None:
        assert "narrow" not in html(text)

    def test_is_no_link_within_a_link(self) -> None:
        assert (
            html("[#**general**](/x)") == f'<p><a href="/x" {REL}>#<strong>general</strong></a></p>'
        )


class TestTopics:
    @pytest.mark.parametrize(
        ("topic", "encoded", "shown"),
        [
            ("lunch", "lunch", "lunch"),
            ("a b/c", "a.20b.2Fc", "a b/c"),
            ("v1.2 50%", "v1.2E2.2050.25", "v1.2 50%"),
            ("käse", "k.C3.A4se", "käse"),
            ("a > b", "a.20.3E.20b", "a &gt; b"),
            ("<script>", ".3Cscript.3E", "&lt;script&gt;"),
            ("me@home", "me.40home", "me@home"),
            ("", "", "<em>general chat</em>"),
        ],
    )
    def test_renders(self, topic: str, encoded: str, shown: str) -> None:
        href = f"/#narrow/channel/9-general/topic/{encoded}"
        attributes = f'class="stream-topic" data-stream-id="9" href="{href}" {REL}'
        assert html(f"#**general>{topic}**") == f"<p><a {attributes}>#general &gt; {shown}</a></p>"

    def test_empty_topic_has_the_display_name_of_the_realm(self) -> None:
        channel = NamedChannel(ChannelId(9), "general")
        directory = Directory.of(channels=[channel], empty_topic_name="chitchat")
        assert "#general &gt; <em>chitchat</em><" in render_message("#**general>**", directory).html


class TestMessages:
    @pytest.mark.parametrize(
        ("topic", "shown"), [("lunch", "lunch"), ("", "<em>general chat</em>")]
    )
    def test_renders(self, topic: str, shown: str) -> None:
        href = f"/#narrow/channel/9-general/topic/{topic}/near/77"
        link = f'<a class="message-link" href="{href}" {REL}>#general &gt; {shown} @ 💬</a>'
        assert html(f"#**general>{topic}@77**") == f"<p>{link}</p>"
