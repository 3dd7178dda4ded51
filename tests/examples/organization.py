"""Settings and pictures of the organization, linkifiers, emoji and files."""

from tests.examples.stage import Stage
from tests.features.emoji.pictures import picture


async def tell_of_organization(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    await call(ada, "PATCH /realm/user_settings_defaults", twenty_four_hour_time=True)
    await call(ada, "PATCH /realm", message_content_edit_limit_seconds=3600)
    text = "Welcome to **Acme**!"
    welcome = "POST /realm/test_welcome_bot_custom_message"
    await call(ada, welcome, welcome_message_custom_text=text)
    playground = await call(
        ada,
        "POST /realm/playgrounds",
        name="Python playground",
        pygments_language="Python",
        url_template="https://python.example.com?c={code}",
    )
    place = {"playground_id": playground["id"]}
    await call(ada, "DELETE /realm/playgrounds/{playground_id}", place)
    await call(ada, "POST /realm/domains", domain="example.com", allow_subdomains=False)
    domain = {"domain": "example.com"}
    await call(ada, "GET /realm/domains")
    await call(ada, "PATCH /realm/domains/{domain}", domain, allow_subdomains=True)
    await call(ada, "DELETE /realm/domains/{domain}", domain)
    rule = {"pattern": "#(?P<id>[0-9]+)", "url_template": "https://example.com/tickets/{id}"}
    linkifier = await call(ada, "POST /realm/filters", **rule, example_input="#123")
    place = {"filter_id": linkifier["id"]}
    await call(ada, "GET /realm/linkifiers")
    await call(ada, "PATCH /realm/linkifiers", ordered_linkifier_ids=[linkifier["id"]])
    await call(ada, "PATCH /realm/filters/{filter_id}", place, **rule, reverse_template="#{id}")
    await call(ada, "DELETE /realm/filters/{filter_id}", place)
    await call(ada, "GET /realm/audit_log", limit=3)


async def tell_of_pictures(stage: Stage) -> None:
    call, upload, ada = stage.recorder.call, stage.recorder.upload, stage.ada
    image = ("picture.png", picture(), "image/png")
    await upload(ada, "POST /users/me/avatar", None, image)
    await call(ada, "DELETE /users/me/avatar")
    await upload(ada, "POST /realm/icon", None, image)
    await call(ada, "DELETE /realm/icon")
    await upload(ada, "POST /realm/logo", None, image)
    await call(ada, "DELETE /realm/logo", night=False)
    emoji = {"emoji_name": "acme"}
    await upload(ada, "POST /realm/emoji/{emoji_name}", emoji, image)
    await call(ada, "GET /realm/emoji")
    await call(ada, "DELETE /realm/emoji/{emoji_name}", emoji)
    file = await upload(
        ada, "POST /user_uploads", None, ("notes.txt", b"Hello, world", "text/plain")
    )
    names = ("realm_id", "shelf", "token", "filename")
    place = dict(zip(names, file["url"].split("/")[2:], strict=True))
    path = "{realm_id}/{shelf}/{token}/{filename}"
    await call(ada, f"GET /user_uploads/{path}", place)
    await call(ada, f"GET /thumbnail/status/{path}", place)
    link = f"[notes.txt]({file['url']})"
    message = {"type": "direct", "to": [stage.alan.user_id], "content": link}
    await call(ada, "POST /messages", **message)
    files = await call(ada, "GET /attachments")
    place = {"attachment_id": files["attachments"][0]["id"]}
    await call(ada, "DELETE /attachments/{attachment_id}", place)
