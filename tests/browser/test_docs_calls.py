"""Every kind of call, sent from the docs page to a server after its first start."""

from pathlib import Path

import httpx
import orjson
import pytest

from tests.browser.conftest import KeepScreenshot
from tests.support.docs_page import Call, DocsPage, Site
from tests.support.waiting import MAX_WAIT_SECONDS

pytestmark = pytest.mark.browser


@pytest.fixture
async def logged_in(docs: DocsPage) -> DocsPage:
    await docs.log_in()
    return docs


async def register(docs: DocsPage) -> str:
    """Register a queue for messages from the page; the page remembers its id."""
    call = await docs.operation("register_queue")
    await call.write_body({"event_types": ["message"]})
    _status, body = await call.send()
    return str(body["queue_id"])


def post_message(site: Site, content: str) -> None:
    """Send a message as another client would."""
    sent = httpx.post(
        f"{site.url}/api/v1/messages",
        auth=(site.email, site.api_key),
        json={"type": "channel", "to": "general", "topic": "docs", "content": content},
        timeout=MAX_WAIT_SECONDS,
    )
    assert sent.status_code == 200, sent.text


class TestRequests:
    async def test_sends_a_query_with_json_in_it(
        self, logged_in: DocsPage, site: Site, keep_screenshot: KeepScreenshot
    ) -> None:
        call = await logged_in.operation("get_users")
        await call.fill("user_ids", "[2]")

        status, body = await call.send()

        assert (status, body["result"]) == (200, "success")
        assert [user["email"] for user in body["members"]] == [site.email]
        assert "ignored_parameters_unsupported" not in body
        await keep_screenshot("query")
        assert logged_in.page.complaints == []

    async def test_sends_the_json_body_it_was_prefilled_with(
        self, logged_in: DocsPage, keep_screenshot: KeepScreenshot
    ) -> None:
        call = await logged_in.operation("send_message")

        status, body = await call.send()

        assert (status, body["result"]) == (200, "success")
        await keep_screenshot("json")
        assert logged_in.page.complaints == []

    async def test_sends_a_form(self, logged_in: DocsPage) -> None:
        call = await logged_in.operation("register_queue")
        await call.send_as("application/x-www-form-urlencoded")
        await call.fill("event_types", '["realm_user"]')
        await call.fill("narrow", '[["is", "dm"]]')
        await call.fill("idle_queue_timeout", '"mobile"')
        await call.choose("slim_presence", "true")

        status, body = await call.send()

        assert (status, body["result"]) == (200, "success")
        assert body["queue_id"]
        assert "ignored_parameters_unsupported" not in body
        assert logged_in.page.complaints == []

    async def test_sends_text_of_a_form_as_it_was_typed(
        self, logged_in: DocsPage, site: Site
    ) -> None:
        call = await logged_in.operation("render_text")
        await call.send_as("application/x-www-form-urlencoded")
        await call.fill("content", "1.0")

        _status, body = await call.send()

        assert body["rendered"] == "<p>1.0</p>"

    async def test_uploads_a_file(
        self, logged_in: DocsPage, tmp_path: Path, keep_screenshot: KeepScreenshot
    ) -> None:
        file = tmp_path / "notes.txt"
        file.write_text("Written in a browser test.")
        call = await logged_in.operation("upload_file")
        await call.choose_file("filename", file)

        status, body = await call.send()

        assert (status, body["result"]) == (200, "success")
        assert body["url"].endswith("/notes.txt")
        await keep_screenshot("upload")
        assert logged_in.page.complaints == []

    async def test_asks_for_the_file_before_it_sends(self, logged_in: DocsPage) -> None:
        call = await logged_in.operation("upload_file")
        await call.start()

        await call.wait_for_state("failed")
        assert "Choose a file" in await call.message()

    async def test_form_query_and_code_have_the_recorded_request(self, logged_in: DocsPage) -> None:
        call = await logged_in.operation("send_message")
        body = {
            "type": "channel",
            "to": "general",
            "topic": "greetings",
            "content": "Hello **world**",
        }
        assert await call.body() == body
        assert f"--json '{orjson.dumps(body).decode()}'" in await call.sample("curl")
        await call.send_as("application/x-www-form-urlencoded")
        assert await call.value("to") == '"general"'
        assert await call.value("topic") == "greetings"
        assert "topic=greetings" in await call.sample("curl")

        call = await logged_in.operation("get_messages")
        narrow = '[{"operator":"channel","operand":"general"}]'
        assert await call.value("narrow") == narrow
        assert await call.value("message_ids") == ""
        status, sent = await call.send()
        assert (status, sent["result"]) == (200, "success")

    async def test_response_is_as_wide_as_its_frame(self, logged_in: DocsPage) -> None:
        call = await logged_in.operation("send_message")
        await call.send()

        excess = await logged_in.page.evaluate(
            "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)"
            "(document.querySelector('.response .json'))"
        )
        assert excess <= 0

    async def test_refuses_to_send_what_is_not_json(self, logged_in: DocsPage) -> None:
        call = await logged_in.operation("send_message")
        await logged_in.page.type(".try .editor", '{"type": ')
        await call.start()

        await call.wait_for_state("failed")
        assert "not JSON yet" in await call.message()

    async def test_deletes_with_the_id_of_an_earlier_response(self, logged_in: DocsPage) -> None:
        queue_id = await register(logged_in)
        call = await logged_in.operation("delete_queue")
        assert await call.body() == {"queue_id": queue_id}

        status, body = await call.send()

        assert (status, body["result"]) == (200, "success")
        assert logged_in.page.complaints == []

    async def test_changes_by_a_path_with_an_id(self, logged_in: DocsPage) -> None:
        call = await logged_in.operation("send_message")
        _status, sent = await call.send()
        call = await logged_in.operation("edit_message")
        assert await call.value("message_id") == str(sent["id"])
        await call.write_body({"content": "Changed from the page"})

        status, body = await call.send()

        assert (status, body["result"]) == (200, "success")


class TestEvents:
    async def test_long_poll_shows_an_event_when_it_happens(
        self, logged_in: DocsPage, site: Site
    ) -> None:
        queue_id = await register(logged_in)
        call = await logged_in.operation("get_events")
        assert await call.value("queue_id") == queue_id
        await call.fill("last_event_id", "-1")
        await call.start()
        await call.wait_for_state("waiting")
        post_message(site, "for the long poll")

        status, body = await call.response()

        assert status == 200
        assert "for the long poll" in body["events"][0]["message"]["content"]

    async def test_long_poll_can_be_cancelled(self, logged_in: DocsPage) -> None:
        await register(logged_in)
        call = await logged_in.operation("get_events")
        await call.fill("last_event_id", "-1")
        await call.start()
        await call.wait_for_state("waiting")
        await call.cancel()

        await call.wait_for_state("failed")
        assert "Cancelled" in await call.message()

    async def test_stream_shows_each_event_as_it_comes(
        self, logged_in: DocsPage, site: Site, keep_screenshot: KeepScreenshot
    ) -> None:
        await register(logged_in)
        call = await logged_in.operation("get_events")
        await call.answer_as("text/event-stream")
        await call.fill("last_event_id", "-1")
        await call.start()
        for content in ("first of the stream", "second of the stream"):
            post_message(site, content)
            assert '"type": "message"' in await call.wait_for_event(content)

        await keep_screenshot("stream")
        await call.cancel()
        await call.wait_for_state("done")
        assert "Cancelled" in await call.message()
        assert logged_in.page.complaints == []


class TestLogin:
    async def test_password_is_exchanged_for_a_key(self, docs: DocsPage, site: Site) -> None:
        await docs.log_in_by_password()

        status, body = await (await docs.operation("get_own_user")).send()

        assert (status, body["email"]) == (200, site.email)

    async def test_is_shown_when_the_key_was_checked_and_the_dialog_is_closed(
        self, docs: DocsPage, site: Site
    ) -> None:
        """The dialog covers the page, so nothing can be typed there before."""
        await docs.page.evaluate(
            """(() => {
                const send = window.fetch;
                const released = new Promise((resolve) => window.release = resolve);
                window.fetch = async (...request) => {
                    window.isAsked = true;
                    await released;
                    return send(...request);
                };
            })()"""
        )
        await docs.page.click("#log-in")
        await docs.page.type("#login [name=email]", site.email)
        await docs.page.type("#login [name=key]", site.api_key)
        await docs.page.click("#login [type=submit]")
        await docs.page.wait_for("window.isAsked")
        assert await docs.page.evaluate("document.querySelector('#log-out') === null")
        await docs.page.evaluate("window.release()")

        await docs.page.wait_for("document.querySelector('#log-out')")
        assert not await docs.page.evaluate("document.querySelector('#login').open")

    async def test_wrong_password_is_reported_in_the_dialog(
        self, docs: DocsPage, site: Site
    ) -> None:
        await docs.page.click("#log-in")
        await docs.page.type("#login [name=email]", site.email)
        await docs.page.type("#login [name=password]", "wrong")
        await docs.page.click("#login [type=submit]")

        problem = await docs.page.wait_for("document.querySelector('#login .problem').innerText")
        assert problem == "Your username or password is incorrect"

    async def test_refusal_is_shown_instead_of_a_password_dialog_of_the_browser(
        self, docs: DocsPage
    ) -> None:
        status, body = await (await docs.operation("get_own_user")).send()

        assert (status, body["code"]) == (401, "UNAUTHORIZED")

    async def test_key_is_stored_nowhere_and_gone_after_a_reload(
        self, logged_in: DocsPage, site: Site
    ) -> None:
        kept = "localStorage.length + sessionStorage.length + document.cookie.length"
        assert await logged_in.page.evaluate(kept) == 0
        assert site.api_key not in await logged_in.page.evaluate("location.href")
        await logged_in.page.command("Page.reload")
        await logged_in.page.wait_for("document.querySelector('#log-in')")
        await logged_in.wait_until_loaded()

        status, body = await (await logged_in.operation("get_own_user")).send()

        assert (status, body["code"]) == (401, "UNAUTHORIZED")


class TestSamples:
    @pytest.fixture
    async def call(self, logged_in: DocsPage) -> Call:
        call = await logged_in.operation("send_message")
        await call.write_body({"type": "direct", "to": [2], "content": "It's me"})
        return call

    async def test_hold_what_is_typed(self, call: Call, site: Site) -> None:
        curl = await call.sample("curl")
        python = await call.sample("Python")
        javascript = await call.sample("JavaScript")

        assert f"'{site.url}/api/v1/messages'" in curl
        assert r"""--json '{"type":"direct","to":[2],"content":"It'\''s me"}'""" in curl
        assert """json={"type": "direct", "to": [2], "content": "It's me"},""" in python
        assert '"content": "It\'s me"' in javascript

    async def test_never_hold_the_key(self, call: Call, site: Site) -> None:
        for language in ("curl", "Python", "JavaScript"):
            sample = await call.sample(language)
            assert site.email in sample
            assert "YOUR_API_KEY" in sample
            assert site.api_key not in sample

    async def test_python_sample_can_be_run(
        self, call: Call, site: Site, capsys: pytest.CaptureFixture[str]
    ) -> None:
        sample = (await call.sample("Python")).replace("YOUR_API_KEY", site.api_key)

        exec(compile(sample, "sample", "exec"), {})  # noqa: S102 (the code we offer people to run)

        assert "'result': 'success'" in capsys.readouterr().out
