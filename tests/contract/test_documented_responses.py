"""The check that all responses of the test run pass through finds undocumented ones."""

from typing import Any

import pytest
from typing_extensions import TypedDict

from chatapi.auth.guards import Anybody
from chatapi.http.openapi import build_document
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id
from tests.support.documented_responses import DocumentedResponses


class ShelfPayload(TypedDict):
    """A shelf."""

    books: list[str]


router = FeatureRouter("Shelves")


@router.get("/shelves/{shelf_id:int}")
async def get_shelf(ctx: Anybody, shelf_id: Id) -> ShelfPayload:
    """Get a shelf."""
    raise NotImplementedError


@router.get("/shelves/{name}")
async def get_shelf_by_name(ctx: Anybody, name: str) -> None:
    """Ask whether there is a shelf."""
    raise NotImplementedError


ANSWERS = DocumentedResponses(build_document([router]))
SHELF = "/api/v1/shelves/7"
SUCCESS = {"result": "success", "msg": "", "books": ["Emma"]}
ERROR = {"result": "error", "msg": "No such shelf", "code": "BAD_REQUEST"}
NOT_FOUND = {"result": "error", "msg": "Nothing here", "code": "NOT_FOUND"}


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", SHELF, 200, SUCCESS),
        ("GET", SHELF, 200, {**SUCCESS, "ignored_parameters_unsupported": ["x"]}),
        ("GET", SHELF, 400, ERROR),
        ("GET", "/api/v1/shelves/novels", 200, {"result": "success", "msg": ""}),
        ("GET", "/api/v1/unknown", 404, NOT_FOUND),
        (
            "POST",
            SHELF,
            405,
            {**NOT_FOUND, "code": "METHOD_NOT_ALLOWED", "allowed_methods": ["GET"]},
        ),
    ],
)
def test_documented_responses_pass(
    method: str, path: str, status: int, body: dict[str, Any]
) -> None:
    ANSWERS.check(method, path, status, "application/json", body)


@pytest.mark.parametrize(
    ("method", "path", "status", "body", "complaint"),
    [
        ("GET", SHELF, 200, {**SUCCESS, "pages": 1}, "'pages' was unexpected"),
        ("GET", SHELF, 200, {**SUCCESS, "books": [1]}, "1 is not of type 'string' at .*books"),
        ("GET", SHELF, 200, {"result": "success", "msg": ""}, "'books' is a required"),
        ("GET", SHELF, 200, {**SUCCESS, "msg": "done"}, "'' was expected"),
        ("GET", SHELF, 400, {**ERROR, "code": "OTHER"}, "'BAD_REQUEST' was expected"),
        ("GET", SHELF, 409, ERROR, "answered 409; documented are 200, 400"),
        ("GET", "/api/v1/unknown", 200, SUCCESS, "which is not documented"),
        ("POST", SHELF, 200, SUCCESS, "which is not documented"),
    ],
)
def test_undocumented_responses_fail(
    method: str, path: str, status: int, body: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        ANSWERS.check(method, path, status, "application/json", body)


def test_other_content_types_fail() -> None:
    with pytest.raises(AssertionError, match="undocumented text/html"):
        ANSWERS.check("GET", SHELF, 200, "text/html; charset=utf-8", None)


@pytest.mark.parametrize("number", [1, 1.0, True])
def test_fault_is_found_again_and_beside_values_that_were_valid(number: object) -> None:
    answers = DocumentedResponses(build_document([router]))
    for _ in range(2):
        answers.check("GET", SHELF, 200, "application/json", {**SUCCESS, "books": ["", "1"]})
        with pytest.raises(AssertionError, match=r"is not of type 'string' at .*books"):
            answers.check("GET", SHELF, 200, "application/json", {**SUCCESS, "books": [number]})
        with pytest.raises(AssertionError, match=r"is not of type 'array' at .*books"):
            # A value that is valid for another key.
            answers.check("GET", SHELF, 200, "application/json", {**SUCCESS, "books": "success"})
