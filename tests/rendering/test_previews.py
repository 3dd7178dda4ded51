"""Where uploaded images appear in the HTML of a message."""

import pytest
from msgspec.structs import replace

from chatapi.rendering import (
    Directory,
    UploadedMedia,
    UploadedPicture,
    UploadedSound,
    UploadedVideo,
    find_upload_paths,
    finish_pictures,
    render_message,
    without_placeholders,
)

PATH = "2/ab/abTOKEN/cat.png"
URL = f"/user_uploads/{PATH}"
CAT = UploadedPicture(PATH, "cat.png", "image/png", 100, 50, True, "840x560.webp")
LOADING = replace(CAT, is_ready=False)
DIRECTORY = Directory.of(media=[CAT])
REL = 'rel="noopener noreferrer nofollow"'
LINK = f'<a href="{URL}" {REL}>cat</a>'
IMG = (
    'data-original-content-type="image/png" data-original-dimensions="100x50" '
    f'src="/user_uploads/thumbnail/{PATH}/840x560.webp"'
)
BLOCK = (
    f'<div class="message_inline_image"><a href="{URL}" title="cat.png" {REL}><img {IMG}></a></div>'
)


VIDEO = UploadedVideo("2/ab/abTOKEN/cat.mp4", 'a "cat".mp4')
VIDEO_URL = f"/user_uploads/{VIDEO.path}"
VIDEO_LINK = f'<a href="{VIDEO_URL}" {REL}>cat</a>'
VIDEO_BLOCK = (
    '<div class="message_inline_image message_inline_video">'
    f'<a href="{VIDEO_URL}" title="a &quot;cat&quot;.mp4" {REL}>'
    f'<video preload="metadata" src="{VIDEO_URL}"></video></a></div>'
)
SOUND = UploadedSound("2/ab/abTOKEN/meow.mp3", "meow.mp3")
SOUND_URL = f"/user_uploads/{SOUND.path}"


def player(title: str) -> str:
    return f'<audio controls="" preload="metadata" src="{SOUND_URL}" title="{title}"></audio>'


def rendered(text: str, file: UploadedMedia = CAT) -> str:
    return render_message(text, Directory.of(media=[file])).html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (f"[cat]({URL})", f"<p>{LINK}</p>\n{BLOCK}"),
        (f"a [cat]({URL}) b\n\nc", f"<p>a {LINK} b</p>\n{BLOCK}\n<p>c</p>"),
        (f"[cat]({URL}) [cat]({URL})", f"<p>{LINK} {LINK}</p>\n{BLOCK}"),
        (f"# [cat]({URL})", f"<h1>{LINK}</h1>\n{BLOCK}"),
        (f"* [cat]({URL})\n* b", f"<ul>\n<li>{LINK}{BLOCK}\n</li>\n<li>b</li>\n</ul>"),
        (f"> [cat]({URL})", f"<blockquote>\n<p>{LINK}</p>\n</blockquote>"),
        (f"`[cat]({URL})`", f"<p><code>[cat]({URL})</code></p>"),
        (URL, f"<p>{URL}</p>"),
    ],
    ids=["link", "between", "twice", "heading", "list", "quote", "code", "text"],
)
def test_preview_follows_the_block_that_links_the_picture(text: str, html: str) -> None:
    assert rendered(text) == html


def test_image_syntax_becomes_the_picture() -> None:
    html = rendered(f'a ![b "c"]({URL}) d')
    assert html.startswith('<p>a <img alt="b &quot;c&quot;" ')
    assert 'class="inline-image"' in html
    assert f'data-original-src="{URL}"' in html
    assert html.endswith("> d</p>")


def test_link_around_a_picture_shows_both() -> None:
    html = rendered(f"/me [cat]({URL})")
    message = render_message(f"/me [cat]({URL})", DIRECTORY)
    assert message.is_me_message
    assert BLOCK in html


def test_picture_of_another_server_is_not_shown() -> None:
    assert "<img" not in rendered(f"[cat](https://example.com{URL})")
    assert "<img" not in rendered(f"![cat](https://example.com{URL})")


@pytest.mark.parametrize("text", [f"[cat]({URL})", f"x ![a<b]({URL}) y", f"* [cat]({URL})"])
def test_finished_placeholder_equals_the_picture(text: str) -> None:
    loading = rendered(text, LOADING)
    assert "image-loading-placeholder" in loading
    finished = finish_pictures(loading, PATH, CAT)
    assert _parts(finished) == _parts(rendered(text))
    assert finish_pictures(finished, PATH, CAT) == finished


def test_other_pictures_stay_placeholders() -> None:
    dog = replace(LOADING, path="2/ab/abTOKEN/dog.png")
    text = f"[cat]({URL}) [dog](/user_uploads/{dog.path})"
    loading = render_message(text, Directory.of(media=[LOADING, dog])).html
    finished = finish_pictures(loading, PATH, CAT)
    assert finished.count("image-loading-placeholder") == 1
    assert BLOCK in finished


@pytest.mark.parametrize("text", [f"[cat]({URL})", f"![cat]({URL})"])
def test_picture_that_cannot_be_drawn_becomes_a_link(text: str) -> None:
    assert finish_pictures(rendered(text, LOADING), PATH, None) == f"<p>{LINK}</p>"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (f"[cat]({VIDEO_URL})", f"<p>{VIDEO_LINK}</p>\n{VIDEO_BLOCK}"),
        (f"![cat]({VIDEO_URL})", f"<p>{VIDEO_LINK}</p>\n{VIDEO_BLOCK}"),
        (
            f"[cat]({VIDEO_URL}) ![cat]({VIDEO_URL})",
            f"<p>{VIDEO_LINK} {VIDEO_LINK}</p>\n{VIDEO_BLOCK}",
        ),
        (f"> [cat]({VIDEO_URL})", f"<blockquote>\n<p>{VIDEO_LINK}</p>\n</blockquote>"),
    ],
    ids=["link", "image", "twice", "quote"],
)
def test_player_follows_the_block_that_links_a_video(text: str, html: str) -> None:
    assert rendered(text, VIDEO) == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (f"a ![b *c*]({SOUND_URL}) d", f"<p>a {player('b c')} d</p>"),
        (f"![]({SOUND_URL})", f"<p>{player('meow.mp3')}</p>"),
        (f"[cat]({SOUND_URL})", f'<p><a href="{SOUND_URL}" {REL}>cat</a></p>'),
        (
            f"> ![cat]({SOUND_URL})",
            f'<blockquote>\n<p><a href="{SOUND_URL}" {REL}>cat</a></p>\n</blockquote>',
        ),
    ],
    ids=["image", "no title", "link", "quote"],
)
def test_sound_written_as_an_image_becomes_a_player(text: str, html: str) -> None:
    assert rendered(text, SOUND) == html


def test_video_and_sound_of_another_server_are_not_played() -> None:
    for url, file in ((VIDEO_URL, VIDEO), (SOUND_URL, SOUND)):
        html = rendered(f"[a](https://example.com{url}) ![b](https://example.com{url})", file)
        assert "<video" not in html
        assert "<audio" not in html


def test_without_placeholders_only_links_remain() -> None:
    dog = replace(LOADING, path="2/ab/abTOKEN/dog é.png")
    dog_url = "/user_uploads/2/ab/abTOKEN/dog%20%C3%A9.png"
    text = f"[cat]({URL}) ![a<b]({dog_url}) ![](</user_uploads/{dog.path}>)\n\n:smile:"
    loading = render_message(text, Directory.of(media=[LOADING, dog])).html
    assert loading.count("image-loading-placeholder") == 3
    smile = rendered(":smile:")
    assert without_placeholders(loading) == (
        f'<p>{LINK} <a href="{dog_url}" {REL}>a&lt;b</a> '
        f'<a href="{dog_url}" {REL}>/user_uploads/{dog.path}</a></p>\n{smile}'
    )


def test_without_placeholders_finished_pictures_remain() -> None:
    html = rendered(f"[cat]({URL}) ![cat]({URL})")
    assert without_placeholders(html) == html


def test_addresses_are_found_with_and_without_escapes() -> None:
    text = (
        "[a](/user_uploads/2/ab/abT/c%C3%A9.png) /user_uploads/2/ab/abT/d.png?x=1 /user_uploads/x"
    )
    assert find_upload_paths(text) == ["2/ab/abT/cé.png", "2/ab/abT/d.png"]
    many = " ".join(f"/user_uploads/2/ab/abT/{number}.png" for number in range(100))
    assert len(find_upload_paths(many)) == 24


def _parts(html: str) -> list[list[str]]:
    """The parts of each tag: the order of attributes has no meaning."""
    return [sorted(tag.split('" ')) for tag in html.replace(">", '" >').split("<")]
