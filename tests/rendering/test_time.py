"""No text of 10,000 characters keeps the process busy for long."""

import time

import pytest

from chatapi.rendering import render_markdown

LENGTH = 10_000
LIMIT_SECONDS = 0.3

# Each of these took some Markdown parser quadratic time or worse; ours among them.
HOSTILE = [
    *("[", "![[", "[a](", "[](", "[a\n", "[[]]", "[a]: x\n> [a]: x\n", "[*", "_:[", ":["),
    *("*", "*a ", "**a _b ", "a**b", "*_", "~~a", "***a ", "`", "`a ``", "\\", "&", "&#"),
    *("> ", ">", ">\n- ", "x\n>```\n=", "a|b\n-|-\n>```\n=", "- ", "* a\n  * b\n", "1. "),
    *("<", "<a", "<!--", "<![CDATA[", "<http://", "http://", "://", "http://a.b/(", "http://a))"),
    *("www.", "www.=", "|www.", "w", "@", "a@", "a@b.", "x@y.com", "a.", "/[@#a.com", "http:"),
    *("|", "|-", "|a\n", "a|b\n-|-\n", "_\n\na|b\n-|-\n", "=\n", "#", "```\n", "\t", "\n", "\0"),
]


def repeated(pattern: str) -> str:
    return (pattern * LENGTH)[:LENGTH]


def stairs(step: str) -> str:
    """Every line one step deeper than the line before."""
    lines = (step * depth + "- a" for depth in range(LENGTH))
    text = ""
    while len(text) < LENGTH:
        text += next(lines) + "\n"
    return text[:LENGTH]


@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(repeated(pattern), id=repr(pattern)) for pattern in HOSTILE),
        pytest.param("|a" * 50 + "\n" + "|-" * 50 + "\n" + "x\n" * 4_800, id="wide table"),
        pytest.param("|a" * 2_000 + "\n" + "|-" * 2_000 + "\n" + "|b" * 900, id="wider table"),
        pytest.param("[" * 4_990 + "](a)" * 1_252, id="brackets that close"),
        pytest.param("".join("`" * n + " " for n in range(1, 140)), id="growing backticks"),
        pytest.param("a **b" * 1_000 + "_c* " * 1_250, id="unbalanced emphasis"),
        pytest.param("http://" + "a" * (LENGTH - 7), id="endless address"),
        pytest.param("http://a" + ")" * (LENGTH - 8), id="endless brackets"),
        pytest.param(stairs("  "), id="deep list"),
        pytest.param(stairs("> "), id="deep quote"),
    ],
)
def test_is_done_in_time(text: str) -> None:
    assert len(text) <= LENGTH
    # A busy machine may be slow once, a slow parser is slow each time.
    assert any(_seconds(text) < LIMIT_SECONDS for _ in range(3))


def _seconds(text: str) -> float:
    # Processor time: what else the machine does meanwhile says nothing about the parser.
    start = time.process_time()
    render_markdown(text)
    return time.process_time() - start
