"""What depends on the author and the organization: emoticons, and links to the own server."""

import pytest
from msgspec.structs import replace

from chatapi.rendering import render_message
from tests.rendering.people import DIRECTORY

REL = 'rel="noopener noreferrer nofollow"'
SWITCHED_ON = replace(DIRECTORY, translates_emoticons=True)
AT_HOME = replace(DIRECTORY, own_url="https://chat.example.com")


class TestEmoticons:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            (":)", "1f642"),
            ("(:", "1f642"),
            (":(", "1f641"),
            ("<3", "2764"),
            (":|", "1f610"),
            (":/", "1f615"),
            (";)", "1f609"),
            (":D", "1f604"),
            (":o", "1f62e"),
            (":O", "1f62e"),
            (":p", "1f61b"),
            (":P", "1f61b"),
            ("see you ;)", "1f609"),
            ("what (:D) a day", "1f604"),
            ("**:)**", "1f642"),
            ("really :).", "1f642"),
        ],
    )
    def test_become_emoji_for_authors_who_switched_them_on(self, text: str, code: str) -> None:
        assert f'class="emoji emoji-{code}"' in render_message(text, SWITCHED_ON).html
        assert "emoji" not in render_message(text, DIRECTORY).html

    @pytest.mark.parametrize(
        "text", ["a:)", ":)b", "`:)`", "http://example.com", ": )", "10:30", "[x](/:)", "x:D"]
    )
    def test_in_words_code_and_links_stay_text(self, text: str) -> None:
        assert "emoji" not in render_message(text, SWITCHED_ON).html


class TestOwnLinks:
    @pytest.mark.parametrize(
        ("target", "relative"),
        [
            ("https://chat.example.com/#narrow/channel/9-general", "#narrow/channel/9-general"),
            ("https://chat.example.com/user_uploads/2/ab/cat.png", "user_uploads/2/ab/cat.png"),
        ],
    )
    def test_become_relative(self, target: str, relative: str) -> None:
        html = render_message(f"[a]({target}) {target}", AT_HOME).html
        assert (
            html
            == f'<p><a href="{relative}" {REL}>a</a> <a href="{relative}" {REL}>{target}</a></p>'
        )

    def test_still_show_that_a_file_is_used(self) -> None:
        message = render_message("https://chat.example.com/user_uploads/2/ab/cat.png", AT_HOME)
        assert message.upload_paths == {"/user_uploads/2/ab/cat.png"}

    @pytest.mark.parametrize(
        "target",
        [
            "https://chat.example.com/help",
            "https://chat.example.com.evil.example/#narrow",
            "https://chat.example.com/https://example.com",
            "http://chat.example.com/#narrow",
        ],
    )
    def test_other_links_stay_absolute(self, target: str) -> None:
        assert f'href="{target}"' in render_message(f"[a]({target})", AT_HOME).html
