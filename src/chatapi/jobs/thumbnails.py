"""Draws thumbnails of uploaded images, and shows them in messages."""

from functools import partial

from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.features.messages import show_pictures
from chatapi.features.uploads import draw_thumbnails, find_next_image, take_image
from chatapi.jobs.polling import poll_for_work

POLL_INTERVAL_SECONDS = 2.0
"""Images that another process accepted and did not draw are noticed within this time."""


async def run_thumbnails(runtime: Runtime) -> None:
    """Run until `runtime.thumbnails` is closed; one image at a time in each process."""
    work = partial(_draw_or_wait, runtime)
    await poll_for_work("thumbnails", runtime.thumbnails, POLL_INTERVAL_SECONDS, work)


async def _draw_or_wait(runtime: Runtime) -> float:
    """Work on the next image; returns how many seconds to sleep before the next check."""
    async with runtime.reading() as db:
        due_at = await find_next_image(db)
    if due_at is None or due_at > runtime.clock.now():
        return POLL_INTERVAL_SECONDS
    await draw_next_thumbnail(runtime)
    return 0


async def draw_next_thumbnail(runtime: Runtime) -> bool:
    """Draw the thumbnails of one image and show them; False if there is none to be drawn."""
    pending = await take_image(runtime)
    if pending is None:
        return False
    if pending.is_drawn is None:
        await draw_thumbnails(runtime, pending)
    async with realm_transaction(runtime, pending.realm_id) as ctx:
        await show_pictures(ctx, pending.attachment_id)
    return True
