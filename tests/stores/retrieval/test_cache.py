"""What is kept of users and sessions, and for how long."""

from dataclasses import dataclass

from goldfish.stores.retrieval.cache import IndexCache


@dataclass
class Known:
    """Something of a size."""

    key: str
    size: int = 0
    exists: bool = True


def grown(shelf: IndexCache[Known], key: str, size: int) -> Known:
    known = shelf.get(key)
    known.size = size
    shelf.weigh(key, known)
    return known


def test_those_asked_for_last_stay() -> None:
    """When the room is used up, what nobody has asked for longest is put away."""
    shelf = IndexCache(Known, most_bytes=100)
    first, second = grown(shelf, "first", 40), grown(shelf, "second", 40)
    assert shelf.get("first") is first
    third = grown(shelf, "third", 40)
    assert [shelf.get("first"), shelf.get("third")] == [first, third]
    assert len(shelf) == 2
    assert shelf.get("second") is not second


def test_what_grows_alone_stays() -> None:
    """The last one is kept, however large: somebody is at work with it."""
    shelf = IndexCache(Known, most_bytes=100)
    grown(shelf, "other", 40)
    large = grown(shelf, "large", 1000)
    assert shelf.get("large") is large
    assert len(shelf) == 1


def test_nothing_is_kept_of_what_does_not_exist() -> None:
    """What the backend has nothing of is put away as soon as that is known, with its size."""
    shelf = IndexCache(Known, most_bytes=100)
    kept = grown(shelf, "kept", 90)
    for number in range(1000):
        unknown = shelf.get(f"unknown {number}")
        unknown.exists = False
        shelf.weigh(f"unknown {number}", unknown)
    gone = grown(shelf, "gone", 5)
    gone.exists = False
    shelf.weigh("gone", gone)
    assert len(shelf) == 1
    grown(shelf, "small", 10)
    assert shelf.get("kept") is kept


def test_of_two_the_one_on_the_shelf_counts() -> None:
    """One that was put away meanwhile comes back only where there is no other."""
    shelf = IndexCache(Known, most_bytes=100)
    old = grown(shelf, "x", 10)
    grown(shelf, "y", 100)
    new = grown(shelf, "x", 20)
    shelf.weigh("x", old)
    assert shelf.get("x") is new
    new.exists = False
    shelf.weigh("x", new)
    shelf.weigh("x", old)
    assert shelf.get("x") is old


def test_what_is_renewed_is_renewed_once() -> None:
    """Whoever comes later with the old one gets the same new one."""
    shelf = IndexCache(Known, most_bytes=100)
    old = grown(shelf, "x", 90)
    new = shelf.renew("x", old)
    assert new is not old
    assert shelf.renew("x", old) is shelf.get("x") is new
    shelf.weigh("x", old)
    assert grown(shelf, "x", 10) is new
    assert [grown(shelf, "y", 85), shelf.get("x")] == [shelf.get("y"), new]


def test_weighing_one_looks_at_no_other() -> None:
    """What a call costs does not grow with all that is kept."""
    looked: list[str] = []

    class Watched(Known):
        @property
        def size(self) -> int:
            looked.append(self.key)
            return 1

        @size.setter
        def size(self, value: int) -> None:
            pass

    shelf: IndexCache[Watched] = IndexCache(Watched)
    for number in range(100):
        shelf.weigh(str(number), shelf.get(str(number)))
    looked.clear()
    shelf.weigh("7", shelf.get("7"))
    assert looked == ["7"]
