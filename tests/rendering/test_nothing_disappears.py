"""Every word that was typed can be read in the text of the HTML."""

import os
import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatapi.rendering import render_message
from tests.rendering.people import DIRECTORY

TEXTS = int(os.environ.get("CHATAPI_TEST_TEXTS", "400"))
_TAGS = re.compile(r"<[^>]*>")
_MARKS = [
    *("*", "**", "~~", "_", "__", "`", "``", "> ", "- ", "1. ", "  ", "    ", "# ", "\n", "\n\n"),
    *("|", "|-|", "[", "]", "(", ")", "!", "<", ">", "$$", ":", "@", "#", "\\", "&", ";", "```"),
    *(
        "```quote\n",
        "```spoiler ",
        "~~~\n",
        "```math\n",
        "<time:",
        "http://",
        "www.",
        ".com",
        "---",
    ),
    *("===", "\n|-|-|\n", " ", "\t", "@**", "#**", "😀", "☺️", "{", "}", "+ ", "2) ", "***"),
]
_words = st.integers(10_000, 99_999).map(lambda number: f"w{number}")
_texts = st.lists(st.sampled_from(_MARKS) | _words, min_size=1, max_size=25).map("".join)


def shown_text(html: str) -> str:
    """The text of the HTML, with the targets of links and the languages of code."""
    attributes = " ".join(re.findall(r'(?:href|title|data-code-language)="([^"]*)"', html))
    return unescape(f"{_TAGS.sub('', html)} {attributes}")


@settings(deadline=None, max_examples=TEXTS)
@given(_texts)
def test_every_word_is_shown(text: str) -> None:
    shown = shown_text(render_message(text, DIRECTORY).html)
    for word in re.findall(r"w\d{5}", text):
        assert word in shown


@pytest.mark.parametrize(
    "text",
    [
        *("#", "-", "5.", ">", ">>", "[a]: b", "¯\\_(ツ)_/¯", "C:\\*\\new", "===", "<!-- a -->"),
        *("|a|\n|-|\n|b|c|d|", "```some words\na\n```", "```quote words\na\n```", "<time:soon>"),
        *(
            "a\n===",
            "[](http://example.com)",
            "![](http://example.com)",
            "&nosuch;",
            "\\_",
            "__a__",
        ),
    ],
)
def test_text_that_parsers_drop_is_shown(text: str) -> None:
    shown = shown_text(render_message(text, DIRECTORY).html)
    for part in re.findall(r"[^\s|`\[\]()!]+", text):
        assert part in shown or part.startswith("-") or part == "quote"
