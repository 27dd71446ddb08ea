"""The threads of matrix multiplication: one while we work, as many as before afterwards."""

from goldfish.embedding.blas import Blas


def told(blas: Blas) -> int:
    """What the library itself says."""
    return blas._get()


def test_one_thread_within_and_the_old_number_afterwards() -> None:
    """Also when several are within at once, and when one of them fails."""
    blas = Blas()
    before = told(blas)
    with blas.single() as threads, blas.single() as again:
        assert threads == again == before
        assert told(blas) == 1
    assert told(blas) == before
    try:
        with blas.single():
            raise KeyError
    except KeyError:
        assert told(blas) == before


def test_a_change_in_between_is_kept() -> None:
    """What a user sets before the next time is what is put back."""
    blas = Blas()
    before = told(blas)
    blas._set(1)
    with blas.single() as threads:
        assert threads == 1
    assert told(blas) == 1
    blas._set(before)
