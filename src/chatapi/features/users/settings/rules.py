"""Rules for personal settings, and values derived from them; pure."""

from functools import cache
from zoneinfo import available_timezones

from chatapi.core.errors import BadRequestError
from chatapi.wire.user_settings import UserSettings

_DEFAULTS = UserSettings().model_dump()

_LANGUAGES = {
    "ar": "العربية",
    "be": "беларуская",
    "bg": "български",
    "ca": "català",
    "cs": "Čeština",
    "cy": "Cymraeg",
    "da": "dansk",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "en": "English",
    "en_GB": "British English",
    "es": "español",
    "eu": "Euskara",
    "fa": "فارسی",
    "fi": "suomi",
    "fr": "français",
    "gl": "galego",
    "gu": "ગુજરાતી",
    "hi": "हिन्दी",
    "hu": "Magyar",
    "id": "Bahasa Indonesia",
    "it": "italiano",
    "ja": "日本語",
    "ko": "한국어",
    "lt": "Lietuviškai",
    "lv": "latviešu",
    "ml": "മലയാളം",
    "mn": "Монгол",
    "nl": "Nederlands",
    "pl": "polski",
    "pt": "Português",
    "pt_BR": "Português Brasileiro",
    "ro": "Română",
    "ru": "русский",
    "sk": "slovenčina",
    "sl": "Slovenščina",
    "sr": "српски",
    "sv": "svenska",
    "ta": "தமிழ்",
    "te": "తెలుగు",
    "tr": "Türkçe",
    "uk": "Українська",
    "vi": "Tiếng Việt",
    "zh": "中文",
    "zh_Hans": "简体中文",
    "zh_Hant": "繁體中文",
}


def language_name(code: str) -> str:
    """The name of a language in that language; clients may know more languages than the server."""
    return _LANGUAGES.get(code.replace("-", "_"), code)


def check_timezone(name: str) -> str:
    if name and name not in _timezones():
        raise BadRequestError("timezone is not a recognized time zone")
    return name


def stored_settings(
    stored: dict[str, object], changes: dict[str, bool | int | str]
) -> dict[str, object]:
    """The stored differences from the defaults after some changes; default values are left out."""
    merged = {**stored, **changes}
    return {
        name: value
        for name, value in merged.items()
        if name not in _DEFAULTS or value != _DEFAULTS[name]
    }


@cache
def _timezones() -> frozenset[str]:
    """Cached: it reads the whole time zone database."""
    return frozenset(available_timezones())
