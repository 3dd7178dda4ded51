"""Mentions: `@**Name**`, `@*group*`, `@**all**`, and silent ones, which notify no users."""

import re
from collections.abc import Callable
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline

from chatapi.rendering.directory import Directory
from chatapi.rendering.elements import follows_a_word, push_element
from chatapi.rendering.environment import environment_of
from chatapi.rendering.syntax import CHANNEL_WILDCARDS, GROUP, TOPIC_WILDCARDS, USER


class _Mention(NamedTuple):
    kind: str
    """The kind of its tokens; mentions that notify users are counted by it."""
    name: str
    attributes: dict[str, str]
    can_call: bool = True


def add_mentions(parser: MarkdownIt) -> None:
    """Added before emphasis, which would take the asterisks."""
    parser.inline.ruler.before("emphasis", "user_mention", _mention_rule(USER, _find_user))
    parser.inline.ruler.before("emphasis", "group_mention", _mention_rule(GROUP, _find_group))
    parser.core.ruler.at("inline", _parse_inline)


def _parse_inline(state: StateCore) -> None:
    """Same as the parser's rule, but records for the mention rules whether text is quoted."""
    environment = environment_of(state.env)
    quotes = 0
    for token in state.tokens:
        if token.tag == "blockquote":
            quotes += token.nesting
        elif token.type == "inline":
            environment.is_quoted = quotes > 0
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _mention_rule(
    pattern: re.Pattern[str], find: Callable[[Directory, str], _Mention | None]
) -> Callable[[StateInline, bool], bool]:
    def rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
        if state.src[state.pos] != "@" or follows_a_word(state):
            return False
        found = pattern.match(state.src, state.pos, state.posMax)
        environment = environment_of(state.env)
        mention = find(environment.directory, found["name"]) if found else None
        if found is None or mention is None:
            return False
        # Quoted mentions have notified users before.
        is_silent = environment.is_quoted or bool(found["silent"])
        if not (is_silent or mention.can_call):
            return False
        if not silent:
            _push(state, mention, is_silent=is_silent)
        state.pos = found.end()
        return True

    return rule


def _push(state: StateInline, mention: _Mention, *, is_silent: bool) -> None:
    kind, attributes, text = mention.kind, mention.attributes, f"@{mention.name}"
    if is_silent:
        kind, text = "silent_mention", mention.name
        attributes = {**attributes, "class": f"{attributes['class']} silent"}
    push_element(state, kind, "span", attributes, text)


def _find_user(directory: Directory, name: str) -> _Mention | None:
    if directory.has_wildcards and name in CHANNEL_WILDCARDS:
        everybody = {"class": "user-mention channel-wildcard-mention", "data-user-id": "*"}
        return _Mention("channel_mention", name, everybody)
    if directory.has_wildcards and name in TOPIC_WILDCARDS:
        return _Mention("topic_mention", name, {"class": "topic-mention"})
    if user := directory.find_user(name):
        attributes = {"class": "user-mention", "data-user-id": str(user.id)}
        return _Mention("user_mention", user.name, attributes)
    return None


def _find_group(directory: Directory, name: str) -> _Mention | None:
    if group := directory.find_group(name):
        attributes = {"class": "user-group-mention", "data-user-group-id": str(group.id)}
        return _Mention("group_mention", group.name, attributes, group.can_be_mentioned)
    return None
