"""Renders the texts of messages, with the names their authors may mention."""

from msgspec import Struct

from chatapi.auth.context import Context
from chatapi.features.messages.mentions import directory_for
from chatapi.rendering import Directory, RenderedMessage, is_quick_to_render, render_message

_RENDERED = "rendered message"


class _Rendering(Struct, frozen=True):
    """A text whose rendering took long, and the names it was rendered with."""

    content: str
    directory: Directory
    message: RenderedMessage

    def is_of(self, content: str, directory: Directory) -> bool:
        return self.content == content and self.directory == directory


async def render(ctx: Context, content: str) -> RenderedMessage:
    """Render a text with the names its author may mention; call it before the first write.

    A text that may take long is rendered in another process, limited per author, and without
    holding a database connection. A request that starts over renders it again only if names
    changed.
    """
    directory = await directory_for(ctx, content)
    if is_quick_to_render(content):
        return render_message(content, directory)
    earlier = ctx.computed.get(_RENDERED)
    if isinstance(earlier, _Rendering) and earlier.is_of(content, directory):
        return earlier.message
    await ctx.release_connection()
    async with ctx.heavy_rendering():
        message = await ctx.runtime.rendering_processes.run(render_message, content, directory)
    ctx.computed[_RENDERED] = _Rendering(content, directory, message)
    return message
