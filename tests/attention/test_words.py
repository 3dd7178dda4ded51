"""Words people watch for."""

import pytest

from chatapi.attention.words import WatchedWords
from chatapi.core.ids import UserId

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
def test_is_a_word_of_its_own(word: str, text: str, is_found: bool) -> None:
    assert WatchedWords([(IAGO, word)]).watchers_of(text) == ({IAGO} if is_found else set())


def test_finds_the_words_of_everybody() -> None:
    words = WatchedWords([(IAGO, "free"), (HAMLET, "free lunch"), (HAMLET, "supper")])
    assert words.watchers_of("a free lunch") == {IAGO, HAMLET}
    assert words.watchers_of("a free supper") == {IAGO, HAMLET}
    assert words.watchers_of("free") == {IAGO}
    assert words.watchers_of("breakfast") == set()


def test_nobody_watches() -> None:
    assert WatchedWords([]).watchers_of("lunch") == set()
