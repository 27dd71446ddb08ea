"""Which facts are shown as near, by what is stored of both sides."""

from goldfish.stores.facts.backend import Row, Stored
from goldfish.stores.facts.linking import find_alike, find_near


def row(seq: int, *, said_at: int = 0, near: str = "[]", text: str = "likes tea") -> Row:
    return Row(seq, seq, said_at or seq, f"id{seq}", "", f'{{"text":"{text}"}}', 1, near, None)


def test_links_show_on_both_sides_as_long_as_both_say_the_same() -> None:
    """A link to a fact that was worded anew is not shown; those that are gone are not around."""
    older, newer = row(1), row(2, near='[["id1",1],["id9",9]]')
    assert find_near(Stored(older, [newer])) == ["id2"]
    assert find_near(Stored(newer, [older])) == ["id1"]
    reworded = row(1, said_at=3)
    assert find_near(Stored(reworded, [newer])) == find_near(Stored(newer, [reworded])) == []
    assert find_near(Stored(newer, [])) == []


def test_what_has_a_link_gets_no_second_one() -> None:
    """Neither does what says something else; the others in the order in which they came."""
    others = [row(4), row(2), row(3, near='[["id9",9]]'), row(5, text="likes no tea")]
    assert find_alike(row(9), others, "Likes tea") == [("id2", 2), ("id4", 4)]
