"""Hostile texts, random but the same in every run."""

import random
from collections.abc import Iterator

_PIECES = [
    *(
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "javascript:",
        "&#60;script&#62;",
    ),
    *(
        "data:text/html,",
        "[x](",
        ")",
        "![",
        "](",
        "<a href='",
        "onclick=",
        "&#60;script&#62;",
        "&lt;",
        "</p>",
    ),
    *("```", "~~~", "```quote\n", "```spoiler ", "```math\n", "```html\n", "`", "$$", "|-|-|", "|"),
    *("@**", "@_**", "@*", "#**", "**", ">", "**Iago**", ":tada:", ":", "<time:", "2026-01-01>"),
    *("http://", "https://a.b/", "www.", "a@b.c", "mailto:", "//", "\\", "\n", "\n\n", "\n> "),
    *("\n- ", "    ", "\t", "1. ", "# ", "---\n", "- [ ] ", "~~", "__", "*", "_", "(", "[", "]"),
    *("{", "}", '"', "'", "OR", "AND", "NOT", "NEAR(", "content:", "-", "^", "*", "&", "<->"),
    *("!", "%", "_", ";--", "\u202e", "\u200b", "\u0301", "\ufeff", "\u2028", "世界", "ǅ", "ß"),
    *("😀", "\x01", "\x7f", "ﷺ", "harmless", "word", "a", "b ", " "),
]
_REPETITION = 0.1


def hostile_texts(count: int, *, seed: int, most_pieces: int) -> Iterator[str]:
    """As many texts as asked for; some are long repetitions."""
    chance = random.Random(seed)
    for _ in range(count):
        text = "".join(chance.choices(_PIECES, k=chance.randint(1, most_pieces)))
        yield text * chance.randint(2, 50) if chance.random() < _REPETITION else text
