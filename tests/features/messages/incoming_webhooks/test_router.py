"""POST /external/{integration}: who may post where, signatures, limits and logs."""

import hashlib
import hmac
from typing import Any

import httpx
import orjson
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.roles import BotType
from chatapi.core.settings import Settings
from chatapi.features.messages.incoming_webhooks.integrations import INTEGRATIONS
from chatapi.main import ChatApp
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.incoming_webhooks import documents
from tests.features.messages.incoming_webhooks.posting import post, posted
from tests.support.account_changes import replace_api_key
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.log_lines import collected_log
from tests.support.responses import assert_error, assert_success

HELLO = documents.HELLO
PUSH = {"X-GitHub-Event": "push"}


@pytest.mark.any_database
class TestDestination:
    async def test_without_a_stream_the_owner_of_the_bot_gets_a_direct_message(
        self, http: httpx.AsyncClient, client: ApiClient, owner: Person, webhook: Person
    ) -> None:
        message = await posted(client, owner, await post(http, "helloworld", webhook, json=HELLO))
        assert message["type"] == "private"
        people = {person["id"] for person in message["display_recipient"]}
        assert people == {owner.user_id, webhook.user_id}

    async def test_stream_is_a_name_or_an_id(
        self,
        http: httpx.AsyncClient,
        client: ApiClient,
        owner: Person,
        webhook: Person,
        channel: ChannelRecord,
    ) -> None:
        for stream in (channel.name, str(channel.id)):
            params = {"stream": stream}
            response = await post(http, "helloworld", webhook, params=params, json=HELLO)
            message = await posted(client, owner, response)
            assert (message["stream_id"], message["subject"]) == (channel.id, "Hello World")

    async def test_topic_of_the_query_replaces_that_of_the_integration(
        self,
        http: httpx.AsyncClient,
        client: ApiClient,
        owner: Person,
        webhook: Person,
        channel: ChannelRecord,
    ) -> None:
        params = {"stream": channel.name, "topic": "ours"}
        response = await post(http, "helloworld", webhook, params=params, json=HELLO)
        assert (await posted(client, owner, response))["subject"] == "ours"

    async def test_long_topics_and_texts_are_shortened(
        self,
        http: httpx.AsyncClient,
        client: ApiClient,
        owner: Person,
        webhook: Person,
        channel: ChannelRecord,
    ) -> None:
        document = {"text": "x" * 20_000, "channel": "a\u200e" + "b" * 100}
        params = {"stream": channel.name}
        response = await post(http, "slack_incoming", webhook, params=params, json=document)
        message = await posted(client, owner, response)
        assert message["subject"] == "a " + "b" * 57 + "…"
        assert len(message["content"]) == 10_000
        assert message["content"].endswith("x\n\n(shortened)")
        response = await post(http, "json", webhook, params=params, json=["x" * 20_000])
        assert (await posted(client, owner, response))["content"].endswith("x\n…\n```")

    async def test_large_document_is_posted(
        self, http: httpx.AsyncClient, client: ApiClient, owner: Person, webhook: Person
    ) -> None:
        document = {"text": "*a* " * 250_000}
        response = await post(http, "slack_incoming", webhook, json=document)
        assert (await posted(client, owner, response))["content"].startswith("**a** **a** ")

    async def test_bot_needs_the_permission_to_send_there(
        self, http: httpx.AsyncClient, webhook: Person, make_channel: MakeChannel, owner: Person
    ) -> None:
        secret = await make_channel("secret", invite_only=True)
        for stream in ("secret", str(secret.id), "missing"):
            params = {"stream": stream}
            response = await post(http, "helloworld", webhook, params=params, json=HELLO)
            assert (response.status, response["code"]) == (400, "STREAM_DOES_NOT_EXIST")

    async def test_missing_topic_of_the_query_is_reported(
        self, http: httpx.AsyncClient, webhook: Person, channel: ChannelRecord
    ) -> None:
        params = {"stream": channel.name, "topic": "x" * 61}
        response = await post(http, "helloworld", webhook, params=params, json=HELLO)
        assert "topic" in assert_error(response)


class TestKey:
    async def test_missing_and_wrong_keys_are_refused(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        for params in ({"api_key": "wrong"}, {"api_key": "ü\0"}):
            response = await post(http, "helloworld", None, params=params, json=HELLO)
            assert assert_error(response, "UNAUTHORIZED", 401) == "Invalid API key"
        for without_key in ({}, {"api_key": ""}):
            response = await post(http, "helloworld", None, params=without_key, json=HELLO)
            assert assert_error(response, "UNAUTHORIZED", 401) == "Missing 'api_key' argument"

    @pytest.mark.any_database
    @pytest.mark.parametrize("bot_type", [None, BotType.GENERIC])
    async def test_key_of_any_other_account_is_refused(
        self,
        http: httpx.AsyncClient,
        owner: Person,
        make_user: MakeUser,
        bot_type: BotType | None,
    ) -> None:
        caller = owner
        if bot_type is not None:
            caller = await make_user(bot_owner=owner, bot_type=bot_type)
        assert_error(await post(http, "helloworld", caller, json=HELLO), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_key_in_the_body_or_the_header_does_not_count(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        data = {"api_key": webhook.api_key, "payload": orjson.dumps(HELLO).decode()}
        response = await post(http, "helloworld", None, data=data)
        assert_error(response, "UNAUTHORIZED", 401)
        auth = httpx.BasicAuth(webhook.email, webhook.api_key)
        response = await post(http, "helloworld", None, auth=auth, json=HELLO)
        assert_error(response, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_key_stops_working_when_it_is_replaced_or_the_bot_is_deactivated(
        self,
        http: httpx.AsyncClient,
        client: ApiClient,
        app: ChatApp,
        owner: Person,
        webhook: Person,
    ) -> None:
        assert_success(await post(http, "helloworld", webhook, json=HELLO))
        path = f"/bots/{webhook.user_id}/api_key/regenerate"
        new_key = assert_success(await client.post(path, owner))["api_key"]
        assert_error(await post(http, "helloworld", webhook, json=HELLO), "UNAUTHORIZED", 401)
        renewed = Person(webhook.user_id, webhook.email, new_key)
        assert_success(await post(http, "helloworld", renewed, json=HELLO))
        assert_success(await client.delete(f"/bots/{webhook.user_id}", owner))
        assert_error(await post(http, "helloworld", renewed, json=HELLO), "UNAUTHORIZED", 401)

    async def test_key_replaced_in_another_process_is_refused_before_the_document_is_read(
        self,
        http: httpx.AsyncClient,
        start_app: StartApp,
        realm: RealmRecord,
        webhook: Person,
    ) -> None:
        elsewhere = await start_app()
        assert_error(await post(http, "helloworld", webhook, json=[]), "BAD_REQUEST")
        await replace_api_key(elsewhere.runtime, realm, webhook)
        assert_error(await post(http, "helloworld", webhook, json=[]), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_key_of_a_webhook_is_no_authorization_header(
        self, http: httpx.AsyncClient, client: ApiClient, webhook: Person
    ) -> None:
        assert_success(await post(http, "helloworld", webhook, json=HELLO))
        response = await client.call("GET", "/users/me", headers={"Authorization": webhook.api_key})
        assert_error(response, "UNAUTHORIZED", 401)


@pytest.mark.any_database
class TestEvents:
    async def test_only_events_and_exclude_events_select_by_pattern(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        for params, is_posted in (
            ({"only_events": '["push"]'}, True),
            ({"only_events": '["pu*", "issues"]'}, True),
            ({"only_events": '["issues"]'}, False),
            ({"exclude_events": '["pu*"]'}, False),
            ({"exclude_events": '["issues"]'}, True),
        ):
            response = await post(
                http,
                "github",
                webhook,
                params=params,
                headers=PUSH,
                json=documents.GITHUB_PUSH,
            )
            assert ("id" in assert_success(response)) is is_posted

    async def test_patterns_must_be_a_list(self, http: httpx.AsyncClient, webhook: Person) -> None:
        params = {"only_events": "push"}
        response = await post(http, "helloworld", webhook, params=params, json=HELLO)
        assert "only_events" in assert_error(response)


class TestSignature:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("integration", "headers", "document"),
        [
            ("github", PUSH, documents.GITHUB_PUSH),
            ("gitlab", {}, documents.GITLAB_PUSH),
            ("sentry", {"Sentry-Hook-Resource": "issue"}, documents.SENTRY_ISSUE),
        ],
    )
    async def test_document_is_posted_only_if_it_is_signed_with_the_secret(
        self,
        http: httpx.AsyncClient,
        webhook: Person,
        integration: str,
        headers: dict[str, str],
        document: dict[str, Any],
    ) -> None:
        body = orjson.dumps(document)
        for secret, is_posted in (("ours", True), ("theirs", False), (None, False)):
            digest = hmac.new((secret or "").encode(), body, hashlib.sha256).hexdigest()
            signed = {
                "github": {"X-Hub-Signature-256": f"sha256={digest}"},
                "gitlab": {"X-Gitlab-Token": secret or ""},
                "sentry": {"Sentry-Hook-Signature": digest},
            }[integration]
            response = await post(
                http,
                integration,
                webhook,
                params={"webhook_secret": "ours"},
                headers={**headers, **(signed if secret else {})},
                content=body,
            )
            if is_posted:
                assert "id" in assert_success(response)
            else:
                assert_error(response, "BAD_WEBHOOK_SIGNATURE", 401, header=next(iter(signed)))

    @pytest.mark.any_database
    async def test_integration_that_does_not_sign_takes_no_secret(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        params = {"webhook_secret": "ours"}
        response = await post(http, "helloworld", webhook, params=params, json=HELLO)
        assert assert_error(response) == "webhook_secret: Hello World does not sign"


class TestRefusals:
    @pytest.mark.any_database
    async def test_unknown_integration_is_answered_with_the_known_ones(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        response = await post(http, "carrier_pigeon", webhook, json=HELLO)
        assert response.status == 404
        assert response["code"] == "UNKNOWN_INTEGRATION"
        assert "alertmanager, github, gitlab" in response["msg"]

    @pytest.mark.any_database
    async def test_body_over_the_limit_is_refused(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        response = await post(http, "json", webhook, json="x" * 3_000_000)
        assert_error(response, "REQUEST_TOO_LARGE", 413, max_bytes=2 * 1024 * 1024)

    @pytest.mark.any_database
    async def test_body_is_not_read_before_the_key_is_known(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        response = await post(http, "json", None, json="x" * 3_000_000)
        assert_error(response, "UNAUTHORIZED", 401)

    async def test_repeated_document_with_an_idempotency_key_is_posted_once(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        headers = {"Idempotency-Key": "1"}
        ids = {
            assert_success(await post(http, "json", webhook, headers=headers, json=1))["id"]
            for _ in range(2)
        }
        assert len(ids) == 1
        other = await post(http, "json", webhook, headers=headers, json=2)
        assert_error(other, "IDEMPOTENCY_KEY_REUSED")


class TestLimits:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"rate_limits": "on", "requests_per_minute": 2})

    @pytest.mark.any_database
    async def test_documents_of_one_bot_are_limited(
        self, http: httpx.AsyncClient, webhook: Person
    ) -> None:
        for _ in range(2):
            assert_success(await post(http, "helloworld", webhook, json=HELLO))
        response = await post(http, "helloworld", webhook, json=HELLO)
        assert (response.status, response["code"]) == (429, "RATE_LIMIT_HIT")


@pytest.mark.any_database
async def test_errors_contain_neither_the_key_nor_the_secret(
    http: httpx.AsyncClient, webhook: Person
) -> None:
    params = {"webhook_secret": "hunter2"}
    with collected_log() as entries:
        answers = [
            await post(http, "github", webhook, params=params, headers=PUSH, json={}),
            await post(http, "json", webhook, content=b"{"),
            await post(http, "nothing", webhook, json={}),
        ]
    for secret in (webhook.api_key, "hunter2"):
        assert secret not in str(entries)
        assert all(secret not in str(answer.body) for answer in answers)


class TestRegister:
    @pytest.mark.any_database
    async def test_integrations_are_listed_with_their_events(
        self, client: ApiClient, owner: Person
    ) -> None:
        kinds = ["realm_incoming_webhook_bots"]
        state = assert_success(await client.post("/register", owner, fetch_event_types=kinds))
        listed = {each["name"]: each for each in state["realm_incoming_webhook_bots"]}
        assert listed.keys() == INTEGRATIONS.keys()
        assert listed["slack_incoming"]["display_name"] == "Slack-compatible"
        assert "push" in listed["github"]["all_event_types"]
