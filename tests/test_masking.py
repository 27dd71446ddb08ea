"""Credentials never reach a person's eyes, however they are written."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import goldfish
from goldfish.errors import mask
from goldfish.findings.comparison import quote
from goldfish.history import Call
from goldfish.history.excerpt import make_excerpt
from goldfish.report.sanitize import sanitize_text

TOKEN = "hunter2" * 700  # as long as the access tokens of a cloud
AWKWARD = [
    TOKEN,
    "p@hunter2",
    "p/hunter2/x",
    "/hunter2",
    "p:hunter2:",
    "a b\thunter2 c",
    " hunter2",
    "line\nhunter2\r\nline",
    'it\'s "hunter2"',
    "x?y#z&hunter2",
    "[hunter2]",
    "a\\hunter2",
    "ü hunter2 用",
]


@pytest.mark.parametrize("password", AWKWARD)
@pytest.mark.parametrize(
    "form",
    [
        "redis://bob:{}@host:6379/0",
        "redis://:{}@host",
        "postgresql+psycopg://bob:{}@host/db?x=1",
        "could not connect to rediss://bob:{}@host:1/0",
        "first\nthen postgresql://b:{}@h/d, refused",
    ],
)
def test_a_password_in_a_url_is_masked(form: str, password: str) -> None:
    """Whatever its length, and whatever should have been escaped in it."""
    told = mask(form.format(password))
    assert "hunter2" not in told
    assert "://***@h" in told
    assert mask(told) == told


def test_an_address_alone_is_masked_to_its_last_at_sign() -> None:
    """In a text of which it is a part, a space after one would end it."""
    assert mask("redis://bob:x@y hunter2@z@host/0") == "redis://***@host/0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"host=h password={TOKEN} user=u", "host=h password=*** user=u"),
        ("PassWord = hunter2 host=h", "PassWord = *** host=h"),
        (r"password = 'a \'hunter2\' \\' host=h", "password = *** host=h"),
        (r"password=a\ hunter2 host=h", "password=*** host=h"),
        ("password='it's hunter2' host=h", "password=*** host=h"),
        ("host=h password='hunter2 never closed", "host=h password=***"),
        ("sslpassword=hunter2 sslkey=k", "sslpassword=*** sslkey=k"),
        (r"dsn='password=\'a hunter2\' host=h'", r"dsn='password=*** host=h'"),
        ("redis://h/0?db=1&password=hunter2&x=1", "redis://h/0?db=1&password=***&x=1"),
        ("x://h?sentinel_password=hunter2", "x://h?sentinel_password=***"),
        ("x://h?access_token=hunter2&b=1", "x://h?access_token=***&b=1"),
        ("x://h?client-secret=hunter2&b=1", "x://h?client-secret=***&b=1"),
        ("AWS_SECRET_ACCESS_KEY=hunter2 x", "AWS_SECRET_ACCESS_KEY=*** x"),
        ("api_key=hunter2 db_pass=hunter2", "api_key=*** db_pass=***"),
        ("{'password': 'hunter2', 'host': 'h'}", "{'password': ***, 'host': 'h'}"),
        ('{"Password":"hunter2","host":"h"}', '{"Password":***,"host":"h"}'),
        ("{'token': b'hunter2', 'n': 1}", "{'token': ***, 'n': 1}"),
        ("Redis(host='h', password='hunter2')", "Redis(host='h', password=***)"),
        ("Authorization: Bearer hunter2\nHost: h", "Authorization: ***\nHost: h"),
        ("a redis://a:hunter2@h1 redis://hunter2@h2", "a redis://***@h1 redis://***@h2"),
        ("redis://a:hunter2@h1 redis://c:hunter2@h2", "redis://***@h1 redis://***@h2"),
    ],
)
def test_a_secret_that_has_a_name_is_masked(text: str, expected: str) -> None:
    """In connection strings, queries, headers and what Python shows of its objects."""
    assert mask(text) == expected
    assert mask(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "redis://host:6379/0 refused bob@example.com",
        "the page http://[::1]:8080 was made by bob@example.com",
        "https://example.com/@bob and https://example.com, then bob@example.com",
        "at h1://a:1,b:2/x write to bob@example.com",
        "sqlite:////home/bob@example/memory.db",
        "trim_tokens(max_tokens=100) keeps 5 tokens: a, b",
        "the password: none was given; 'password': None",
        "postgresql://host/db?sslmode=require",
    ],
)
def test_what_is_not_secret_stays(text: str) -> None:
    """Hosts, ports, paths, people and numbers are what an error is read for."""
    shown_to_people = f"note: {text}" if text.startswith("redis") else text
    assert mask(shown_to_people) == shown_to_people


@given(
    st.text(st.characters(exclude_characters="@"), min_size=8),
    st.sampled_from(["postgresql://u:{}@h/d", "x postgresql://u:x{}@h/d"]),
)
@example("://hunter2 ://", "x postgresql://u:x{}@h/d")
def test_no_password_gets_through_a_url(password: str, form: str) -> None:
    """Of any characters; only what looks like a port before a space could be one."""
    told = mask(form.format(password))
    assert told == form.replace("u:x{}", "***").replace("u:{}", "***") or password not in told


def test_a_known_secret_is_masked_wherever_it_stands() -> None:
    """As it is, decoded, encoded, quoted, and in the pieces that a parser cuts it into."""
    url = "postgresql://bob:p%40ss%20word/rest@host/db?sslpassword=other%21"
    error = "p%40ss%20word/rest, p@ss word/rest, 'rest' is no port, other!, other%21"
    assert mask(error, url) == "***, ***, '***' is no port, ***, ***"
    assert mask("a word, abc", "redis://:abc@h", "redis://h") == "a word, abc"


def test_no_cut_shows_the_beginning_of_a_password() -> None:
    """In evidence, excerpts and reports, which cut what is long."""
    text = f"cannot reach redis://bob:{TOKEN * 3}@host and {'more ' * 2000}"
    call = Call("p", "s", "add_messages", (text,), None, 0.0, 1.0)
    excerpted = make_excerpt([call], [], [call])
    for told in (quote(text, 500), sanitize_text(text), str(excerpted)):
        assert "hunter2" not in told


@pytest.mark.parametrize(
    "url", ["redis://:p/hunter2@h:1", "redis://bob:x#hunter2@h", "redis://:hunter2@h:x"]
)
def test_a_refused_url_is_not_quoted(url: str) -> None:
    """Parsers of URLs quote what they take for the port, which may be the password."""
    with pytest.raises(ValueError, match="not a Redis URL") as caught:
        goldfish.RedisMemoryStore(url)
    assert not re.search("hunter2|'p'|'x'", str(caught.value))


HOSTILE = {
    "schemes": "://" * 300_000,
    "users": "a://b:c" * 140_000,
    "names": "token" * 200_000,
    "assignments": "token=" * 160_000,
    "open quotes": "token='" * 140_000,
    "quotes": "password=" + "'" * 1_000_000,
    "backslashes": "password='" + "\\" * 1_000_000,
    "escapes": "token\\" * 160_000,
    "spaces": "token" + " " * 1_000_000,
    "hosts": "x://" + "[a]," * 250_000 + ":b y@",
    "brackets": "x://" + "[" * 1_000_000 + ":y @",
    "runs": "x://@ " * 160_000,
    "scheme": "a" * 1_000_000 + "://b ://c" * 100,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_takes_no_longer_than_its_length(kind: str) -> None:
    """A megabyte made for patterns that try again and again; quadratic time would be minutes."""
    begun = time.process_time()
    mask(HOSTILE[kind])
    assert time.process_time() - begun < 10
