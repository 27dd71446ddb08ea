"""Session ids that a careless store confuses, grouped by the reason.

A store may refuse those called ODD, if loudly; all others are ordinary.
"""

E_ACUTE = "\N{LATIN SMALL LETTER E WITH ACUTE}"
HEART = "\N{HEAVY BLACK HEART}"
UNREADABLE = "\N{REPLACEMENT CHARACTER}"

CONTAINED = [
    *("al", "alice", "alice2", "alice22", "malice", "alice:2", "alice-2", "lic"),
    *("user-1", "user-10", "user-11", "user-100"),
]

BY_CASE = [
    *("Alice", "alice", "ALICE", "straße", "STRASSE", "strasse", "Æ", "æ", "Я", "я", "ǆ", "ǅ"),
    *("\N{LATIN SMALL LETTER DOTLESS I}", "I", "i", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"),
    *("i\N{COMBINING DOT ABOVE}", "\N{KELVIN SIGN}", "k", "\N{GREEK CAPITAL LETTER SIGMA}"),
    *("\N{GREEK SMALL LETTER SIGMA}", "\N{GREEK SMALL LETTER FINAL SIGMA}"),
]

BY_SPACE = ["my chat", "my  chat", "mychat", "my-chat", "my_chat", "my+chat", "my%20chat", "chat"]

ODD_BY_SPACE = [
    *(" my chat", "my chat ", "  my chat", "my\tchat", "my\nchat", "my\r\nchat", "mychat\n"),
    *("my\N{NO-BREAK SPACE}chat", "my\N{IDEOGRAPHIC SPACE}chat", "my\N{EN SPACE}chat"),
    *("\tmychat", "mychat ", " mychat", " ", "  "),
]

BY_FORM = [
    *(f"caf{E_ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}", "cafe", "caf", "caf?", "fix", "A", "a1"),
    *("\N{LATIN SMALL LIGATURE FI}x", "\N{ANGSTROM SIGN}", "a\N{SUPERSCRIPT ONE}"),
    *("\N{LATIN CAPITAL LETTER A WITH RING ABOVE}", "\N{FULLWIDTH LATIN SMALL LETTER A}1"),
    *("\N{CYRILLIC SMALL LETTER A}1", "会话", "用户", "??", "😀", "😁", "?", "👩💻", HEART),
]

ODD_BY_FORM = [
    *("👩\N{ZERO WIDTH JOINER}💻", f"{HEART}\N{VARIATION SELECTOR-16}", "ca\N{WORD JOINER}f"),
    *("ca\N{SOFT HYPHEN}f", "ca\N{ZERO WIDTH SPACE}f", "\N{ZERO WIDTH NO-BREAK SPACE}caf"),
    *("caf\N{RIGHT-TO-LEFT MARK}", "ca\N{ZERO WIDTH NON-JOINER}f"),
]

PATTERNS = [
    *("user_1", "user-1", "userX1", "100%", "100 percent", "a*", "abc", "a?", "ab", "a?c", "[ab]"),
    *("a", "b", "[^x]", "a.c", "a|b", "^a$", "(a)", "a+", "aa", r"\d", "7", "{a,b}", r"a\*", "a*c"),
]

WILDCARDS = ["%", "_", "____", "*", "**", "?", ".*", ".+", "[a-z]", "[!x]*", "%%", "a%", "__%"]

SEPARATED = [
    *("chat", "chat:1", "chat:messages", "chat:meta", "chat:ids", "chat:ttl", "chat:index"),
    *("chat#1", "chat:1:2", "chat:1_2", "chat_1_2", "chat-1-2", "chat.1.2", "chat/1:2", "chat 1 2"),
    *("chat,1;2", "chat|1|2", "chat=1&2", "chat&1=2", "::chat", "chat:", ":chat", "{chat}"),
    *("{chat}:1", "chat:1:", "chat12", "ann@example.com", "ann.example.com", "ann_example_com"),
    *("ann+chat@example.com", "annexamplecom"),
]

OWN_NAMES = [
    *("messages", "sessions", "session", "meta", "index", "keys", "version", "data", "all", "ids"),
    *("__class__", "__dict__", "self", "id", "session_id", "messages:chat", "session:chat"),
    *("history", "chat", "chat:messages", "memory", "config", "lock", "count", "seq", "next"),
]

PATHS = [
    *("a/b", "b", "/a/b", "/b", r"a\b", "a_b", "a-b", "a:b", "a%2Fb", "~", "~root", "~/a", "con"),
    *("CON", "con.txt", "a.", "a.json", "a.jsonl", "a.db", "a.tmp", "a"),
]

ODD_PATHS = [
    *("a//b", "a/./b", "a/x/../b", ".", "..", "../b", "../../b", "./b", "a/", "a/..", "/", "//"),
    *("/etc/passwd", r"..\b", "..."),
]

QUOTED = [
    *("o'brien", "o''brien", "obrien", r"o\'brien", 'say "hi"', "say 'hi'", "say hi", "`id`"),
    *("x'; DROP TABLE messages; --", "x' OR '1'='1", 'x" OR "1"="1', "x'--", "x", "x/*", "$HOME"),
    *("$(id)", "${x}", "{}", "{0}", "{session_id}", "%s", "%d", "%(x)s", ":x", "$1", "?1", "<b>"),
]

ESCAPED = [
    *(r"a\nb", "anb", r"a\\nb", "a&amp;b", "a&b", "a%20b", "a b", "a+b", "a%2520b", r"\u0041", "A"),
    *("a%3Ab", "a:b", "a=3Ab", "YWxpY2U=", "YWxpY2U", "alice", '"alice"', "'alice'", "b'alice'"),
    *("<a>", "&lt;a&gt;", f"caf{E_ACUTE}", "caf%C3%A9", "caf\xc3\xa9", "xn--caf-dma", r"caf\xe9"),
]

NUMBERS = [
    *("1", "01", "001", "1.0", "1.", "+1", "-1", "1e0", "1_0", "10", "1,0", "0x1", "0b1", "1L"),
    *("\N{ARABIC-INDIC DIGIT ONE}", "0", "-0", "00", "0.0", "1e3", "1000", "2026-11-15"),
    *("20261115", "9007199254740993", "9007199254740992", "550e8400-e29b-41d4-a716-446655440000"),
    *("550e8400e29b41d4a716446655440000", "550E8400-E29B-41D4-A716-446655440000"),
]

ODD_NUMBERS = [" 1", "1 ", "1\n", "1\t"]

WORDS = [
    *("null", "Null", "None", "none", "nil", "undefined", "true", "True", "false", "False", "yes"),
    *("no", "on", "off", "nan", "NaN", "inf", "Infinity", "default", "anonymous", "main", "user"),
    *("[]", "{}", '""', "''", "()", "0", "N/A", "-", "_", "object", "NULL", "unknown", "global"),
]

ODD_CHARACTERS = [
    *("", "a\0b", "a\0", "\0", "a\0c", "a\x01b", "a\x1fb", "a\x7fb", "a\x1b[0m", "a\x08", "a\x80"),
    *("a\ud800", "a\udfff", "\ud800", "\udc00"),
]

LIKE_ODD_CHARACTERS = ["a", "ab", "a?", f"a{UNREADABLE}", UNREADABLE, "default", "None", "null"]

# Pairs of ids with the same short digest, found by search and proven by a test.
SAME_DIGEST = {
    "the first 10 hex digits of MD5": ("session-35437", "session-1664520"),
    "the last 8 hex digits of MD5": ("session-32885", "session-67077"),
    "MD5 modulo 10**9": ("session-5171", "session-15052"),
    "the first 10 hex digits of SHA-1": ("session-357262", "session-870098"),
    "the last 8 hex digits of SHA-1": ("session-21852", "session-115550"),
    "SHA-1 modulo 10**9": ("session-23671", "session-34796"),
    "the first 10 hex digits of SHA-256": ("session-300066", "session-1021806"),
    "the last 8 hex digits of SHA-256": ("session-37237", "session-37243"),
    "SHA-256 modulo 10**9": ("session-5079", "session-11680"),
    "the first 10 hex digits of SHA-512": ("session-92037", "session-855974"),
    "the first 10 hex digits of BLAKE2b": ("session-1062360", "session-1361179"),
    "CRC-32": ("plumless", "buckeroo"),
    "Adler-32": ("session-120", "session-201"),
    "FNV-1a of 32 bits": ("costarring", "liquid"),
    "Java's hashCode": ("session-Aa", "session-BB"),
    "the letters in any order": ("session-12", "session-21"),
}

USERS = [
    *("al", "alice", "alice2", "malice", "Alice", "john_doe", "john-doe", "johnXdoe", "john.doe"),
    *("%", "_", "a*", "a%", "o'brien", "x'OR'1'='1", "user:1", "user:10", "user/1"),
    *("1", "01", "null", "default", f"caf{E_ACUTE}", "用户", "😀"),
]

ODD_USERS = [
    *ODD_CHARACTERS,
    "user 1",  # some stores refuse spaces
    "*",  # some stores use it for everybody, so nobody may be called so
]
