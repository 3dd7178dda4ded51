"""Decoding of urlencoded data: as the standard library does it, but in bounded steps."""

from urllib.parse import unquote_to_bytes, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatapi.http.urlencoding import TooManyStraysError, decode_pairs, unquote

TRICKY = st.lists(
    st.sampled_from(
        [
            *rb"% %4 %41 %3D %25 %0a %zz = == =41 _ . \x41 a F 9".split(b" "),
            *(b"\n", b"=\n", b"\r\n", b" ", b"\t", b"\0", b"\xff"),
        ]
    )
).map(b"".join)


@given(st.binary())
def test_any_bytes_decode_as_in_the_standard_library(encoded: bytes) -> None:
    assert unquote(encoded) == unquote_to_bytes(encoded)


@given(TRICKY)
def test_data_that_quoted_printable_would_decode_differently(encoded: bytes) -> None:
    assert unquote(encoded) == unquote_to_bytes(encoded)


WORDS = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.tuples(WORDS, WORDS)))
async def test_encoding_of_the_standard_library_is_decoded(pairs: list[tuple[str, str]]) -> None:
    assert await decode_pairs(urlencode(pairs).encode()) == pairs


async def test_requests_share_short_names_only() -> None:
    short, long = "x" * 64, "x" * 65
    (one, _), (other, _) = await decode_pairs(f"{short}=1&{short}=2".encode())
    assert one is other
    (one, _), (other, _) = await decode_pairs(f"{long}=1&{long}=2".encode())
    assert one == other
    assert one is not other


@pytest.mark.parametrize("offset", range(4))
async def test_no_escape_of_long_data_is_cut_in_two(offset: int) -> None:
    text = "x" * offset + "ä=&+%" * 100_000
    data = b"text=" + text.encode().replace(b"%", b"%25").replace(b"+", b"%2B").replace(
        b"&", b"%26"
    ).replace("ä".encode(), b"%C3%A4")
    assert await decode_pairs(data + b"&other=1") == [("text", text), ("other", "1")]


async def test_thousand_percent_signs_are_kept_and_more_are_refused() -> None:
    assert await decode_pairs(b"text=" + b"%" * 1_000) == [("text", "%" * 1_000)]
    for data in (b"%" * 1_001, b"a=%&" * 1_001, b"%41" * 200_000 + b"%zz" * 1_001):
        with pytest.raises(TooManyStraysError):
            await decode_pairs(data)
