"""Emoji in texts, and the names and codes of emoji."""

import pytest

from chatapi.rendering import is_unicode_emoji, render_message, unicode_emoji_code
from tests.rendering.people import DIRECTORY


def html(content: str) -> str:
    return render_message(content, DIRECTORY).html


class TestTexts:
    def test_of_unicode(self) -> None:
        assert html(":thumbs_up:") == (
            '<p><span aria-label="thumbs up" class="emoji emoji-1f44d" role="img" '
            'title="thumbs up">:thumbs_up:</span></p>'
        )

    def test_of_the_organization(self) -> None:
        assert html(":green_tick:") == (
            '<p><img alt=":green_tick:" class="emoji" src="/user_avatars/2/emoji/1.png" '
            'title="green tick"></p>'
        )

    @pytest.mark.parametrize("text", [":unheard_of:", ": smile:", "12:30:45", "`:tada:`", ":tada"])
    def test_stays_text(self, text: str) -> None:
        assert "emoji" not in html(text)

    def test_side_by_side(self) -> None:
        assert html(":tada::heart:").count("<span") == 2

    def test_in_a_link(self) -> None:
        assert 'class="emoji emoji-1f389"' in html("[:tada:](/x)")


class TestNames:
    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("thumbs_up", "1f44d"),
            ("+1", "1f44d"),
            ("-1", "1f44e"),
            ("tada", "1f389"),
            ("heart", "2764"),
            ("octopus", "1f419"),
            ("working_on_it", "1f6e0"),
            ("check", "2705"),
            ("100", "1f4af"),
            ("one", "0031-20e3"),
            ("us", "1f1fa-1f1f8"),
            ("thumbs_up_medium_skin_tone", "1f44d-1f3fd"),
            # As clients have it, which is not what most other software has.
            ("smile", "1f642"),
            # Only in the Unicode standard.
            ("technologist_light_skin_tone", "1f9d1-1f3fb-200d-1f4bb"),
            ("a_button_blood_type", "1f170"),
        ],
    )
    def test_have_codes(self, name: str, code: str) -> None:
        assert unicode_emoji_code(name) == code
        assert is_unicode_emoji(name, code)

    @pytest.mark.parametrize("name", ["", "unheard_of", "Tada", ":tada:", "tada "])
    def test_unknown(self, name: str) -> None:
        assert unicode_emoji_code(name) is None
        assert not is_unicode_emoji(name, "1f389")

    def test_a_name_can_have_two_meanings(self) -> None:
        assert is_unicode_emoji("smile", "1f604")

    @pytest.mark.parametrize("code", ["", "1F44D", "1f44e", "1f44d-fe0f", "nonsense"])
    def test_not_this_code(self, code: str) -> None:
        assert not is_unicode_emoji("thumbs_up", code)
