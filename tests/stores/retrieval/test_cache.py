"""What is kept of users and sessions, and for how long."""

from dataclasses import dataclass

from goldfish.stores.retrieval.cache import IndexCache


@dataclass
class Known:
    """Something of a size."""

    key: str
    size: int = 0
    exists: bool = True


def grow(cache: IndexCache[Known], key: str, size: int) -> Known:
    known = cache.get(key)
    known.size = size
    cache.weigh(key, known)
    return known


def test_those_asked_for_last_stay() -> None:
    """When the room is used up, what nobody has asked for longest is put away."""
    cache = IndexCache(Known, most_bytes=100)
    first, second = grow(cache, "first", 40), grow(cache, "second", 40)
    assert cache.get("first") is first
    third = grow(cache, "third", 40)
    assert [cache.get("first"), cache.get("third")] == [first, third]
    assert len(cache) == 2
    assert cache.get("second") is not second


def test_what_grows_alone_stays() -> None:
    """The last one is kept, however large: somebody is at work with it."""
    cache = IndexCache(Known, most_bytes=100)
    grow(cache, "other", 40)
    large = grow(cache, "large", 1000)
    assert cache.get("large") is large
    assert len(cache) == 1


def test_nothing_is_kept_of_what_does_not_exist() -> None:
    """What the backend has nothing of is put away as soon as that is known, with its size."""
    cache = IndexCache(Known, most_bytes=100)
    kept = grow(cache, "kept", 90)
    for number in range(1000):
        unknown = cache.get(f"unknown {number}")
        unknown.exists = False
        cache.weigh(f"unknown {number}", unknown)
    gone = grow(cache, "gone", 5)
    gone.exists = False
    cache.weigh("gone", gone)
    assert len(cache) == 1
    grow(cache, "small", 10)
    assert cache.get("kept") is kept


def test_of_two_the_one_on_the_shelf_counts() -> None:
    """One that was put away meanwhile comes back only where there is no other."""
    cache = IndexCache(Known, most_bytes=100)
    old = grow(cache, "x", 10)
    grow(cache, "y", 100)
    new = grow(cache, "x", 20)
    cache.weigh("x", old)
    assert cache.get("x") is new
    new.exists = False
    cache.weigh("x", new)
    cache.weigh("x", old)
    assert cache.get("x") is old


def test_what_is_renewed_is_renewed_once() -> None:
    """Whoever comes later with the old one gets the same new one."""
    cache = IndexCache(Known, most_bytes=100)
    old = grow(cache, "x", 90)
    new = cache.renew("x", old)
    assert new is not old
    assert cache.renew("x", old) is cache.get("x") is new
    cache.weigh("x", old)
    assert grow(cache, "x", 10) is new
    assert [grow(cache, "y", 85), cache.get("x")] == [cache.get("y"), new]


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

    cache: IndexCache[Watched] = IndexCache(Watched)
    for number in range(100):
        cache.weigh(str(number), cache.get(str(number)))
    looked.clear()
    cache.weigh("7", cache.get("7"))
    assert looked == ["7"]
