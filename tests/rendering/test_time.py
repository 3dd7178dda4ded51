"""No text of 10,000 characters keeps the process busy for long."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexers import get_all_lexers

from chatapi.rendering import find_references, is_quick_to_render, render_message
from chatapi.rendering.highlighting import LANGUAGES, most_characters
from tests.rendering.people import DIRECTORY
from tests.rendering.timing import LIMIT_SECONDS, assert_done_in_time

LENGTH = 10_000

# Each of these took some Markdown parser quadratic time or worse; ours among them.
HOSTILE = [
    *("[", "![[", "[a](", "[](", "[a\n", "[[]]", "[a]: x\n> [a]: x\n", "[*", "_:[", ":["),
    *("*", "*a ", "**a _b ", "a**b", "*_", "~~a", "***a ", "`", "`a ``", "\\", "&", "&#"),
    *("> ", ">", ">\n- ", "x\n>```\n=", "a|b\n-|-\n>```\n=", "- ", "* a\n  * b\n", "1. "),
    *("<", "<a", "<!--", "<![CDATA[", "<http://", "http://", "://", "http://a.b/(", "http://a))"),
    *("www.", "www.=", "|www.", "w", "@", "a@", "a@b.", "x@y.com", "a.", "/[@#a.com", "http:"),
    *("|", "|-", "|a\n", "a|b\n-|-\n", "_\n\na|b\n-|-\n", "=\n", "#", "```\n", "\t", "\n", "\0"),
    *("@**", "@_**", "@*", "@_*", "@**a|", "@**|1", "@**Iago**", "@*support*", "[@**Iago**](b)"),
    *("#**", "#**a>", "#**general>@1", "#**general>a**", "[#**general**](b)", "# @**all**\n"),
    *(":", ":a:", ":a", ":green_tick:", "a:a:", "[:a:](b)", ":+", "|a|\n|-|\n|:a:|\n"),
    *("$", "$$", "$$a", "$$a$$", "$$\\", "$$\\$", "a$$b", "$$a\n"),
    *("<time:", "<time:1>", "<time:a"),
    *(
        "a.co ",
        "a.co/",
        "a.",
        "a.a",
        "a-",
        "tel:1 ",
        "tel:?",
        "mailto:",
        "😀",
        "☺️",
        "1⃣",
        "👩\u200d",
    ),
    *(":) ", "[](a)", "![](a.co)", "> a\nb\n", ">\n", "> # a\nb\n", "1. a\n  * b\n", "1. a\n# b\n"),
    *("10. a\n  - b\n", "1. a\n1) b\n", "-\n", "5.\n", "a\n2. b\n", "|a|\n|-|\n|b|c|d|\n", "{.a}"),
    *("$$x$$ ", "```math\nx\n```\n", "http://[ ", "[a](http://[) ", "```a b\n```\n", "> a\n> \n"),
    *("```quote\n", "```spoiler a\n", "```quote\na\n```\n", "~~~quote\n```spoiler\n"),
    *("> ```quote\n", "- ```quote\n", "1. ```quote\n   ", "~~~\n```\n"),
    *("```math\n", "```a\nb\n```\n", "```\na\n```\n"),
    *("- [ ] ", "- [x] a\n", "![", "![a](", "![a](b)", "[![a](b)](c)", "[a](/user_uploads/b)"),
]
# The most expensive texts for each language.
HOSTILE_CODE = [
    *(("", pattern) for pattern in (" \n", "a\n", "A ", '\\"', "{", "a:", "CMD" + " " * 79)),
    *(('"', "\\"), ('"', "\\0"), ("'", "\\a"), ("/", "\\/"), ("CMD", " ")),
]


def repeated(pattern: str, length: int = LENGTH) -> str:
    return (pattern * length)[:length]


def stairs(step: str) -> str:
    """Text in which every line is nested one level deeper."""
    lines = (step * depth + "- a" for depth in range(LENGTH))
    text = ""
    while len(text) < LENGTH:
        text += next(lines) + "\n"
    return text[:LENGTH]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(repeated(pattern), id=repr(pattern)) for pattern in HOSTILE),
        pytest.param("|a" * 50 + "\n" + "|-" * 50 + "\n" + "x\n" * 4_800, id="wide table"),
        pytest.param("|a" * 2_000 + "\n" + "|-" * 2_000 + "\n" + "|b" * 900, id="wider table"),
        pytest.param("[" * 4_990 + "](a)" * 1_252, id="brackets that close"),
        pytest.param("![" * 2_490 + "](a)" * 1_252, id="images that close"),
        pytest.param("".join("`" * n + " " for n in range(1, 140)), id="growing backticks"),
        pytest.param("".join("`" * n + "quote\n" for n in range(3, 130)), id="growing fences"),
        pytest.param("a **b" * 1_000 + "_c* " * 1_250, id="unbalanced emphasis"),
        pytest.param("http://" + "a" * (LENGTH - 7), id="endless address"),
        pytest.param("http://a" + ")" * (LENGTH - 8), id="endless brackets"),
        pytest.param("".join(f"```x{n}\n```\n" for n in range(750)), id="unheard-of languages"),
        pytest.param("".join(f"@**{n}**" for n in range(1_100)), id="unheard-of people"),
        pytest.param(stairs("  "), id="deep list"),
        pytest.param(stairs("> "), id="deep quote"),
    ],
)
def test_known_hostile_text_is_rendered_in_time(text: str) -> None:
    assert len(text) <= LENGTH
    assert_done_in_time(lambda: (find_references(text), render_message(text, DIRECTORY)))


@pytest.mark.parametrize("pattern", HOSTILE)
def test_text_that_counts_as_quick_is_rendered_quickly(pattern: str) -> None:
    text = repeated(pattern, 1_000)
    if is_quick_to_render(text):
        assert_done_in_time(partial(render_message, text, DIRECTORY), 0.05)


@pytest.mark.parametrize("text", ["a" * 1_001, "```c\nx\n```", "~~~c\nx\n~~~", "$$x$$"])
def test_long_text_code_or_formula_does_not_count_as_quick(text: str) -> None:
    assert not is_quick_to_render(text)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=3), min_size=2, max_size=5))
def test_mixture_of_hostile_texts_is_rendered_in_time(patterns: list[str]) -> None:
    text = repeated("".join(patterns))
    assert_done_in_time(lambda: (find_references(text), render_message(text, DIRECTORY)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "alias"),
    [(name, aliases[0]) for name, aliases, _, _ in get_all_lexers() if name in LANGUAGES],
)
def test_hostile_code_is_highlighted_in_time(language: str, alias: str) -> None:
    for beginning, pattern in HOSTILE_CODE:
        code = beginning + repeated(pattern, most_characters(language) - len(beginning) - 1)
        message = f"```{alias}\n{code}\n```"
        # The rest of a message may be hostile as well.
        assert_done_in_time(partial(render_message, message, DIRECTORY), LIMIT_SECONDS / 2)
