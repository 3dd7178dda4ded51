"""Nothing anybody can write becomes something that runs."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chatapi.rendering import render_markdown
from chatapi.rendering.sanitize import sanitize_html
from tests.rendering.safety import assert_harmless

NASTY = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<!-- --><iframe src=//evil.example></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](<java\nscript:alert(1)>)",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://example.com/1)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "![x](javascript:alert(1))",
    '![x](https://example.com/"onerror="alert(1))',
    '[x](https://example.com "title" onclick="alert(1)")',
    '[x](https://example.com/"onmouseover="alert(1))',
    "[x](https://example.com '\"><script>alert(1)</script>')",
    'https://example.com/"onmouseover="alert(1)',
    "https://example.com/<script>",
    "http://javascript:alert(1)@example.com",
    "www.example.com'onclick='alert(1)",
    '"onclick="x"@example.com',
    '``` "><script>alert(1)</script>\nx\n```',
    "`<script>`",
    "|<script>|\n|-|\n|<b onclick=x>|",
    "| a |\n|:-:|\n| ` onload=x ` |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;",
    "</p><script>",
    "\u202e<script>\u202c",
    "<scr\0ipt>",
    "[a]: javascript:alert(1)\n\n[a]",
]


@pytest.mark.parametrize("text", NASTY)
def test_known_nasty_inputs(text: str) -> None:
    html = render_markdown(text)
    assert_harmless(html)
    assert "<script" not in html


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<a href='javascript:alert(1)' onclick='x'>x</a>",
        "<p style='position:fixed' class='x' id='y'>x</p>",
        "<td style='background:url(//evil.example)'>x</td>",
        "<form action=//evil.example><input></form>",
        "<base href=//evil.example><meta http-equiv=refresh content=0>",
        "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
    ],
)
def test_the_second_wall_stands_alone(html: str) -> None:
    assert_harmless(sanitize_html(html))


_characters = st.sampled_from("[]()<>!*_~`|#-=+:&;\"'\\/@ \t\n\0xß")
_fragments = st.sampled_from(
    [
        "javascript:",
        "data:",
        "http://",
        "https://a.b/",
        "www.a",
        "a@b.c",
        "<a",
        "onclick=",
        "&#x3c;",
        "```",
        "|-|-|",
    ]
)
_lines = st.sampled_from(["```\n", "\n> ", "\n- ", "|-|-|\n", "\n    "])
_pieces = _characters | _fragments | _lines | st.text(max_size=5)


@given(st.lists(_pieces, max_size=40).map("".join))
@example("[x](javascript:alert(1))")
def test_fuzz(text: str) -> None:
    assert_harmless(render_markdown(text))


@given(st.text(max_size=200))
def test_letters_of_every_script_survive(text: str) -> None:
    letters = "".join(character for character in text if character.isalnum())
    assert letters in render_markdown(f"`{letters}`")
