"""`:smile:` becomes the emoji of that name: a realm's custom emoji, or else a Unicode one."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from chatapi.rendering.elements import push_element
from chatapi.rendering.emoji_names import unicode_emoji_code
from chatapi.rendering.environment import environment_of
from chatapi.rendering.syntax import EMOJI


def add_emoji(parser: MarkdownIt) -> None:
    """Added before emphasis, which would split names at their underscores."""
    parser.inline.ruler.before("emphasis", "emoji", _emoji)


def _emoji(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    if state.src[state.pos] != ":":
        return False
    found = EMOJI.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    name = found["name"]
    words = name.replace("_", " ")
    if own := environment_of(state.env).directory.emoji_by_name.get(name):
        if not silent:
            image = {"alt": f":{name}:", "class": "emoji", "src": own.source_url, "title": words}
            state.push("emoji", "img", 0).attrs = dict(image)
    elif code := unicode_emoji_code(name):
        if not silent:
            css_class = f"emoji emoji-{code}"
            span = {"aria-label": words, "class": css_class, "role": "img", "title": words}
            push_element(state, "emoji", "span", span, f":{name}:")
    else:
        return False
    state.pos = found.end()
    return True
