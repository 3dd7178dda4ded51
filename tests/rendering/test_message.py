"""Properties of a message that are detected while it is rendered."""

import pytest

from chatapi.rendering import RenderedMessage, render_message
from tests.rendering.people import DIRECTORY


def render(content: str) -> RenderedMessage:
    return render_message(content, DIRECTORY)


class TestLinks:
    @pytest.mark.parametrize(
        "text",
        [
            "[a](/b)",
            "https://example.com",
            "www.example.com",
            "<https://example.com>",
            "me@example.com",
            "![a](b.png)",
            "> - [a](/b)",
            "|a|\n|-|\n|https://example.com|",
            "```spoiler https://example.com\n```",
        ],
    )
    def test_are_detected(self, text: str) -> None:
        assert render(text).has_link

    @pytest.mark.parametrize("text", ["a", "#**general**", "`https://example.com`", "[a](data:x)"])
    def test_no_false_positives(self, text: str) -> None:
        assert not render(text).has_link


class TestImages:
    @pytest.mark.parametrize(
        "text",
        [
            "![cat](/cat)",
            "[cat](/user_uploads/2/cat.PNG)",
            "https://example.com/cat.jpg?size=3#x",
        ],
    )
    def test_are_detected(self, text: str) -> None:
        assert render(text).has_image

    @pytest.mark.parametrize(
        "text",
        ["[a.png](/a)", "a.png", "https://example.com/?a.png", "`![a](b.png)`", ":green_tick:"],
    )
    def test_no_false_positives(self, text: str) -> None:
        assert not render(text).has_image


class TestUploads:
    @pytest.mark.parametrize(
        "target",
        [
            "/user_uploads/2/ab/cat.png",
            "user_uploads/2/ab/cat.png",
            "/user_uploads/2/ab/cat.png?x=1#y",
            "https://chat.example.com/user_uploads/2/ab/cat.png",
            "//chat.example.com/user_uploads/2/ab/cat.png",
        ],
    )
    def test_are_found(self, target: str) -> None:
        assert render(f"[cat]({target})").upload_paths == {"/user_uploads/2/ab/cat.png"}

    def test_all_of_them_without_escapes(self) -> None:
        message = render(
            "![a](</user_uploads/2/a b.png>) [b](/user_uploads/2/%C3%BC.txt)\n"
            "> http://chat.example.com/user_uploads/2/c\n\n[again](/user_uploads/2/a%20b.png)"
        )
        expected = {"/user_uploads/2/a b.png", "/user_uploads/2/ü.txt", "/user_uploads/2/c"}
        assert message.upload_paths == expected

    @pytest.mark.parametrize(
        "text",
        [
            "/user_uploads/2/cat.png",
            "`[a](/user_uploads/2/cat.png)`",
            "[a](/files/user_uploads/2/cat.png)",
            "[a](/?user_uploads/2/cat.png)",
            "[a](mailto:user_uploads)",
        ],
    )
    def test_no_false_positives(self, text: str) -> None:
        assert not render(text).upload_paths


class TestMe:
    @pytest.mark.parametrize("text", ["/me waves", "/me **waves** at @**Iago**\ntwice"])
    def test_is_one_paragraph(self, text: str) -> None:
        assert render(text).is_me_message

    @pytest.mark.parametrize(
        "text", ["/me", "/mean it", " /me waves", "a /me b", "/me a\n\nb", "/me a\n- b"]
    )
    def test_is_nothing_else(self, text: str) -> None:
        assert not render(text).is_me_message


def test_empty_text() -> None:
    assert render("") == RenderedMessage(
        html="",
        mentioned_user_ids=frozenset(),
        mentioned_group_ids=frozenset(),
        mentions_channel=False,
        mentions_topic=False,
        has_link=False,
        has_image=False,
        upload_paths=frozenset(),
        is_me_message=False,
    )
