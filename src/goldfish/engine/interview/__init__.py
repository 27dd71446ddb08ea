"""The interview: what a memory does when nothing goes wrong, asked before anything is checked.

One ordinary call after the other, alone and without faults. What a memory does then is what it is
held to when things go wrong; a trait that is absent then is told once, and what hangs on it is not
asked. A question without a clear answer leaves the memory held to the trait.
"""

from goldfish.engine.interview.conversation import interview
from goldfish.engine.interview.first_contact import make_first_contact
from goldfish.engine.interview.powers import find_unimplemented

__all__ = ["find_unimplemented", "interview", "make_first_contact"]
