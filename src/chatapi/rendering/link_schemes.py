"""Schemes of addresses that texts may link to.

A list of what is allowed, because programs register schemes that run commands on the reader's
machine.
"""

_WITHOUT_SLASHES = frozenset(
    {
        *(
            "bitcoin",
            "callto",
            "dns",
            "doi",
            "ethereum",
            "facetime",
            "facetime-audio",
            "fax",
            "geo",
        ),
        *("im", "lightning", "litecoin", "magnet", "mailto", "matrix", "maps", "mid", "monero"),
        *("news", "openpgp4fpr", "pres", "sip", "sips", "skype", "sms", "smsto", "spotify", "tel"),
        *("urn", "webcal", "wtai", "xmpp"),
    }
)
"""In running text these need no slashes after the colon."""

LINK_SCHEMES = _WITHOUT_SLASHES | {
    *("bear", "cursor", "discord", "dav", "davs", "dict", "ed2k", "element", "evernote", "feed"),
    *("figma", "ftp", "ftps", "gemini", "git", "git+ssh", "gopher", "http", "https", "idea"),
    *("ipfs", "ipns", "ipp", "ipps", "irc", "ircs", "itms", "itms-apps", "jetbrains"),
    *("ldap", "ldaps", "linear", "logseq", "market", "message", "mms", "msteams", "nfs", "nntp"),
    *("nostr", "notion", "obsidian", "omnifocus", "onenote", "podcast", "raycast", "rdp", "rsync"),
    *("rtmp", "rtsp", "sftp", "sgnl", "shortcuts", "slack", "smb", "ssh", "steam", "svn"),
    *("svn+ssh", "teamspeak", "telnet", "tg", "things", "threema", "vnc", "vscode"),
    *(
        "vscode-insiders",
        "webdav",
        "webdavs",
        "wechat",
        "whatsapp",
        "ws",
        "wss",
        "x-devonthink-item",
    ),
    *("zed", "zoommtg", "zoomus", "zotero", "zulip"),
}


def is_scheme_without_slashes(scheme: str) -> bool:
    return scheme in _WITHOUT_SLASHES
