"""As much of curl as the pages use, for machines that have none."""

import argparse
import sys
from collections.abc import Sequence
from urllib.parse import quote

import httpx

NOT_CONNECTED = 7
TIMED_OUT = 28


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    headers = dict(header.split(": ", 1) for header in options.header)
    encoded = [_encode(each) for each in options.data_urlencode]
    body: str | None = "&".join([*options.data, *encoded]) or None
    if options.get and body is not None:
        options.url, body = f"{options.url}?{body}", None
    if body is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    name, _, password = (options.user or "").partition(":")
    try:
        with httpx.stream(
            options.request or ("GET" if body is None else "POST"),
            options.url,
            content=body,
            headers=headers,
            auth=(name, password) if options.user else None,
            timeout=options.max_time,
        ) as response:
            for chunk in response.iter_text():
                sys.stdout.write(chunk)
                sys.stdout.flush()
    except httpx.TimeoutException:
        return TIMED_OUT
    except httpx.ConnectError:
        return NOT_CONNECTED
    return 0


def _encode(parameter: str) -> str:
    name, _, value = parameter.partition("=")
    return f"{name}={quote(value)}"


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("-s", "--silent", action="store_true")
    parser.add_argument("-N", "--no-buffer", action="store_true")
    parser.add_argument("-m", "--max-time", type=float, default=60)
    parser.add_argument("-u", "--user")
    parser.add_argument("-X", "--request")
    parser.add_argument("-H", "--header", action="append", default=[])
    parser.add_argument("-G", "--get", action="store_true")
    parser.add_argument("--data-urlencode", action="append", default=[])
    parser.add_argument("-d", "--data", action="append", default=[])
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
