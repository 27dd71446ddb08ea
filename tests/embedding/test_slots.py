"""The slots: processes share their vectors, and nobody reads half of one."""

import subprocess
import sys

import numpy as np

from goldfish.embedding.slots import KEY, SUM, Slots

VECTOR = np.arange(8, dtype=np.float32)
IN_A_CHILD = """
import os
import numpy as np
from goldfish.embedding.slots import Slots

slots, key = Slots(10, 8), b"k" * 16
if (child := os.fork()) == 0:
    slots.put(key, np.ones(8, np.float32))
    os._exit(0)
os.waitpid(child, 0)
print(slots.get(key))
"""


def name(number: int) -> bytes:
    return number.to_bytes(KEY, "little")


def test_a_vector_is_found_by_its_key_alone() -> None:
    slots = Slots(10, 8)
    slots.put(name(1), VECTOR)
    found = slots.get(name(1))
    assert found is not None
    assert (found == VECTOR).all()
    assert slots.get(name(2)) is None


def test_a_key_that_nobody_gave_is_not_found() -> None:
    """Not even that of a slot that was never written."""
    assert Slots(10, 8).get(bytes(KEY)) is None


def test_a_vector_takes_the_slot_of_another() -> None:
    slots = Slots(1, 8)
    slots.put(name(1), VECTOR)
    slots.put(name(2), VECTOR + 1)
    assert slots.get(name(1)) is None
    found = slots.get(name(2))
    assert found is not None
    assert (found == VECTOR + 1).all()


def test_what_was_read_does_not_change_any_more() -> None:
    slots = Slots(1, 8)
    slots.put(name(1), VECTOR)
    found = slots.get(name(1))
    slots.put(name(1), VECTOR + 1)
    assert found is not None
    assert (found == VECTOR).all()


def test_half_a_vector_is_none() -> None:
    """As two processes leave it that write one slot at once."""
    slots = Slots(1, 8)
    slots.put(name(1), VECTOR)
    slots._memory[KEY + SUM + 3] ^= 1
    assert slots.get(name(1)) is None


def test_what_a_forked_process_keeps_is_there_for_its_parent() -> None:
    ran = subprocess.run([sys.executable, "-c", IN_A_CHILD], capture_output=True, text=True)
    assert ran.stdout.strip() == str(np.ones(8, np.float32)), ran.stderr
