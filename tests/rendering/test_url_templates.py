"""Templates of addresses, by the examples of RFC 6570 whose values are texts."""

import pytest

from chatapi.rendering import InvalidTemplateError, UrlTemplate

VALUES = {
    "var": "value",
    "hello": "Hello World!",
    "half": "50%",
    "base": "http://example.com/home/",
    "path": "/foo/bar",
    "empty": "",
    "undef": None,
    "who": "fred",
    "v": "6",
    "x": "1024",
    "y": "768",
}


@pytest.mark.parametrize(
    ("template", "address"),
    [
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"),
        ("?{undef,y}", "?768"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{#hello}", "#Hello%20World!"),
        ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("{.who,who}", ".fred.fred"),
        ("X{.empty}", "X."),
        ("X{.undef}", "X"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/var,empty}", "/value/"),
        ("{/var:1,var}", "/v/value"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;undef,y}", ";y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,undef}", "?x=1024"),
        ("{?var:3}", "?var=val"),
        ("?fixed=yes{&x,empty}", "?fixed=yes&x=1024&empty="),
        ("{var*}", "value"),
        ("{?var*}", "?var=value"),
        ("/caf%C3%A9/café/100%", "/caf%C3%A9/caf%C3%A9/100%25"),
    ],
)
def test_template_is_expanded_with_values(template: str, address: str) -> None:
    assert UrlTemplate.parse(template).expand(VALUES) == address


@pytest.mark.parametrize(
    "text",
    [
        *("{", "}", "a{b", "{}", "{,}", "{a,}", "{a b}", "{=a}", "{a:0}", "{a:b}", "{a:10000}"),
        *("{{a}}", "{é}", "a b", 'a"b', "a<b>", "a\nb", "a|b", "a\\b"),
    ],
)
def test_invalid_template_is_refused(text: str) -> None:
    with pytest.raises(InvalidTemplateError):
        UrlTemplate.parse(text)


def test_template_names_its_variables() -> None:
    assert UrlTemplate.parse("https://{a}.b/{+c,d:3}{?e*}").variables == {"a", "c", "d", "e"}


@pytest.mark.parametrize(
    ("template", "format_string"),
    [
        ("https://a.b/{id}", "https://a.b/%(id)s"),
        ("https://a.b/100%25/{x}/{y}", "https://a.b/100%%25/%(x)s/%(y)s"),
        ("https://a.b/{+id}", None),
        ("https://a.b/{x,y}", None),
        ("https://a.b/{id:3}", None),
    ],
)
def test_simple_template_has_a_format_string(template: str, format_string: str | None) -> None:
    assert UrlTemplate.parse(template).as_format_string() == format_string
