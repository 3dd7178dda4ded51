"""A text that is too much work is shown as written; ordinary texts are rendered."""

import pytest

from chatapi.rendering import render_message
from tests.rendering.people import DIRECTORY

LENGTH = 10_000


def repeated(pattern: str) -> str:
    return (pattern * LENGTH)[:LENGTH]


@pytest.mark.parametrize(
    "pattern",
    ["[*", "_:[", "![a](", "[a\n", "![a](@*support*www.", "_\n\na|b\n-|-\n"],
)
def test_markup_that_takes_too_many_steps_is_shown_as_written(pattern: str) -> None:
    message = render_message(repeated(pattern), DIRECTORY)
    assert message.html == f"<p>{repeated(pattern)}</p>".replace("\n", "<br>\n")
    assert message == render_message(repeated(pattern), DIRECTORY)


def test_names_in_a_text_shown_as_written_are_not_mentions() -> None:
    text = "@**Iago** "
    assert render_message(text, DIRECTORY).mentioned_user_ids
    message = render_message(text + repeated("[*")[: LENGTH - len(text)], DIRECTORY)
    assert not message.mentioned_user_ids


@pytest.mark.parametrize(
    ("pattern", "html"),
    [
        ("Hello **world**, see https://example.com/a and `code`.\n", "<strong>world</strong>"),
        ("[title](https://example.com/x) ", '<a href="https://example.com/x"'),
        ("- buy *some* milk\n", "<em>some</em>"),
        ("- a\n", "<li>a</li>"),
        ("* a\n  * b\n", "<li>b</li>"),
        ("1. a longer line with several words in it, as usual\n", "<ol>"),
        ("> as you said\n\nanswer **a**\n\n", "<blockquote>"),
        ("**word** and *more* ", "<em>more</em>"),
        ("@**Iago** ", 'class="user-mention"'),
        (":tada: ", 'class="emoji'),
    ],
)
def test_longest_ordinary_messages_are_rendered(pattern: str, html: str) -> None:
    assert html in render_message(repeated(pattern), DIRECTORY).html
