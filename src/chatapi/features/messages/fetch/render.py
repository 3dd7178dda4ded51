"""Renders a text as it would look in a message, before it is sent."""

from chatapi.auth.context import Context
from chatapi.features.messages.fetch.params import RenderParams
from chatapi.features.messages.fetch.payloads import RenderedPayload
from chatapi.features.messages.rendering import render as render_content


async def render(ctx: Context, params: RenderParams) -> RenderedPayload:
    """Mentions only what the caller may mention; nothing is sent, no user is notified."""
    await ctx.recheck_caller()
    rendered = await render_content(ctx, params.content)
    return {"rendered": rendered.html}
