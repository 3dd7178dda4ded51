"""`:smile:` becomes the emoji of that name: a realm's custom emoji, or else a Unicode one."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from chatapi.rendering.directory import RealmEmoji
from chatapi.rendering.elements import push_element
from chatapi.rendering.emoji_names import unicode_emoji_code
from chatapi.rendering.environment import environment_of
from chatapi.rendering.syntax import EMOJI

_EXTRA = RealmEmoji("zulip", "/static/generated/emoji/images/emoji/unicode/zulip.png")
"""Neither a Unicode nor a custom emoji: every server has it."""


def add_emoji(parser: MarkdownIt) -> None:
    """Added before emphasis, which would split names at their underscores."""
    parser.inline.ruler.before("emphasis", "emoji", _emoji)


def emoji_attributes(name: str, code: str) -> dict[str, str | int | float]:
    words = name.replace("_", " ")
    return {"aria-label": words, "class": f"emoji emoji-{code}", "role": "img", "title": words}


def _emoji(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    if state.src[state.pos] != ":":
        return False
    found = EMOJI.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    name = found["name"]
    own = environment_of(state.env).directory.emoji_by_name.get(name)
    if own is None and name == _EXTRA.name:
        own = _EXTRA
    if own is not None:
        if not silent:
            _push_image(state, own)
    elif code := unicode_emoji_code(name):
        if not silent:
            push_element(state, "emoji", "span", emoji_attributes(name, code), f":{name}:")
    else:
        return False
    state.pos = found.end()
    return True


def _push_image(state: StateInline, emoji: RealmEmoji) -> None:
    words = emoji.name.replace("_", " ")
    image = {"alt": f":{emoji.name}:", "class": "emoji", "src": emoji.source_url, "title": words}
    state.push("emoji", "img", 0).attrs = dict(image)
