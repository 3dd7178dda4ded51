"""How long messages take to render, compared with another checkout.

    .venv/bin/python -m benchmarks.rendering --against ../other-checkout

Both versions take turns, in processes of their own, and the best time of each message counts: in
CPU time, so that it says something on a busy machine as well.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

_HERE = Path(__file__).resolve().parents[1]
_TURNS = 3
_ROUNDS = 7
_REPETITIONS = 40

MESSAGES = [
    "Hello world, how are you today?",
    "ok",
    "Thanks @**Iago**, I will look at it tomorrow :tada:",
    "See https://example.com/a/b?c=1 for details.",
    "I think **this** is *really* important: `code` and ~~old~~.",
    "- one\n- two\n- three",
    "1. first\n2. second\n3. third",
    "> quoted text here\n\nMy answer to it is no.",
    "```quote\n@_**Iago** said\n```\nagreed",
    "```python\ndef f(x):\n    return x + 1\n```",
    "#**general>topic** has more about it",
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
    "Deploy is done. Version 1.2.3 is live, logs look fine; please check the dashboard.",
    "Der Zug kommt um fünf nach acht, wir treffen uns am Bahnsteig.",
    "# Title\nSome text under it, with a [link](https://example.com/x).",
    "line one\nline two\nline three\nline four",
    "@**all** meeting at 12:30, room 4.11 (second floor)",
    "我们今天下午三点开会 请准备好",
    "That is a longer message. It has no markup, except for a comma, of course. " * 3,
]


def measure() -> list[float]:
    """Microseconds for each message, with the version that is first on the path."""
    from chatapi.core.ids import ChannelId, UserId  # noqa: PLC0415
    from chatapi.rendering import Directory, NamedChannel, NamedUser, render_message  # noqa: PLC0415

    directory = Directory.of(
        users=[NamedUser(UserId(7), "Iago")], channels=[NamedChannel(ChannelId(9), "general")]
    )
    best: list[float] = []
    for message in MESSAGES:
        render_message(message, directory)
        rounds: list[float] = []
        for _ in range(_ROUNDS):
            started = time.thread_time()
            for _ in range(_REPETITIONS):
                render_message(message, directory)
            rounds.append(time.thread_time() - started)
        best.append(min(rounds) / _REPETITIONS * 1e6)
    return best


def measure_checkout(checkout: Path) -> list[float]:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, __file__]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    times: list[float] = json.loads(result.stdout)
    return times


def compare(before: Path) -> None:
    turns = [(measure_checkout(before), measure_checkout(_HERE)) for _ in range(_TURNS)]
    old = [min(times) for times in zip(*(each[0] for each in turns), strict=True)]
    new = [min(times) for times in zip(*(each[1] for each in turns), strict=True)]
    for message, old_time, new_time in zip(MESSAGES, old, new, strict=True):
        sys.stdout.write(
            f"{old_time:6.0f} {new_time:6.0f} {new_time / old_time:5.2f}  {message[:50]!r}\n"
        )
    sys.stdout.write(f"{sum(old):6.0f} {sum(new):6.0f} {sum(new) / sum(old):5.2f}  all\n")


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
