"""Messages in the format of Slack's incoming webhooks, which most tools can send."""

import re
from collections.abc import Iterator
from html import unescape

from chatapi.core.errors import BadRequestError
from chatapi.features.messages.incoming_webhooks.document import Document
from chatapi.features.messages.incoming_webhooks.integration import (
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.features.messages.incoming_webhooks.markup import link

_DEFAULT_TOPIC = "Slack"
_MAX_PARTS = 100
_REFERENCE = re.compile(r"<([^<>|\n]+)(?:\|([^<>\n]*))?>")
_EMPHASIS = (
    # Markers count only around words, as in the original.
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])"), r"**\1**"),
    (re.compile(r"(?<![\w~])~(?=[^\s~])([^~\n]*[^\s~])~(?![\w~])"), r"~~\1~~"),
    (re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\w_])"), r"*\1*"),
)
_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)


def read(request: WebhookRequest) -> WebhookMessage:
    document = request.document()
    parts = [_text(document, "text"), *_blocks(document)]
    parts += [
        "\n".join(part for part in _attachment(attachment) if part)
        for attachment in document.items("attachments")[:_MAX_PARTS]
    ]
    content = "\n\n".join(part for part in parts if part)
    if not content.strip():
        raise BadRequestError("The document has no 'text', 'blocks' or 'attachments' with text")
    channel = document.text("channel").lstrip("#@")
    return WebhookMessage(topic=channel or _DEFAULT_TOPIC, content=content)


def _attachment(attachment: Document) -> Iterator[str]:
    yield _text(attachment, "pretext")
    yield _text(attachment, "author_name")
    if title := attachment.text("title"):
        yield f"**{link(unescape(title), attachment.text('title_link'))}**"
    yield _text(attachment, "text")
    for field in attachment.items("fields")[:_MAX_PARTS]:
        yield f"**{_text(field, 'title')}**: {_text(field, 'value')}"
    yield from _blocks(attachment)
    if image := attachment.text("image_url"):
        yield link("image", image)
    yield _text(attachment, "footer")
    if not any(attachment.at(name) for name in ("pretext", "title", "text", "fields", "blocks")):
        yield _text(attachment, "fallback")


def _blocks(document: Document) -> Iterator[str]:
    for block in document.items("blocks")[:_MAX_PARTS]:
        match block.text("type"):
            case "header":
                yield f"## {_text(block, 'text.text')}"
            case "section":
                yield _text(block, "text.text")
                for field in block.items("fields")[:_MAX_PARTS]:
                    yield _text(field, "text")
            case "context":
                yield " ".join(_text(each, "text") for each in block.items("elements"))
            case "divider":
                yield "---"
            case "image":
                label = block.text("title.text") or block.text("alt_text") or "image"
                yield link(label, block.text("image_url"))
            case "actions":
                yield " ".join(
                    link(each.text("text.text"), each.text("url"))
                    for each in block.items("elements")
                    if each.text("url")
                )
            case _:
                # Other blocks are for input, which a message does not take.
                pass


def _text(document: Document, path: str) -> str:
    """Text in Slack's markup as Markdown; code stays as it is."""
    pieces = _CODE.split(document.text(path))
    # Every second piece is code.
    return "".join(
        unescape(piece) if place % 2 else _convert(piece) for place, piece in enumerate(pieces)
    )


def _convert(text: str) -> str:
    links: list[str] = []

    def hold(match: re.Match[str]) -> str:
        links.append(_reference(match[1], match[2]))
        return f"\0{len(links) - 1}\0"

    text = _REFERENCE.sub(hold, text.replace("\0", ""))
    for pattern, replacement in _EMPHASIS:
        text = pattern.sub(replacement, text)
    return re.sub("\0(\\d+)\0", lambda match: links[int(match[1])], unescape(text))


def _reference(target: str, label: str | None) -> str:
    if target.startswith(("#", "@", "!")):
        # Ids of Slack's own users and channels mean nothing here.
        return f"{target[0].replace('!', '@')}{label or target[1:]}"
    if label:
        return link(unescape(label), unescape(target))
    return unescape(target)


INTEGRATION = Integration("slack_incoming", "Slack-compatible", read)
