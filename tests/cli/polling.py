"""A client of a server in another process: registers, polls, and detects when a poll arrived."""

import asyncio
from typing import Any

import httpx


async def register(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.post("/register", data={"event_types": '["realm_user"]'})
    registered: dict[str, Any] = answer.raise_for_status().json()
    return {key: registered[key] for key in ("queue_id", "last_event_id")}


def poll(client: httpx.AsyncClient, queue: dict[str, Any]) -> asyncio.Task[httpx.Response]:
    return asyncio.create_task(client.get("/events", params=queue))


async def until_poll_has_arrived(client: httpx.AsyncClient, queue: dict[str, Any]) -> None:
    """One process takes requests in order: a poll sent before this request is waiting by now."""
    answer = await client.get("/events", params={**queue, "dont_block": "true"})
    answer.raise_for_status()
