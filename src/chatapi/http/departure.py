"""Clients that hang up while they wait: what nobody waits for is not done."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from chatapi.http.call import Call
from chatapi.http.forms import ClientGoneError

T = TypeVar("T")


async def unless_gone(call: Call, work: Coroutine[Any, Any, T]) -> T:
    """Do what a client waits for, and give up as soon as it has left.

    A poll that outlived its client would take what can be told only once.
    """
    patience = asyncio.timeout(None)
    leaving = asyncio.ensure_future(call.hung_up())

    def stop(_leaving: asyncio.Future[None]) -> None:
        patience.reschedule(0)

    try:
        async with patience:
            leaving.add_done_callback(stop)
            return await work
    except TimeoutError:
        if patience.expired():
            raise ClientGoneError from None
        raise
    finally:
        leaving.remove_done_callback(stop)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
