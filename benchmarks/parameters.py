"""How long the parameters of a request take to read: forms, queries and JSON bodies.

    .venv/bin/python -m benchmarks.parameters --against ../other-checkout

Both versions take turns, in processes of their own, and the best time of each request counts: in
CPU time, so that it says something on a busy machine as well.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

_HERE = Path(__file__).resolve().parents[1]
_TURNS = 5
_ROUNDS = 9
_REPETITIONS = 300

_SEND: Mapping[str, object] = {
    "type": "channel",
    "to": 7,
    "topic": "greetings",
    "content": "Hello world, how are you today?",
    "queue_id": "a7f3c2d1:14",
    "local_id": "1700000000.01",
}
_PAGE: Mapping[str, object] = {
    "anchor": "newest",
    "num_before": 100,
    "num_after": 0,
    "narrow": [{"operator": "channel", "operand": "general"}],
}
_MARK: Mapping[str, object] = {"messages": list(range(1_000)), "op": "add", "flag": "read"}


@dataclass(frozen=True)
class Sample:
    """A request, and the module and name of the parameters it is read as."""

    name: str
    module: str
    model: str
    values: Mapping[str, object]
    encoding: str


SAMPLES = [
    Sample("send, form", "messages.send.params", "SendMessageParams", _SEND, "form"),
    Sample("send, JSON", "messages.send.params", "SendMessageParams", _SEND, "json"),
    Sample("page, query", "messages.fetch.params", "ReadMessagesParams", _PAGE, "query"),
    Sample("1,000 flags, form", "messages.flags.params", "ChangeFlagsParams", _MARK, "form"),
    Sample("1,000 flags, JSON", "messages.flags.params", "ChangeFlagsParams", _MARK, "json"),
]


def encode_form(values: Mapping[str, object]) -> bytes:
    return urlencode(
        {name: each if isinstance(each, str) else json.dumps(each) for name, each in values.items()}
    ).encode()


def scope_and_body(sample: Sample) -> tuple[dict[str, Any], bytes]:
    query = encode_form(sample.values) if sample.encoding == "query" else b""
    body, kind = b"", b""
    if sample.encoding == "form":
        body, kind = encode_form(sample.values), b"application/x-www-form-urlencoded"
    elif sample.encoding == "json":
        body, kind = json.dumps(sample.values).encode(), b"application/json"
    scope = {
        "type": "http",
        "method": "GET" if query else "POST",
        "query_string": query,
        "headers": [(b"content-type", kind), (b"content-length", str(len(body)).encode())],
    }
    return scope, body


async def measure_sample(sample: Sample) -> float | None:
    """Microseconds to read a request; None if this version cannot read it."""
    from importlib import import_module  # noqa: PLC0415

    from chatapi.core.errors import BadRequestError  # noqa: PLC0415
    from chatapi.http.forms import read_form  # noqa: PLC0415
    from chatapi.http.request import ApiRequest, BodyLimits  # noqa: PLC0415

    params = getattr(import_module(f"chatapi.features.{sample.module}"), sample.model)
    limits = BodyLimits(2 * 1024 * 1024, 0)
    scope, body = scope_and_body(sample)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    rounds: list[float] = []
    for _ in range(_ROUNDS):
        started = time.thread_time()
        for _ in range(_REPETITIONS):
            request = ApiRequest(scope, receive)
            try:
                form = await read_form(request, limits)
            except BadRequestError:
                return None
            params.read(form.values)
        rounds.append(time.thread_time() - started)
    return min(rounds) / _REPETITIONS * 1e6


def measure() -> list[float | None]:
    """Microseconds for each sample, with the version that is first on the path."""
    return [asyncio.run(measure_sample(sample)) for sample in SAMPLES]


def measure_checkout(checkout: Path) -> list[float | None]:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, __file__]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    times: list[float | None] = json.loads(result.stdout)
    return times


def best_of(turns: list[list[float | None]]) -> list[float | None]:
    by_sample = [[each for each in times if each] for times in zip(*turns, strict=True)]
    return [min(times) if times else None for times in by_sample]


def compare(before: Path) -> None:
    turns = [(measure_checkout(before), measure_checkout(_HERE)) for _ in range(_TURNS)]
    old = best_of([turn[0] for turn in turns])
    new = best_of([turn[1] for turn in turns])
    for sample, old_time, new_time in zip(SAMPLES, old, new, strict=True):
        if new_time is None:
            continue
        times = f"{old_time or 0:7.1f} {new_time:7.1f}"
        ratio = f"{new_time / old_time:5.2f}" if old_time else "  new"
        sys.stdout.write(f"{times} {ratio}  {sample.name}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="a checkout of another version")
    against: Path | None = parser.parse_args().against
    if against is None:
        sys.stdout.write(json.dumps(measure()) + "\n")
    else:
        compare(against)


if __name__ == "__main__":
    main()
