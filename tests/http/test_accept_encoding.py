"""Which content coding is chosen for an Accept-Encoding header."""

import pytest

from chatapi.http.accept_encoding import choose_coding

CODINGS = ("zstd", "gzip")


@pytest.mark.parametrize(
    ("header", "chosen"),
    [
        ("", None),
        ("gzip", "gzip"),
        ("GZip", "gzip"),
        ("x-gzip", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "gzip"),
        ("br", None),
        ("deflate,br", None),
        ("*", "zstd"),
        ("gzip, *;q=0", "gzip"),
        ("zstd;q=0, *", "gzip"),
        ("zstd;q=0, gzip;q=0, *", None),
        ("*;q=0", None),
        ("gzip;q=0", None),
        ("gzip;q=0.0", None),
        ("gzip;q=0.000", None),
        ("gzip;q=0.001", "gzip"),
        ("zstd;q=0.5, gzip;q=0.8", "gzip"),
        ("zstd;q=0.8, gzip;q=0.8", "zstd"),
        ("gzip;q=1.000, zstd;q=0.999", "gzip"),
        ("gzip ; q = 1 , zstd ; Q=0.2", "gzip"),
        ("identity", None),
        ("identity, gzip;q=0.5", None),
        ("identity;q=0.5, gzip", "gzip"),
        ("identity;q=0, gzip", "gzip"),
        # Nothing is left: the response is sent as it is.
        ("identity;q=0", None),
        ("identity;q=0, br", None),
        (", ,gzip,,", "gzip"),
        # Malformed weights are not guessed at.
        ("gzip;q=2", None),
        ("gzip;q=-1", None),
        ("gzip;q=0.1234", None),
        ("gzip;q=high", None),
        ("gzip;q=nan", None),
        ("gzip;q=", None),
        ("gzip;level=9", "gzip"),
        ("gzipped", None),
        ("a" * 10_000 + ", gzip", "gzip"),
        ("," * 10_000, None),
    ],
)
def test_coding_that_the_client_prefers_is_chosen(header: str, chosen: str | None) -> None:
    assert choose_coding(header, CODINGS) == chosen
