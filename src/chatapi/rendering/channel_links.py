"""Links to channels: `#**channel**`, `#**channel>topic**` and `#**channel>topic@7**`."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from chatapi.rendering.channel_addresses import channel_address
from chatapi.rendering.directory import NamedChannel
from chatapi.rendering.elements import follows_a_word, push_element
from chatapi.rendering.environment import environment_of
from chatapi.rendering.syntax import CHANNEL


def add_channel_links(parser: MarkdownIt) -> None:
    """Added before emphasis, which would take the asterisks."""
    parser.inline.ruler.before("emphasis", "channel_link", _channel_link)


def _channel_link(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    # A link inside of a link would end it.
    if state.src[state.pos] != "#" or state.linkLevel > 0 or follows_a_word(state):
        return False
    found = CHANNEL.match(state.src, state.pos, state.posMax)
    directory = environment_of(state.env).directory
    channel = directory.find_channel(found["name"]) if found else None
    if found is None or channel is None:
        return False
    if not silent:
        topic, message_id = found["topic"], found["message_id"]
        state.push("channel_link_open", "a", 1).attrs = {**_attributes(channel, topic, message_id)}
        name = f"#{channel.name}" if topic is None else f"#{channel.name} > {topic}"
        state.push("text", "", 0).content = name
        if topic == "":
            push_element(state, "em", "em", {}, directory.empty_topic_name)
        if message_id:
            state.push("text", "", 0).content = " @ 💬"
        state.push("channel_link_close", "a", -1)
    state.pos = found.end()
    return True


def _attributes(channel: NamedChannel, topic: str | None, message_id: str | None) -> dict[str, str]:
    known_channel = {"data-stream-id": str(channel.id)}
    if topic is None:
        return {"class": "stream", **known_channel, "href": channel_address(channel)}
    href = channel_address(channel, topic)
    if message_id is None:
        return {"class": "stream-topic", **known_channel, "href": href}
    return {"class": "message-link", "href": f"{href}/near/{int(message_id)}"}
