"""Alert words."""

import pytest

from chatapi.core.ids import UserId
from chatapi.recipient_preferences.alert_words import AlertWordMatcher

IAGO, HAMLET = UserId(1), UserId(2)


@pytest.mark.parametrize(
    ("word", "text", "is_found"),
    [
        ("lunch", "lunch", True),
        ("lunch", "Is it time for LUNCH?", True),
        ("lunch", "(lunch)", True),
        ("lunch", "**lunch**", True),
        ("lunch", "lunches", False),
        ("lunch", "brunch, launch", False),
        ("lunch", "pre_lunch", False),
        ("c++", "I like C++, really", True),
        ("c++", "abc++", False),
        ("free lunch", "no free\nlunch today", True),
        ("free lunch", "free for lunch", False),
        ("free lunch", "free", False),
        (":-)", "hello :-)", True),
        ("ärger", "ÄRGER!", True),
        ("обед", "Обед готов", True),
        ("昼食", "昼食", True),
        (".*", "lunch", False),
        ("lunch", "", False),
    ],
)
def test_matches_whole_words_only(word: str, text: str, is_found: bool) -> None:
    assert AlertWordMatcher([(IAGO, word)]).users_alerted_by(text) == (
        {IAGO} if is_found else set()
    )


def test_finds_the_words_of_all_users() -> None:
    words = AlertWordMatcher([(IAGO, "free"), (HAMLET, "free lunch"), (HAMLET, "supper")])
    assert words.users_alerted_by("a free lunch") == {IAGO, HAMLET}
    assert words.users_alerted_by("a free supper") == {IAGO, HAMLET}
    assert words.users_alerted_by("free") == {IAGO}
    assert words.users_alerted_by("breakfast") == set()


def test_without_alert_words_no_user_is_alerted() -> None:
    assert AlertWordMatcher([]).users_alerted_by("lunch") == set()
