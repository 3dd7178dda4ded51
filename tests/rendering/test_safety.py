"""No text can become something that runs."""

import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chatapi.core.ids import ChannelId, GroupId, UserId
from chatapi.rendering import (
    Directory,
    NamedChannel,
    NamedGroup,
    NamedUser,
    RealmEmoji,
    render_markdown,
    render_message,
)
from chatapi.rendering.sanitize import sanitize_html
from tests.rendering.people import DIRECTORY
from tests.rendering.safety import assert_harmless

TEXTS = int(os.environ.get("CHATAPI_TEST_TEXTS", "300"))
SCRIPT = '"><script>alert(1)</script>'

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
    "![x](data:image/png;base64,AA==)",
    f"@**Iago{SCRIPT}**",
    f"#**general>{SCRIPT}**",
    "#**general>x' onmouseover='alert(1)**",
    "#**general>javascript:alert(1)@1**",
    ":smile<script>:",
    f"$${SCRIPT}$$",
    f"```math\n{SCRIPT}\n```",
    f"```spoiler {SCRIPT}\n{SCRIPT}\n```",
    f"```quote\n{SCRIPT}\n```",
    f"```python\n{SCRIPT}\n```",
    f"```html\n{SCRIPT}\n```",
    '```py"onclick="alert(1)\nx\n```',
    f"<time:{SCRIPT}",
    '<time:"onclick="alert(1)>',
    "- [x] <script>alert(1)</script>",
    "- [ ](javascript:alert(1))",
    f"/me {SCRIPT}",
]


@pytest.mark.parametrize("text", NASTY)
def test_known_nasty_inputs(text: str) -> None:
    html = render_message(text, DIRECTORY).html
    assert_harmless(html)
    assert "<script" not in html


def test_names_are_not_trusted() -> None:
    directory = Directory.of(
        users=[NamedUser(UserId(1), SCRIPT)],
        groups=[NamedGroup(GroupId(1), SCRIPT)],
        channels=[NamedChannel(ChannelId(1), 'x" onclick="alert(1)')],
        emoji=[RealmEmoji("a", "javascript:alert(1)"), RealmEmoji("b", SCRIPT)],
    )
    names = f'@**{SCRIPT}** @_**|1** @*{SCRIPT}* #**x" onclick="alert(1)** :a: :b:'
    html = render_message(names, directory).html
    assert_harmless(html)
    assert "<script" not in html
    assert html.count("mention") == 3
    assert html.count("<img") == 2
    assert "javascript" not in html


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
        "<input type=text name=password autofocus onfocus=alert(1)>",
        "<span class='user-mention evil'>x</span><div class='modal'>x</div>",
        "<span class='emoji emoji-1f604 evil'>x</span><a class='stream button'>x</a>",
        "<time onclick=x datetime=y>x</time><code class=evil>x</code><ul class=menu></ul>",
        "<img src=data:image/svg+xml,x class=emoji><img src='jav\tascript:x'>",
    ],
)
def test_sanitizer_alone_makes_html_harmless(html: str) -> None:
    assert_harmless(sanitize_html(html))


_characters = st.sampled_from("[]()<>!*_~`|#-=+:&;\"'\\/@$ \t\n\0xß")
_fragments = st.sampled_from(
    [
        *("javascript:", "data:", "http://", "https://a.b/", "www.a", "a@b.c", "<a", "onclick="),
        *("&#x3c;", "```", "|-|-|", "@**Iago**", "@_**|8**", "@*support*", "#**general", ">x**"),
        *("@**", "#**", "**", ":tada:", ":green_tick:", "$$", "<time:", "2026-01-01>"),
        *("![", "](/x)"),
    ]
)
_lines = st.sampled_from(
    [
        *("```\n", "\n> ", "\n- ", "|-|-|\n", "\n    ", "\n- [ ] ", "\n```quote\n"),
        *("\n```spoiler x\n", "\n```html\n", "\n~~~python\n", "\n```math\n"),
    ]
)
_texts = st.lists(_characters | _fragments | _lines | st.text(max_size=5), max_size=40).map("".join)


@settings(deadline=None, max_examples=TEXTS)
@given(_texts)
@example("[x](javascript:alert(1))")
def test_fuzz(text: str) -> None:
    message = render_message(text, DIRECTORY)
    assert_harmless(message.html)
    assert message == render_message(text, DIRECTORY)


@given(st.text(max_size=200))
def test_letters_of_every_script_survive(text: str) -> None:
    letters = "".join(character for character in text if character.isalnum())
    assert letters in render_markdown(f"`{letters}`")
