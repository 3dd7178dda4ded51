"""Emoji in texts, and the names and codes of emoji."""

import pytest

from chatapi.rendering import (
    emoji_names_by_code,
    is_unicode_emoji,
    is_unicode_emoji_code,
    render_message,
    unicode_emoji_code,
)
from chatapi.rendering.syntax import EMOJI
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
            ("smile", "1f604"),
            ("slight_smile", "1f642"),
            ("folded_hands", "1f64f"),
            ("pray", "1f64f"),
            # Added to the standard in 2024.
            ("fingerprint", "1fac6"),
            ("harp", "1fa89"),
            # As clients have it, which is not what most other software has.
            ("football", "26bd"),
            # No longer offered by clients.
            ("big_smile", "1f604"),
            ("cricket_bat", "1f3cf"),
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

    @pytest.mark.parametrize(
        ("name", "code"), [("smile", "1f642"), ("kiss", "1f617"), ("football", "1f3c8")]
    )
    def test_had_or_has_elsewhere_another_meaning(self, name: str, code: str) -> None:
        assert unicode_emoji_code(name) != code
        assert is_unicode_emoji(name, code)

    @pytest.mark.parametrize("code", ["", "1F44D", "1f44e", "1f44d-fe0f", "nonsense"])
    def test_not_this_code(self, code: str) -> None:
        assert not is_unicode_emoji("thumbs_up", code)


class TestTable:
    def test_lists_canonical_names_first(self) -> None:
        names = emoji_names_by_code()
        assert names["1f604"] == ["smile"]
        assert names["1f44d"] == ["+1", "thumbs_up", "like"]
        assert names["1f64f"][0] == "folded_hands"

    def test_has_every_emoji_once(self) -> None:
        names = [name for names in emoji_names_by_code().values() for name in names]
        assert len(emoji_names_by_code()) == 1_883
        assert len(names) == len(set(names)) == 3_338

    def test_agrees_with_codes_of_names(self) -> None:
        for code, names in emoji_names_by_code().items():
            assert is_unicode_emoji_code(code)
            for name in names:
                assert unicode_emoji_code(name) == code
                assert EMOJI.fullmatch(f":{name}:")
